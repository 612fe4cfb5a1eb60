"""Every form of a date against dateutil, in zones with and without summer time."""

from calendar import month_name
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from dateutil.relativedelta import FR, MO, SA, TH, relativedelta
from dateutil.tz import resolve_imaginary
from hypothesis import example, given, settings
from hypothesis import strategies as st

from truerecall.memory.dates.questions import time_span
from truerecall.memory.dates.turns import dates_in

ZONES = [
    ZoneInfo(name)
    for name in (
        "UTC",
        "Europe/Berlin",
        "America/New_York",
        "America/Sao_Paulo",  # clocks were put forward at midnight
        "Asia/Kathmandu",
        "Pacific/Auckland",
        "America/Havana",  # and back to midnight
    )
]
MONTHS = month_name[1:]
Dates = tuple[date | datetime, date | datetime]
"""From the beginning of a day, or an hour of it, to another."""
Form = Callable[[date, int], Dates | None]

ANCHORS = st.datetimes(datetime(1971, 1, 1), datetime(2036, 12, 31))  # noqa: DTZ001  # a wall clock of any zone
NUMBERS = st.integers(1, 60)


def back(**by: object) -> relativedelta:
    return relativedelta(**by)  # type: ignore[arg-type]


def span_of(first: date, **length: int) -> Dates:
    return first, first + relativedelta(**length)  # type: ignore[arg-type]


def monday(day: date) -> date:
    return day + back(weekday=MO(-1))


def quarter(day: date) -> date:
    return day + back(month=(day.month - 1) // 3 * 3 + 1, day=1)


def hours(day: date, first: int, last: int) -> Dates:
    midnight = datetime.combine(day, time())
    return midnight + back(hours=first), midnight + back(hours=last)


def starts(day: date, month: int) -> list[date]:
    """The first days of a month of the years around a day."""
    return [day + back(years=away, month=month, day=1) for away in range(-3, 4)]


def over(day: date, month: int, length: int) -> Dates:
    first = max(start for start in starts(day, month) if start + back(months=length) <= day)
    return span_of(first, months=length)


def begun(day: date, month: int, length: int) -> Dates:
    return span_of(max(start for start in starts(day, month) if start <= day), months=length)


def to_come(day: date, month: int, length: int) -> Dates:
    return span_of(min(start for start in starts(day, month) if start > day), months=length)


def this_winter(day: date) -> Dates:
    return span_of(day + back(years=-1 if day.month < 3 else 0, month=12, day=1), months=3)


def latest(day: date, month: int, number: int) -> Dates:
    while (day.month, day.day) != (month, number):
        day -= timedelta(days=1)
    return span_of(day, days=1)


def weekend(saturday: date) -> Dates:
    return span_of(saturday, days=2)


FORMS: dict[str, tuple[str, Form]] = {
    "yesterday": ("day", lambda d, n: span_of(d + back(days=-1), days=1)),
    "today": ("day", lambda d, n: span_of(d, days=1)),
    "tomorrow": ("day", lambda d, n: span_of(d + back(days=1), days=1)),
    "the day before yesterday": ("day", lambda d, n: span_of(d + back(days=-2), days=1)),
    "the day after tomorrow": ("day", lambda d, n: span_of(d + back(days=2), days=1)),
    "tonight": ("day", lambda d, n: hours(d, 18, 30)),
    "last night": ("day", lambda d, n: hours(d + back(days=-1), 18, 30)),
    "this morning": ("day", lambda d, n: hours(d, 0, 12)),
    "this afternoon": ("day", lambda d, n: hours(d, 12, 18)),
    "yesterday evening": ("day", lambda d, n: hours(d + back(days=-1), 18, 24)),
    "last Friday night": ("day", lambda d, n: hours(d + back(days=-1, weekday=FR(-1)), 18, 30)),
    "{n} days ago": ("day", lambda d, n: span_of(d + back(days=-n), days=1)),
    "{n} nights ago": ("day", lambda d, n: hours(d + back(days=-n), 18, 30)),
    "{n} weeks ago": ("day", lambda d, n: span_of(d + back(weeks=-n, days=-3), days=7)),
    "{n} months ago": ("month", lambda d, n: span_of(d + back(months=-n, day=1), months=1)),
    "{n} quarters ago": ("month", lambda d, n: span_of(quarter(d) + back(months=-3 * n), months=3)),
    "{n} years ago": ("year", lambda d, n: span_of(d + back(years=-n, month=1, day=1), years=1)),
    "{n} years back": ("year", lambda d, n: span_of(d + back(years=-n, month=1, day=1), years=1)),
    "{n} weekends ago": ("day", lambda d, n: weekend(monday(d) + back(days=5, weeks=-n))),
    "{n} Fridays ago": ("day", lambda d, n: span_of(d + back(days=-1, weekday=FR(-n)), days=1)),
    "a couple of weeks ago": ("day", lambda d, n: span_of(d + back(days=-17), days=7)),
    "a few days ago": ("day", lambda d, n: span_of(d + back(days=-4), days=3)),
    "a few months ago": ("month", lambda d, n: span_of(d + back(months=-4, day=1), months=3)),
    "{n} days from now": ("day", lambda d, n: span_of(d + back(days=n), days=1)),
    "{n} months from today": ("month", lambda d, n: span_of(d + back(months=n, day=1), months=1)),
    "in the last {n} days": ("day", lambda d, n: (d + back(days=-n), d + back(days=1))),
    "over the past {n} weeks": ("day", lambda d, n: (d + back(weeks=-n), d + back(days=1))),
    "during the last {n} months": ("month", lambda d, n: (d + back(months=-n), d + back(days=1))),
    "in the past {n} quarters": ("month", lambda d, n: (d + back(months=-3 * n), d + back(days=1))),
    "for the last {n} years": ("year", lambda d, n: (d + back(years=-n), d + back(days=1))),
    "in the past year": ("year", lambda d, n: (d + back(years=-1), d + back(days=1))),
    "over the last month": ("month", lambda d, n: (d + back(months=-1), d + back(days=1))),
    "in the next few weeks": ("day", lambda d, n: (d, d + back(weeks=3, days=1))),
    "last week": ("day", lambda d, n: span_of(monday(d) + back(weeks=-1), weeks=1)),
    "this week": ("day", lambda d, n: span_of(monday(d), weeks=1)),
    "next week": ("day", lambda d, n: span_of(monday(d) + back(weeks=1), weeks=1)),
    "the week before last": ("day", lambda d, n: span_of(monday(d) + back(weeks=-2), weeks=1)),
    "last weekend": ("day", lambda d, n: weekend(monday(d) + back(days=-1, weekday=SA(-1)))),
    "this weekend": ("day", lambda d, n: weekend(monday(d) + back(weekday=SA))),
    "this past weekend": ("day", lambda d, n: weekend(monday(d) + back(days=-1, weekday=SA(-1)))),
    "this coming weekend": ("day", lambda d, n: weekend(d + back(days=1, weekday=SA))),
    "over the weekend": ("day", lambda d, n: weekend(d + back(weekday=SA(-1)))),
    "last month": ("month", lambda d, n: span_of(d + back(months=-1, day=1), months=1)),
    "this month": ("month", lambda d, n: span_of(d + back(day=1), months=1)),
    "next month": ("month", lambda d, n: span_of(d + back(months=1, day=1), months=1)),
    "last quarter": ("month", lambda d, n: span_of(quarter(d) + back(months=-3), months=3)),
    "last year": ("year", lambda d, n: span_of(d + back(years=-1, month=1, day=1), years=1)),
    "this year": ("year", lambda d, n: span_of(d + back(month=1, day=1), years=1)),
    "next year": ("year", lambda d, n: span_of(d + back(years=1, month=1, day=1), years=1)),
    "the year before last": ("year", lambda d, n: span_of(d + back(years=-2, month=1, day=1), years=1)),
    "last Friday": ("day", lambda d, n: span_of(d + back(days=-1, weekday=FR(-1)), days=1)),
    "this Friday": ("day", lambda d, n: span_of(monday(d) + back(weekday=FR), days=1)),
    "next Friday": ("day", lambda d, n: span_of(d + back(days=1, weekday=FR), days=1)),
    "the Friday before last": ("day", lambda d, n: span_of(d + back(days=-1, weekday=FR(-2)), days=1)),
    "on Friday": ("day", lambda d, n: span_of(d + back(weekday=FR(-1)), days=1)),
    "on Thursday of last week": ("day", lambda d, n: span_of(monday(d) + back(weeks=-1, weekday=TH), days=1)),
    "last May": ("month", lambda d, n: over(d, 5, 1)),
    "this May": ("month", lambda d, n: span_of(d + back(month=5, day=1), months=1)),
    "next May": ("month", lambda d, n: to_come(d, 5, 1)),
    "in March": ("month", lambda d, n: begun(d, 3, 1)),
    "in March of last year": ("month", lambda d, n: span_of(d + back(years=-1, month=3, day=1), months=1)),
    "on 7 May": ("day", lambda d, n: latest(d, 5, 7)),
    "on December 31st": ("day", lambda d, n: latest(d, 12, 31)),
    "on the 29th of February": ("day", lambda d, n: latest(d, 2, 29)),
    "in Q3": ("month", lambda d, n: begun(d, 7, 3)),
    "last spring": ("month", lambda d, n: over(d, 3, 3)),
    "last winter": ("month", lambda d, n: over(d, 12, 3)),
    "this summer": ("month", lambda d, n: span_of(d + back(month=6, day=1), months=3)),
    "this winter": ("month", lambda d, n: this_winter(d)),
    "next fall": ("month", lambda d, n: to_come(d, 9, 3)),
}


def utc(wall: date | datetime, zone: ZoneInfo) -> datetime:
    if not isinstance(wall, datetime):
        wall = datetime.combine(wall, time())
    return resolve_imaginary(wall.replace(tzinfo=zone)).astimezone(UTC)  # type: ignore[no-any-return]


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=15, deadline=None)
@given(wall=ANCHORS, n=NUMBERS, zone=st.sampled_from(ZONES))
@example(wall=datetime(2024, 2, 29), n=12, zone=ZONES[1])  # noqa: DTZ001
@example(wall=datetime(2023, 12, 31, 23, 59, 59), n=1, zone=ZONES[2])  # noqa: DTZ001
@example(wall=datetime(2024, 1, 1), n=5, zone=ZONES[5])  # noqa: DTZ001
@example(wall=datetime(2023, 3, 27, 0, 30), n=2, zone=ZONES[1])  # noqa: DTZ001
def test_a_form_means_what_the_calendar_says(form: str, wall: datetime, n: int, zone: ZoneInfo) -> None:
    precision, oracle = FORMS[form]
    anchor = resolve_imaginary(wall.replace(tzinfo=zone)).astimezone(UTC)
    there = anchor.astimezone(zone).date()
    start, end = oracle(there, n)  # type: ignore[misc]
    text = form.format(n=n)

    turn, asked = (
        dates_in(f"We did it {text}.", anchor, zone),
        time_span(f"what did we do {text}?", anchor, zone),
    )

    assert [(s.start, s.end, s.precision) for s in turn] == [(utc(start, zone), utc(end, zone), precision)]
    assert turn[0].text in text
    assert asked is not None
    assert (asked.start, asked.end, asked.precision) == (turn[0].start, turn[0].end, turn[0].precision)


@settings(max_examples=25, deadline=None)
@given(wall=ANCHORS, day=st.dates(date(1900, 1, 1), date(2098, 12, 31)), zone=st.sampled_from(ZONES))
def test_a_full_date_means_its_day_in_every_writing(wall: datetime, day: date, zone: ZoneInfo) -> None:
    anchor = wall.replace(tzinfo=zone)
    month = MONTHS[day.month - 1]
    suffix = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}.get(day.day, "th")
    wanted = (utc(day, zone), utc(day + back(days=1), zone), "day")
    for text in (
        f"{day:%Y-%m-%d}",
        f"{day:%Y/%m/%d}",
        f"{day:%Y-%m-%d}T08:30:00Z",
        f"{day.day} {month} {day.year}",
        f"{day.day}{suffix} of {month}, {day.year}",
        f"the {day.day}{suffix} of {month} {day.year}",
        f"{month} {day.day}, {day.year}",
        f"{month} {day.day}{suffix} {day.year}",
        f"{month[:3]} {day.day}, {day.year}",
        f"{day:%A}, {day.day} {month[:3]} {day.year}",
        f"{day:%A}, {month} {day.day}, {day.year}",
    ):
        found = dates_in(f"It was {text}, I think.", anchor, zone)

        assert [(s.start, s.end, s.precision) for s in found] == [wanted], text


@settings(max_examples=25, deadline=None)
@given(wall=ANCHORS, year=st.integers(1900, 2089), month=st.integers(1, 12), zone=st.sampled_from(ZONES))
def test_months_quarters_seasons_years_and_decades_are_whole(
    wall: datetime, year: int, month: int, zone: ZoneInfo
) -> None:
    anchor = wall.replace(tzinfo=zone)
    first, quarter_first = date(year, month, 1), date(year, 3 * (month % 4) + 1, 1)
    decade = date(year // 10 * 10, 1, 1)
    forms = [
        (f"in {MONTHS[month - 1]} {year}", span_of(first, months=1), "month"),
        (f"in {MONTHS[month - 1][:3]} {year}", span_of(first, months=1), "month"),
        (f"in {year}", span_of(date(year, 1, 1), years=1), "year"),
        (f"in Q{month % 4 + 1} {year}", span_of(quarter_first, months=3), "month"),
        (f"in {year} Q{month % 4 + 1}", span_of(quarter_first, months=3), "month"),
        (f"in the summer of {year}", span_of(date(year, 6, 1), months=3), "month"),
        (f"winter {year}", span_of(date(year, 12, 1), months=3), "month"),
    ]
    if decade.year != 1900:
        forms.append((f"in the {decade.year}s", span_of(decade, years=10), "year"))
    for text, (start, end), precision in forms:
        found = dates_in(f"That was {text}.", anchor, zone)

        assert [(s.start, s.end, s.precision) for s in found] == [
            (utc(start, zone), utc(end, zone), precision)
        ], text


@settings(max_examples=25, deadline=None)
@given(wall=ANCHORS, n=st.integers(1, 900), zone=st.sampled_from(ZONES))
def test_hours_and_minutes_are_around_an_instant(wall: datetime, n: int, zone: ZoneInfo) -> None:
    anchor = wall.replace(tzinfo=zone).astimezone(UTC)
    for unit, width in (("hours", timedelta(hours=1)), ("minutes", timedelta(minutes=1))):
        (ago,) = dates_in(f"it broke {n} {unit} ago", anchor, zone)
        (past,) = dates_in(f"in the past {n} {unit}", anchor, zone)

        assert (ago.start, ago.end) == (anchor - n * width - width / 2, anchor - n * width + width / 2)
        assert (past.start, past.end) == (anchor + back(**{unit: -n}), anchor)
        assert (ago.precision, past.precision) == ("instant", "instant")


@settings(max_examples=25, deadline=None)
@given(
    wall=ANCHORS,
    day=st.dates(date(1950, 1, 1), date(2050, 1, 1)),
    n=st.integers(2, 40),
    zone=st.sampled_from(ZONES),
)
def test_what_lies_before_and_after_a_date(wall: datetime, day: date, n: int, zone: ZoneInfo) -> None:
    anchor, text = wall.replace(tzinfo=zone), f"{day.day} {MONTHS[day.month - 1]} {day.year}"
    after = day + back(days=1)
    for words, (start, end) in {
        f"the day before {text}": span_of(day + back(days=-1), days=1),
        f"the day after {text}": span_of(after, days=1),
        f"the week before {text}": span_of(day + back(weeks=-1), weeks=1),
        f"the week after {text}": span_of(after, weeks=1),
        f"the weekend before {text}": weekend(day + back(days=-2, weekday=SA(-1))),
        f"the weekend after {text}": weekend(after + back(weekday=SA)),
        f"the month before {text}": (day + back(months=-1), day),
        f"the year after {text}": (after, after + back(years=1)),
        f"the Friday before {text}": span_of(day + back(days=-1, weekday=FR(-1)), days=1),
        f"the Friday after {text}": span_of(after + back(weekday=FR), days=1),
        f"the night before {text}": hours(day + back(days=-1), 18, 30),
        f"{n} days before {text}": span_of(day + back(days=-n), days=1),
        f"{n} weeks after {text}": span_of(day + back(weeks=n, days=-3), weeks=1),
        f"{n} months after {text}": span_of(day + back(months=n, day=1), months=1),
    }.items():
        found = dates_in(f"He left {words}.", anchor, zone)

        assert [(s.text, s.start, s.end) for s in found] == [(words, utc(start, zone), utc(end, zone))], words
