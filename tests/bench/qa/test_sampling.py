"""Samples: by type, seeded, disclosed."""

from collections import Counter
from dataclasses import replace

import pytest
import tiny
from hypothesis import given
from hypothesis import strategies as st

from truerecall.bench.datasets.records import Dataset
from truerecall.bench.qa.manifest import Sample
from truerecall.bench.qa.sampling import Drawing, draw
from truerecall.errors import InvalidInput


def of_types(sizes: dict[str, int]) -> Dataset:
    """A conversation with so many questions of each type; every third has no gold."""
    questions = [
        tiny.question(f"{kind}-{number}", "What is the boat called?", "Juniper", ["goldA:2"], kind)
        for kind, size in sizes.items()
        for number in range(size)
    ]
    bare = [replace(q, gold_turns=frozenset(), gold_sessions=frozenset()) for q in questions[::3]]
    kept = [q for at, q in enumerate(questions) if at % 3]
    made = replace(tiny.conversation("one"), questions=tuple(kept), without_gold=tuple(bare))
    return tiny.dataset(made)


def kinds(chosen: frozenset[str]) -> Counter[str]:
    return Counter(id.rpartition("-")[0] for id in chosen)


def test_without_a_sample_everything_is_asked_also_what_has_no_gold() -> None:
    chosen, sample = draw(of_types({"a": 4, "b": 3}), Drawing(), seed=0)
    assert (kinds(chosen), sample) == (Counter(a=4, b=3), None)


def test_a_sample_is_disclosed_and_the_same_for_the_same_seed() -> None:
    dataset = of_types({"a": 60, "b": 30, "c": 10})
    chosen, sample = draw(dataset, Drawing(sample=20), seed=3)
    assert sample == Sample(
        of=100, drawn=20, seed=3, by_type={"a": 12, "b": 6, "c": 2}, questions=sorted(chosen)
    )
    assert draw(dataset, Drawing(sample=20), seed=3) == (chosen, sample)
    assert draw(dataset, Drawing(sample=20), seed=4)[0] != chosen


def test_what_is_left_over_goes_to_the_largest_remainder_and_a_tie_to_the_first_by_name() -> None:
    assert kinds(draw(of_types({"a": 1, "b": 9}), Drawing(sample=1), seed=0)[0]) == Counter(b=1)
    assert kinds(draw(of_types({"a": 5, "b": 5}), Drawing(sample=1), seed=0)[0]) == Counter(a=1)


def test_a_larger_sample_holds_the_smaller_one_and_other_types_change_nothing() -> None:
    small, _ = draw(of_types({"a": 60, "b": 30}), Drawing(per_type=5), seed=1)
    large, _ = draw(of_types({"a": 60, "b": 30}), Drawing(per_type=9), seed=1)
    other, _ = draw(of_types({"a": 60, "z": 7}), Drawing(per_type=5), seed=1)
    assert small < large
    assert {id for id in small if id.startswith("a")} < other


def test_per_type_takes_all_of_a_type_that_has_fewer() -> None:
    chosen, sample = draw(of_types({"a": 60, "b": 3}), Drawing(per_type=5), seed=0)
    assert kinds(chosen) == Counter(a=5, b=3)
    assert sample is not None and sample.by_type == {"a": 5, "b": 3}


@given(
    sizes=st.dictionaries(st.sampled_from("abcdefg"), st.integers(1, 40), min_size=1),
    wanted=st.integers(1, 300),
)
def test_every_type_gets_its_share_to_the_nearest_question(sizes: dict[str, int], wanted: int) -> None:
    chosen, sample = draw(of_types(sizes), Drawing(sample=wanted), seed=0)
    everything = sum(sizes.values())
    asked = min(wanted, everything)
    assert len(chosen) == asked and sample is not None and sample.drawn == asked
    for kind, size in sizes.items():
        assert abs(kinds(chosen)[kind] - asked * size / everything) < 1


@pytest.mark.parametrize("given", [{"sample": 3, "per_type": 2}, {"sample": 0}, {"per_type": -1}])
def test_a_drawing_that_is_none_is_refused(given: dict[str, int]) -> None:
    with pytest.raises(InvalidInput):
        Drawing(**given)
