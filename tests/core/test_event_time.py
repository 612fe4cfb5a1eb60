"""Event times are no more precise than they are known, and always in UTC."""

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truerecall import EventTime
from truerecall.errors import InvalidInput, InvalidTime

NAIVE = datetime(2024, 5, 7)  # noqa: DTZ001  # what must be refused
instants = st.datetimes(timezones=st.just(UTC)).filter(lambda value: 1 < value.year < 9999)


def test_a_year_alone_is_not_the_first_of_january() -> None:
    year, day = EventTime.parse("2023"), EventTime.parse("2023-01-01")

    assert (year.precision, day.precision) == ("year", "day")
    assert year != day
    assert (str(year), str(day)) == ("2023", "2023-01-01")


@pytest.mark.parametrize(
    ("text", "precision", "start", "end"),
    [
        ("2023", "year", datetime(2023, 1, 1, tzinfo=UTC), datetime(2024, 1, 1, tzinfo=UTC)),
        ("2023-05", "month", datetime(2023, 5, 1, tzinfo=UTC), datetime(2023, 6, 1, tzinfo=UTC)),
        ("2023-12", "month", datetime(2023, 12, 1, tzinfo=UTC), datetime(2024, 1, 1, tzinfo=UTC)),
        ("2024-02", "month", datetime(2024, 2, 1, tzinfo=UTC), datetime(2024, 3, 1, tzinfo=UTC)),
        ("2024-02-29", "day", datetime(2024, 2, 29, tzinfo=UTC), datetime(2024, 3, 1, tzinfo=UTC)),
        ("2023-12-31", "day", datetime(2023, 12, 31, tzinfo=UTC), datetime(2024, 1, 1, tzinfo=UTC)),
        (
            "2023-05-08T13:56:00+02:00",
            "instant",
            datetime(2023, 5, 8, 11, 56, tzinfo=UTC),
            datetime(2023, 5, 8, 11, 56, tzinfo=UTC),
        ),
        (
            "2023-05-08T13:56:00Z",
            "instant",
            datetime(2023, 5, 8, 13, 56, tzinfo=UTC),
            datetime(2023, 5, 8, 13, 56, tzinfo=UTC),
        ),
    ],
)
def test_a_time_is_an_interval_of_its_precision(
    text: str, precision: str, start: datetime, end: datetime
) -> None:
    time = EventTime.parse(text)

    assert (time.precision, time.instant, time.end) == (precision, start, end)


def test_a_calendar_date_is_that_of_where_it_was_said() -> None:
    early = datetime(2024, 1, 1, 0, 30, tzinfo=timezone(timedelta(hours=2)))  # still 2023 in UTC

    assert str(EventTime(early, "year")) == "2024"
    assert str(EventTime(early, "month")) == "2024-01"
    assert str(EventTime(early, "day")) == "2024-01-01"
    assert str(EventTime(early)) == "2023-12-31T22:30:00Z"


@pytest.mark.parametrize(("text", "last"), [("9999", "year"), ("9999-12", "month"), ("9999-12-31", "day")])
def test_the_last_interval_of_the_calendar_has_an_end(text: str, last: str) -> None:
    time = EventTime.parse(text)

    assert time.precision == last
    assert time.end == datetime.max.replace(tzinfo=UTC)


def test_a_day_of_summer_time_change_has_24_hours_because_days_are_of_utc() -> None:
    time = EventTime.parse("2024-03-31")

    assert time.end - time.instant == timedelta(days=1)


@pytest.mark.parametrize(
    "text",
    ["", " ", "yesterday", "2023-13", "2023-02-30", "2023-05-08T13:56:00", "2023-05-08 13:56", "05/08/2023", "12",
     "2023-05-08T25:00:00Z", "2023\x00", "20230508", "2023-", "-2023"],
)  # fmt: skip
def test_a_text_that_names_no_date_or_no_zone_is_refused(text: str) -> None:
    with pytest.raises(InvalidTime):
        EventTime.parse(text)


@pytest.mark.parametrize("value", [2023, None, date(2023, 5, 8), b"2023", ["2023"], {"year": 2023}])
def test_what_is_no_text_is_refused_as_a_time(value: Any) -> None:
    with pytest.raises(InvalidTime):
        EventTime.parse(value)


@pytest.mark.parametrize("value", [NAIVE, date(2024, 5, 7), "2024-05-07", 1715040000, None])
def test_a_naive_datetime_or_none_at_all_is_refused(value: Any) -> None:
    with pytest.raises(InvalidTime) as refused:
        EventTime(value)

    assert "happened_at" in str(refused.value)


def test_an_unknown_precision_is_refused() -> None:
    with pytest.raises(InvalidInput, match="'week' is not a precision"):
        EventTime(datetime(2024, 5, 7, tzinfo=UTC), "week")  # type: ignore[arg-type]


def test_a_zone_is_turned_into_utc_and_not_dropped() -> None:
    time = EventTime(datetime(2024, 5, 7, 1, 30, tzinfo=timezone(timedelta(hours=5, minutes=30))))

    assert time.instant == datetime(2024, 5, 6, 20, 0, tzinfo=UTC)
    assert str(time) == "2024-05-06T20:00:00Z"


@settings(max_examples=200)
@given(instants, st.sampled_from(["year", "month", "day", "instant"]))
def test_a_time_survives_being_written_and_parsed(value: datetime, precision: Any) -> None:
    time = EventTime(value, precision)

    assert EventTime.parse(str(time)) == time


@settings(max_examples=200)
@given(instants, st.sampled_from(["year", "month", "day"]))
def test_an_instant_lies_within_each_interval_made_of_it(value: datetime, precision: Any) -> None:
    time = EventTime(value, precision)

    assert time.instant <= value < time.end
