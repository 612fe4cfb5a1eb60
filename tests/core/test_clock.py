"""Times go through whole microseconds without a loss, and nothing guesses a zone."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truerecall import ManualClock
from truerecall.core.clock import (
    aware,
    days_between,
    from_micros,
    isoformat,
    parse_instant,
    system_clock,
    to_micros,
)
from truerecall.errors import InvalidTime

NAIVE = datetime(2024, 5, 7)  # noqa: DTZ001  # what must be refused
instants = st.datetimes(timezones=st.just(UTC))


@settings(max_examples=300)
@given(instants)
def test_microseconds_round_trip_exactly(value: datetime) -> None:
    assert from_micros(to_micros(value)) == value


@settings(max_examples=300)
@given(instants)
def test_an_instant_survives_being_written_and_parsed(value: datetime) -> None:
    assert parse_instant(isoformat(value)) == value


@pytest.mark.parametrize(
    ("value", "micros"),
    [
        (datetime(1970, 1, 1, tzinfo=UTC), 0),
        (datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC), -1),
        (datetime(2024, 5, 7, 12, 0, 0, 1, tzinfo=UTC), 1_715_083_200_000_001),
        (datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC), 253_402_300_799_999_999),
    ],
)
def test_microseconds_count_from_1970_in_utc(value: datetime, micros: int) -> None:
    assert to_micros(value) == micros


@pytest.mark.parametrize("value", [NAIVE, "2024-05-07T00:00:00Z", 0, None])
def test_what_has_no_zone_is_no_time(value: Any) -> None:
    with pytest.raises(InvalidTime, match="seen_at"):
        aware(value, "seen_at")


@pytest.mark.parametrize(
    "value",
    [
        datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=2))),
        datetime(9999, 12, 31, 23, tzinfo=timezone(timedelta(hours=-2))),
    ],
)
def test_a_time_that_utc_cannot_hold_is_refused_in_words(value: datetime) -> None:
    with pytest.raises(InvalidTime, match="years 1 to 9999"):
        aware(value, "seen_at")


@pytest.mark.parametrize("text", ["", "now", "2024-05-07", "2024-05-07T12:00:00", "1715083200"])
def test_an_instant_without_a_zone_is_refused(text: str) -> None:
    with pytest.raises(InvalidTime):
        parse_instant(text)


def test_a_fraction_is_written_only_where_there_is_one() -> None:
    assert isoformat(datetime(2024, 5, 7, 9, 30, tzinfo=UTC)) == "2024-05-07T09:30:00Z"
    assert isoformat(datetime(2024, 5, 7, 9, 30, 0, 500_000, tzinfo=UTC)) == "2024-05-07T09:30:00.500000Z"


def test_what_lies_in_the_future_has_no_age() -> None:
    noon = datetime(2024, 5, 7, 12, tzinfo=UTC)

    assert days_between(noon, noon + timedelta(hours=36)) == 1.5
    assert days_between(noon + timedelta(days=3), noon) == 0.0


def test_a_manual_clock_stands_still_until_it_is_moved(clock: ManualClock) -> None:
    first, second = clock(), clock()
    moved = clock.advance(timedelta(hours=1))

    assert first == second == datetime(2024, 5, 7, 12, tzinfo=UTC)
    assert clock() == moved == datetime(2024, 5, 7, 13, tzinfo=UTC)


def test_a_manual_clock_needs_a_zone() -> None:
    with pytest.raises(InvalidTime):
        ManualClock(NAIVE)


def test_the_clock_of_the_machine_is_in_utc() -> None:
    assert system_clock().utcoffset() == timedelta(0)
