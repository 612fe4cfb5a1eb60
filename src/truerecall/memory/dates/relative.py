"""Dates by their distance from now: "yesterday", "last Friday", "two weeks ago"."""

from truerecall.memory.dates.calendar import Frame, Stretch
from truerecall.memory.dates.reader import Count, Found, Reader
from truerecall.memory.dates.steps import (
    at_distance,
    before,
    following,
    month_at,
    reach,
    season_at,
    weekday_at,
    whole,
)
from truerecall.memory.dates.vocabulary import (
    DAYS,
    DETERMINED,
    MONTHS,
    PARTS,
    ROLLING,
    SEASONS,
    SHORT_WEEKDAYS,
    TURNS,
    UNITS,
    VERBS,
    WEEKDAYS,
    WEEKDAYS_OF_PLURALS,
)

_NO_CALENDAR = frozenset({"day", "minute", "hour", "night"})
"""Units of which "last" and "next" name none in particular."""


def near_day(reader: Reader, at: int) -> Found | None:
    """Yesterday, today, tomorrow; a part of it."""
    frame, part = reader.frame, reader.ahead(at)
    day = frame.today + DAYS[reader.words[at]]
    if part in PARTS:
        return reader.found(at, at + 2, frame.hours(day, *PARTS[part]))
    return reader.found(at, at + 1, frame.days(day, day + 1))


def tonight(reader: Reader, at: int) -> Found | None:
    """From six in the evening to six in the morning."""
    return reader.found(at, at + 1, reader.frame.hours(reader.frame.today, *PARTS["night"]))


def ago(reader: Reader, at: int) -> Found | None:
    """So many of a unit before now."""
    return _away(reader, at, at + 1, -1)


def from_now(reader: Reader, at: int) -> Found | None:
    """So many of a unit after now."""
    return _away(reader, at, at + 2, 1) if reader.ahead(at) in ("now", "today") else None


def _away(reader: Reader, at: int, after: int, sign: int) -> Found | None:
    unit = reader.back(at)
    if unit not in UNITS and unit not in WEEKDAYS_OF_PLURALS:
        return None
    count = reader.count_before(at - 1)
    if count is None or (reader.back(count.first) == "and" and reader.word(count.first - 2) in UNITS):
        return None  # "a year and two months ago"
    return reader.found(count.first, after, _counted(reader.frame, unit, count, sign))


def ahead_of_now(reader: Reader, at: int) -> Found | None:
    """In so many of a unit, where the sentence speaks of the future: else it is how long something took."""
    counted = reader.count_after(at)
    if counted is None:
        return None
    count, after = counted
    unit = reader.word(after) if reader.gap(after - 1).isspace() else ""
    if unit not in UNITS or reader.tense(at) != "ahead":
        return None
    return reader.found(at, after + 1, _counted(reader.frame, unit, count, 1))


def _counted(frame: Frame, unit: str, count: Count, sign: int) -> Stretch | None:
    """So many of a unit away."""
    low, high = sorted(
        (sign * (count.number - count.give_or_take), sign * (count.number + count.give_or_take))
    )
    if unit in UNITS:
        return at_distance(frame, UNITS[unit], low, high)
    weekday = WEEKDAYS_OF_PLURALS[unit]
    return frame.days(weekday_at(frame, weekday, low), weekday_at(frame, weekday, high) + 1)


def turned(reader: Reader, at: int) -> Found | None:
    """Last, this and next, with a unit, a weekday, a month, a season or a part of a day."""
    word, place = reader.words[at], at
    step = TURNS[word]
    if (reader.back(at), word) in (("before", "last"), ("after", "next")):
        return _twice_turned(reader, at, 2 * step)
    if word == "this" and reader.ahead(at) in ("past", "coming", "last"):
        place, step = at + 1, TURNS[reader.ahead(at)]
    thing = reader.ahead(place)
    if not thing:
        return None
    counted = reader.count_after(place) if step else None
    if counted is not None:
        return _several_turned(reader, at, counted, step)
    return _turned(reader, at, place + 1, step)


def _several_turned(reader: Reader, at: int, counted: tuple[Count, int], step: int) -> Found | None:
    """The last three weeks: up to now, today included."""
    count, place = counted
    unit = UNITS.get(reader.word(place)) if reader.gap(place - 1).isspace() else None
    lasts = reader.words[at] == "last" and not reader.asks and reader.back(at) not in DETERMINED
    if unit is None or lasts or reader.words[place - 1] in ("a", "an"):
        return None  # "it will last a week", "they last two days"
    return reader.found(at, place + 1, reach(reader.frame, unit, step * count.number))


def _twice_turned(reader: Reader, at: int, step: int) -> Found | None:
    """The week before last, the Friday after next."""
    place, frame = at - 2, reader.frame
    thing = reader.back(at - 1)
    first = place - 1 if reader.back(place) == "the" else place
    if thing in WEEKDAYS:
        day = weekday_at(frame, WEEKDAYS[thing], step)
        return reader.found(first, at + 1, frame.days(day, day + 1))
    if thing == "night":
        return reader.found(first, at + 1, at_distance(frame, thing, step, step))
    if thing in SEASONS or thing in MONTHS:
        own = (
            season_at(frame, SEASONS[thing], step)
            if thing in SEASONS
            else month_at(frame, MONTHS[thing], step)
        )
        then = frame.on(own.start.astimezone(frame.zone).toordinal()) if own else frame
        again = (
            season_at(then, SEASONS[thing], step) if thing in SEASONS else month_at(then, MONTHS[thing], step)
        )
        return reader.found(first, at + 1, again)
    if UNITS.get(thing) == thing and thing not in _NO_CALENDAR:
        return reader.found(first, at + 1, whole(frame, thing, step))
    return None


def _turned(reader: Reader, at: int, place: int, step: int) -> Found | None:
    frame, thing, after = reader.frame, reader.words[place], place + 1
    if thing in WEEKDAYS and (thing not in SHORT_WEEKDAYS or reader.capital(place)):
        day, part = weekday_at(frame, WEEKDAYS[thing], step), reader.ahead(place)
        if part in PARTS:
            return reader.found(at, after + 1, frame.hours(day, *PARTS[part]))
        return reader.found(at, after, frame.days(day, day + 1))
    if thing in MONTHS and (thing not in VERBS or reader.capital(place)):
        if reader.ahead(place)[:1].isdecimal():
            return None  # "this May 7th" is the month's to read
        return reader.found(at, after, month_at(frame, MONTHS[thing], step))
    if thing in SEASONS:
        return reader.found(at, after, season_at(frame, SEASONS[thing], step))
    if thing in PARTS and (step == 0 or (thing == "night" and reader.words[at] == "last")):
        return reader.found(at, after, frame.hours(frame.today + step, *PARTS[thing]))
    if UNITS.get(thing) == thing and thing not in _NO_CALENDAR:
        return _unit(reader, at, place, step)
    return None


def _unit(reader: Reader, at: int, place: int, step: int) -> Found | None:
    """The last week is that of the calendar; the past one, or "in the last one", goes up to now."""
    frame, unit, after, word = reader.frame, reader.words[place], place + 1, reader.words[place - 1]
    if reader.ahead(place) == "of" and reader.word(place + 2) not in TURNS:
        return None  # "the last week of school"
    if unit == "weekend":
        if word == "coming" and frame.today < frame.monday + 5:
            step = 0
        return reader.found(at, after, whole(frame, unit, step))
    if word == "past" or (reader.back(at) == "the" and step and reader.back(at - 1) in ROLLING):
        return reader.found(at, after, reach(frame, unit, step))
    if reader.back(at) == "the" and word in ("last", "next"):
        return None  # "the next week" of a story
    return reader.found(at, after, whole(frame, unit, step))


def weekend(reader: Reader, at: int) -> Found | None:
    """Over the weekend: the last that has begun, or the one that comes."""
    first = reader.backs(at, "over", "the")
    if first is None:
        return None
    frame, ahead = reader.frame, reader.tense(first) == "ahead"
    saturday = following(frame.today - 2, 5) if ahead else before(frame.today + 1, 5)
    return reader.found(first, at + 1, frame.days(saturday, saturday + 2))


def beside(reader: Reader, found: Found) -> Found | None:
    """The day, the week, the Friday, or two weeks, before or after a date."""
    joint = found.first - 1
    if reader.word(joint) in ("the", "on"):
        joint -= 1
    if not reader.gap(joint).isspace() or reader.word(joint) not in ("before", "after"):
        return None
    sign = -1 if reader.word(joint) == "before" else 1
    thing, place, frame = reader.back(joint), joint - 1, reader.frame
    if found.stretch.precision == "instant" or (thing not in UNITS and thing not in WEEKDAYS):
        return None
    near = frame.day_at(found.stretch.start) if sign < 0 else frame.day_after(found.stretch.end)
    count = reader.count_before(place) if thing in UNITS else None
    if count is not None and reader.word(count.first) not in ("a", "one"):
        there = frame.on(near if sign < 0 else near - 1)
        known = UNITS[thing] not in ("minute", "hour")
        stretch = _counted(there, thing, count, sign) if known else None
        return reader.found(count.first, found.after, stretch)
    first = place - 1 if reader.back(place) in ("the", "a", "one") else place
    return reader.found(first, found.after, _next_to(frame, thing, near, sign))


def _next_to(frame: Frame, thing: str, near: int, sign: int) -> Stretch | None:
    """The unit or weekday that ends where a day begins (-1), or begins with it (1)."""
    if thing in WEEKDAYS:
        day = before(near, WEEKDAYS[thing]) if sign < 0 else following(near - 1, WEEKDAYS[thing])
        return frame.days(day, day + 1)
    length = {"day": 1, "week": 7}.get(thing)
    if length is not None:
        return frame.days(near - length, near) if sign < 0 else frame.days(near, near + length)
    if thing == "night":
        return frame.hours(near - 1, *PARTS[thing]) if sign < 0 else None
    if thing == "weekend":
        saturday = before(near - 1, 5) if sign < 0 else following(near - 1, 5)
        return frame.days(saturday, saturday + 2)
    months = {"month": 1, "quarter": 3, "year": 12}.get(thing)
    if months is None:
        return None
    far = frame.on(near).months_on(sign * months)
    return frame.days(min(near, far), max(near, far), "year" if months == 12 else "month")
