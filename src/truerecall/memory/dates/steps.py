"""Units of the calendar at a distance from a day: pure arithmetic, no words."""

from datetime import timedelta

from truerecall.core.entry import Precision
from truerecall.memory.dates.calendar import Frame, Stretch

_WIDTHS = {"hour": timedelta(hours=1), "minute": timedelta(minutes=1)}
_DAY: Precision = "day"
_MONTH: Precision = "month"
_YEAR: Precision = "year"


def before(day: int, weekday: int) -> int:
    """The last day of a weekday (0 is Monday) before another."""
    return day - ((day - 2 - weekday) % 7 + 1)


def following(day: int, weekday: int) -> int:
    """The first one after it."""
    return day + ((weekday - day) % 7 + 1)


def at_distance(frame: Frame, unit: str, low: int, high: int) -> Stretch | None:
    """What lies from ``low`` to ``high`` units from now, both included; negative ones are ago.

    Days, nights, months, quarters and years are the calendar's. A week is the seven days around the day that many
    weeks away, an hour the one around that instant. Weekends are counted from the last that is over, or the next
    that has not begun.
    """
    today = frame.today
    match unit:
        case "minute" | "hour":
            width = _WIDTHS[unit]
            return frame.around((low + high) * width / 2, width * (high - low + 1))
        case "day":
            return frame.days(today + low, today + high + 1)
        case "night":
            return frame.hours(today + low, 18, 30 + 24 * (high - low))
        case "week":
            return frame.days(today + 7 * low - 3, today + 7 * high + 4)
        case "weekend":
            first = before(today, 6) - 8 if high < 0 else following(today, 5) - 7
            shift = 7 if high < 0 else 0
            return frame.days(first + shift + 7 * low + 7, first + shift + 7 * high + 9)
        case "month":
            return frame.months(frame.month + low, frame.month + high + 1)
        case "quarter":
            month = frame.month - frame.month % 3
            return frame.months(month + 3 * low, month + 3 * high + 3)
    year = frame.month // 12
    return frame.months(12 * (year + low), 12 * (year + high + 1), "year")


def whole(frame: Frame, unit: str, step: int) -> Stretch | None:
    """The calendar's own week, weekend, month, quarter or year, so many from the present one."""
    if unit == "week":
        return frame.days(frame.monday + 7 * step, frame.monday + 7 * step + 7)
    if unit == "weekend":
        return frame.days(frame.monday + 7 * step + 5, frame.monday + 7 * step + 7)
    return at_distance(frame, unit, step, step)


def reach(frame: Frame, unit: str, count: int) -> Stretch | None:
    """From today so many units back or on, today included; hours and minutes from the anchor."""
    today = frame.today
    match unit:
        case "minute" | "hour":
            return frame.reach(count * _WIDTHS[unit])
        case "weekend":
            low, high = (count, -1) if count < 0 else (1, count)
            return at_distance(frame, unit, low, high)
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


def weekday_at(frame: Frame, weekday: int, step: int) -> int:
    """The first day of a weekday before today or after it, so many; or (0) that of this week."""
    if step == 0:
        return frame.monday + weekday
    if step < 0:
        return before(frame.today, weekday) + 7 * (step + 1)
    return following(frame.today, weekday) + 7 * (step - 1)


def month_at(frame: Frame, month: int, step: int) -> Stretch | None:
    """The last of that name that is over, this year's, or the next that has not begun."""
    own = frame.month - frame.month % 12 + month - 1
    if step < 0 and own >= frame.month:
        own -= 12
    if step > 0 and own <= frame.month:
        own += 12
    return frame.months(own, own + 1)


def season_at(frame: Frame, month: int, step: int) -> Stretch | None:
    """The last season beginning with that month that is over, this year's, or the next that has not begun."""
    own = frame.month - frame.month % 12 + month - 1
    if step == 0 and month == 12 and frame.month < own - 9:
        own -= 12  # in January and February it is still the winter that began the year before
    if step < 0:
        while own + 3 > frame.month:
            own -= 12
    if step > 0 and own <= frame.month:
        own += 12
    return frame.months(own, own + 3)


def latest(frame: Frame, first: int, length: int, ahead: bool) -> Stretch | None:
    """Months of every year: the latest that have begun, or the nearest that are not over.

    Args:
        frame: From where.
        first: The first of the months, 1 to 12.
        length: How many there are.
        ahead: Which of the two.
    """
    own = frame.month - frame.month % 12 + first - 1
    if ahead:
        while own - 12 + length > frame.month:
            own -= 12
        while own + length <= frame.month:
            own += 12
    elif own > frame.month:
        own -= 12
    return frame.months(own, own + length)
