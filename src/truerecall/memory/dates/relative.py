"""Dates by their distance from now: "yesterday", "last Friday", "two weeks ago"."""

from datetime import timedelta

from truerecall.core.entry import Precision
from truerecall.memory.dates.calendar import Frame, Stretch
from truerecall.memory.dates.reader import Count, Found, Reader
from truerecall.memory.dates.vocabulary import (
    DAYS,
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

_WIDTHS = {"hour": timedelta(hours=1), "minute": timedelta(minutes=1)}
_DAY: Precision = "day"
_MONTH: Precision = "month"
_YEAR: Precision = "year"


def near_day(reader: Reader, at: int) -> Found | None:
    """Yesterday, today, tomorrow; the day before and after; a part of it."""
    frame, step, first, after = reader.frame, DAYS[reader.words[at]], at, at + 1
    for word, more in (("before", -1), ("after", 1)):
        start = reader.backs(at, "day", word)
        if start is not None and step == more:
            step += more
            first = start - 1 if reader.back(start) == "the" else start
    part = reader.ahead(at)
    if part in PARTS and step:
        return reader.found(first, at + 2, frame.hours(frame.today + step, *PARTS[part]))
    return reader.found(first, after, frame.days(frame.today + step, frame.today + step + 1))


def tonight(reader: Reader, at: int) -> Found | None:
    """From six in the evening to six in the morning."""
    return reader.found(at, at + 1, reader.frame.hours(reader.frame.today, *PARTS["night"]))


def ago(reader: Reader, at: int) -> Found | None:
    """So many of a unit before now."""
    return _away(reader, at, -1)


def from_now(reader: Reader, at: int) -> Found | None:
    """So many of a unit after now."""
    return _away(reader, at, 1) if reader.ahead(at) in ("now", "today") else None


def _away(reader: Reader, at: int, sign: int) -> Found | None:
    unit = reader.back(at)
    count = reader.count_before(at - 1) if unit in UNITS or unit in WEEKDAYS_OF_PLURALS else None
    if count is None:
        return None
    after = at + 1 if sign < 0 else at + 2
    return reader.found(count.first, after, _stepped(reader.frame, unit, count, sign))


def ahead_of_now(reader: Reader, at: int) -> Found | None:
    """In so many of a unit, where the sentence speaks of the future: else it is how long something took."""
    counted = reader.count_after(at)
    if counted is None or not reader.lies_ahead(at):
        return None
    count, after = counted
    unit = reader.word(after) if reader.gap(after - 1).isspace() else ""
    if unit not in UNITS:
        return None
    return reader.found(at, after + 1, _stepped(reader.frame, unit, count, 1))


def _stepped(frame: Frame, unit: str, count: Count, sign: int) -> Stretch | None:
    """So many of a unit away: a few may be one less or more."""
    near, far = count.number - count.give_or_take, count.number + count.give_or_take
    low, high = sorted((sign * near, sign * far))
    today = frame.today
    match UNITS.get(unit):
        case "minute" | "hour" as known:
            width = _WIDTHS[known]
            return frame.around(sign * count.number * width, width * (high - low + 1))
        case "day":
            return frame.days(today + low, today + high + 1)
        case "night":
            return frame.hours(today + low, 18, 30 + 24 * (high - low))
        case "week":
            return frame.days(today + 7 * low - 3, today + 7 * high + 4)
        case "weekend":
            saturday = _last_saturday(frame) if sign < 0 else frame.monday + 5
            low, high = (low + 1, high + 1) if sign < 0 else (low, high)
            return frame.days(saturday + 7 * low, saturday + 7 * high + 2)
        case "month":
            return frame.months(frame.month + low, frame.month + high + 1)
        case "quarter":
            month = frame.month - frame.month % 3
            return frame.months(month + 3 * low, month + 3 * high + 3)
        case "year":
            year = frame.month // 12
            return frame.months(12 * (year + low), 12 * (year + high + 1), "year")
    weekday = WEEKDAYS_OF_PLURALS[unit]
    if sign < 0:
        day = before(today, weekday)
        return frame.days(day + 7 * (low + 1), day + 7 * (high + 1) + 1)
    day = following(today, weekday)
    return frame.days(day + 7 * (low - 1), day + 7 * (high - 1) + 1)


def before(day: int, weekday: int) -> int:
    """The last day of a weekday (0 is Monday) before another."""
    return day - ((day - 1 - weekday - 1) % 7 + 1)


def following(day: int, weekday: int) -> int:
    """The first one after it."""
    return day + ((weekday - day) % 7 + 1)


def _last_saturday(frame: Frame) -> int:
    """Of the last weekend that is over."""
    return frame.monday - 2


def turned(reader: Reader, at: int) -> Found | None:
    """Last, this and next, with a unit, a weekday, a month, a season or a part of a day."""
    step, place = TURNS[reader.words[at]], at
    if reader.words[at] == "this" and reader.ahead(at) in ("past", "coming", "last"):
        place, step = at + 1, TURNS[reader.ahead(at)]
    thing = reader.ahead(place)
    if not thing:
        return None
    counted = reader.count_after(place)
    if counted and step:
        return _rolling(reader, at, place, step, counted)
    return _turned(reader, at, place + 1, thing, step)


def _turned(reader: Reader, at: int, place: int, thing: str, step: int) -> Found | None:
    frame, after = reader.frame, place + 1
    if thing in WEEKDAYS and (thing not in SHORT_WEEKDAYS or reader.capital(place)):
        day = _weekday(frame, WEEKDAYS[thing], step)
        part = reader.ahead(place)
        if part in PARTS:
            return reader.found(at, after + 1, frame.hours(day, *PARTS[part]))
        return reader.found(at, after, frame.days(day, day + 1))
    if thing in MONTHS and (thing not in VERBS or reader.capital(place)):
        if reader.ahead(place)[:1].isdecimal():
            return None  # "this May 7th" is the month's to read
        return reader.found(at, after, _month(frame, MONTHS[thing], step))
    if thing in SEASONS:
        return reader.found(at, after, _season(frame, SEASONS[thing], step))
    if thing in PARTS and (step == 0 or (thing == "night" and step < 0)):
        return reader.found(at, after, frame.hours(frame.today + step, *PARTS[thing]))
    if UNITS.get(thing) == thing:
        return _unit(reader, at, place, thing, step)
    return None


def _unit(reader: Reader, at: int, place: int, unit: str, step: int) -> Found | None:
    frame, after = reader.frame, place + 1
    if unit in ("day", "minute", "hour", "night"):
        return None
    if reader.ahead(place) == "of" and reader.word(place + 2) not in ("this", "last", "next"):
        return None  # "the last week of school"
    if reader.back(at) == "the" and reader.words[at] == "last" and reader.back(at - 1) not in ROLLING:
        return None  # "the last year" of something
    over = reader.words[place - 1] == "past" or (reader.back(at) == "the" and step < 0)
    if over and unit != "weekend":
        return reader.found(at, after, _reach(frame, unit, -1))
    return reader.found(at, after, _whole(frame, unit, step))


def _whole(frame: Frame, unit: str, step: int) -> Stretch | None:
    """The calendar's own unit, so many from this one."""
    match unit:
        case "week":
            monday = frame.monday + 7 * step
            return frame.days(monday, monday + 7)
        case "weekend":
            saturday = frame.monday + 5 + 7 * step
            return frame.days(saturday, saturday + 2)
        case "month":
            return frame.months(frame.month + step, frame.month + step + 1)
        case "quarter":
            month = frame.month - frame.month % 3 + 3 * step
            return frame.months(month, month + 3)
    year = frame.month // 12 + step
    return frame.months(12 * year, 12 * year + 12, "year")


def _rolling(reader: Reader, at: int, place: int, step: int, counted: tuple[Count, int]) -> Found | None:
    """The last three weeks: up to now, today included."""
    count, where = counted
    unit = UNITS.get(reader.word(where)) if reader.gap(where - 1).isspace() else None
    if unit is None:
        return None
    return reader.found(at, where + 1, _reach(reader.frame, unit, step * count.number))


def _reach(frame: Frame, unit: str, count: int) -> Stretch | None:
    """From today so many of a unit back or on, today included; hours from the anchor."""
    today = frame.today
    match unit:
        case "minute" | "hour":
            return frame.reach(count * _WIDTHS[unit])
        case "weekend":
            saturday = _last_saturday(frame)
            low, high = (count + 1, 1) if count < 0 else (1, count + 1)
            return frame.days(saturday + 7 * low, saturday + 7 * high - 5)
        case "day" | "night":
            other, precision = today + count, _DAY
        case "week":
            other, precision = today + 7 * count, _DAY
        case "month":
            other, precision = frame.months_on(count), _MONTH
        case "quarter":
            other, precision = frame.months_on(3 * count), _MONTH
        case _:
            other, precision = frame.months_on(12 * count), _YEAR
    return frame.days(min(today, other), max(today, other) + 1, precision)


def _weekday(frame: Frame, weekday: int, step: int) -> int:
    if step == 0:
        return frame.monday + weekday
    return before(frame.today, weekday) if step < 0 else following(frame.today, weekday)


def _month(frame: Frame, month: int, step: int) -> Stretch | None:
    """The last one that is over, this year's, the next that has not begun."""
    own = frame.month - frame.month % 12 + month - 1
    if step < 0 and own >= frame.month:
        own -= 12
    if step > 0 and own <= frame.month:
        own += 12
    return frame.months(own, own + 1)


def _season(frame: Frame, month: int, step: int) -> Stretch | None:
    """The last one that is over, the one of this year or that it is, the next that has not begun."""
    own = frame.month - frame.month % 12 + month - 1
    if step == 0 and month == 12 and frame.month < own - 9:
        own -= 12  # in January and February it is the winter of the year before
    if step < 0:
        while own + 3 > frame.month:
            own -= 12
    if step > 0 and own <= frame.month:
        own += 12
    return frame.months(own, own + 3)
