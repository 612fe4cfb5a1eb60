"""Answers of our own writing that say where they came from: blinded, nobody can tell which were remembered.

Twelve questions about small invented code bases. Each answer stands there twice, once with phrases of a memory and once
with phrases of an investigation, so that the phrases alone tell the two apart. The kinds of phrase in
``held_out.jsonl`` are others than those in ``development.jsonl``; the rules were written with both in view.
"""

import json
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from truerecall.study.blind.blinding import blind
from truerecall.study.leak import Leak, leak

HERE = Path(__file__).parent
HALVES = "development", "held_out"


@dataclass(frozen=True, slots=True)
class Constructed:
    """An answer, and what must be left of it."""

    question: str
    asked: str
    guarded: tuple[str, ...]
    """Words of the question or the key that must survive."""
    label: int
    """1: from a memory; 0: from an investigation."""
    kind: str
    """Of its phrase."""
    values: tuple[str, ...]
    """Identifiers, paths, numbers and terms of its claims."""
    negations: tuple[str, ...]
    """Of its claims, with the word after each."""
    answer: str


@cache
def constructed(half: str) -> tuple[Constructed, ...]:
    lines = (HERE / f"{half}.jsonl").read_text(encoding="utf-8").splitlines()
    rows = map(json.loads, lines)
    return tuple(
        Constructed(
            row["question"],
            row["asked"],
            tuple(row["guarded"]),
            row["label"],
            row["kind"],
            tuple(row["values"]),
            tuple(row["negations"]),
            row["answer"],
        )
        for row in rows
    )


def all_of(halves: tuple[str, ...]) -> list[Constructed]:
    return [each for half in halves for each in constructed(half)]


@cache
def blinded(half: str) -> tuple[str, ...]:
    """By the rules alone: no model is asked."""
    return tuple(blind(each.answer, each.asked, each.guarded, None).text for each in constructed(half))


def told(halves: tuple[str, ...], texts: list[str]) -> Leak:
    answers = all_of(halves)
    sides = [each.label == 1 for each in answers]
    found = leak(texts, sides, [each.question for each in answers], seed=20260301, rounds=500)
    assert found is not None
    return found


def lost(answer: Constructed, text: str) -> list[str]:
    """The values and negations of its claims that a text no longer holds, each as a whole word."""
    plain = re.sub(r"^\s*\d+\.\s", "", text, flags=re.MULTILINE).casefold()
    return [
        value
        for value in (*answer.values, *answer.negations)
        if not re.search(rf"(?<!\w){re.escape(value.casefold())}(?!\w)", plain)
    ]


def test_the_corpus_is_as_large_and_as_even_as_it_says() -> None:
    answers = all_of(HALVES)
    each = Counter((answer.question, answer.label) for answer in answers)

    assert (len(answers), len({answer.question for answer in answers})) == (288, 12)
    assert set(each.values()) == {12}
    assert len({answer.kind for answer in answers if answer.label == 1}) == 36
    assert len({answer.kind for answer in answers if answer.label == 0}) == 24
    seen, held = ({(a.label, a.kind) for a in constructed(half)} for half in HALVES)
    assert (len(seen), len(held), seen & held) == (30, 30, set())


@pytest.mark.parametrize("halves", [HALVES, HALVES[:1], HALVES[1:]], ids=["all", *HALVES])
def test_before_it_is_blinded_an_answer_tells_where_it_came_from(halves: tuple[str, ...]) -> None:
    found = told(halves, [answer.answer for answer in all_of(halves)])

    assert found.auc > 0.9 and found.p < 0.003


def test_a_blinding_that_forgets_a_fifth_of_the_answers_is_noticed() -> None:
    answers = all_of(HALVES)
    # A perfect blinding of the others: what is left of both twins is the same.
    texts = [
        answer.answer if number % 10 in (0, 1) else " ".join(sorted((*answer.values, *answer.negations)))
        for number, answer in enumerate(answers)
    ]

    assert told(HALVES, texts).p < 0.05


@pytest.mark.parametrize("halves", [HALVES, HALVES[:1], HALVES[1:]], ids=["all", *HALVES])
def test_once_it_is_blinded_nobody_can_tell(halves: tuple[str, ...]) -> None:
    found = told(halves, [text for half in halves for text in blinded(half)])

    assert found.p >= 0.05, found


@pytest.mark.parametrize("half", HALVES)
def test_no_claim_loses_a_value_or_a_negation(half: str) -> None:
    damaged = [
        (answer.question, answer.label, answer.kind, missing)
        for answer, text in zip(constructed(half), blinded(half), strict=True)
        if (missing := lost(answer, text))
    ]

    assert damaged == []


def test_every_constructed_answer_holds_what_is_to_survive() -> None:
    assert [answer.answer for answer in all_of(HALVES) if lost(answer, answer.answer)] == []
