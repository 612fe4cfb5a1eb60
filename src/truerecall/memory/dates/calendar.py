"""Days of one time zone, as stretches of UTC: nothing here knows a word.

Days are counted as ``date.toordinal`` counts them and months from January of the year 0, so that no step leaves the
calendar: what lies before the year 1 or after 9999 is cut off at ``BEGINNING`` and ``END``.
"""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo

from truerecall.core.clock import aware
from truerecall.core.entry import Precision
from truerecall.memory.dates.span import BEGINNING, END

_LAST = date.max.toordinal()
_FIRST_MONTH, _LAST_MONTH = 12, 9999 * 12 + 11
_FURTHEST = 12 * 10_000
"""Months or years beyond this lead out of the calendar from anywhere in it."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of time, half-open, in UTC."""

    start: datetime
    end: datetime
    precision: Precision


def first_of(month: int) -> int:
    """The first day of a month; of one that is not in the calendar, a day outside it on the same side."""
    if month < _FIRST_MONTH:
        return 0
    if month > _LAST_MONTH:
        return _LAST + 1
    return date(month // 12, month % 12 + 1, 1).toordinal()


def day_of(year: int, month: int, day: int) -> int | None:
    """A day by its numbers; None for 30 February."""
    try:
        return date(year, month, day).toordinal()
    except ValueError:
        return None


def _day_at(instant: datetime, zone: tzinfo) -> int:
    try:
        return instant.astimezone(zone).toordinal()
    except OverflowError:  # in the first hours of all, and in the last
        return instant.toordinal()


@dataclass(frozen=True, slots=True)
class Frame:
    """From where words of time are read."""

    anchor: datetime
    """When they were said, in UTC."""
    zone: tzinfo
    today: int
    """The day that it was then, in ``zone``."""

    @staticmethod
    def at(anchor: datetime, zone: tzinfo) -> "Frame":
        """The frame of an instant; ``InvalidTime`` where it is naive."""
        anchor = aware(anchor, "anchor")
        return Frame(anchor, zone, _day_at(anchor, zone))

    @property
    def month(self) -> int:
        """The month that it was."""
        day = date.fromordinal(self.today)
        return day.year * 12 + day.month - 1

    @property
    def monday(self) -> int:
        """The day on which the week began."""
        return self.today - (self.today - 1) % 7

    def on(self, day: int) -> "Frame":
        """The frame of another day."""
        return Frame(self.anchor, self.zone, min(max(day, 1), _LAST))

    def day_at(self, instant: datetime) -> int:
        """The day that it is at an instant."""
        return _day_at(instant, self.zone)

    def day_after(self, end: datetime) -> int:
        """The first day after a stretch that ends there."""
        return self.day_at(end - timedelta(microseconds=1)) + 1

    def months_on(self, count: int) -> int:
        """The day that many months from today, or the last of that month where it is shorter."""
        month = self.month + max(-_FURTHEST, min(count, _FURTHEST))
        first = first_of(month)
        return min(first + date.fromordinal(self.today).day, first_of(month + 1)) - (1 if first else 0)

    def days(self, first: int, after: int, precision: Precision = "day") -> Stretch | None:
        """From the first of these days to the one that is no longer part of it; None for no time at all."""
        start, end = self.instant(first), self.instant(after)
        return Stretch(start, end, precision) if start < end else None

    def months(self, first: int, after: int, precision: Precision = "month") -> Stretch | None:
        """From the first of these months to the one that is no longer part of it."""
        return self.days(first_of(first), first_of(after), precision)

    def hours(self, day: int, start: int, end: int) -> Stretch | None:
        """A part of a day by the clock on the wall; hours beyond 24 are those of the next day."""
        begins, ends = self.instant(day, start), self.instant(day + end // 24, end % 24)
        return Stretch(begins, ends, "day") if begins < ends else None

    def around(self, away: timedelta, width: timedelta) -> Stretch | None:
        """An instant at a distance from the anchor, known no better than ``width``."""
        try:
            middle = self.anchor + away
            return Stretch(middle - width / 2, middle + width / 2, "instant")
        except OverflowError:
            return None

    def reach(self, away: timedelta) -> Stretch | None:
        """From the anchor to an instant at a distance from it, whichever comes first."""
        try:
            start, end = sorted((self.anchor, self.anchor + away))
        except OverflowError:
            return None
        return Stretch(start, end, "instant") if start < end else None

    def instant(self, day: int, hour: int = 0) -> datetime:
        """When that hour of a day begins: the first time where it strikes twice.

        Where it does not strike at all, for the clocks are put forward over it, that is when they are.
        """
        if day < 1:
            return BEGINNING
        if day > _LAST:
            return END
        wall = datetime.combine(date.fromordinal(day), datetime.min.time().replace(hour=hour))
        if self.zone is UTC:
            return wall.replace(tzinfo=UTC)
        try:
            first = wall.replace(tzinfo=self.zone).astimezone(UTC)
            second = wall.replace(tzinfo=self.zone, fold=1).astimezone(UTC)
        except OverflowError:
            return BEGINNING if day == 1 else END
        return first if first <= second else self._leap(wall, second, first)

    def _leap(self, wall: datetime, low: datetime, high: datetime) -> datetime:
        """The first second between these instants at which the clock shows ``wall`` or later."""
        while high - low > timedelta(seconds=1):
            middle = (low + (high - low) / 2).replace(microsecond=0)
            if middle.astimezone(self.zone).replace(tzinfo=None) < wall:
                low = middle
            else:
                high = middle
        return low if low.astimezone(self.zone).replace(tzinfo=None) >= wall else high
