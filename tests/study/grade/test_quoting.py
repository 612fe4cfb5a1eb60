"""Whether a quote stands in a text: what a copy may lose, and what it may not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truerecall.study.grade.quoting import QuotedText, plain

TEXT = """The retry limit is **5**, and `RETRY_LIMIT` in `src/retry.py` sets it.

- It isn’t read again — a restart is needed – until the “worker” ends.
- Redis
1. The pause is 1.5 seconds, then -3 is added; 12 jobs wait.

重试上限是五次，由环境变量设置。
"""


@pytest.mark.parametrize(
    "quote",
    [
        "The retry limit is **5**, and `RETRY_LIMIT` in `src/retry.py` sets it.",
        "The retry limit is 5, and RETRY_LIMIT in src/retry.py sets it",
        '"The  retry limit\nis 5"',
        'It isn\'t read again - a restart is needed - until the "worker" ends.',
        "- It isn’t read again — a restart is needed",
        "Redis",
        "The pause is 1.5 seconds, then -3 is added; 12 jobs wait",
        "重试上限是五次",
    ],
)
def test_a_copy_may_lose_markdown_and_the_shape_of_quotation_marks_dashes_and_spaces(quote: str) -> None:
    assert QuotedText(TEXT).holds(quote)


@pytest.mark.parametrize(
    "quote",
    [
        "",
        "   ",
        "…",
        "the",
        "RETRY_LIMIT",
        "sets it",
        "The retry limit is 6, and RETRY_LIMIT",
        "The retry limit is not 5, and",
        "the retry limit is 5, and",
        "It is read again",
        "The pause is 1",
        "5 seconds, then -3 is added",
        "3 is added; 12 jobs",
        "he pause is 1.5 seconds",
        "retry limit is 5, and RETRY",
        "2 jobs wait.",
        "重试",
    ],
)
def test_a_quote_that_is_too_short_or_altered_or_cuts_a_word_or_a_number_does_not_stand_there(
    quote: str,
) -> None:
    assert not QuotedText(TEXT).holds(quote)


@pytest.mark.parametrize(
    ("quote", "stands"),
    [
        ("The retry limit is 5 … src/retry.py sets it.", True),
        ("… The retry limit is 5 [...] src/retry.py sets it ...", True),
        ("The retry limit (…) RETRY_LIMIT in src/retry.py", True),
        ("src/retry.py sets it … The retry limit is 5", False),
        ("The retry limit is 5 … The pause is 1.5 seconds", False),
        ("The retry … 5 … sets it", False),
        ("The retry limit … and RETRY_LIMIT … in src/retry.py … sets it.", False),
    ],
    ids=["in order", "edges", "brackets", "turned round", "two paragraphs", "short parts", "too many gaps"],
)
def test_what_is_left_out_of_a_quote_lies_within_one_paragraph_and_between_parts_that_are_quotes(
    quote: str, stands: bool
) -> None:
    assert QuotedText(TEXT).holds(quote) is stands


def test_an_ellipsis_that_the_text_itself_has_is_no_gap() -> None:
    assert QuotedText("First … last it is.").holds("First ... last it is.")


def test_a_number_of_which_the_quote_is_only_a_part_is_another_number() -> None:
    assert not QuotedText("The limit of tries is 50 here.").holds("The limit of tries is 5")
    assert not QuotedText("The limit of tries is 5.5 here.").holds("The limit of tries is 5.")
    assert QuotedText("It is 15. The limit of tries is 5.").holds("The limit of tries is 5")


@given(text=st.text(), quote=st.text())
def test_any_text_and_any_quote_give_an_answer_and_a_quote_that_stands_is_in_the_text(
    text: str, quote: str
) -> None:
    if QuotedText(text).holds(quote) and "..." not in plain(quote):
        assert plain(quote).strip(" \"'.,;:!?") in plain(text)


@given(st.lists(st.text(alphabet="abcdef1 ", min_size=1, max_size=8), min_size=3, max_size=9), st.data())
def test_whole_words_of_a_text_in_a_row_are_a_quote_of_it(words: list[str], data: st.DataObject) -> None:
    whole = " ".join(words).split()
    begin = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(begin, len(whole)))
    chosen = " ".join(whole[begin:end])
    long_enough = len(chosen.replace(" ", "")) >= 10 and end - begin >= 2

    assert QuotedText(" ".join(words)).holds(chosen) or not long_enough
