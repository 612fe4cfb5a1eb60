"""The dates of the data sets, whatever the locale; none names a time zone, so all are read as UTC."""

import re
from datetime import UTC, datetime

from truerecall.bench.datasets.shape import wrong

_MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_LOCOMO = re.compile(
    r"\s*([0-9]{1,2}):([0-9]{2})\s*([ap])\.?m\.?\s+on\s+([0-9]{1,2})\s+([a-z]+),?\s+([0-9]{4})\s*",
    re.IGNORECASE,
)
_LONGMEMEVAL = re.compile(
    r"\s*([0-9]{4})/([0-9]{1,2})/([0-9]{1,2})(?:\s*\([a-z]{3,9}\))?(?:\s+([0-9]{1,2}):([0-9]{2}))?\s*",
    re.IGNORECASE,
)
_ISO = re.compile(
    r"\s*[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}[0-9:.]*(?:Z|[+-][0-9]{2}:[0-9]{2})?)?\s*"
)


def locomo_time(text: str, place: str) -> datetime:
    """``1:56 pm on 8 May, 2023``; ``DatasetError`` at ``place`` for anything else."""
    match = _LOCOMO.fullmatch(text)
    if match is None:
        raise wrong(f"{text!r} is not a time like '1:56 pm on 8 May, 2023'", place)
    hour, minute, half, day, month, year = match.groups()
    if not 1 <= int(hour) <= 12:
        raise wrong(f"{text!r} has an hour that no twelve-hour clock shows", place)
    if month.lower() not in _MONTHS:
        raise wrong(f"{text!r} names no month", place)
    hour24 = int(hour) % 12 + (12 if half.lower() == "p" else 0)
    return _moment(text, place, int(year), _MONTHS.index(month.lower()) + 1, int(day), hour24, int(minute))


def longmemeval_time(text: str, place: str) -> datetime:
    """``2023/05/30 (Tue) 23:40``, or ISO 8601; a day without a time of day is its midnight."""
    match = _LONGMEMEVAL.fullmatch(text)
    if match is not None:
        year, month, day, hour, minute = match.groups(default="0")
        return _moment(text, place, int(year), int(month), int(day), int(hour), int(minute))
    if _ISO.fullmatch(text) is None:
        raise wrong(f"{text!r} is not a time like '2023/05/30 (Tue) 23:40'", place)
    try:
        value = datetime.fromisoformat(text.strip())
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    except (ValueError, OverflowError):
        raise wrong(f"{text!r} is a time that does not exist", place) from None


def _moment(text: str, place: str, year: int, month: int, day: int, hour: int, minute: int) -> datetime:
    try:
        return datetime(year, month, day, hour, minute, tzinfo=UTC)
    except ValueError:
        raise wrong(f"{text!r} is a time that does not exist", place) from None


def locomo_text(value: datetime) -> str:
    """The form that ``locomo_time`` reads."""
    half = "pm" if value.hour >= 12 else "am"
    month = _MONTHS[value.month - 1].capitalize()
    return f"{(value.hour + 11) % 12 + 1}:{value.minute:02} {half} on {value.day} {month}, {value.year:04}"


def longmemeval_text(value: datetime) -> str:
    """The form that ``longmemeval_time`` reads."""
    weekday = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")[value.weekday()]
    return f"{value.year:04}/{value.month:02}/{value.day:02} ({weekday}) {value.hour:02}:{value.minute:02}"


def day_text(value: datetime) -> str:
    """``8 May 2023``."""
    return f"{value.day} {_MONTHS[value.month - 1].capitalize()} {value.year}"
