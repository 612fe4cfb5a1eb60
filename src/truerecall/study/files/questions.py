"""Reading one question of a study: ``question.toml``, its texts, its keys and their approval."""

import re
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

from truerecall.errors import StudyError
from truerecall.study.design import Approval, Checkout, KeyFact, KeyKind, Question, Study
from truerecall.study.files.key_lines import EXAMPLE, read_keys
from truerecall.study.files.tables import NAMES, Document, Table, is_name, read_text

QUESTION, TEXT, REQUEST, KEYS, APPROVED, DRAFT = (
    "question.toml",
    "question.md",
    "request.md",
    "keys.md",
    "approved.toml",
    "keys.draft.md",
)
"""What may lie in the folder of a question."""
FILES = (QUESTION, TEXT, REQUEST, KEYS, APPROVED, DRAFT)
_COMMIT = re.compile(r"[0-9a-f]{40}")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_TAKEN = "report"
"""A run keeps its report beside its questions."""


def read_question(folder: Path, study: Study, unfinished: bool) -> Question:
    """The question of a folder; ``StudyError`` with file and line for whatever is wrong with it.

    Args:
        folder: Its name is the question's.
        study: Without its questions.
        unfinished: Whether it may have no commit and no truth key yet.
    """
    _check_folder(folder)
    table = Document.read(folder / QUESTION).table
    asked_at, control = table.instant("asked_at"), table.flag("control", False)
    sessions = table.texts("sessions")
    checkouts = _checkouts(table, study)
    table.end()
    if not checkouts and not unfinished:
        raise table.refuse(
            "the question names no commit",
            f'Write below [commits] {study.repositories[0].name} = "…": the commit that was current when it was asked.',
            "commits",
        )
    if len(set(sessions)) < len(sessions):
        raise table.refuse("a session stands there twice", "Name each once.", "sessions")
    repositories = [checkout.repository for checkout in checkouts]
    if unfinished and not checkouts:
        repositories = [repository.name for repository in study.repositories]
    keys = _keys(folder, control, repositories, unfinished)
    return Question(
        id=folder.name,
        text=_text(folder / TEXT),
        request=_request(folder / REQUEST, control, study),
        asked_at=asked_at,
        checkouts=checkouts,
        control=control,
        sessions=sessions,
        session_key=keys["session"],
        truth_key=keys["truth"],
        approval=_approval(folder / APPROVED),
    )


def written_text(path: Path) -> str:
    """A text to the byte, but for one line feed at its end."""
    return read_text(path).removesuffix("\n")


def _check_folder(folder: Path) -> None:
    if not is_name(folder.name) or folder.name == _TAKEN:
        remedy = NAMES if folder.name != _TAKEN else "Another name: a run keeps its report there."
        raise StudyError(
            f"{folder.name!r} is no name of a question", where=str(folder), remedy=f"Rename it. {remedy}"
        )
    for path in sorted(folder.iterdir()):
        if path.name not in FILES and not path.name.startswith("."):
            near = get_close_matches(path.name.lower(), FILES, n=1)
            hint = f"Did you mean {near[0]}? " if near else ""
            raise StudyError(
                f"{path.name} is no file of a question",
                where=str(path),
                remedy=f"{hint}Known here: {', '.join(FILES)}.",
            )


def _checkouts(table: Table, study: Study) -> tuple[Checkout, ...]:
    commits = table.table("commits")
    known = [repository.name for repository in study.repositories]
    found = []
    for name in commits.keys():  # noqa: SIM118  # it notes that they are known
        if name not in known:
            raise commits.refuse(
                f"the study has no repository {name!r}", f"Name one of: {', '.join(known)}.", name
            )
        commit = commits.text(name)
        if not _COMMIT.fullmatch(commit):
            raise commits.refuse(
                f"the commit of {name} is not 40 hexadecimal digits",
                "Write all of it, in lower case: `git rev-parse COMMIT` prints it.",
                name,
            )
        found.append(Checkout(name, commit))
    return tuple(found)


def _text(path: Path) -> str:
    text = written_text(path)
    if not text.strip():
        raise StudyError("the question is empty", where=f"{path}:1", remedy="Write what is asked.")
    return text


def _request(path: Path, control: bool, study: Study) -> str:
    if control:
        if path.exists():
            raise StudyError(
                "a control question has no original request",
                where=f"{path}:1",
                remedy="Remove the file; or take control = true out of question.toml.",
            )
        return ""
    text = written_text(path) if path.exists() else ""
    redo = next((side.name for side in study.sides if side.kind == "redo"), None)
    if redo is not None and not text.strip():
        raise StudyError(
            f"the side {redo} begins with the original request, and there is none",
            where=f"{path}:1",
            remedy="Write there what was asked in the original session, or take the side out of study.toml.",
        )
    return text


def _keys(
    folder: Path, control: bool, repositories: Sequence[str], unfinished: bool
) -> dict[KeyKind, tuple[KeyFact, ...]]:
    path = folder / KEYS
    if unfinished and not path.exists():
        return {"session": (), "truth": ()}
    keys = read_keys(read_text(path), path, repositories)
    if control and keys["session"]:
        raise StudyError(
            "a control question has no session key: memory holds nothing of it",
            where=f"{path}:{keys['session'][0].line}",
            remedy="Take the session key out; or take control = true out of question.toml.",
        )
    if not keys["truth"] and not unfinished:
        raise StudyError(
            "the question has no truth key",
            where=f"{path}:1",
            remedy=f"Write its facts below # Truth key, {EXAMPLE}.",
        )
    return keys


def _approval(path: Path) -> Approval | None:
    if not path.exists():
        return None
    table = Document.read(path).table
    approval = Approval(table.text("by"), table.instant("at"), table.text("sha256"))
    table.end()
    if not _DIGEST.fullmatch(approval.sha256):
        raise table.refuse(
            "sha256 is not 64 hexadecimal digits", "Approve anew: `truerecall study keys approve`.", "sha256"
        )
    return approval
