"""Writes what was proposed as the folder of a study, with a frozen export of the memory in it."""

import os
from collections.abc import Mapping
from pathlib import Path

from truerecall.errors import StudyError
from truerecall.memory.memory import Memory
from truerecall.study.design import (
    Checkout,
    GraderChoice,
    MemoryChoice,
    Question,
    Repository,
    Side,
    SolverChoice,
    Study,
)
from truerecall.study.files.questions import KEYS, QUESTION
from truerecall.study.files.writing import write_study
from truerecall.study.overlap import Rarity
from truerecall.study.proposing.commits import last_commit
from truerecall.study.proposing.naming import question_name, repository_name, slug
from truerecall.study.proposing.prompts import Prompt
from truerecall.study.proposing.topics import Proposals, Topic

_SIDES = (Side("memory", "memory"), Side("none", "none"), Side("redo", "redo"))
_FACTS = """One checkable fact a line, only what the question asks, each with the place where it was verified:
{session}- The limit is read from RETRY_LIMIT. [{name}: app/retry.py:12-18]
{session_key}The truth key says what is so in the code at the commit; it alone decides what is correct.
`truerecall study keys draft` proposes lines, `keys check` opens the places, `keys approve` lets the study run."""
_SESSION_FACT = "- The limit is 5. [session {session}]\n"
_SESSION_KEY = """The session key says what the original discussion concluded; end a line that is not so with (wrong).
"""


def study_of(folder: Path, proposals: Proposals, space: str) -> tuple[Study, Mapping[str, Mapping[str, str]]]:
    """The study that these proposals make, and the notes that go into its files; nothing is written.

    Args:
        folder: Where it is to lie.
        proposals: At least one topic or control.
        space: The memory that they come from.
    """
    asked: list[tuple[Prompt, Topic | None]] = [
        *((topic.prompt, topic) for topic in proposals.topics),
        *((prompt, None) for prompt in proposals.controls),
    ]
    latest = max((prompt for prompt, _ in asked), key=lambda prompt: prompt.at)
    name = repository_name(space, latest.cwd)
    rarity = Rarity(prompt.words for prompt, _ in asked)
    questions: dict[str, Question] = {}
    notes: dict[str, Mapping[str, str]] = {}
    for prompt, topic in asked:
        ident = question_name(
            prompt.text, frozenset() if topic is None else topic.request.words, rarity, questions
        )
        questions[ident] = Question(
            id=ident,
            text=prompt.text,
            request="" if topic is None else topic.request.text,
            asked_at=prompt.at,
            checkouts=(Checkout(name, prompt.commit),) if prompt.commit else (),
            control=topic is None,
            sessions=() if topic is None else topic.sessions,
        )
        notes[ident] = _notes(prompt, topic, name)
    study = Study(
        folder=folder,
        name=slug(folder.resolve().name, name),
        solver=SolverChoice(),
        graders=GraderChoice(),
        memory=MemoryChoice((f"memory/{name}",)),
        repositories=(_repository(name, space, folder, latest.cwd),),
        sides=_SIDES,
        questions=tuple(questions.values()),
    )
    return study, notes


def write_proposed(memory: Memory, study: Study, notes: Mapping[str, Mapping[str, str]]) -> None:
    """Write a proposed study and the export of its memory into a new folder.

    Raises:
        StudyError: The folder holds something already, or cannot be written.
        ArchiveError: The export cannot be written.
    """
    refuse_taken(study.folder)
    for name in study.memory.exports:
        (study.folder / name).parent.mkdir(parents=True, exist_ok=True)
        memory.export(study.folder / name)
    write_study(study, notes)


def refuse_taken(folder: Path) -> None:
    """``StudyError`` for a folder that holds something, or for what is no folder."""
    if folder.is_dir() and not any(folder.iterdir()):
        return
    if folder.exists() or folder.is_symlink():
        raise StudyError(
            "the folder holds something already", where=str(folder), remedy="Name a new folder for the study."
        )


def _repository(name: str, space: str, folder: Path, cwd: str) -> Repository:
    """Where it is fetched from: the folder that was worked in, where that is there; else its address."""
    known = ":" not in space
    origin = f"https://{space}.git" if known else ""
    top = _top(Path(cwd)) if cwd else None
    if top is not None:
        return Repository(name, os.path.relpath(top, folder.resolve()), origin)
    return Repository(name, origin or cwd or ".", origin)


def _top(cwd: Path) -> Path | None:
    """The top of the working tree that a folder lies in."""
    return next((path for path in (cwd, *cwd.parents) if (path / ".git").exists()), None)


def _notes(prompt: Prompt, topic: Topic | None, name: str) -> dict[str, str]:
    keys = _FACTS.format(
        name=name,
        session="" if topic is None else _SESSION_FACT.format(session=topic.sessions[0]),
        session_key="" if topic is None else _SESSION_KEY,
    )
    notes = {KEYS: keys}
    if not prompt.commit:
        notes[QUESTION] = _commit_note(prompt, name)
    return notes


def _commit_note(prompt: Prompt, name: str) -> str:
    top = _top(Path(prompt.cwd)) if prompt.cwd else None
    guess = last_commit(top, prompt.branch, prompt.at) if top is not None else ""
    if guess:
        return (
            f"Nobody noted the commit. The last one before it was asked is this{_on(prompt)}: look whether it was\n"
            f"the current one, and take the # off the line.\n"
            f'{name} = "{guess}"'
        )
    at = f"{prompt.at:%Y-%m-%dT%H:%M:%SZ}"
    return (
        "Nobody noted the commit. Take the # off the line below, and fill in all 40 digits of the one that was\n"
        "current when it was asked. In the repository this command names it:\n"
        f"  git rev-list -1 --before={at} {prompt.branch or 'HEAD'}\n"
        f'{name} = ""'
    )


def _on(prompt: Prompt) -> str:
    return f" (branch {prompt.branch})" if prompt.branch else ""
