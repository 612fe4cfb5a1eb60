"""Days of a month, months, and days of the week."""

from functools import partial

from truerecall.memory.dates.calendar import Frame, Stretch, day_of
from truerecall.memory.dates.periods import year_after
from truerecall.memory.dates.reader import Found, Reader
from truerecall.memory.dates.steps import before, following, latest
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
    ORDINALS,
    PARTS,
    RANGES,
    SHORT_MONTHS,
    SHORT_WEEKDAYS,
    TENS,
    TURNS,
    VERBS,
    WEEKDAYS,
)

_DASHES = ("-", "\u2013")
_APOSTROPHES = ("'", "\u2019")
_JOINTS = frozenset({"to", "until", "till", "through", "and"})


def month(reader: Reader, at: int) -> Found | None:
    """A month, with a day or a year or neither."""
    number = MONTHS[reader.words[at]]
    for rule in (_day_before, _day_after, _alone):
        found = rule(reader, at, number)
        if found is not None or reader.floor > at:
            return found
    return None


def _numeral(word: str) -> int | None:
    """7 or 7th."""
    digits = word[:-2] if word[-2:] in ("st", "nd", "rd", "th") else word
    return int(digits) if 1 <= len(digits) <= 2 and digits.isascii() and digits.isdecimal() else None


def _in_words(reader: Reader, at: int) -> tuple[int, int] | None:
    """A day in words that ends at a place, and where it begins: second, twenty-second."""
    day = ORDINALS.get(reader.word(at))
    if day is None:
        return None
    tens = TENS.get(reader.word(at - 1), 0) if reader.gap(at - 1) in ("-", " ") else 0
    return (tens + day, at - 1) if tens and day < 10 else (day, at)


def _day_before(reader: Reader, at: int, number: int) -> Found | None:
    """7 May, the 7th of May, the seventh of May, 7-9 May."""
    of = reader.back(at) == "of"
    place = at - 2 if of else at - 1
    if not reader.gap(place).isspace() and (of or reader.gap(place) != "-"):
        return None
    day, first = _numeral(reader.word(place)), place
    if day is None:
        worded = _in_words(reader, place) if of else None
        if worded is None:
            return None
        day, first = worded
    elif reader.gap(place - 1)[-1:] in (".", "$", ":"):
        return None
    low = day
    if reader.gap(first - 1).strip() in _DASHES or reader.back(first) in ("to", "and"):
        other = first - 1 if reader.gap(first - 1).strip() in _DASHES else first - 2
        lower = _numeral(reader.word(other))
        if lower is not None and lower < day:
            low, first = lower, other
    if reader.back(first) == "the":
        first -= 1
    verb = reader.words[at] in VERBS and not reader.capital(at) and not of
    if verb and reader.back(first) not in CUES | {"on"} and year_after(reader, at) is None:
        return None  # "of these, 7 may fail"
    return _dated(reader, (first, at + 1), number, (low, day))


def _day_after(reader: Reader, at: int, number: int) -> Found | None:
    """May 7, May 7th, May the seventh, May 7-9."""
    place = at + 1
    if reader.ahead(at) == "the":
        place += 1
    elif not reader.gap(at).isspace() and reader.gap(at) not in ("-", ". "):
        return None
    word = reader.word(place)
    day = _numeral(word)
    small = reader.words[at] in VERBS and not reader.capital(at)
    if day is None:
        if small:
            return None  # "you may first"
        if word in TENS and reader.word(place + 1) in ORDINALS and reader.gap(place) in ("-", " "):
            place += 1
        worded = _in_words(reader, place)
        return None if worded is None else _dated(reader, (at, place + 1), number, (worded[0], worded[0]))
    goes_on = reader.gap(place) in (".", ",") and reader.word(place + 1).isdecimal()
    if reader.gap(place)[:1] in (":", "%") or (goes_on and year_after(reader, place) is None):
        return None  # "in Mar 3.5 million"
    if reader.ahead(place) in MEASURES:
        return None
    if small and word.isdecimal() and reader.back(at) != "on":
        return None
    high = day
    dash = reader.gap(place).strip() in _DASHES
    if dash or reader.ahead(place) == "to":
        other = place + 1 if dash else place + 2
        upper = _numeral(reader.word(other))
        if upper is not None and upper > day:
            high, place = upper, other
    return _dated(reader, (at, place + 1), number, (day, high))


def _dated(reader: Reader, words: tuple[int, int], number: int, days: tuple[int, int]) -> Found | None:
    """From one day of a month to another, in the year that stands behind, or else the nearest."""
    first, after = words
    named = year_after(reader, after - 1)
    if named is None:
        found = reader.floating(first, after, partial(_nearest, number, days))
    else:
        year, after = named
        found = reader.found(first, after, _days_of(reader.frame, year, number, days), full=True)
    if found is None:
        reader.floor = after  # 30 February: neither is its month meant, nor its year
    return found


def _days_of(frame: Frame, year: int, number: int, days: tuple[int, int]) -> Stretch | None:
    start, last = (day_of(year, number, day) for day in days)
    return None if start is None or last is None else frame.days(start, last + 1)


def _nearest(number: int, days: tuple[int, int], frame: Frame, ahead: bool) -> Stretch | None:
    """The latest that has begun, or the first that does not lie behind."""
    own = frame.month // 12
    for away in range(9):  # within eight years there is a 29 February, also about 1900
        year = own + away if ahead else own - away
        start = day_of(year, number, days[0])
        if start is not None and (start >= frame.today if ahead else start <= frame.today):
            return _days_of(frame, year, number, days)
    return None


def _alone(reader: Reader, at: int, number: int) -> Found | None:
    """A month without a day."""
    word, capital = reader.words[at], reader.capital(at)
    named = year_after(reader, at)
    if named is not None and (capital or word not in VERBS or reader.back(at) in CUES):
        year, after = named
        first = 12 * year + number - 1
        return reader.found(at, after, reader.frame.months(first, first + 1), full=True)
    if _is_month(reader, at, word, capital):
        return reader.floating(at, at + 1, partial(_latest_month, number))
    return None


def _latest_month(number: int, frame: Frame, ahead: bool) -> Stretch | None:
    return latest(frame, number, 1, ahead)


def _is_month(reader: Reader, at: int, word: str, capital: bool) -> bool:
    """Whether a month without day and year is one: by what stands before it."""
    cue = reader.back(at)
    if cue == "" and reader.gap(at - 1) == "-":
        cue = reader.word(at - 1)  # mid-May
    if word in SHORT_MONTHS and not (capital and cue in IN):
        return False
    if cue in IN or (cue == "of" and reader.back(at - 1) in EDGES):
        return reader.gap(at)[:1] not in _APOSTROPHES or word not in NAMES
    if word not in NAMES and word not in VERBS:
        return cue in CUES
    asked = reader.asks and (
        cue in ("before", "after") or (capital and cue in ("by", "from", "to", "between"))
    )
    return asked or _is_in_a_range(reader, at, cue)


def _is_in_a_range(reader: Reader, at: int, cue: str) -> bool:
    """From March to May, between March and May."""
    if cue in RANGES:
        return reader.ahead(at) in RANGES[cue] and reader.ahead(at + 1) in MONTHS
    if cue not in _JOINTS or at < 3 or reader.words[at - 2] not in MONTHS:
        return False
    return cue in RANGES.get(reader.words[at - 3], ())


def weekday(reader: Reader, at: int) -> Found | None:
    """On Friday, Friday night, Friday of last week."""
    word, cue = reader.words[at], reader.back(at)
    if word in SHORT_WEEKDAYS and not (cue == "on" and reader.capital(at) and word != "sun"):
        return None
    if cue in HABITS or reader.ahead(at)[:-1] in PARTS:
        return None  # "on Friday nights"
    number = WEEKDAYS[word]
    part = reader.ahead(at) if reader.ahead(at) in PARTS else ""
    last = at + 1 if part else at
    place = last + 1 if reader.ahead(last) == "of" else last
    step = TURNS.get(reader.ahead(place))
    if step is not None and reader.ahead(place + 1) == "week":
        day = reader.frame.monday + 7 * step + number
        return reader.found(at, place + 3, _day_or_part(reader.frame, day, part))
    closed = _is_closed(reader, at)
    listed = cue == "and" and reader.words[at - 2] in WEEKDAYS and reader.gap(at)[:1] != ":"
    if not (part or closed or listed or cue in BEFORE_WEEKDAY):
        return None
    if reader.gap(at - 1) == "-" or _before_a_date(reader, last):
        return None
    return reader.floating(at, last + 1, partial(_nearest_weekday, number, part))


def _is_closed(reader: Reader, at: int) -> bool:
    """Whether a weekday without a preposition stands for itself, and is no part of a name or of a timetable."""
    if reader.back(at) and reader.capital(at - 1) and at > 1:
        return False  # "New Music Friday"
    following_it = reader.ahead(at)
    if following_it == "and" and reader.ahead(at + 1) in WEEKDAYS:
        return reader.gap(at + 2)[:1] != ":"  # "Monday and Tuesday: rest"
    return following_it in AFTER_WEEKDAY or reader.gap(at)[:1] in tuple(",.!?;")


def _nearest_weekday(number: int, part: str, frame: Frame, ahead: bool) -> Stretch | None:
    day = following(frame.today - 1, number) if ahead else before(frame.today + 1, number)
    return _day_or_part(frame, day, part)


def _day_or_part(frame: Frame, day: int, part: str) -> Stretch | None:
    return frame.hours(day, *PARTS[part]) if part else frame.days(day, day + 1)


def _before_a_date(reader: Reader, at: int) -> bool:
    """Whether it only goes before one: Sunday, 7 May."""
    if reader.gap(at)[:4].strip() not in ("", ","):
        return False
    place = at + 2 if reader.word(at + 1) in ("the", "on") else at + 1
    if reader.word(place) in MONTHS:
        return True
    of = place + 1 if reader.ahead(place) == "of" else place
    return reader.ahead(of) in MONTHS and (
        _numeral(reader.word(place)) is not None or reader.word(place) in ORDINALS
    )
