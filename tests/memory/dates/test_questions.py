"""The one stretch of time that a question asks about."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truerecall.memory.dates.questions import time_span
from truerecall.memory.dates.span import BEGINNING, END, Span

WEDNESDAY = datetime(2023, 5, 17, 12, 30, tzinfo=UTC)


def read(text: str) -> str | None:
    """The span as ``words: first day–day after it (precision)``; an open side is ``…``."""
    span = time_span(text, WEDNESDAY, UTC)
    if span is None:
        return None
    start = "…" if span.start == BEGINNING else f"{span.start:%Y-%m-%d}"
    end = "…" if span.end == END else f"{span.end:%Y-%m-%d}"
    return f"{span.text}: {start}–{end} ({span.precision})"


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("what happened since last Monday?", "since last Monday: 2023-05-15–… (day)"),
        ("who moved since 2020?", "since 2020: 2020-01-01–… (year)"),
        ("what changed from 2020 onwards?", "from 2020: 2020-01-01–… (year)"),
        ("where did she live before 2020?", "before 2020: …–2020-01-01 (year)"),
        ("what did he do after May?", "after May: 2023-06-01–… (month)"),
        ("what did he do before may", "before may: …–2023-05-01 (month)"),
        ("who wrote until yesterday?", "until yesterday: …–2023-05-17 (day)"),
        ("how many by July 10, 2022?", "by July 10, 2022: …–2022-07-11 (day)"),
        ("between March and May?", "between March and May: 2023-03-01–2023-06-01 (month)"),
        ("between march and may 2021", "between march and may 2021: 2021-03-01–2021-06-01 (month)"),
        ("from November to February 2023", "from November to February 2023: 2022-11-01–2023-03-01 (month)"),
        ("between November 2021 and February", "between November 2021 and February: 2021-11-01–2022-03-01 (month)"),
        ("from November to February", "from November to February: 2022-11-01–2023-03-01 (month)"),
        ("between December and the 7th of May 2023",
            "between December and the 7th of May 2023: 2022-12-01–2023-05-08 (month)"),
        ("from Monday to Friday", "from Monday to Friday: 2023-05-15–2023-05-20 (day)"),
        ("from 30 April to 2 May", "from 30 April to 2 May: 2023-04-30–2023-05-03 (day)"),
        ("from 2022-01-05 until 2022-02-01", "from 2022-01-05 until 2022-02-01: 2022-01-05–2022-02-02 (day)"),
        ("between 2022 and 2020", "between 2022 and 2020: 2020-01-01–2023-01-01 (year)"),
        ("between 2019 and the 7th of May 2021", "between 2019 and the 7th of May 2021: 2019-01-01–2021-05-08 (year)"),
        ("from Monday to Tuesday", "from Monday to Tuesday: 2023-05-15–2023-05-17 (day)"),
        ("what did I say in the summer?", "summer: 2022-06-01–2022-09-01 (month)"),
        ("the 1990s", "1990s: 1990-01-01–2000-01-01 (year)"),
        ("2021 goals", "2021: 2021-01-01–2022-01-01 (year)"),
        ("what did I do last 3 weeks", "last 3 weeks: 2023-04-26–2023-05-18 (day)"),
        ("What will I do on Friday?", "Friday: 2023-05-12–2023-05-13 (day)"),
        ("the week before 16 November 2022?", "the week before 16 November 2022: 2022-11-09–2022-11-16 (day)"),
        ("what did I write last week, on 6 November 2022?", "6 November 2022: 2022-11-06–2022-11-07 (day)"),
        ("yesterday or last week?", "yesterday: 2023-05-16–2023-05-17 (day)"),
    ],
)  # fmt: skip
def test_a_question_names_one_stretch_of_time(question: str, wanted: str) -> None:
    assert read(question) == wanted


@pytest.mark.parametrize(
    "question",
    [
        "What did she do before moving?",
        "who is June?",
        "may I ask who you are",
        "how far do we march",
        "what is on 30 February 2021",
        "after all, what happened recently?",
        "since when?",
        "between you and me",
        "",
    ],
)
def test_what_does_not_parse_names_none(question: str) -> None:
    assert read(question) is None


DATES = st.dates(date(1901, 1, 1), date(2098, 12, 31))


@settings(max_examples=100, deadline=None)
@given(one=DATES, other=DATES)
def test_between_two_dates_lies_all_from_the_earlier_to_the_later(one: date, other: date) -> None:
    low, high = sorted((one, other))
    start = datetime(low.year, low.month, low.day, tzinfo=UTC)
    end = datetime(high.year, high.month, high.day, tzinfo=UTC) + timedelta(days=1)
    for words in (f"between {one} and {other}", f"from {one:%d %B %Y} to {other:%B %d, %Y}"):
        assert time_span(f"what happened {words}?", WEDNESDAY, UTC) == Span(start, end, "day", words)


@settings(max_examples=100, deadline=None)
@given(day=DATES)
def test_an_open_span_begins_or_ends_with_its_date(day: date) -> None:
    start = datetime(day.year, day.month, day.day, tzinfo=UTC)
    end = start + timedelta(days=1)
    for word, low, high in (
        ("since", start, END), ("after", end, END), ("before", BEGINNING, start), ("until", BEGINNING, end)
    ):  # fmt: skip
        assert time_span(f"{word} {day}?", WEDNESDAY, UTC) == Span(low, high, "day", f"{word} {day}")
