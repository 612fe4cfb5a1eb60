"""Whether a rewritten answer still says what it said: compared word by word, without a model.

A rewriting may leave words out where they say where a claim comes from, and mend the sentence. Nothing else may be
lost, changed, moved or added. What the rules would cut may be gone; so may a clause that sounds of a source, if it held
nothing technical.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from truerecall.study.blind.guarded import standing
from truerecall.study.blind.leftovers import sounding
from truerecall.study.blind.rules import NOTHING, cut
from truerecall.study.blind.tokens import Token, sense_of, tokens

Fault = Literal[
    "code",  # code was changed, lost or added
    "name",  # an identifier, a path, a flag or an address was
    "number",  # a number, or its unit, was
    "negation",
    "comparison",
    "order",
    "switch",
    "truth",
    "modality",
    "quantity",
    "condition",
    "wording",  # other words were put in, or in place of others
    "claim",  # several words that say no source are gone
    "value",  # a value that must survive is gone
    "length",
]
_CLAIM = 4
"""Words in a row, without those that join, whose loss is that of a claim; a whole clause is one with fewer."""
_DROPPED = 0.8
"""Of the words of a piece that the rules would cut: with so many gone it was cut, with fewer it was changed within."""
_MENDING = 3
"""Words that a mended text may have more than the answer."""
_NUMBERED = frozenset(
    {"session", "sessions", "conversation", "chat", "entry", "memory", "note", "fact", "item", "id"}
)
_CLAUSE_ENDS = ",;:.!?()[]—\u2013-*_\n"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is not as it was."""

    fault: Fault
    what: str

    def __str__(self) -> str:
        return f"{self.fault}: {self.what}"


@dataclass(frozen=True, slots=True)
class _Change:
    """Words that are gone, and those that stand in their place."""

    gone: list[Token]
    new: list[Token]
    first: int
    """Where the first of those that are gone stands among all words before."""


def problems(before: str, after: str, guarded: Sequence[str]) -> list[str]:
    """What the rewriting did beside taking out provenance, in sentences; empty where every check holds.

    Args:
        before: The answer.
        after: What was made of it.
        guarded: Values that must stand in it still where they stood in the answer: see ``guarded_values``.
    """
    return [str(problem) for problem in found_problems(before, after, guarded)]


def found_problems(before: str, after: str, guarded: Sequence[str]) -> list[Problem]:
    """The same, by kind."""
    if before == after:
        return []
    allowed = cut(before, guarded)
    if after == NOTHING:
        after = ""
    words, left = tokens(before), tokens(after)
    pieces = _pieces(before, words, frozenset(allowed.origins))
    found: dict[Problem, None] = {}
    lost = 0
    for change in _changes(words, left):
        gone = _unexcused(before, words, change, pieces)
        lost += len(gone)
        found |= dict.fromkeys([*_added(change), *_lost(before, gone)])
    found |= dict.fromkeys([*_values(before, after, guarded), *_lengths(len(words), len(left), lost)])
    return list(found)


def _changes(words: list[Token], left: list[Token]) -> Iterator[_Change]:
    matcher = SequenceMatcher(
        None, [(one.kind, one.text) for one in words], [(one.kind, one.text) for one in left], autojunk=False
    )
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag != "equal":
            yield _Change(words[a:b], left[c:d], a)


def _pieces(before: str, words: list[Token], kept: frozenset[int]) -> list[tuple[int, int]]:
    """Runs of words that the rules would cut, as places among the words."""
    cuttable = [not any(at in kept for at in range(one.start, one.end)) for one in words]
    found: list[tuple[int, int]] = []
    for place, can in enumerate(cuttable):
        if can and found and found[-1][1] == place:
            found[-1] = (found[-1][0], place + 1)
        elif can:
            found.append((place, place + 1))
    return found


def _unexcused(
    before: str, words: list[Token], change: _Change, pieces: list[tuple[int, int]]
) -> list[Token]:
    """Words that are gone and neither stand in what the rules would cut, nor in a clause that sounds of a source."""
    last = change.first + len(change.gone)
    excused: set[int] = set()
    for start, end in pieces:
        within = range(max(start, change.first), min(end, last))
        if len(within) >= _DROPPED * (end - start):
            excused |= set(within)
    excused |= {place for place in range(change.first, last - 1) if _of_date(words[place], words[place + 1])}
    gone = [words[place] for place in range(change.first, last) if place not in excused]
    return [] if gone and _source(before, words, change, gone) else gone


def _of_date(word: Token, after: Token) -> bool:
    return after.kind == "date" and word.text in ("on", "since", "in", "until")


def _lost(before: str, gone: list[Token]) -> Iterator[Problem]:
    for one in gone:
        if one.technical:
            yield Problem(_technical(one), f"{one.text!r} is gone or changed")
        elif one.kind == "sense":
            yield Problem(_sense(one), f"{one.text!r} is gone or changed")
    plain = [one for one in gone if one.kind == "word"]
    if len(plain) >= _CLAIM or (plain and len(gone) > 1 and _clause(before, gone)):
        yield Problem("claim", f"{' '.join(one.text for one in plain[:12])!r} is gone")


def _added(change: _Change) -> Iterator[Problem]:
    for one in change.new:
        if one.technical or one.kind == "date":
            yield Problem(_technical(one), f"{one.text!r} was not there")
        elif one.kind == "sense":
            yield Problem(_sense(one), f"{one.text!r} was not there")
        elif one.kind == "word":
            yield Problem("wording", f"{one.text!r} was not there")


def _source(before: str, words: list[Token], change: _Change, gone: list[Token]) -> bool:
    """Whether what is gone is a clause that sounds of a source, with nothing technical, and nothing is in its place."""
    technical = [one for one in gone if one.technical and not _names_source(words, one)]
    if technical or any(one.kind != "glue" for one in change.new):
        return False
    sounds = any(True for _ in sounding(before[gone[0].start : gone[-1].end]))
    return sounds and _clause(before, gone)


def _clause(before: str, gone: list[Token]) -> bool:
    """Whether what is gone is whole: from a mark or the beginning of a line to a mark or the end of one."""
    opened = before[: gone[0].start].rstrip(" \t\"'“`")
    closed = before[gone[-1].end :].lstrip(" \t\"'”`")
    begins = not opened or opened[-1] in _CLAUSE_ENDS
    return begins and (not closed or closed[0] in _CLAUSE_ENDS or gone[-1].text == "that")


def _names_source(words: list[Token], token: Token) -> bool:
    """Whether it is the number or the id of a session or an entry."""
    place = words.index(token)
    return place > 0 and words[place - 1].text in _NUMBERED and token.kind != "code"


def _technical(token: Token) -> Fault:
    if token.kind == "code":
        return "code"
    return "number" if token.kind in ("number", "date") else "name"


def _sense(token: Token) -> Fault:
    name = sense_of(token.text)
    for fault in ("comparison", "order", "switch", "truth", "modality", "quantity", "condition"):
        if fault == name:
            return fault
    return "negation"


def _values(before: str, after: str, guarded: Sequence[str]) -> Iterator[Problem]:
    for value in guarded:
        if standing(value, before) and not standing(value, after):
            yield Problem("value", f"{value!r} is gone")


def _lengths(words: int, left: int, lost: int) -> Iterator[Problem]:
    if lost > left:
        yield Problem("length", f"{left} words are left, and {lost} that say no source are gone")
    if left > words + _MENDING:
        yield Problem("length", f"{left} words where {words} stood")
