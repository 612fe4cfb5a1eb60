"""Pieces of a sentence that may be cut from it: openings, asides, endings, and the sentence as a whole.

They are told by signs and small words alone, whatever they say; ``learned.py`` weighs them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from truerecall.study.blind.lexicon import VERBS, Part, Word
from truerecall.study.blind.tables import listed

Kind = Literal[
    "whole",  # all of a sentence
    "lead",  # from the beginning to a sign, "that", or a word that joins another clause
    "bare",  # from the beginning to a word that may begin a claim
    "aside",  # from a sign to another one, or to the end
    "plain",  # from a small word to a sign, or to the end
    "bracket",  # all that stands in brackets
    "heading",  # all of a heading or a label
    "note",  # all of a footnote
]
LONGEST = 48
"""Words that a piece may have."""
DASHES = ("-", "\u2013", "\u2014")
_SIGNS = (",", ";", ":", *DASHES, "(", ")", "[", "]", ".", "!", "?", "…")
_JOINS = ("and", "but", "so", "where", "which", "because")
_CLOSED = {"(": ")", "[": "]"}
_EDGE = frozenset("*_>\"'“”")
_ENDS = 3
"""Signs at which one aside may end."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Words of a sentence, from and to."""

    kind: Kind
    start: int
    end: int
    sign: str
    """The sign or the word at its inner boundary."""


def body(words: Sequence[Word]) -> tuple[int, int]:
    """Where the words of a sentence begin and end, without marks of emphasis around them and without its stop."""
    first, last = 0, len(words)
    while first < last and words[first].text in _EDGE:
        first += 1
    while last > first and (words[last - 1].text in _EDGE or words[last - 1].text in ".!?…:"):
        last -= 1
    return first, last


def segments(words: Sequence[Word]) -> Iterator[Segment]:
    """All pieces of a sentence that may be cut; each once."""
    first, last = body(words)
    if first >= last:
        return
    signs = [_sign(words, place) for place in range(len(words))]
    if last - first <= LONGEST:
        yield Segment("whole", first, len(words), words[-1].text if words[-1].part & Part.SIGN else "")
    yield from _leads(words, first, last, signs)
    yield from _asides(words, first, last, signs)


def _sign(words: Sequence[Word], place: int) -> str:
    """The sign that stands there, if it parts what is before it from what is after."""
    text = words[place].text
    if not words[place].part & Part.SIGN or text not in _SIGNS:
        return ""
    if text not in DASHES:
        return text
    apart = (
        0 < place < len(words) - 1 and words[place - 1].end < words[place].start < words[place + 1].start - 1
    )
    return "-" if apart or text == "\u2014" else ""


def _leads(words: Sequence[Word], first: int, last: int, signs: Sequence[str]) -> Iterator[Segment]:
    closing = ""
    for place in range(first + 1, min(last - 1, first + LONGEST)):
        text, sign = words[place].text, signs[place]
        if closing or sign in _CLOSED:
            closing = "" if sign == closing else closing or _CLOSED[sign]
        elif sign in (",", ";", ":", "-", "…"):
            after = place + 1 + (words[place + 1].text in ("and", "but", "so", "that", "-"))
            if after < last:
                yield Segment("lead", first, after, sign)
        elif signs[place - 1] and signs[place - 1] not in (")", "]"):
            continue
        elif text == "that":
            if _told(words[first:place], words[place + 1]):
                yield Segment("lead", first, place + 1, "that")
        elif text in _JOINS:
            yield Segment("lead", first, place + 1, "and")
        elif words[place - 1].text == "that":
            continue
        elif words[place - 1].part & VERBS or (words[place - 1].known and _begins(words[place])):
            yield Segment("bare", first, place, "")


def _told(phrase: Sequence[Word], after: Word) -> bool:
    """Whether "that" follows a verb and begins a clause: it does not in "an earlier row that arrives late"."""
    verb = any(word.part & (VERBS | Part.HARD) or word.text.endswith(("ed", "'s")) for word in phrase)
    return verb and after.text not in listed("lexicon", "finite")


def _begins(word: Word) -> bool:
    """Whether a claim may begin with it."""
    return word.text in listed("lexicon", "nominal") or not word.known


def _asides(words: Sequence[Word], first: int, last: int, signs: Sequence[str]) -> Iterator[Segment]:
    for start in range(first + 1, last):
        sign = signs[start]
        if sign in (",", ";", ":", "-"):
            for end in _ends(start + 1, min(last, start + LONGEST), sign, signs):
                yield Segment("aside", start, end, sign)
        elif (
            words[start].text in listed("lexicon", "adjoining") and start > first + 1 and not signs[start - 1]
        ):
            end = next((at for at in range(start + 1, last) if signs[at]), last)
            if start + 1 < end <= start + LONGEST:
                yield Segment("plain", start, end, words[start].text)


def _ends(start: int, last: int, sign: str, signs: Sequence[str]) -> Iterator[int]:
    """Where an aside may end: at the end, or at one of the next signs."""
    found = 0
    for place in range(start + 1, last):
        if signs[place] in _CLOSED:
            break
        if signs[place] and (sign != "-" or signs[place] in ("-", ";", ".")):
            yield place
            found += 1
            if found == _ENDS or signs[place] in (";", ".", "!", "?"):
                return
    if last > start:
        yield last
