"""A text as its words and what stands between them, for rules that look a few words around."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from truerecall.memory.dates.calendar import Frame, Stretch
from truerecall.memory.dates.span import Span
from truerecall.memory.dates.vocabulary import COUPLE, DONE, FEW, NOT_DONE, NUMBERS, SOON, TENS, VAGUE

_GAP = re.compile(r"(\W+)")
_SENTENCE_ENDS = frozenset(".!?;:\n")
_JOINED = frozenset(".,-/:\u2013")
"""Between a digit and another, they make one number of both, or something else."""
_BEFORE, _AFTER = 12, 6  # words around a date that can put it into the future


@dataclass(frozen=True, slots=True)
class Found:
    """A date in a text."""

    first: int
    """Its first word."""
    after: int
    """The first word after it."""
    stretch: Stretch
    again: Callable[[Frame, bool], Stretch | None] | None = None
    """Reads it from elsewhere and, if asked, ahead of there: for what lacks its year."""
    full: bool = False
    """Whether it names its year, and so means the same whenever it is said."""


@dataclass(frozen=True, slots=True)
class Count:
    """How many, as somebody says it."""

    first: int
    """The first word of it."""
    number: int
    give_or_take: int
    """1 of "a few"."""


def _number(word: str) -> int | None:
    if word in NUMBERS:
        return NUMBERS[word]
    return int(word) if len(word) <= 4 and word.isdecimal() else None


def _vague(first: int, word: str) -> Count:
    return Count(first, COUPLE, 0) if word == "couple" else Count(first, FEW, 1)


@dataclass(slots=True)
class Reader:
    """The words of a text, and from where they are read."""

    text: str
    words: list[str]
    """In lower case; the first and the last may be empty."""
    gaps: list[str]
    """What stands between each and the next."""
    starts: list[int]
    """Where each begins in the text."""
    frame: Frame
    asks: bool
    """Whether it is a question: one asks for what was."""
    floor: int = 0
    """The words before this one are spoken for."""

    @staticmethod
    def of(text: str, frame: Frame, asks: bool) -> "Reader":
        """Split a text."""
        # The only letter that becomes two in lower case; places must stay.
        pieces = _GAP.split(text.replace("\u0130", "i").lower())
        starts = list(accumulate(map(len, pieces), initial=0))
        return Reader(text, pieces[::2], pieces[1::2], starts[::2], frame, asks)

    def word(self, at: int) -> str:
        """The word at a place, or "" beyond the ends and before the floor."""
        return self.words[at] if self.floor <= at < len(self.words) else ""

    def gap(self, at: int) -> str:
        """What stands after a word; before the first a line's end, after the last a full stop."""
        if at < 0:
            return "\n"
        return self.gaps[at] if at < len(self.gaps) else "."

    def back(self, at: int) -> str:
        """The word before, if nothing but space stands between."""
        return self.word(at - 1) if self.gap(at - 1).isspace() else ""

    def ahead(self, at: int) -> str:
        """The word after, if nothing but space stands between."""
        return self.word(at + 1) if self.gap(at).isspace() else ""

    def listed(self, at: int) -> str:
        """The word after, be there a comma between or not."""
        return self.word(at + 1) if self.gap(at)[:4].strip() in ("", ",") else ""

    def capital(self, at: int) -> bool:
        """Whether a word begins with one."""
        return self.text[self.starts[at]].isupper()

    def backs(self, at: int, *before: str) -> int | None:
        """The place of the first of these words, if they are the ones before ``at``."""
        for word in reversed(before):
            if self.back(at) != word:
                return None
            at -= 1
        return at

    def count_before(self, at: int) -> Count | None:
        """The number whose last word stands before ``at``."""
        place, word = at - 1, self.back(at)
        if word == "of" and self.back(place) == "couple":
            place, word = place - 1, "couple"
        if word == "couple" or word in VAGUE:
            first = place - 1 if self.back(place) == "a" else place
            return _vague(first, word)
        number = _number(word)
        joint = self.gap(place - 1)
        if number is None or (word in ("a", "an") and self.back(place) == "half"):
            return None
        if number < 10 and (joint == "-" or joint.isspace()) and self.word(place - 1) in TENS:
            return Count(place - 1, TENS[self.word(place - 1)] + number, 0)
        return None if joint[-1:] in _JOINED else Count(place, number, 0)

    def count_after(self, at: int) -> tuple[Count, int] | None:
        """The number that begins after ``at``, and the place after it."""
        place, word = at + 1, self.ahead(at)
        if word == "a" and self.ahead(place) in ("couple", "few"):
            place, word = place + 1, self.ahead(place)
        if word == "couple" or word in VAGUE:
            after = place + 2 if word == "couple" and self.ahead(place) == "of" else place + 1
            return _vague(at + 1, word), after
        number, joint = _number(word), self.gap(place)
        ones = NUMBERS.get(self.word(place + 1), 0)
        if number is not None and word in TENS and 0 < ones < 10 and (joint == "-" or joint.isspace()):
            return Count(at + 1, number + ones, 0), place + 2
        if number is None or joint[:1] in _JOINED:
            return None
        return Count(at + 1, number, 0), place + 1

    def tense(self, at: int) -> Literal["ahead", "behind", "unknown"]:
        """Whether the sentence around a word speaks of the future or of the past; a question asks for what was."""
        if self.asks:
            return "behind"
        around: list[str] = []
        for place in range(at - 1, max(at - 1 - _BEFORE, -1), -1):
            if not _SENTENCE_ENDS.isdisjoint(self.gap(place)[:8]):
                break
            around.append(self.words[place])
        for place in range(at, min(at + _AFTER, len(self.words) - 1)):
            if not _SENTENCE_ENDS.isdisjoint(self.gap(place)[:8]):
                break
            around.append(self.words[place + 1])
        if not DONE.isdisjoint(around):
            return "behind"
        if not SOON.isdisjoint(around):
            return "ahead"
        return "behind" if any(word.endswith("ed") and word not in NOT_DONE for word in around) else "unknown"

    def span(self, found: Found) -> Span:
        """What is handed out of a date."""
        stretch = found.stretch
        return Span(stretch.start, stretch.end, stretch.precision, self.between(found.first, found.after))

    def between(self, first: int, after: int) -> str:
        """The text from one word to another that is no longer part of it."""
        return self.text[self.starts[first] : self.starts[after - 1] + len(self.words[after - 1])]

    def found(self, first: int, after: int, stretch: Stretch | None, full: bool = False) -> Found | None:
        """A date that stands for itself; None where the stretch is none."""
        return None if stretch is None else Found(first, after, stretch, None, full)

    def floating(
        self, first: int, after: int, again: Callable[[Frame, bool], Stretch | None]
    ) -> Found | None:
        """A date that its sentence puts before or after now; where it does not tell, the nearer of the two."""
        tense = self.tense(first)
        stretch = again(self.frame, tense == "ahead")
        if tense == "unknown":
            other = again(self.frame, True)
            if stretch is None or (other is not None and self._nearer(other, stretch)):
                stretch = other
        return None if stretch is None else Found(first, after, stretch, again)

    def _nearer(self, later: Stretch, earlier: Stretch) -> bool:
        return later.start - self.frame.anchor < self.frame.anchor - earlier.end
