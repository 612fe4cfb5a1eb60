"""The facts of a session's turns, by rules."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from truerecall.agents.facts.cues import cues
from truerecall.agents.facts.known import key_of, normalised
from truerecall.agents.facts.quoting import sourced
from truerecall.agents.facts.records import Fact, FactKind, Kept
from truerecall.agents.facts.sentences import sentences
from truerecall.agents.facts.standing import may_stand
from truerecall.agents.facts.table import OF_A_SENTENCE, OF_A_SESSION
from truerecall.agents.facts.wording import Finding, is_hanging, name_of, said_in

MOST_OF_A_TURN = 16
"""Facts of one turn: of more, those of the greatest weight."""
MOST_OF_A_KIND = 8
"""Of one kind in one turn; but"""
MOST_OPEN_ENDS = 4
"""of these, since a list of what is left is mostly done the next day."""

_NOT_A_PERSON = cues("extract", "not a person")
_LOG_LINE = cues("extract", "log line")
_SHORTEST = 6  # characters; six of Chinese can tell a decision
_QUOTED = ('"', "\u201c")  # somebody else says it
_LONG = 4000  # characters; a person who types so much has pasted it
_PASTED = re.compile(r"^ {0,3}(?:#{1,6} |```|\d{1,3}\. |[-*] )", re.M)


def facts_in(new: Sequence[Kept], before: Sequence[Kept], project: str) -> tuple[Fact, ...]:
    """The facts that the new turns tell.

    Args:
        new: Turns of one session, in order.
        before: Those of the session before them, as far as they are at hand: what is quoted, which command failed.
        project: The project's space or name; a fact about no other subject is about it.
    """
    found = [fact for kept in new for fact in _of_turn(kept, name_of(project))]
    found += [fact for rule in OF_A_SESSION for fact in rule(new, before)]
    once: dict[tuple[FactKind, str], Fact] = {}  # of a command that was told and seen to work, what was told
    for fact in found:
        key = (fact.kind, normalised(fact.value)) if fact.kind == "command" else key_of(fact)
        once.setdefault(key, fact)
    ordered = sorted(once.values(), key=lambda fact: fact.position)
    return tuple(sourced(ordered, (*before, *new)))


def _of_turn(kept: Kept, project: str) -> Iterator[Fact]:
    turn = kept.turn
    if turn.role == "tool" or not is_own(kept.text, turn.role == "user"):
        return
    findings: list[Finding] = []
    logged = False
    for sentence in sentences(kept.text, typed=turn.role == "user"):
        logged = bool(_LOG_LINE.match(sentence.text)) or (logged and bool(sentence.before))
        if logged or len(sentence.text) < _SHORTEST or sentence.text.startswith(_QUOTED):
            continue
        said = said_in(sentence, turn.role == "user", project)
        finding = next((found for rule in OF_A_SENTENCE if (found := rule(said)) is not None), None)
        if finding is None or (not sentence.before and is_hanging(finding.text)):
            continue
        if not may_stand(said, finding):
            continue
        if not finding.text.endswith((":", "\uff1a")):  # else it says what follows it, and not here
            findings.append(finding)
        elif finding.kind == "path":
            findings.append(replace(finding, text=finding.text.rstrip(":\uff1a ")))
    chosen = _chosen(findings)
    for finding in (one for one in chosen if not _is_within(one, chosen)):
        yield Fact(
            kind=finding.kind,
            text=finding.text,
            subject=finding.subject.strip() or project,
            value=finding.value.strip() or finding.text,
            sources=(kept.entry_id,),
            position=turn.position,
            at=turn.at,
        )


def is_own(text: str, user: bool) -> bool:
    """Whether a turn's words are its speaker's own: no expanded command, no program's summary, no pasted document."""
    if not user:
        return not text.lstrip().startswith(("This session is being continued", "<summary>", "<analysis>"))
    if _NOT_A_PERSON.match(text.lstrip()[:200]):
        return False
    return len(text) <= _LONG or len(_PASTED.findall(text)) < 8


def _is_within(finding: Finding, others: Sequence[Finding]) -> bool:
    """Whether another of its kind says all that it says, and more."""
    return any(
        one.kind == finding.kind and len(one.text) > len(finding.text) and finding.text in one.text
        for one in others
    )


def _chosen(findings: Sequence[Finding]) -> list[Finding]:
    """The weightiest, in their order; of equal weight those that come first."""
    kept: list[int] = []
    kinds: dict[FactKind, int] = {}
    for place in sorted(range(len(findings)), key=lambda place: (-findings[place].weight, place)):
        kind = findings[place].kind
        most = MOST_OPEN_ENDS if kind == "open_end" else MOST_OF_A_KIND
        if kinds.get(kind, 0) < most and len(kept) < MOST_OF_A_TURN:
            kinds[kind] = kinds.get(kind, 0) + 1
            kept.append(place)
    return [findings[place] for place in sorted(kept)]
