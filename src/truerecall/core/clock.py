"""Time as an argument: nothing in the library reads the wall clock by itself."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from truerecall.errors import InvalidTime

Clock = Callable[[], datetime]
"""Returns the present as an aware datetime."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def system_clock() -> datetime:
    """The machine's clock, in UTC."""
    return datetime.now(UTC)


class ManualClock:
    """A clock that stands still until it is moved; for tests and for replaying history."""

    def __init__(self, now: datetime) -> None:
        self.now = aware(now, "now")

    def __call__(self) -> datetime:
        """The time that was last set."""
        return self.now

    def advance(self, by: timedelta) -> datetime:
        """Move on by ``by`` and return the new time."""
        self.now += by
        return self.now


def aware(value: object, name: str) -> datetime:
    """``value`` in UTC; ``InvalidTime`` if it is naive, for a guess at a time zone shifts every answer."""
    if not isinstance(value, datetime):
        raise InvalidTime(
            f"{name} is {type(value).__name__}, not a datetime",
            where=name,
            remedy="Give a datetime with a time zone, such as datetime(2024, 5, 7, tzinfo=UTC).",
        )
    if value.utcoffset() is None:
        raise InvalidTime(
            f"{name} {value.isoformat()} has no time zone",
            where=name,
            remedy="Add one: value.replace(tzinfo=UTC), or the zone in which it was written.",
        )
    try:
        return value.astimezone(UTC)
    except OverflowError:
        raise InvalidTime(
            f"{name} {value.isoformat()} lies outside the years 1 to 9999 in UTC",
            where=name,
            remedy="Give a time within those years.",
        ) from None


def to_micros(value: datetime) -> int:
    """Whole microseconds since 1970-01-01 UTC, exactly (a float of seconds would round)."""
    return (value - _EPOCH) // _MICROSECOND


def from_micros(value: int) -> datetime:
    """The aware datetime of ``to_micros``."""
    return _EPOCH + timedelta(microseconds=value)


def days_between(earlier: datetime, later: datetime) -> float:
    """Days from ``earlier`` to ``later``, at least 0: what lies in the future has no age."""
    return max(0.0, (later - earlier).total_seconds() / 86_400.0)


def isoformat(value: datetime) -> str:
    """``2024-05-07T09:30:00Z``, with a fraction only where there is one."""
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z")


def parse_instant(text: str, name: str = "time") -> datetime:
    """An ISO 8601 instant with its zone; ``InvalidTime`` for anything else."""
    try:
        value = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidTime(
            f"{text!r} is not an ISO 8601 time",
            where=name,
            remedy="Write it like 2024-05-07T09:30:00+02:00 or 2024-05-07T09:30:00Z.",
        ) from None
    return aware(value, name)
