"""The dates of both data sets."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truerecall.bench.datasets.dates import (
    day_text,
    locomo_text,
    locomo_time,
    longmemeval_text,
    longmemeval_time,
)
from truerecall.errors import DatasetError

minutes = st.datetimes(timezones=st.just(UTC)).map(lambda value: value.replace(second=0, microsecond=0))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1:56 pm on 8 May, 2023", datetime(2023, 5, 8, 13, 56, tzinfo=UTC)),
        ("12:06 am on 11 November, 2022", datetime(2022, 11, 11, 0, 6, tzinfo=UTC)),
        ("12:00 pm on 29 February, 2024", datetime(2024, 2, 29, 12, 0, tzinfo=UTC)),
        ("12:59 AM on 1 january 2023", datetime(2023, 1, 1, 0, 59, tzinfo=UTC)),
        ("11:01 am on 17 December, 2022", datetime(2022, 12, 17, 11, 1, tzinfo=UTC)),
    ],
)
def test_locomo_times_keep_the_time_of_day(text: str, expected: datetime) -> None:
    assert locomo_time(text, "here") == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "8 May, 2023",
        "13:00 pm on 8 May, 2023",
        "0:10 am on 8 May, 2023",
        "1:60 pm on 8 May, 2023",
        "1:56 pm on 31 June, 2023",
        "1:56 pm on 29 February, 2023",
        "1:56 pm on 8 Mai, 2023",
        "1:56 pm on 8 May, 0000",
        "١:٥٦ pm on 8 May, 2023",
        "1:56 pm on 8 May, 2023 or so",
    ],
)
def test_other_locomo_times_are_refused_with_their_place(text: str) -> None:
    with pytest.raises(DatasetError) as caught:
        locomo_time(text, "conv-1.session_2_date_time")
    assert caught.value.where == "conv-1.session_2_date_time"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2023/05/30 (Tue) 23:40", datetime(2023, 5, 30, 23, 40, tzinfo=UTC)),
        ("2023/05/30 23:40", datetime(2023, 5, 30, 23, 40, tzinfo=UTC)),
        ("2023/05/30", datetime(2023, 5, 30, tzinfo=UTC)),
        ("2023-05-27T00:00:00+00:00", datetime(2023, 5, 27, tzinfo=UTC)),
        ("2023-05-27T01:30:00+02:00", datetime(2023, 5, 26, 23, 30, tzinfo=UTC)),
        ("2023-05-27T01:30:00Z", datetime(2023, 5, 27, 1, 30, tzinfo=UTC)),
        ("2023-12-20", datetime(2023, 12, 20, tzinfo=UTC)),
    ],
)
def test_longmemeval_times_in_both_forms(text: str, expected: datetime) -> None:
    assert longmemeval_time(text, "here") == expected


@pytest.mark.parametrize(
    "text",
    ["", "2023", "2023-W20", "2023/02/30 (Thu) 10:00", "2023-13-01", "2023/05/30 (Tue) 24:10", "30.5.2023"],
)
def test_other_longmemeval_times_are_refused(text: str) -> None:
    with pytest.raises(DatasetError):
        longmemeval_time(text, "q1.question_date")


@settings(max_examples=200)
@given(minutes)
def test_written_times_are_read_back(value: datetime) -> None:
    assert locomo_time(locomo_text(value), "here") == value
    assert longmemeval_time(longmemeval_text(value), "here") == value


@settings(max_examples=300)
@given(
    st.text(max_size=40) | st.from_regex(r"[0-9]{1,5}[:/-][0-9]{1,3}[ T:/()a-z0-9+-]{0,20}", fullmatch=True)
)
def test_any_text_is_a_time_in_utc_or_an_error_of_ours(text: str) -> None:
    for parse in (locomo_time, longmemeval_time):
        try:
            assert parse(text, "here").tzinfo is UTC
        except DatasetError as error:
            assert error.where == "here"


def test_a_day_is_written_out() -> None:
    assert day_text(datetime(2023, 5, 8, 13, 56, tzinfo=UTC)) == "8 May 2023"
