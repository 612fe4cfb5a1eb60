from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truerecall.errors import InvalidInput
from truerecall.memory.write.border import RECALL_CLOSE, RECALL_OPEN, Normalised, normalise, strip_recalled

B, E = RECALL_OPEN, RECALL_CLOSE


@pytest.mark.parametrize(
    "text", ["", "plain", "a\x00b", "e\u0301 \ufeff\u200b\r\n\t", "日本語 👨‍👩‍👧", "\ufffd"]
)
def test_a_text_is_kept_as_it_was_given(text: str) -> None:
    assert normalise(text) == Normalised(text, 0)


def test_a_lone_surrogate_is_replaced_and_counted() -> None:
    assert normalise("a\ud800b\udfff") == Normalised("a\ufffdb\ufffd", 2)
    assert normalise("\udc00\ud800") == Normalised("\ufffd\ufffd", 2)


def test_a_character_decoded_in_halves_becomes_whole() -> None:
    assert normalise("a\ud83d\ude00\ud83d") == Normalised("a\U0001f600\ufffd", 1)


@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_whatever_is_normalised_can_be_encoded_and_stays(text: str) -> None:
    once = normalise(text).text
    once.encode("utf-8")
    assert normalise(once) == Normalised(once, 0)


@pytest.mark.parametrize("value", [None, b"bytes", 7, ["text"]])
def test_what_is_no_text_is_refused(value: Any) -> None:
    with pytest.raises(InvalidInput, match="a text is a str"):
        normalise(value)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("nothing recalled", "nothing recalled"),
        (f"before {B}old{E} after", "before  after"),
        (f"{B}old{E}", ""),
        (f"a{B}x{B}y{E}z{E}b{B}c{E}d", "abd"),
        (f"a{B}\n# 2024-05-07\n[4e4b0f1d learned] cut off", "a"),
        (f"the {B} marker in a sentence", "the  marker in a sentence"),
        (f"a{B}x{B}y{E} not inside", "ax not inside"),
        (f"a{B}x{B}\n# undated\n[4e4b0f1d learned] y", "ax"),
        (f"a{E}b", "ab"),
        (f"{B[:5]}{B}x{E}{B[5:]}", f"{B[:5]}\n{B[5:]}"),
    ],
)
def test_recalled_blocks_are_removed(text: str, left: str) -> None:
    assert strip_recalled(text) == left


@given(st.lists(st.sampled_from([B, E, B[:5], B[5:], E[:3], E[3:], "x", "\n"]), max_size=30).map("".join))
def test_nothing_that_is_left_holds_a_marker(text: str) -> None:
    left = strip_recalled(text)
    assert B not in left
    assert E not in left
    assert strip_recalled(left) == left


def test_deep_nesting_is_read_once() -> None:
    assert strip_recalled("a" + B * 200_000 + "x" + E * 200_000 + "b") == "ab"
