"""Which pieces of a sentence may be cut, and that what was learnt goes beyond the words that the tests pin."""

import random

import pytest

from truerecall.study.blind.lexicon import words
from truerecall.study.blind.parts import view
from truerecall.study.blind.rules import cut, plain
from truerecall.study.blind.segments import LONGEST, segments


def pieces(text: str) -> set[str]:
    told = words(text, view(text))
    return {text[told[one.start].start : told[one.end - 1].end] for one in segments(told)}


def test_openings_asides_and_endings_are_pieces() -> None:
    found = pieces("As Ana said, the limit, by now, is 5 — per spec.")

    assert {
        "As Ana said, the limit, by now, is 5 — per spec.",
        "As Ana said,",
        "As Ana said, the limit,",
        ", by now",
        "— per spec",
    } <= found
    assert not {"As Ana", "the limit", "is 5"} & found


def test_a_relative_clause_is_no_opening() -> None:
    assert "An earlier row that" not in pieces("An earlier row that arrives late is moved up.")
    assert "Ana said that" in pieces("Ana said that it is moved up.")


def test_a_very_long_sentence_is_never_cut_as_a_whole() -> None:
    text = "I looked at it and " * LONGEST

    assert text.strip() not in pieces(text.strip())


@pytest.mark.parametrize(
    "way",
    [
        "According to the decision log that Wanjiru keeps, {}.",
        "Thumbing back through last autumn's correspondence, {}.",
        "My jottings from the February workshop say that {}.",
        "Having single-stepped through the code, I can confirm that {}.",
        "A second pass over the sources reveals that {}.",
        "What our chat in May settled is that {}.",
    ],
)
def test_wording_that_stands_in_no_list_is_cut_too(way: str) -> None:
    claim = "the pool holds 12 sockets and does not grow"

    assert plain(way.format(claim)) == f"{claim[0].upper()}{claim[1:]}."


@pytest.mark.parametrize(
    "text",
    [
        "The index remembers the last 40 lookups and does not search again.",
        "After tracing the contour, the plotter lifts the pen.",
        "The moderator decides whether a thread is read-only.",
        "In the previous round, the bot may not have played.",
    ],
)
def test_software_that_no_test_pinned_stays(text: str) -> None:
    assert plain(text) == text


def test_what_is_cut_does_not_depend_on_what_was_cut_before() -> None:
    texts = [
        f"As {name} told us in the review, `f{at}` is pure." for at, name in enumerate(("Ana", "Tom", "Ines"))
    ]
    once = [cut(text) for text in texts]
    random.Random(3).shuffle(texts)

    assert {cut(text) for text in texts} == set(once)
