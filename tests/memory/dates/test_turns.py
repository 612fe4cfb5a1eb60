"""What is a date in what somebody says, and what is none; by hand, from Wednesday 17 May 2023."""

from datetime import UTC, datetime

import pytest

from truerecall.memory.dates.span import Span
from truerecall.memory.dates.turns import dates_in

WEDNESDAY = datetime(2023, 5, 17, 12, 30, tzinfo=UTC)


def read(text: str, anchor: datetime = WEDNESDAY) -> list[str]:
    """Each date as ``words: first day-day after it (precision)``."""
    return [
        f"{span.text}: {span.start:%Y-%m-%d}–{span.end:%Y-%m-%d} ({span.precision})"
        for span in dates_in(text, anchor, UTC)
    ]


@pytest.mark.parametrize(
    "text",
    [
        "you may go, if you may",
        "May I come in? May the best win.",
        "we march on, and March with us",
        "do not mar it; Mar said so",
        "ask June and April and August about it",
        "a gift from June, the house of April",
        "the sun is out on Sun Street, a second passes, the second of them",
        "Jan said that the sat nav will wed the mon",
        "the fall of Rome, the spring in the clock, a summer dress",
        "in the past it was so; we drove past it two by two",
        "it may take two, you may 2 times, 7 may fail, the 7th may fail",
        "it will last a week, they last two days",
        "I lost five kilos in two weeks",
        "a while ago, long ago, days ago, years ago, some time ago",
        "half a year ago, a year and a half ago, 3.5 years ago, a year and two months ago",
        "every Friday, on Fridays, on a Sunday, one Monday, on Friday nights, Black Friday",
        "Monday: rest. **Tuesday**: run. * Wednesday (yoga): up",
        "Monday and Tuesday: rest",
        "the New Music Friday, our Saturday morning run",
        "Sunday lunch and Monday blues",
        "the last week of school, the last year of it, the next day, that day, one day",
        "it cost $2021, room 2021, Cyberpunk 2077, 2000 people, in 2000 steps, a total of 2000",
        "7.5.2023 and 05/07/2023 and 5/7/23",
        "2023-13-01 and 2023-02-30 and 30 February and 31 April 2023",
        "CVE-2023-05-07 and 10.2023-05-07 and 2023-05-071 and the 2010-11 season",
        "it is 90s music, in his 30s, in my thirties",
        "the last month was hard, and the next week he left",
        "in 2010-11 they won",
        "Mar 3.5 million, May 7,000",
        "next to me, last but not least, this one, next time, last time",
        "the week before, two days after, the day before it",
        "Mayor Mayhem, Marching, Sundays, Todayish, yesterdays",
        "Ich war im Mai dort, 7 Mayıs, am Montag",
        "我2023年5月去了",
        "",
    ],
)
def test_what_only_looks_like_a_date_is_none(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("That was in 2021.", ["2021: 2021-01-01–2022-01-01 (year)"]),
        ("the 2021 season", ["2021: 2021-01-01–2022-01-01 (year)"]),
        ("back in May", ["May: 2023-05-01–2023-06-01 (month)"]),
        ("in June I was there", ["June: 2022-06-01–2022-07-01 (month)"]),
        ("we met in mid-June, at the end of April", [
            "June: 2022-06-01–2022-07-01 (month)", "April: 2023-04-01–2023-05-01 (month)"]),
        ("since Dec, in Sept. 2021", [
            "Dec: 2022-12-01–2023-01-01 (month)", "Sept. 2021: 2021-09-01–2021-10-01 (month)"]),
        ("May second, the twenty-first of March", [
            "May second: 2023-05-02–2023-05-03 (day)", "the twenty-first of March: 2023-03-21–2023-03-22 (day)"]),
        ("7-9 May, May 7–9, from 7 to 9 May", [
            "7-9 May: 2023-05-07–2023-05-10 (day)",
            "May 7–9: 2023-05-07–2023-05-10 (day)",
            "7 to 9 May: 2023-05-07–2023-05-10 (day)"]),
        ("on may 7 or on 3 mar", [
            "may 7: 2023-05-07–2023-05-08 (day)", "3 mar: 2023-03-03–2023-03-04 (day)"]),
        ("we met on 18 May", ["18 May: 2022-05-18–2022-05-19 (day)"]),
        ("on 17 May", ["17 May: 2023-05-17–2023-05-18 (day)"]),
        ("twenty-five years ago", ["twenty-five years ago: 1998-01-01–1999-01-01 (year)"]),
        ("in the past twenty-five years", ["past twenty-five years: 1998-05-17–2023-05-18 (year)"]),
        ("on December 1,2021", ["December 1,2021: 2021-12-01–2021-12-02 (day)"]),
        ("a few years ago", ["a few years ago: 2019-01-01–2022-01-01 (year)"]),
        ("a year ago, said Mar", ["a year ago: 2022-01-01–2023-01-01 (year)"]),
        ("Last Friday's party", ["Last Friday: 2023-05-12–2023-05-13 (day)"]),
        ("last Tues and on Sat", [
            "last Tues: 2023-05-16–2023-05-17 (day)", "Sat: 2023-05-13–2023-05-14 (day)"]),
        ("we met Friday, then Monday", [
            "Friday: 2023-05-12–2023-05-13 (day)", "Monday: 2023-05-15–2023-05-16 (day)"]),
        ("we moved from 28 May to 3 June 2021", [
            "28 May: 2021-05-28–2021-05-29 (day)", "3 June 2021: 2021-06-03–2021-06-04 (day)"]),
        ("the weather from May 15th to May 28th", [
            "May 15th: 2023-05-15–2023-05-16 (day)", "May 28th: 2023-05-28–2023-05-29 (day)"]),
        ("the 1900s, the '90s, the nineties", [
            "1900s: 1900-01-01–2000-01-01 (year)",
            "90s: 1990-01-01–2000-01-01 (year)",
            "nineties: 1990-01-01–2000-01-01 (year)"]),
        ("the first quarter of 2023", ["first quarter of 2023: 2023-01-01–2023-04-01 (month)"]),
        ("in 2010-12", ["2010-12: 2010-12-01–2011-01-01 (month)"]),
        ("since 2023-05", ["2023-05: 2023-05-01–2023-06-01 (month)"]),
        ("İstanbul’da yesterday…", ["yesterday: 2023-05-16–2023-05-17 (day)"]),
        ("yesterday, and then on 3 May 2021 or last week", [
            "yesterday: 2023-05-16–2023-05-17 (day)",
            "3 May 2021: 2021-05-03–2021-05-04 (day)",
            "last week: 2023-05-08–2023-05-15 (day)"]),
    ],
)  # fmt: skip
def test_dates_are_found_with_their_words(text: str, wanted: list[str]) -> None:
    assert read(text) == wanted


def test_a_year_alone_is_not_the_first_of_january() -> None:
    (span,) = dates_in("We met in 2021.", WEDNESDAY, UTC)

    assert span == Span(datetime(2021, 1, 1, tzinfo=UTC), datetime(2022, 1, 1, tzinfo=UTC), "year", "2021")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("I went there on Friday", "Friday: 2023-05-12–2023-05-13 (day)"),
        ("I'll go there on Friday", "Friday: 2023-05-19–2023-05-20 (day)"),
        ("We're going to move in March", "March: 2024-03-01–2024-04-01 (month)"),
        ("Can't wait for our trip on 7 May", "7 May: 2024-05-07–2024-05-08 (day)"),
        ("It will be ready in Q1", "Q1: 2024-01-01–2024-04-01 (month)"),
        ("I will see you in two weeks", "in two weeks: 2023-05-28–2023-06-04 (day)"),
        ("see you Friday!", "Friday: 2023-05-19–2023-05-20 (day)"),
        ("a triathlon in June?", "June: 2023-06-01–2023-07-01 (month)"),
        ("I wore it in June", "June: 2022-06-01–2022-07-01 (month)"),
        ("I visited her in June", "June: 2022-06-01–2022-07-01 (month)"),
        ("the event on January 15th", "January 15th: 2023-01-15–2023-01-16 (day)"),
        ("I hope you will come. We met on Friday.", "Friday: 2023-05-12–2023-05-13 (day)"),
        ("I hoped he'd say that he will, and he did on Friday", "Friday: 2023-05-12–2023-05-13 (day)"),
        ("any plans over the weekend?", "over the weekend: 2023-05-20–2023-05-22 (day)"),
        ("We hiked over the weekend", "over the weekend: 2023-05-13–2023-05-15 (day)"),
    ],
)
def test_a_date_without_its_year_lies_in_the_past_of_its_sentence_or_its_future_or_else_near(
    text: str, wanted: str
) -> None:
    assert read(text) == [wanted]


def test_the_29th_of_february_without_its_year_is_that_of_the_last_leap_year() -> None:
    assert read("we met on 29 February") == ["29 February: 2020-02-29–2020-03-01 (day)"]
    assert read("we met on 29 February", datetime(1904, 2, 28, tzinfo=UTC)) == [
        "29 February: 1896-02-29–1896-03-01 (day)"
    ]


@pytest.mark.parametrize(
    ("anchor", "wanted"),
    [
        ("2023-04-30", ["2022-05", "2023-05", "2023-05", "2022-05"]),
        ("2023-05-01", ["2022-05", "2023-05", "2024-05", "2023-05"]),
        ("2023-05-31", ["2022-05", "2023-05", "2024-05", "2023-05"]),
        ("2023-06-01", ["2023-05", "2023-05", "2024-05", "2023-05"]),
    ],
)
def test_a_month_that_is_not_over_is_neither_the_last_nor_the_next(anchor: str, wanted: list[str]) -> None:
    said_at = datetime.fromisoformat(f"{anchor}T23:59:59Z")

    assert [
        f"{span.start:%Y-%m}" for span in dates_in("last May, this May, next May, in May", said_at, UTC)
    ] == wanted


@pytest.mark.parametrize(
    ("anchor", "wanted"),
    [
        ("2023-02-28", ["2021-12", "2022-12", "2023-12", "2022-06", "2023-06", "2023-06"]),
        ("2023-03-01", ["2022-12", "2023-12", "2023-12", "2022-06", "2023-06", "2023-06"]),
        ("2023-06-01", ["2022-12", "2023-12", "2023-12", "2022-06", "2023-06", "2024-06"]),
        ("2023-08-31", ["2022-12", "2023-12", "2023-12", "2022-06", "2023-06", "2024-06"]),
        ("2023-09-01", ["2022-12", "2023-12", "2023-12", "2023-06", "2023-06", "2024-06"]),
        ("2023-12-01", ["2022-12", "2023-12", "2024-12", "2023-06", "2023-06", "2024-06"]),
    ],
)
def test_a_season_that_is_not_over_is_neither_the_last_nor_the_next(anchor: str, wanted: list[str]) -> None:
    said_at = datetime.fromisoformat(f"{anchor}T12:00:00Z")
    text = "last winter, this winter, next winter, last summer, this summer, next summer"

    assert [f"{span.start:%Y-%m}" for span in dates_in(text, said_at, UTC)] == wanted


def test_where_nothing_tells_the_nearer_day_is_meant() -> None:
    assert [read("the trip on 29 February", datetime(year, 2, 20, tzinfo=UTC)) for year in (2021, 2023)] == [
        ["29 February: 2020-02-29–2020-03-01 (day)"],
        ["29 February: 2024-02-29–2024-03-01 (day)"],
    ]
    assert read("the trip on 1 April", datetime(2023, 10, 1, tzinfo=UTC)) == [
        "1 April: 2023-04-01–2023-04-02 (day)"
    ]
    assert read("the trip on 1 April", datetime(2023, 10, 3, tzinfo=UTC)) == [
        "1 April: 2024-04-01–2024-04-02 (day)"
    ]


def test_new_year_is_crossed_backwards_and_forwards() -> None:
    new_year = datetime(2024, 1, 1, 0, 0, tzinfo=UTC)

    assert read("last week, yesterday, last month, last quarter, this winter", new_year) == [
        "last week: 2023-12-25–2024-01-01 (day)",
        "yesterday: 2023-12-31–2024-01-01 (day)",
        "last month: 2023-12-01–2024-01-01 (month)",
        "last quarter: 2023-10-01–2024-01-01 (month)",
        "this winter: 2023-12-01–2024-03-01 (month)",
    ]
