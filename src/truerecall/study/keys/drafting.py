"""Drafts of ``keys.md``: proposals that a person checks and shortens, and never an approval.

Without a model they are what the sessions concluded, as the memory has it; with one, what it proposes. Either way every
line passes the rules that a written key must pass, or is left out with the reason.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache, partial
from pathlib import Path
from typing import Any

from truerecall.bench.outputs import write_whole
from truerecall.core.entry import Entry
from truerecall.errors import StudyError
from truerecall.models.protocols import ChatMessage
from truerecall.study.design import FilePlace, KeyFact, KeyKind, Question, SessionPlace, Study
from truerecall.study.files.key_lines import fact_line, key_text, read_keys
from truerecall.study.files.questions import DRAFT, KEYS
from truerecall.study.files.reading import QUESTIONS
from truerecall.study.files.tables import read_text
from truerecall.study.files.writing import write_new
from truerecall.study.grade.asking import Asker
from truerecall.study.grade.objects import objects_with, text_of
from truerecall.study.grade.prompting import laid_out
from truerecall.study.keys.candidates import MOST, Candidate, candidates
from truerecall.study.keys.checking import check_question
from truerecall.study.keys.material import material
from truerecall.study.keys.sources import Sources

_SAMPLES = 2  # replies that are asked for before none can be read
_MOST_CHARACTERS = 60_000  # of the sessions, as the model gets them
_MOST_OF_AN_ENTRY = 6_000
_COMMENTS = re.compile(r"\A(?:<!--.*?-->\s*)+", re.DOTALL)
_ADVICE = (
    "A draft. Keep only what the question asks, one checkable fact a line, and open every place yourself:\n"
    "`truerecall study keys check` shows the lines. End a session fact that is not so with (wrong), and write what\n"
    "is so below # Truth key, with the lines of the code that show it."
)


@dataclass(frozen=True, slots=True)
class KeyDraft:
    """What is proposed for a question."""

    session_key: tuple[KeyFact, ...]
    truth_key: tuple[KeyFact, ...]
    left_out: tuple[tuple[str, str], ...]
    """Lines that break a rule, and which."""


def draft_keys(study: Study, question: Question, sources: Sources, asker: Asker | None = None) -> KeyDraft:
    """Propose both keys of a question; a question of which the memory holds nothing gets none.

    Args:
        study: Its frozen memory is what the proposals are made of.
        question: It may be unfinished; without a commit no line of a file can be proposed.
        sources: Where cited lines are opened.
        asker: Asks the model that drafts; without one, the rules propose.

    Raises:
        StudyError: The memory is damaged, or the model gives nothing that can be read.
        ChatRefused: No further call of the model would be answered.
        RunError: The limit of the costs is reached.
    """
    entries = material(study, question)
    if not entries:
        return KeyDraft((), (), ())
    if asker is None:
        found = candidates(question, entries, partial(_lines, question, sources))
    else:
        found = _asked(question, entries, asker)
    sessions = {entry.source.session or "": entry.recorded_at for entry in entries}
    return _passed(question, found, sources, sessions)


def write_draft(study: Study, question: Question, draft: KeyDraft) -> Path:
    """Write a draft to ``keys.md``, or beside it where that holds facts; the path.

    Raises:
        StudyError: There is a draft beside it already: nobody's work is overwritten.
    """
    folder = study.folder / QUESTIONS / question.id
    path = folder / KEYS
    if path.exists():
        text = read_text(path)
        if any(read_keys(text, path, [one.name for one in study.repositories]).values()):
            write_new({folder / DRAFT: _text(question, draft)})
            return folder / DRAFT
        comments = _COMMENTS.match(text)
        write_whole(path, (comments.group() if comments else "") + _text(question, draft))
    else:
        write_new({path: _text(question, draft)})
    return path


def _text(question: Question, draft: KeyDraft) -> str:
    lines = [_ADVICE]
    if draft.left_out:
        lines += ["", "Left out:", *(f"  {text} ({why})" for text, why in draft.left_out[:MOST])]
    note = "\n".join(lines).replace("-->", "->")
    return f"<!--\n{note}\n-->\n\n" + key_text(draft.session_key, draft.truth_key, question.control)


def _passed(
    question: Question, found: Iterable[Candidate], sources: Sources, sessions: Mapping[str, datetime]
) -> KeyDraft:
    """Those that the rules let pass, numbered; of a line in several repositories, the one that has it."""
    kept: dict[KeyKind, list[KeyFact]] = {"session": [], "truth": []}
    left_out: dict[str, str] = {}
    for one in found:
        if (one.key == "session" and question.control) or len(kept[one.key]) == MOST:
            continue
        fact = KeyFact(len(kept[one.key]) + 1, one.text, one.place)
        trial = replace(
            question,
            session_key=(*kept["session"], fact) if one.key == "session" else (),
            truth_key=(*kept["truth"], fact) if one.key == "truth" else (),
        )
        checked = check_question(trial, sources, sessions).facts[-1]
        problem = next((finding.problem for finding in checked.findings if finding.weight == "error"), "")
        problem = problem or _unwritable(fact, question)
        if not problem:
            kept[one.key].append(fact)
            left_out.pop(one.text, None)
        elif one.text not in [fact.text for fact in kept[one.key]]:
            left_out.setdefault(one.text, problem)
    return KeyDraft(tuple(kept["session"]), tuple(kept["truth"]), tuple(left_out.items()))


def _lines(question: Question, sources: Sources, repository: str, path: str) -> tuple[str, ...]:
    """The lines of a file at the question's commit; none where there is no such text."""
    try:
        checkout = next(one for one in question.checkouts if one.repository == repository)
        return sources.lines(checkout, path)
    except StudyError:
        return ()


def _unwritable(fact: KeyFact, question: Question) -> str:
    """Why a line would not be read again as it is meant; empty where it would."""
    names = [checkout.repository for checkout in question.checkouts]
    try:
        (again,) = read_keys(f"# Session key\n{fact_line(fact)}\n", Path(KEYS), names)["session"]
    except (StudyError, ValueError):
        return "it cannot be written as a line"
    return "" if (again.text, again.place) == (fact.text, fact.place) else "it cannot be written as a line"


def _asked(question: Question, entries: Sequence[Entry], asker: Asker) -> list[Candidate]:
    messages = (ChatMessage("system", _prompt()), ChatMessage("user", _told(question, entries)))
    problem = ""
    for sample in range(_SAMPLES):
        _, called = asker.ask("drafter", messages, sample)
        if called.failure is not None:
            problem = called.failure
            continue
        replies = objects_with("truth", called.text)
        if len(replies) == 1:
            return _proposed(question, replies[0])
        problem = "its reply holds no list of facts" if not replies else "its reply holds several lists"
    raise StudyError(
        f"the drafter proposed nothing for {question.id}: {problem}",
        where=f"{QUESTIONS}/{question.id}",
        remedy="Try again, name another model, or draft without one.",
    )


def _told(question: Question, entries: Sequence[Entry]) -> str:
    """What a drafter gets: the question, the commits, and the sessions as the memory has them, the latest cut first."""
    names = ", ".join(checkout.repository for checkout in question.checkouts)
    said, left = [], _MOST_CHARACTERS
    for entry in entries:
        text = entry.text[: min(left, _MOST_OF_AN_ENTRY)]
        left -= len(text)
        if text:
            said.append(f"[session {entry.source.session}] {entry.source.channel or entry.kind}: {text}")
    return laid_out(
        {
            "The question": question.text,
            "The original request": question.request or "(none)",
            "The repositories": names or "(none)",
            "The sessions": "\n\n".join(said) or "(nothing was remembered)",
        }
    )


def _proposed(question: Question, reply: dict[str, Any]) -> list[Candidate]:
    """What a reply proposes, as far as it can be read."""
    found: list[Candidate] = []
    for one in _list(reply.get("session")):
        session, text = text_of(one.get("session")), " ".join(text_of(one.get("fact")).split())
        if text and session and not re.search(r"[\s\[\]]", session):
            found.append(Candidate("session", text, SessionPlace(session)))
    for one in _list(reply.get("truth")):
        text, path = " ".join(text_of(one.get("fact")).split()), text_of(one.get("path"))
        first, last = one.get("first"), one.get("last", one.get("first"))
        name = text_of(one.get("repository")) or (
            question.checkouts[0].repository if question.checkouts else ""
        )
        if text and path and type(first) is int and type(last) is int and 1 <= first <= last:
            found.append(Candidate("truth", text, FilePlace(name, path, first, last)))
    return found


def _list(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


@cache
def _prompt() -> str:
    return Path(__file__).with_name("draft.txt").read_text(encoding="utf-8").strip()
