"""Whether a recalled memory went into an answer, and what share of its recalls did."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from whole_store import ENTRY

from truerecall import Entry
from truerecall.memory.usefulness import outcomes, overlap, share, was_used

WEIR = "Ana repaired the old weir in April"  # ana, repaired, old, weir, april: five unigrams, four bigrams
SOME = ("ana", "weir", "old", "april", "mill", "東京", "里斯本", "the", "in")
WORDS = st.lists(st.sampled_from(SOME), max_size=8).map(" ".join)


def entries(*texts: str) -> list[Entry]:
    return [replace(ENTRY, id=f"{number}", text=text) for number, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("response", "share_of_it"),
    [
        (WEIR, 1.0),
        ("ANA repaired the Old weir, in April!", 1.0),
        ("It was Ana who repaired it", 3 / 9),
        ("April weir", 2 / 9),
        ("weir weir weir", 1 / 9),
        ("Nothing of the kind", 0.0),
        ("", 0.0),
    ],
)
def test_overlap_is_the_share_of_the_memorys_unigrams_and_bigrams(response: str, share_of_it: float) -> None:
    assert overlap(WEIR, response) == share_of_it


def test_stop_words_are_no_sign_of_use() -> None:
    text, response = "I went to the market with my dog", "I want to go to the theatre with my aunt"

    assert overlap(text, response) == 0.0
    assert was_used(text, response) is False


def test_a_stop_word_between_two_words_does_not_part_them() -> None:
    assert overlap("lives in Lisbon", "Lives, now: Lisbon") == 2 / 3
    assert overlap("lives in Lisbon", "lives near Lisbon") == 2 / 3
    assert overlap("lives in Lisbon", "lives Lisbon") == 1.0


def test_a_repeated_word_counts_once() -> None:
    assert overlap("tea tea tea coffee", "tea") == 1 / 4  # of tea, coffee, "tea tea" and "tea coffee"


@pytest.mark.parametrize(
    ("words", "used"),
    [(1, False), (2, True)],
    ids=["2 of 19 is less than 0.15", "3 of 19 is 0.157"],
)
def test_a_memory_is_used_from_an_overlap_of_015_on(words: int, used: bool) -> None:
    text = "a1 b2 c3 d4 e5 f6 g7 h8 i9 j0"  # 10 unigrams, 9 bigrams
    response = {1: "a1 and then c3", 2: "a1 b2"}[words]

    assert overlap(text, response) == {1: 2, 2: 3}[words] / 19
    assert was_used(text, response) is used


@pytest.mark.parametrize(
    ("text", "response", "used"),
    [
        ("她住在里斯本", "她的家在里斯本市中心", True),
        ("她住在里斯本", "今天天气很好", False),
        ("昨天的会议改到星期五", "会议在星期五举行", True),
        ("우리는 리스본에서 만났다", "리스본에서 저녁을 먹었다", True),
        ("น้ำแข็งละลายเร็ว", "น้ำแข็งก้อนใหญ่", True),
        ("Мара живёт в Лиссабоне", "Сейчас Мара живет в городе", True),
    ],
)
def test_scripts_without_spaces_and_other_alphabets_are_compared_too(
    text: str, response: str, used: bool
) -> None:
    assert was_used(text, response) is used


@pytest.mark.parametrize(
    "text", ["yes", "Ok, thanks!", "是的", "👍", "who are you", "...", "Lisbon", "ok ok ok"]
)
def test_of_a_text_of_fewer_than_three_words_use_cannot_be_told(text: str) -> None:
    assert was_used(text, f"{text}. {text}!") is None


def test_one_shared_word_is_never_use_for_the_question_brought_it() -> None:
    assert overlap("Mara likes tea", "Mara lives in Lisbon") == 1 / 5
    assert was_used("Mara likes tea", "Mara lives in Lisbon") is False
    assert was_used("Mara likes tea", "A tea that Mara would order") is True


def test_a_cited_memory_was_used_whatever_the_answer_says() -> None:
    recalled = entries(WEIR, "We counted nine herons at dawn", "yes")

    assert outcomes(recalled, "Nothing of it", {"0", "2"}, failed=False) == [
        ("0", "used"),
        ("1", "ignored"),
        ("2", "used"),
    ]


def test_of_what_cannot_be_told_nothing_is_said() -> None:
    assert outcomes(entries("yes", WEIR), "yes, Ana repaired the weir", (), failed=False) == [("1", "used")]


def test_without_an_answer_what_is_not_cited_was_ignored() -> None:
    assert outcomes(entries(WEIR, "yes"), None, {"0"}, failed=False) == [("0", "used"), ("1", "ignored")]


def test_a_bad_outcome_is_an_event_of_its_own_beside_used() -> None:
    recalled = entries(WEIR, "We counted nine herons at dawn")

    assert outcomes(recalled, "Ana repaired the weir", (), failed=True) == [
        ("0", "used"),
        ("0", "failed"),
        ("1", "ignored"),
    ]


@pytest.mark.parametrize(
    ("counts", "u"),
    [
        ({}, 0.5),
        ({"factual": (0, 0, 0)}, 0.5),
        ({"factual": (3, 1, 0)}, 0.75),
        ({"factual": (3, 1, 0), "temporal": (0, 8, 0)}, 0.75),
        ({"temporal": (1, 2, 0), "preference": (1, 0, 0)}, 0.5),
        ({"factual": (0, 0, 7), "temporal": (1, 3, 0)}, 0.25),
        ({"": (0, 5, 0)}, 0.0),
        ({"factual": (0, 3, 0), "temporal": (5, 0, 0)}, 0.0),
        ({"factual": (2, 0, 2)}, 1.0),
    ],
)
def test_the_intents_own_counts_come_before_all_together_and_none_is_a_half(
    counts: dict[str, tuple[int, int, int]], u: float
) -> None:
    assert share(counts, "factual") == u


@given(WORDS, WORDS)
def test_overlap_lies_between_none_and_all_and_a_text_covers_itself(text: str, response: str) -> None:
    assert 0.0 <= overlap(text, response) <= 1.0
    assert overlap(text, text) in (0.0, 1.0)
    assert overlap(text, f"{response} {text} {response}") == overlap(text, text)


@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=80), st.text(max_size=80))
def test_any_two_texts_can_be_compared(text: str, response: str) -> None:
    assert was_used(text, response) in (True, False, None)
    assert (overlap(text, text) == 1.0) is (was_used(text, text) is True) or was_used(text, text) is None
