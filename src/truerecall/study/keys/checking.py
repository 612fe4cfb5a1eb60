"""Checks keys before anybody vouches for them: every cited line is opened at its commit, every wording weighed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from truerecall.errors import StudyError
from truerecall.memory.analysis import tokens
from truerecall.study.design import KeyFact, KeyKind, Question, SessionPlace, Study
from truerecall.study.files.key_lines import EXAMPLE
from truerecall.study.files.questions import KEYS, QUESTION
from truerecall.study.files.reading import QUESTIONS
from truerecall.study.frozen import open_export
from truerecall.study.keys.sources import Sources
from truerecall.study.keys.wording import Weight, wording

Progress = Callable[[int, int], None]
"""Told how many questions of how many were checked."""
_NEAR = 3  # sessions that a complaint names


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong with a key, or may be."""

    weight: Weight
    where: str
    """``path:line``, below the folder of the study."""
    problem: str


@dataclass(frozen=True, slots=True)
class CheckedFact:
    """One fact, with what stands where it was verified."""

    key: KeyKind
    fact: KeyFact
    shown: tuple[tuple[int, str], ...]
    """The cited lines with their numbers; none of a session, or where something is wrong."""
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class CheckedQuestion:
    """The keys of one question."""

    question: Question
    facts: tuple[CheckedFact, ...]
    findings: tuple[Finding, ...]
    """About the question as a whole."""

    @property
    def all_findings(self) -> tuple[Finding, ...]:
        """Those of its facts as well, in the order of the file."""
        return (*self.findings, *(one for fact in self.facts for one in fact.findings))

    @property
    def wrong(self) -> bool:
        """Whether there is an error among them."""
        return any(one.weight == "error" for one in self.all_findings)


def memory_sessions(study: Study) -> dict[str, datetime]:
    """The sessions of the study's frozen memory, and of each when the memory first learned of it.

    Raises:
        StudyError: An export is not what its manifest says.
    """
    archives = (open_export(study.folder / name) for name in study.memory.exports)
    found: dict[str, datetime] = {}
    for archive in archives:
        for prepared in archive.entries(None, None):
            entry = prepared.entry
            if name := entry.source.session:
                found[name] = min(entry.recorded_at, found.get(name, entry.recorded_at))
    return found


def check(
    study: Study, questions: Sequence[Question], sources: Sources, progress: Progress | None = None
) -> list[CheckedQuestion]:
    """Check the keys of these questions of a study; they may be unfinished, which is an error here."""
    sessions = memory_sessions(study)
    checked: list[CheckedQuestion] = []
    for question in questions:
        if progress is not None:
            progress(len(checked), len(questions))
        checked.append(check_question(question, sources, sessions))
    return checked


def check_question(question: Question, sources: Sources, sessions: Mapping[str, datetime]) -> CheckedQuestion:
    """Check both keys of a question.

    Args:
        question: As it was read.
        sources: Where its repositories are.
        sessions: Of the frozen memory; see ``memory_sessions``.
    """
    keys: tuple[tuple[KeyKind, tuple[KeyFact, ...]], ...] = (
        ("session", question.session_key),
        ("truth", question.truth_key),
    )
    facts = []
    for key, of_key in keys:
        seen: dict[tuple[str, ...], KeyFact] = {}
        for fact in of_key:
            first = seen.setdefault(tuple(tokens(fact.text)), fact)
            weighed = wording(fact.text)
            if first is not fact:
                weighed.append(("error", f"it says the same as the fact of line {first.line}"))
            shown, cited = _cited(question, fact, sources, sessions)
            findings = (_of_fact(question, fact, *one) for one in [*weighed, *cited])
            facts.append(CheckedFact(key, fact, shown, tuple(findings)))
    return CheckedQuestion(question, tuple(facts), tuple(_of_the_whole(question, sessions)))


def _cited(
    question: Question, fact: KeyFact, sources: Sources, sessions: Mapping[str, datetime]
) -> tuple[tuple[tuple[int, str], ...], list[tuple[Weight, str]]]:
    """The lines that a fact cites, and what is wrong with its place."""
    place = fact.place
    if isinstance(place, SessionPlace):
        return (), _of_session(question, place, sessions)
    checkout = next((one for one in question.checkouts if one.repository == place.repository), None)
    if checkout is None:
        return (), [("error", f"the question names no commit of {place.repository}")]
    try:
        lines = sources.lines(checkout, place.path)
    except StudyError as error:
        return (), [("error", error.problem)]
    if place.last > len(lines):
        at = f"{place.path} has {len(lines)} lines at {checkout.commit[:12]}"
        return (), [("error", f"{at}, and the fact cites line {place.last}")]
    shown = tuple(enumerate(lines[place.first - 1 : place.last], start=place.first))
    empty = not any(line.strip() for _, line in shown)
    return shown, [("warning", "the cited lines are empty")] if empty else []


def _of_session(
    question: Question, place: SessionPlace, sessions: Mapping[str, datetime]
) -> list[tuple[Weight, str]]:
    name = place.session
    if name in question.sessions:
        return []
    if name not in sessions:
        near = [one for one in sorted(sessions) if one.startswith(name)][:_NEAR]
        hint = f"; it has {', '.join(near)}" if near else ""
        return [("error", f"the frozen memory has no session {name}{hint}")]
    return _too_late(question, name, sessions)


def _too_late(question: Question, name: str, sessions: Mapping[str, datetime]) -> list[tuple[Weight, str]]:
    if sessions[name] < question.asked_at:
        return []
    return [("error", f"the memory learned of the session {name} only after the question was asked")]


def _of_the_whole(question: Question, sessions: Mapping[str, datetime]) -> Iterator[Finding]:
    """What is wrong with a question beside its facts."""
    keys, own = _where(question, KEYS, 1), _where(question, QUESTION, 1)
    if not question.checkouts:
        yield Finding("error", own, "it names no commit yet: see [commits]")
    for name in question.sessions:
        if name not in sessions:
            yield Finding("warning", own, f"the frozen memory has no session {name}: it cannot be recalled")
        else:
            yield from (
                Finding(weight, own, problem) for weight, problem in _too_late(question, name, sessions)
            )
    if not question.truth_key:
        yield Finding(
            "error", keys, f"it has no truth key yet: write what is so below # Truth key, {EXAMPLE}"
        )
    if not question.control and not question.session_key:
        yield Finding("warning", keys, "it has no session key: whether recall delivers cannot be told")


def _of_fact(question: Question, fact: KeyFact, weight: Weight, problem: str) -> Finding:
    return Finding(weight, _where(question, KEYS, fact.line), problem)


def _where(question: Question, name: str, line: int) -> str:
    return f"{QUESTIONS}/{question.id}/{name}:{line}"
