"""Days of a zone as stretches of UTC: the clocks put forward and back, days left out, the first and the last day."""

from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from truerecall.errors import InvalidTime
from truerecall.memory.dates.questions import time_span
from truerecall.memory.dates.span import BEGINNING, END
from truerecall.memory.dates.turns import dates_in

BERLIN = ZoneInfo("Europe/Berlin")


def yesterday(anchor: datetime, zone: ZoneInfo) -> tuple[str, str, float]:
    """From when to when it was, and how many hours that were."""
    (span,) = dates_in("yesterday", anchor, zone)
    return (
        f"{span.start:%m-%d %H:%M:%S}",
        f"{span.end:%m-%d %H:%M:%S}",
        (span.end - span.start) / timedelta(hours=1),
    )


def test_a_day_on_which_the_clocks_are_put_forward_has_23_hours() -> None:
    assert yesterday(datetime(2023, 3, 27, 8, tzinfo=UTC), BERLIN) == ("03-25 23:00:00", "03-26 22:00:00", 23)


def test_a_day_on_which_they_are_put_back_has_25() -> None:
    assert yesterday(datetime(2023, 10, 30, 8, tzinfo=UTC), BERLIN) == (
        "10-28 22:00:00",
        "10-29 23:00:00",
        25,
    )


def test_yesterday_is_a_day_of_the_zone_and_not_of_utc() -> None:
    late = datetime(2023, 5, 17, 22, 30, tzinfo=UTC)  # half past midnight in Berlin, half past ten in UTC

    assert yesterday(late, BERLIN) == ("05-16 22:00:00", "05-17 22:00:00", 24)
    assert yesterday(late, ZoneInfo("UTC")) == ("05-16 00:00:00", "05-17 00:00:00", 24)


def test_one_anchor_is_one_day_whatever_zone_it_is_written_in() -> None:
    utc = datetime(2023, 5, 17, 22, 30, tzinfo=UTC)
    elsewhere = utc.astimezone(timezone(timedelta(hours=-11)))

    assert dates_in("today", utc, BERLIN) == dates_in("today", elsewhere, BERLIN)


def test_a_midnight_that_the_clocks_leap_over_is_the_instant_of_the_leap() -> None:
    # São Paulo: 23:59:59, then 01:00 on 4 November 2018.
    zone = ZoneInfo("America/Sao_Paulo")

    assert yesterday(datetime(2018, 11, 5, 12, tzinfo=UTC), zone) == ("11-04 03:00:00", "11-05 02:00:00", 23)


def test_a_leap_that_begins_before_midnight_ends_the_day_there() -> None:
    # Toronto: 23:29:59 on 30 March 1919, then 00:30 on the 31st.
    zone = ZoneInfo("America/Toronto")

    assert yesterday(datetime(1919, 4, 1, 16, tzinfo=UTC), zone) == ("03-31 04:30:00", "04-01 04:00:00", 23.5)


def test_a_midnight_that_strikes_twice_begins_the_day_the_first_time() -> None:
    # Havana: 00:59:59 on 5 November 2023, then 00:00 again.
    zone = ZoneInfo("America/Havana")

    assert yesterday(datetime(2023, 11, 6, 12, tzinfo=UTC), zone) == ("11-05 04:00:00", "11-06 05:00:00", 25)


def test_a_day_that_the_zone_left_out_is_none() -> None:
    # Samoa went from 29 to 31 December 2011.
    zone, anchor = ZoneInfo("Pacific/Apia"), datetime(2012, 1, 1, 12, tzinfo=UTC)

    assert dates_in("on 30 December 2011", anchor, zone) == ()
    assert [len(dates_in(f"on {day} December 2011", anchor, zone)) for day in (29, 31)] == [1, 1]


ZONES = [
    ZoneInfo(name)
    for name in ("UTC", "Europe/Berlin", "America/New_York", "Pacific/Kiritimati", "Pacific/Apia")
]
_FORMS = (
    "yesterday|today|tomorrow|tonight|last night|this morning|the day before yesterday|last week"
    "|next week|this week|last weekend|next weekend|over the weekend|last month|next month|last quarter"
    "|last year|next year|this winter|last summer|next fall|last Friday|next Friday|on Friday|last May"
    "|next May|in May|on 7 May|on 29 February|Q1|9999 hours ago|9999 minutes ago|9999 days ago"
    "|9999 weeks ago|9999 months ago|9999 quarters ago|9999 years ago|9999 weekends ago|9999 Fridays ago"
    "|9999 nights ago|9999 years from now|9999 days from now|9999 hours from now|in the past 9999 years"
    "|in the next 9999 months|in the past 9999 hours|in the past 9999 weekends|9999 years before 1900"
    "|9999 months after 7 May 2099|the week before yesterday|the year after tomorrow|the year before last"
    "|since yesterday|before last year|after next year|between yesterday and tomorrow|in 1900|1990s"
)
FORMS = _FORMS.split("|")


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=20, deadline=None)
@given(anchor=st.datetimes(timezones=st.just(UTC)), zone=st.sampled_from(ZONES))
@example(anchor=BEGINNING, zone=ZONES[2])
@example(anchor=BEGINNING, zone=ZONES[3])
@example(anchor=END, zone=ZONES[2])
@example(anchor=END, zone=ZONES[3])
@example(anchor=datetime(1, 1, 1, 12, tzinfo=UTC), zone=ZONES[0])
@example(anchor=datetime(9999, 12, 31, 12, tzinfo=UTC), zone=ZONES[1])
def test_no_form_leaves_the_calendar_from_its_first_day_to_its_last(
    form: str, anchor: datetime, zone: ZoneInfo
) -> None:
    for span in (*dates_in(form, anchor, zone), time_span(form, anchor, zone)):
        if span is not None:
            assert BEGINNING <= span.start < span.end <= END


@settings(max_examples=100, deadline=None)
@given(anchor=st.datetimes(datetime(1900, 1, 1), datetime(2099, 1, 1), timezones=st.just(UTC)))  # noqa: DTZ001
def test_days_follow_upon_one_another_without_a_gap(anchor: datetime) -> None:
    for zone in ZONES:
        spans = [dates_in(word, anchor, zone) for word in ("yesterday", "today", "tomorrow")]
        (first,), (second,), *rest = (found for found in spans if found)

        assert first.end == second.start
        assert second.start <= anchor < second.end or first.start <= anchor < first.end
        assert [second.end] == [found[0].start for found in rest] or not rest


@settings(max_examples=100, deadline=None)
@given(day=st.dates(date(1900, 1, 1), date(2098, 12, 31)))
def test_a_year_is_its_months_and_a_month_its_days(day: date) -> None:
    anchor = datetime(2023, 5, 17, 12, tzinfo=UTC)
    for zone in ZONES[:4]:
        year, month, one = (
            dates_in(f"in {text}", anchor, zone)[0]
            for text in (f"{day:%Y}", f"{day:%B %Y}", f"the day after {day}")
        )

        assert year.start <= month.start < month.end <= year.end
        assert month.start < one.start <= month.end


def test_an_anchor_without_a_zone_is_refused() -> None:
    naive = datetime(2023, 5, 17)  # noqa: DTZ001

    with pytest.raises(InvalidTime, match="no time zone"):
        dates_in("yesterday", naive, UTC)
    with pytest.raises(InvalidTime, match="no time zone"):
        time_span("yesterday", naive, UTC)
