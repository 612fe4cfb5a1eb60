"""Whether a sentence of an answer stands on the entries that it cites: a check of words, without a model.

The terms of the sentence are its content words, names and numbers; its support is the share of them that the cited
entries hold, in what they say, by whom and when. Words that the question used already count half, for an answer repeats
them whatever it claims; numbers and names count double, for they are what is claimed. A number, a month or a weekday
that no cited entry holds, or a denial where no cited entry denies anything, is no support at all.

It sees words and not meaning: a true paraphrase can fall below the threshold, and a false sentence out of the entry's
own words passes. Figures by kind stand in docs/ask-and-reflect.md.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import pairwise

from truerecall.core.entry import Entry, Precision
from truerecall.memory.analysis import STOP_WORDS, tokens
from truerecall.memory.dates.span import BEGINNING, END
from truerecall.memory.dates.turns import dates_in

THRESHOLD = 0.65
"""From this share of its terms on, a sentence counts as supported (docs/ask-and-reflect.md)."""

_ASKED = 0.5
_NAMED = 2.0
_UNITS = "zero one two three four five six seven eight nine ten eleven twelve"
_NUMBERS = {word: str(value) for value, word in enumerate(_UNITS.split())} | {
    "fifteen": "15", "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "hundred": "100",
}  # fmt: skip
_MONTHS = "January February March April May June July August September October November December"
_WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday"
_CALENDAR = frozenset(f"{_MONTHS} {_WEEKDAYS}".split())
_DENYING = "no not never none nobody nothing neither nor cannot without"
_DENIALS = frozenset(_DENYING.split())
_CONTRACTED = "don didn doesn isn aren wasn weren hasn haven hadn won wouldn couldn shouldn ain can"
_HALVES = frozenset(_CONTRACTED.split())
_ENDINGS = (("ies", "y"), ("ing", ""), ("ied", "y"), ("ed", ""), ("es", ""), ("s", ""))
_SHORTEST = 3  # letters that an ending must leave
_CAPITAL = re.compile(r"(?<![.!?:]\s)(?<!^)\b[A-Z\u00c0-\u00de]\w+")
_SPOKEN = frozenset({"user", "assistant", "system"})


@dataclass(frozen=True, slots=True)
class Support:
    """How far a sentence stands on what it cites."""

    share: float
    """Of its terms, weighted, from 0 to 1; 1 where it has none."""
    missing: tuple[str, ...]
    """Its terms that no cited entry holds."""

    @property
    def supported(self) -> bool:
        """Whether the share reaches the threshold."""
        return self.share >= THRESHOLD


def support(sentence: str, cited: Sequence[Entry], question: str = "", zone: tzinfo = UTC) -> Support:
    """How far a sentence, its citations left out, stands on the entries that it cites; none is no support.

    Words of ``question`` count half; in ``zone`` an entry's "yesterday" is a day.
    """
    said = [*tokens(sentence)]
    held = [token for entry in cited for token in tokens(_evidence(entry, zone))]
    known, asked = {_stem(token) for token in held}, {_stem(token) for token in tokens(question)}
    names = {_stem(token) for name in _CAPITAL.findall(sentence) for token in tokens(name)}
    dates = {_stem(name.lower()) for name in _CALENDAR.intersection(re.findall(r"\w+", sentence))}
    weights = {}
    for token in said:
        if token not in STOP_WORDS:
            stem = _stem(token)
            weight = _NAMED if stem in names or _is_number(stem) else 1.0
            weights[stem] = weight * _ASKED if stem in asked else weight
    missing = tuple(stem for stem in weights if stem not in known)
    unknown = any(_is_number(stem) or stem in dates for stem in missing)
    if not cited or unknown or (_denies(said) and not _denies(held)):
        return Support(0.0, missing)
    total = sum(weights.values())
    return Support(1.0 - sum(weights[stem] for stem in missing) / total if total else 1.0, missing)


def _evidence(entry: Entry, zone: tzinfo) -> str:
    """What an entry says, by whom, and when: an answer may name the day that "yesterday" was."""
    parts = [entry.text]
    if entry.source.speaker and entry.source.speaker not in _SPOKEN:
        parts.append(entry.source.speaker)
    if (happened := entry.happened_at) is not None:
        parts.append(_day(happened.instant, happened.precision))
        for span in dates_in(entry.text, happened.instant, zone):
            ends = [span.start] if span.start != BEGINNING else []
            ends += [span.end - timedelta(microseconds=1)] if span.end != END else []
            parts += [_day(end.astimezone(zone), span.precision) for end in ends]
    return "\n".join(parts)


def _day(instant: datetime, precision: Precision) -> str:
    """A date in the words and figures that an answer may give it in, as far as it is known."""
    parts = [f"{instant.year}"]
    if precision != "year":
        parts.append(f"{instant:%B %b %m} {instant.month}")
    if precision in ("day", "instant"):
        parts.append(f"{instant:%A %d} {instant.day}")
    return " ".join(parts)


def _denies(words: Sequence[str]) -> bool:
    return not _DENIALS.isdisjoint(words) or any(
        first in _HALVES and second == "t" for first, second in pairwise(words)
    )


def _is_number(stem: str) -> bool:
    return stem[:1].isdigit()


def _stem(word: str) -> str:
    """A word without its ending, roughly; the same for all forms of most English words."""
    if word in _NUMBERS:
        return _NUMBERS[word]
    if not word.isascii() or _is_number(word):
        return re.sub(r"^(\d+)(?:st|nd|rd|th)$", r"\1", word)
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST and not word.endswith("ss"):
            word = word[: -len(ending)] + instead
            break
    if len(word) > _SHORTEST and word[-1] == word[-2] and word[-1] not in "aeious":
        word = word[:-1]
    return word.removesuffix("e") if len(word) > _SHORTEST else word
