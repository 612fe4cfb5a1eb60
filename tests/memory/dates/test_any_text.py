"""Any string at all is read, in time that grows with its length."""

import sys
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from truerecall.memory.dates.questions import time_span
from truerecall.memory.dates.turns import dates_in

ANCHOR = datetime(2023, 5, 17, 12, 30, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")
_PIECES = (
    "yesterday today tonight last this next past coming week weeks weekend month year years day"
    " night quarter Friday fridays Sun may May march Mar mar June 7 7th 31 30 29 2023 1999 0000"
    " 99 9999 07 the of in on since from to until before after between and ago back now a an one"
    " two twenty few couple several half summer winter Q1 first second 1990s 90s over morning will"
    " . , - – / : ' ’ \n \x00 \ud800 İ ß ٢٠٢٣ 2023年 😀"
)
PIECES = st.sampled_from(_PIECES.split(" "))
ANY_TEXT = (
    st.text() | st.lists(PIECES, max_size=12).map(" ".join) | st.lists(PIECES, max_size=12).map("".join)
)


@settings(max_examples=500, deadline=None)
@given(text=ANY_TEXT)
@example("İİİ yesterday")
@example("\0yesterday\0")
@example("\ud800yesterday")
@example("-")
@example("last")
@example("of May of")
def test_no_string_is_refused_and_every_span_stands_in_its_text(text: str) -> None:
    found = dates_in(text, ANCHOR, BERLIN)
    asked = time_span(text, ANCHOR, BERLIN)

    place = 0
    for span in found:
        place = text.index(span.text, place) + len(span.text)
        assert span.start < span.end
    assert asked is None or (asked.text in text and asked.start < asked.end)


@pytest.mark.parametrize(
    "unit",
    [
        "may ", "7 may ", "may 7 ", "march to ", "last a ", "last one ", "in 2 years ", "in two weeks ", "2023 ",
        "2023-", "week before ", "yesterday ", "before last ", "a.b.", " ", "!", "\0", "İ", "the ", "on Friday nights ",
    ],
)  # fmt: skip
def test_a_long_text_of_one_piece_is_read_in_linear_time(unit: str) -> None:
    """A million characters: what took the square of them would take hours."""
    text = "yesterday " + unit * (1_000_000 // len(unit))

    assert dates_in(text, ANCHOR, BERLIN)[0].text == "yesterday"
    assert time_span(text, ANCHOR, BERLIN) is not None


def test_no_more_than_32_dates_of_a_text_are_read() -> None:
    assert len(dates_in("yesterday and " * 1000, ANCHOR, UTC)) == 32


def test_a_text_of_nothing_but_words_of_time_is_read_to_the_3000th() -> None:
    assert len(dates_in("may " * 2999 + "yesterday", ANCHOR, UTC)) == 1
    assert dates_in("may " * 3000 + "yesterday", ANCHOR, UTC) == ()


def calls_of(text: str) -> int:
    """How many functions of Python are called to read a text."""
    count = 0

    def trace(frame: object, event: str, arg: object) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(trace)
    try:
        dates_in(text, ANCHOR, UTC)
    finally:
        sys.setprofile(before)
    return count


def test_a_text_without_a_word_of_time_is_put_aside_at_once() -> None:
    assert calls_of("The heron stood by the weir and nobody said a word about it.") <= 4
    assert calls_of("We saw the heron yesterday.") > 4
