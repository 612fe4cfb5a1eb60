"""All dates that a text names, from left to right."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice, pairwise

from truerecall.memory.dates import days, periods, relative
from truerecall.memory.dates.calendar import Frame
from truerecall.memory.dates.reader import Found, Reader
from truerecall.memory.dates.vocabulary import (
    DAYS,
    MONTHS,
    NAMED,
    NINETIES,
    QUARTERS,
    RANGES,
    SEASONS,
    SURE,
    TURNED,
    TURNS,
    WEEKDAYS,
)
from truerecall.memory.traits import words_of

MOST = 32
"""Dates read of a text: the first so many."""
_TRIED = 3000
"""Words of time looked at in a text, at most: prose of 300 kB holds fewer; a text of nothing else ends here."""

_Rule = Callable[[Reader, int], Found | None]
_RULES: dict[str, _Rule] = {
    **dict.fromkeys(DAYS, relative.near_day),
    "tonight": relative.tonight,
    "ago": relative.ago,
    "back": relative.ago,
    "from": relative.from_now,
    "in": relative.ahead_of_now,
    **dict.fromkeys(TURNS, relative.turned),
    **dict.fromkeys(MONTHS, days.month),
    **dict.fromkeys(WEEKDAYS, days.weekday),
    **dict.fromkeys(SEASONS, periods.season),
    **dict.fromkeys(QUARTERS, periods.quarter),
    "quarter": periods.quarter_in_words,
    "weekend": relative.weekend,
    **dict.fromkeys(NINETIES, periods.decade),
}

_OF_TIME = SURE | NAMED


def may_name_a_date(text: str) -> bool:
    """Whether it is worth reading: most texts are not, and this takes a few microseconds."""
    words, numbered = words_of(text.lower())
    # The first alone decides of most texts.
    if not _OF_TIME.isdisjoint(words) and not (SURE.isdisjoint(words) and TURNED.isdisjoint(words)):
        return True
    return numbered and any(
        len(word) in (3, 4, 5) and word[0].isdecimal() and _numeral(word) for word in words
    )


def dates(reader: Reader) -> list[Found]:
    """The dates of a text in their order, none of which overlap; ``MOST`` at most."""
    found = list(islice(_dates(reader), MOST))
    for place, (one, other) in enumerate(pairwise(found)):
        if opening(reader, one, other) is not None:
            found[place : place + 2] = _agreed(reader.frame, one, other)
    return found


def _dates(reader: Reader) -> Iterator[Found]:
    tried = 0
    for at, word in enumerate(reader.words):
        rule = _RULES.get(word)
        if rule is None and word[:1].isdecimal():
            rule = _numeral(word)
        if rule is None or at < reader.floor:
            continue
        found = rule(reader, at)
        if found is not None:
            found = relative.beside(reader, found) or found
            reader.floor = found.after
            yield found
        tried += 1
        if tried == _TRIED:
            return


def opening(reader: Reader, one: Found, other: Found) -> int | None:
    """The place of "between" or "from", where two dates are the ends of one stretch."""
    joint = [word for word in reader.words[one.after : other.first] if word != "the"]
    place = one.first - 1
    if place > 0 and reader.words[place] == "the":
        place -= 1
    known = RANGES.get(reader.words[place], ()) if place >= 0 else ()
    return place if len(joint) == 1 and joint[0] in known else None


def _agreed(frame: Frame, one: Found, other: Found) -> tuple[Found, Found]:
    """The ends of a range: what lacks its year is as near as may be to the other end, and not on its wrong side."""
    low, high = one.stretch, other.stretch
    if other.again is not None:
        high = other.again(frame.on(frame.day_at(low.start)), True) or high
    elif one.again is not None:
        low = one.again(frame.on(frame.day_at(high.start)), False) or low
    return replace(one, stretch=low), replace(other, stretch=high)


def _numeral(word: str) -> _Rule | None:
    """The rule for 2023, 1990s and 90s."""
    if len(word) == 4 and word[:2] in ("19", "20"):
        return periods.year_alone
    if word[-1:] == "s" and word.isascii():
        if len(word) == 5 and word[:2] in ("19", "20") and word[2:4].isdecimal() and word[3] == "0":
            return periods.decade
        if len(word) == 3 and word[:2] in ("30", "40", "50", "60", "70", "80", "90"):
            return periods.decade
    return None
