"""Answers of our own writing that say where they came from: blinded, nobody can tell which were remembered.

Twelve questions about small invented code bases. Each answer stands there twice, once with phrases of a memory and once
with phrases of an investigation, so that the phrases alone tell the two apart. The kinds of phrase in
``held_out.jsonl`` are others than those in ``development.jsonl``. ``fresh.jsonl`` and, of other code bases and in other
words, ``fresh_2.jsonl`` and ``fresh_3.jsonl`` were written without sight of the rules; by now they were learnt from.
``fresh_4.jsonl`` was not: what is made of it is published and nowhere asserted.
"""

import hashlib
import json
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from truerecall.study.blind.blinding import blind
from truerecall.study.constructed import Constructed, lost, read_constructed, told
from truerecall.study.leak import Leak

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[2]
HALVES = "development", "held_out"
SEEN = (*HALVES, "fresh", "fresh_2", "fresh_3")


@cache
def constructed(half: str) -> tuple[Constructed, ...]:
    return read_constructed(HERE / f"{half}.jsonl")


def all_of(halves: tuple[str, ...]) -> list[Constructed]:
    return [each for half in halves for each in constructed(half)]


@cache
def blinded(half: str) -> tuple[str, ...]:
    """By the rules alone: no model is asked."""
    return tuple(blind(each.answer, each.asked, each.guarded, None).text for each in constructed(half))


def guessed(halves: tuple[str, ...], texts: list[str], rounds: int = 500) -> Leak:
    return told(texts, all_of(halves), rounds=rounds)


def test_the_corpus_is_as_large_and_as_even_as_it_says() -> None:
    answers = all_of(HALVES)
    each = Counter((answer.question, answer.label) for answer in answers)

    assert (len(answers), len({answer.question for answer in answers})) == (288, 12)
    assert set(each.values()) == {12}
    assert len({answer.kind for answer in answers if answer.label == 1}) == 36
    assert len({answer.kind for answer in answers if answer.label == 0}) == 24
    seen, held = ({(a.label, a.kind) for a in constructed(half)} for half in HALVES)
    assert (len(seen), len(held), seen & held) == (30, 30, set())


@pytest.mark.parametrize("halves", [HALVES], ids=["all"])
def test_before_it_is_blinded_an_answer_tells_where_it_came_from(halves: tuple[str, ...]) -> None:
    found = guessed(halves, [answer.answer for answer in all_of(halves)])

    assert found.auc > 0.9 and found.p < 0.003


def test_a_blinding_that_forgets_a_fifth_of_the_answers_is_noticed() -> None:
    answers = all_of(HALVES)
    # A perfect blinding of the others: what is left of both twins is the same.
    texts = [
        answer.answer if number % 10 in (0, 1) else " ".join(sorted((*answer.values, *answer.negations)))
        for number, answer in enumerate(answers)
    ]

    assert guessed(HALVES, texts).p < 0.05


@pytest.mark.parametrize(
    "halves", [HALVES, ("fresh",), ("fresh_2",), ("fresh_3",)], ids=["all", "fresh", "fresh_2", "fresh_3"]
)
def test_once_it_is_blinded_nobody_can_tell(halves: tuple[str, ...]) -> None:
    found = guessed(halves, [text for half in halves for text in blinded(half)], rounds=100)

    assert found.p >= 0.05, found


@pytest.mark.parametrize("half", SEEN)
def test_no_claim_loses_a_value_or_a_negation(half: str) -> None:
    damaged = [
        (answer.question, answer.label, answer.kind, missing)
        for answer, text in zip(constructed(half), blinded(half), strict=True)
        if (missing := lost(answer, text))
    ]

    assert damaged == []


def test_every_constructed_answer_holds_what_is_to_survive() -> None:
    assert [answer.answer for answer in all_of((*SEEN, "fresh_4")) if lost(answer, answer.answer)] == []


@pytest.mark.parametrize(
    ("name", "kinds"), [("fresh", [22, 17]), ("fresh_2", [24, 24]), ("fresh_3", [24, 24])]
)
def test_fresh_phrases_are_of_many_kinds(name: str, kinds: list[int]) -> None:
    answers = constructed(name)
    found = [len({answer.kind for answer in answers if answer.label == label}) for label in (1, 0)]

    assert (len(answers), found) == (144, kinds)
    assert Counter(answer.label for answer in answers) == {0: 72, 1: 72}


def test_what_is_published_is_what_the_rules_make() -> None:
    made = json.loads((REPOSITORY / "benchmarks" / "manifests" / "blinding.json").read_text("utf-8"))
    (table,) = made["tables"]
    names = [column["name"] for column in table["columns"]]
    rows = [dict(zip(names, row["figures"], strict=True)) for row in table["rows"]]
    corpora = [HALVES, ("fresh",), ("fresh_2",), ("fresh_3",), ("fresh_4",)]

    for files, found in zip(corpora, rows, strict=True):
        texts = [text for file in files for text in blinded(file)]
        alike = sum(one == other for one, other in zip(texts[::2], texts[1::2], strict=True))
        damaged = sum(bool(lost(each, text)) for each, text in zip(all_of(files), texts, strict=True))
        assert (
            found["answers"],
            found["pairs alike after"],
            found["answers that lost a value"],
            found["AUC after"],
        ) == (
            len(texts),
            alike,
            damaged,
            pytest.approx(told(texts, all_of(files), rounds=1).auc, abs=0.00051),
        )
        for file in files:
            assert hashlib.sha256((HERE / f"{file}.jsonl").read_bytes()).hexdigest()[:16] in made["method"]
    assert [row["answers that lost a value"] for row in rows[:4]] == [0, 0, 0, 0]
    assert all(row["p after"] >= 0.05 for row in rows[:4])
