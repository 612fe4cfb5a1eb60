"""Years, decades, quarters and seasons, and dates in numerals."""

from functools import partial

from truerecall.memory.dates.calendar import Frame, Stretch, day_of
from truerecall.memory.dates.reader import Found, Reader
from truerecall.memory.dates.steps import latest
from truerecall.memory.dates.vocabulary import (
    AFTER_WEEKDAY,
    CUES,
    EDGES,
    MEASURES,
    NINETIES,
    QUARTERS,
    QUARTERS_IN_WORDS,
    SEASONS,
    SHORT_MONTHS,
    TURNS,
)

_BEFORE_NO_YEAR = frozenset("$€£#.-/,:")
_YEARS_OF = EDGES | {"class", "year", "spring", "summer", "autumn", "fall", "winter"}


def year_at(reader: Reader, at: int) -> int | None:
    """The year that a word is: 1900 to 2099."""
    word = reader.word(at)
    if len(word) == 4 and word[:2] in ("19", "20") and word[2:].isdecimal() and word.isascii():
        return int(word)
    return None


def year_after(reader: Reader, at: int) -> tuple[int, int] | None:
    """The year that follows a word ("of 2023", ", 2023", "last year"), and the place after it."""
    place = at + 1 if reader.ahead(at) == "of" else at
    joint = reader.gap(place)[:4].strip()
    if joint in ("", ",") or (joint == "." and reader.words[at] in SHORT_MONTHS):
        year = year_at(reader, place + 1)
        if year is not None and reader.ahead(place + 1) not in MEASURES:
            return year, place + 2
    step = TURNS.get(reader.ahead(place))
    if step is not None and reader.ahead(place + 1) == "year":
        return reader.frame.month // 12 + step, place + 3
    return None


def year_alone(reader: Reader, at: int) -> Found | None:
    """2023-05-07, 2023 Q1, in 2021; in a question also a year without a preposition."""
    if reader.gap(at) in ("-", "/"):
        return _in_numerals(reader, at)
    year, cue = year_at(reader, at), reader.back(at)
    if year is None or reader.ahead(at) in MEASURES or reader.gap(at - 1)[-1:] in _BEFORE_NO_YEAR:
        return None
    quarter = QUARTERS.get(reader.ahead(at))
    if quarter is not None:
        return _months_of(reader, at, at + 2, 12 * year + 3 * quarter - 3, 3)
    attributive = cue == "the" and reader.ahead(at) not in ("", *AFTER_WEEKDAY)  # "the 2021 season"
    of_it = cue == "of" and reader.back(at - 1) in _YEARS_OF
    if not (reader.asks or attributive or of_it or cue == "year" or (cue in CUES and cue != "of")):
        return None
    stretch = reader.frame.months(12 * year, 12 * year + 12, "year")
    return reader.found(at, at + 1, stretch, full=True)


def _in_numerals(reader: Reader, at: int) -> Found | None:
    """2023-05-07 or 2023/05/07, with or without a time after it, which is not read; 2023-05 after a preposition."""
    mark, year, month = reader.gap(at), year_at(reader, at), _two_digits(reader.word(at + 1))
    if year is None or month is None or reader.gap(at - 1)[-1:] in ("-", "/", "."):
        return None
    if reader.gap(at + 1) == mark:
        last = reader.word(at + 2)
        day, rest = _two_digits(last[:2]), last[2:]
        if day is None or (rest and not (rest[0] == "t" and rest[1:].isdecimal())):
            return None
        there = day_of(year, month, day)
        stretch = None if there is None else reader.frame.days(there, there + 1)
        return reader.found(at, at + 3, stretch, full=True)
    season = month == (year + 1) % 100  # 2010-11 is a season of sports
    if mark == "-" and reader.back(at) in CUES and 1 <= month <= 12 and not season:
        return _months_of(reader, at, at + 2, 12 * year + month - 1, 1)
    return None


def _two_digits(word: str) -> int | None:
    return int(word) if len(word) == 2 and word.isascii() and word.isdecimal() else None


def _months_of(reader: Reader, first: int, after: int, month: int, count: int) -> Found | None:
    return reader.found(first, after, reader.frame.months(month, month + count), full=True)


def decade(reader: Reader, at: int) -> Found | None:
    """The 1990s, the 90s, the nineties; the 1900s are the whole century."""
    word = reader.words[at]
    joint = reader.gap(at - 1)[-4:].strip()
    if len(word) != 5 and not (reader.word(at - 1) == "the" and joint in ("", "'", "\u2019")):
        return None
    year = NINETIES.get(word, 0) or (int(word[:4]) if len(word) == 5 else 1900 + int(word[:2]))
    length = 1200 if word == "1900s" else 120
    return reader.found(at, at + 1, reader.frame.months(12 * year, 12 * year + length, "year"), full=True)


def quarter(reader: Reader, at: int) -> Found | None:
    """Q1, of a year or the latest that has begun."""
    month = 3 * QUARTERS[reader.words[at]] - 2
    return _every_year(reader, at, at, month) or reader.floating(at, at + 1, partial(_latest, month))


def quarter_in_words(reader: Reader, at: int) -> Found | None:
    """The first quarter of a year."""
    number = QUARTERS_IN_WORDS.get(reader.back(at))
    return None if number is None else _every_year(reader, at - 1, at, 3 * number - 2)


def season(reader: Reader, at: int) -> Found | None:
    """Summer 2022, the summer of last year; in a question also "in the summer"."""
    number = SEASONS[reader.words[at]]
    found = _every_year(reader, at, at, number)
    if found is not None:
        return found
    place = at - 1 if reader.back(at) == "the" else at
    if not reader.asks or reader.back(place) not in ("in", "during", "since", "over"):
        return None
    return reader.floating(at, at + 1, partial(_latest, number))


def _every_year(reader: Reader, first: int, at: int, month: int) -> Found | None:
    """Three months of the year that stands behind; a winter begins in the year that it is called by."""
    named = year_after(reader, at)
    if named is None:
        return None
    year, after = named
    return _months_of(reader, first, after, 12 * year + month - 1, 3)


def _latest(month: int, frame: Frame, ahead: bool) -> Stretch | None:
    return latest(frame, month, 3, ahead)
