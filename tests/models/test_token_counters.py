import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truerecall.errors import ModelError
from truerecall.models.tokens import BoundCounter, counter, names

pytest.importorskip("rs_bpe", reason="rs-bpe, the exact counter, is not installed")

BOUND = BoundCounter()
EXACT = [counter("rs-bpe:cl100k_base"), counter("rs-bpe:o200k_base")]
DEV = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "locomo" / "dev.json"

AWKWARD = "ab'sStTrRvVmMdDlL \n\r\t\x0b\x1c\x85\xa0\u3000/.-_(=*#é中А߀ſ\u01c5م한म\u0301\u200d🎉0123"
DIALOGUE = (
    "Ana: Hey! How was the pottery class last night? Did you finally finish that blue bowl?\n"
    "Ben: I did! It's a bit crooked, but I'm really proud of it. The teacher says we'll glaze them next week.\n"
    "Ana: That's awesome, can't wait to see it! By the way, I've booked the cabin for the 14th of October.\n"
)


def most(text: str) -> int:
    return max(exact.count(text) for exact in EXACT)


@given(st.text(max_size=60))
@settings(max_examples=1500, deadline=None)
def test_no_text_counts_under_either_encoding(text: str) -> None:
    assert BOUND.count(text) >= most(text)


@given(st.text(alphabet=AWKWARD, max_size=24))
@settings(max_examples=3000, deadline=None)
def test_texts_on_the_borders_of_the_encoders_patterns_do_not_count_under(text: str) -> None:
    assert BOUND.count(text) >= most(text)


@given(st.text(alphabet=st.characters(max_codepoint=126), max_size=80))
@settings(max_examples=1500, deadline=None)
def test_ascii_does_not_count_under(text: str) -> None:
    assert BOUND.count(text) >= most(text)


@given(st.binary(max_size=64))
@settings(max_examples=300, deadline=None)
def test_bytes_read_as_latin_or_written_as_hex_do_not_count_under(raw: bytes) -> None:
    for text in (raw.decode("latin-1"), raw.hex(), raw.decode("utf-8", "replace")):
        assert BOUND.count(text) >= most(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\n",
        "<|endoftext|>",
        "don't DON'T l'été 'super",
        "fooBarBAZqux HTTPServer",
        "https://example.org/a?b=%20c&d=1#e",
        "SGVsbG8gd29ybGQhIFRoaXMgaXMgYmFzZTY0Lg==",
        "3f2a9c0e-77b1-4d0f-9b1e-0123456789ab",
        '{\n    "a": [1, 22, 333, 4444],\n\t"b": null\n}\n',
        "昨日、友達と一緒に新しいレストランに行きました。iPhone15を買った。",
        "어제 친구와 함께 새로운 식당에 갔습니다.",
        "เมื่อวานนี้ฉันไปกินข้าว",
        "कल मैं अपने दोस्त के साथ",
        "Вчера мы с другом ходили в ресторан",
        "👨‍👩‍👧‍👦❤️👋🏽🇵🇹",
        "\ud800 and \udc00, and \ud83d\ude00",
        "x" * 5_000,
        " " * 500 + "x",
        "\n" * 300,
        "中" * 500,
    ],
)
def test_chosen_texts_do_not_count_under(text: str) -> None:
    assert BOUND.count(text) >= most(text)


def test_the_line_end_after_a_rule_costs_at_most_one_token_more_at_every_length() -> None:
    # The fact on which the bound's short cut for rules stands.
    for sign in "-_*#~.+/|\\":
        for length in range(2, 129):
            for rule in (sign * length, f" {sign * length}"):
                assert most(f"{rule}\n") <= most(rule) + 1, (rule, length)
    for length in range(2, 129):
        assert most("=" * length + "\n") <= most("=" * length) + 1, length
        assert length >= 62 or most(" " + "=" * length + "\n") <= most(" " + "=" * length) + 1, length


@pytest.mark.parametrize("sign", list("-_*#~.+/|\\=>:?!"))
def test_rules_do_not_count_under(sign: str) -> None:
    for length in (
        1,
        2,
        3,
        4,
        5,
        7,
        8,
        9,
        15,
        16,
        17,
        31,
        32,
        33,
        61,
        62,
        63,
        64,
        79,
        80,
        127,
        128,
        129,
        400,
    ):
        for text in (sign * length, f"{sign * length}\n", f" {sign * length}\n", f"{sign * length}\r\n\n"):
            assert BOUND.count(text) >= most(text), (sign, length)


def test_english_dialogue_counts_at_most_a_quarter_over() -> None:
    assert most(DIALOGUE) <= BOUND.count(DIALOGUE) <= 1.25 * most(DIALOGUE)


@pytest.mark.skipif(not DEV.exists(), reason="the development conversations are not here")
def test_real_conversations_count_at_most_a_quarter_over_and_no_turn_under() -> None:
    turns = [
        turn["text"]
        for conversation in json.loads(DEV.read_text(encoding="utf-8"))
        for session in conversation["conversation"].values()
        if isinstance(session, list)
        for turn in session
    ]
    assert all(BOUND.count(turn) >= most(turn) for turn in turns)
    assert sum(map(BOUND.count, turns)) <= 1.25 * sum(map(most, turns))


@given(
    st.text(alphabet="abzAZ 019é中.,", max_size=30), st.text(alphabet="abzAZ019é中", min_size=1, max_size=30)
)
@settings(max_examples=1000, deadline=None)
def test_two_texts_joined_by_a_line_end_cost_at_most_one_more(first: str, second: str) -> None:
    assert BOUND.count(f"{first}\n{second}") <= BOUND.count(first) + BOUND.count(second) + 1


def test_joining_lines_of_markdown_and_code_costs_at_most_one_a_line_end() -> None:
    lines = [
        "# Part",
        "-" * 79,
        "| a | b |",
        "|---|---|",
        "    return x",
        "}",
        "***",
        "",
        "* done.",
        "/srv/x",
    ]
    for first in lines:
        for second in lines:
            assert BOUND.count(f"{first}\n{second}") <= BOUND.count(first) + BOUND.count(second) + 1


def test_the_exact_counter_counts_known_texts() -> None:
    assert [exact.count("hello world") for exact in EXACT] == [2, 2]
    assert [exact.name for exact in EXACT] == ["rs-bpe:cl100k_base", "rs-bpe:o200k_base"]


def test_an_unknown_counter_is_refused_with_the_names_there_are() -> None:
    assert names() == ["bound-1", "rs-bpe:cl100k_base", "rs-bpe:o200k_base"]
    assert counter("bound-1").name == "bound-1"
    with pytest.raises(ModelError, match="bound-1, rs-bpe:cl100k_base, rs-bpe:o200k_base"):
        counter("characters")
