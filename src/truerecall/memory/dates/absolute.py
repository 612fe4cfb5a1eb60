"""Dates by the calendar: days, months, years, quarters, seasons, decades, and days of the week."""

from truerecall.memory.dates.calendar import Frame, Stretch, day_of
from truerecall.memory.dates.reader import Found, Reader
from truerecall.memory.dates.relative import before, following
from truerecall.memory.dates.vocabulary import (
    AFTER_WEEKDAY,
    BEFORE_WEEKDAY,
    CUES,
    EDGES,
    HABITS,
    IN,
    MEASURES,
    MONTHS,
    NAMES,
    NINETIES,
    PARTS,
    QUARTERS,
    SEASONS,
    SHORT_MONTHS,
    SHORT_WEEKDAYS,
    TURNS,
    VERBS,
    WEEKDAYS,
)

_DASHES = ("-", "\u2013")
_APOSTROPHES = ("'", "\u2019")


def year_at(reader: Reader, at: int) -> int | None:
    """The year that a word is: 1900 to 2099."""
    word = reader.word(at)
    return (
        int(word)
        if len(word) == 4 and word.isascii() and word.isdecimal() and word[:2] in ("19", "20")
        else None
    )


def year_after(reader: Reader, at: int) -> tuple[int, int] | None:
    """The year that follows a word ("of 2023", ", 2023", "last year"), and the place after it."""
    place = at
    if reader.ahead(place) == "of":
        place += 1
    year = year_at(reader, place + 1) if reader.listed(place) else None
    if year is not None and reader.ahead(place + 1) not in MEASURES:
        return year, place + 2
    step = TURNS.get(reader.ahead(place))
    if step is not None and reader.ahead(place + 1) == "year":
        return reader.frame.month // 12 + step, place + 3
    return None


def iso(reader: Reader, at: int) -> Found | None:
    """2023-05-07 and 2023/05/07, with or without a time after it, which is not read; 2023-05 after a preposition."""
    mark = reader.gap(at)
    year, month = year_at(reader, at), _two_digits(reader.word(at + 1))
    if mark not in ("-", "/") or year is None or month is None or reader.gap(at - 1)[-1:] in ("-", "/", "."):
        return None
    day = _two_digits(reader.word(at + 2)[:2])
    rest = reader.word(at + 2)[2:]
    if reader.gap(at + 1) == mark:
        if day is None or not (rest == "" or (rest[0] == "t" and rest[1:].isdecimal())):
            return None
        return _one_day(reader, at, at + 3, day_of(year, month, day))
    season = month == year % 100 + 1  # 2010-11 is a season of sports
    if mark == "-" and reader.back(at) in CUES and 1 <= month <= 12 and not season:
        first = 12 * year + month - 1
        return reader.found(at, at + 2, reader.frame.months(first, first + 1))
    return None


def _two_digits(word: str) -> int | None:
    return int(word) if len(word) == 2 and word.isascii() and word.isdecimal() else None


def _one_day(reader: Reader, first: int, after: int, day: int | None) -> Found | None:
    return None if day is None else reader.found(first, after, reader.frame.days(day, day + 1))


def year_alone(reader: Reader, at: int) -> Found | None:
    """In 2021; in a question also a year without a preposition."""
    found = iso(reader, at)
    if found is not None or reader.gap(at) in ("-", "/"):
        return found
    year = year_at(reader, at)
    if year is None or reader.ahead(at) in MEASURES or reader.gap(at - 1)[-1:] in tuple("$€£#.-/,"):
        return None
    if not reader.asks and reader.back(at) not in CUES | {"year", "back", "the"}:
        return None
    if reader.back(at) == "the" and reader.ahead(at) in ("", *AFTER_WEEKDAY):
        return None
    quarter = QUARTERS.get(reader.ahead(at))
    if quarter is not None:
        first = 12 * year + 3 * quarter - 3
        return reader.found(at, at + 2, reader.frame.months(first, first + 3))
    return reader.found(at, at + 1, reader.frame.months(12 * year, 12 * year + 12, "year"))


def decade(reader: Reader, at: int) -> Found | None:
    """The 1990s, the 90s, the nineties."""
    word = reader.words[at]
    start = NINETIES.get(word)
    if start is None and len(word) == 5:
        start = int(word[:4])
    elif start is None:
        start = 1900 + int(word[:2])
    named = len(word) == 5 or (
        reader.word(at - 1) == "the" and reader.gap(at - 1).strip() in ("", *_APOSTROPHES)
    )
    if not named:
        return None
    return reader.found(at, at + 1, reader.frame.months(12 * start, 12 * start + 120, "year"))


def month(reader: Reader, at: int) -> Found | None:
    """A month, with a day or a year or neither."""
    number = MONTHS[reader.words[at]]
    return (
        _day_before(reader, at, number) or _day_after(reader, at, number) or _month_alone(reader, at, number)
    )


def _ordinal(word: str) -> int | None:
    """7 or 7th."""
    digits = word[:-2] if word[-2:] in ("st", "nd", "rd", "th") else word
    return int(digits) if 1 <= len(digits) <= 2 and digits.isascii() and digits.isdecimal() else None


def _day_before(reader: Reader, at: int, number: int) -> Found | None:
    """7 May, the 7th of May, 7-9 May."""
    place = at - 1
    if reader.back(at) == "of":
        place -= 1
        if reader.back(at - 1) == "" or _ordinal(reader.word(place)) is None:
            return None
    elif not reader.gap(place).isspace() and reader.gap(place) != "-":
        return None
    day = _ordinal(reader.word(place))
    if day is None or reader.gap(place - 1)[-1:] in (".", "$", ":"):
        return None
    first = last = place
    low = _ordinal(reader.word(place - 1)) if reader.gap(place - 1).strip() in _DASHES else None
    if low is None and reader.back(place) in ("to", "and"):
        low = _ordinal(reader.back(place - 1))
        last = place - 1
    if low is not None and low < day:
        first = last - 1
    else:
        low = day
    if reader.back(first) == "the":
        first -= 1
    return _dated(reader, (first, at + 1), number, low, day)


def _day_after(reader: Reader, at: int, number: int) -> Found | None:
    """May 7, May 7th, May the 7th, May 7-9."""
    place = at + 1
    if reader.ahead(at) == "the":
        place += 1
    elif not reader.gap(at).isspace() and reader.gap(at) not in ("-", ". "):
        return None
    word = reader.word(place)
    day = _ordinal(word)
    if day is None or reader.gap(place)[:1] in (":", "%") or reader.ahead(place) in MEASURES:
        return None
    if reader.words[at] in VERBS and not reader.capital(at) and word.isdecimal() and reader.back(at) != "on":
        return None
    high = day
    if reader.gap(place).strip() in _DASHES or reader.ahead(place) == "to":
        other = place + 2 if reader.ahead(place) == "to" else place + 1
        upper = _ordinal(reader.word(other))
        if upper is not None and upper > day:
            high, place = upper, other
    return _dated(reader, (at, place + 1), number, day, high)


def _dated(reader: Reader, words: tuple[int, int], number: int, low: int, high: int) -> Found | None:
    """From one day of a month to another, in the year that stands behind, or else the nearest."""
    first, after = words
    named = year_after(reader, after - 1)
    if named is not None:
        year, after = named
        start, end = day_of(year, number, low), day_of(year, number, high)
        if start is None or end is None:
            return None
        return reader.found(first, after, reader.frame.days(start, end + 1))

    def again(frame: Frame, ahead: bool) -> Stretch | None:
        own = frame.month // 12
        # Eight years on there has been a 29 February, also about 1900.
        for year in range(own, own + 9) if ahead else range(own, own - 9, -1):
            start, end = day_of(year, number, low), day_of(year, number, high)
            if (
                start is not None
                and end is not None
                and (start >= frame.today if ahead else start <= frame.today)
            ):
                return frame.days(start, end + 1)
        return None

    return reader.floating(first, after, again)


def _month_alone(reader: Reader, at: int, number: int) -> Found | None:
    named = year_after(reader, at)
    word, capital = reader.words[at], reader.capital(at)
    if named is not None and (capital or word not in VERBS or reader.back(at) in CUES):
        year, after = named
        first = 12 * year + number - 1
        return reader.found(at, after, reader.frame.months(first, first + 1))
    if not _is_month(reader, at, word, capital):
        return None

    def again(frame: Frame, ahead: bool) -> Stretch | None:
        own = frame.month - frame.month % 12 + number - 1
        if ahead and own < frame.month:
            own += 12
        elif not ahead and own > frame.month:
            own -= 12
        return frame.months(own, own + 1)

    return reader.floating(at, at + 1, again)


def _is_month(reader: Reader, at: int, word: str, capital: bool) -> bool:
    """Whether a month without day and year is one: by what stands before it."""
    cue = reader.back(at)
    if cue == "" and reader.gap(at - 1) == "-":
        cue = reader.word(at - 1)  # mid-May
    edge = cue == "of" and reader.back(at - 1) in EDGES
    if word in SHORT_MONTHS and not (capital and cue in IN):
        return False
    if word in NAMES or word in VERBS:
        return ((cue in IN or edge) and reader.gap(at)[:1] not in _APOSTROPHES) or (
            reader.asks and capital and cue in ("before", "after", "by", "from", "to", "between", "and")
        )
    return cue in CUES or edge


def quarter(reader: Reader, at: int) -> Found | None:
    """Q1, of a year or the last one that has begun."""
    number = QUARTERS[reader.words[at]]
    named = year_after(reader, at)
    if named is not None:
        year, after = named
        first = 12 * year + 3 * number - 3
        return reader.found(at, after, reader.frame.months(first, first + 3))

    def again(frame: Frame, ahead: bool) -> Stretch | None:
        own = frame.month - frame.month % 12 + 3 * number - 3
        if ahead and own < frame.month - frame.month % 3:
            own += 12
        elif not ahead and own > frame.month:
            own -= 12
        return frame.months(own, own + 3)

    return reader.floating(at, at + 1, again)


def season(reader: Reader, at: int) -> Found | None:
    """Summer 2022, the summer of last year; in a question also "in the summer"."""
    number = SEASONS[reader.words[at]]
    named = year_after(reader, at)
    if named is not None:
        year, after = named
        first = 12 * year + number - 1
        return reader.found(at, after, reader.frame.months(first, first + 3))
    place = at - 1 if reader.back(at) == "the" else at
    if not reader.asks or reader.back(place) not in ("in", "during", "since", "over"):
        return None

    def again(frame: Frame, ahead: bool) -> Stretch | None:
        own = frame.month - frame.month % 12 + number - 1
        if ahead and own + 2 < frame.month:
            own += 12
        elif not ahead and own > frame.month:
            own -= 12
        return frame.months(own, own + 3)

    return reader.floating(at, at + 1, again)


def weekday(reader: Reader, at: int) -> Found | None:
    """On Friday, Friday night, Friday of last week."""
    word, cue = reader.words[at], reader.back(at)
    if cue in HABITS or (
        word in SHORT_WEEKDAYS and not (cue == "on" and reader.capital(at) and word != "sun")
    ):
        return None
    number, after = WEEKDAYS[word], at + 1
    part = reader.ahead(at) if reader.ahead(at) in PARTS else ""
    place = at + 1 if part else at
    if reader.ahead(place) == "of":
        place += 1
    step = TURNS.get(reader.ahead(place))
    if step is not None and reader.ahead(place + 1) == "week":
        day = reader.frame.monday + 7 * step + number
        return reader.found(at, place + 3, reader.frame.days(day, day + 1))
    closed = not reader.gap(at).isspace() or reader.ahead(at) in AFTER_WEEKDAY
    if not part and cue not in BEFORE_WEEKDAY and not closed:
        return None
    if _before_a_date(reader, at):
        return None

    def again(frame: Frame, ahead: bool) -> Stretch | None:
        day = following(frame.today - 1, number) if ahead else before(frame.today + 1, number)
        return frame.hours(day, *PARTS[part]) if part else frame.days(day, day + 1)

    return reader.floating(at, after + 1 if part else after, again)


def _before_a_date(reader: Reader, at: int) -> bool:
    """Whether it only goes before one: Sunday, 7 May."""
    place = at + 1 if reader.listed(at) != "the" else at + 2
    return reader.word(place) in MONTHS or (
        _ordinal(reader.word(place)) is not None
        and (
            reader.ahead(place) in MONTHS
            or (reader.ahead(place) == "of" and reader.ahead(place + 1) in MONTHS)
        )
    )
