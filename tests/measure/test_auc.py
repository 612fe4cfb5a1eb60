"""The area under the ROC curve and its permutation test, held against brute force and scipy."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu

from truerecall.errors import InvalidInput
from truerecall.measure.auc import auc, auc_permutation

ROWS = st.lists(
    st.tuples(st.integers(-3, 3).map(float), st.booleans(), st.sampled_from("abc")), min_size=0, max_size=14
)


def by_pairs(rows: list[tuple[float, bool, str]], *, grouped: bool) -> float | None:
    pairs = [
        (a, b)
        for (a, true, one), (b, false, other) in product(rows, rows)
        if true and not false and (one == other or not grouped)
    ]
    won = sum(1.0 if a > b else 0.5 if a == b else 0.0 for a, b in pairs)
    return won / len(pairs) if pairs else None


@given(ROWS)
def test_it_is_the_share_of_pairs_that_are_in_order(rows: list[tuple[float, bool, str]]) -> None:
    scores, labels, groups = ([row[part] for row in rows] for part in range(3))

    assert auc(scores, labels) == pytest.approx(by_pairs(rows, grouped=False))
    assert auc(scores, labels, groups) == pytest.approx(by_pairs(rows, grouped=True))


@given(ROWS)
def test_it_is_the_u_of_mann_and_whitney_over_the_pairs(rows: list[tuple[float, bool, str]]) -> None:
    true = [score for score, label, _ in rows if label]
    false = [score for score, label, _ in rows if not label]
    if true and false:
        u = mannwhitneyu(true, false).statistic
        assert auc([row[0] for row in rows], [row[1] for row in rows]) == pytest.approx(
            u / len(true) / len(false)
        )


def test_ties_are_half_a_pair_and_one_class_is_no_pair() -> None:
    assert auc([1.0, 1.0, 2.0, 0.0], [True, False, True, False]) == 3.5 / 4
    assert auc([1.0, 2.0], [True, True]) is None
    assert auc([1.0, 2.0], [True, False], ["a", "b"]) is None
    assert auc_permutation([1.0, 2.0], [True, True], seed=1) is None
    assert auc([], []) is None


def test_the_p_is_near_that_of_every_deal_within_the_groups() -> None:
    scores = [0.9, 0.4, 0.5, 0.1, 0.8, 0.8, 0.3, 0.7]
    labels = [True, False, True, False, True, False, False, True]
    groups = ["a"] * 4 + ["b"] * 4
    seen = auc(scores, labels, groups)
    assert seen is not None
    every = [
        auc(scores, [*one, *other], groups)
        for one in permutations(labels[:4])
        for other in permutations(labels[4:])
    ]
    exact = sum(value is not None and value >= seen - 1e-12 for value in every) / len(every)

    found = auc_permutation(scores, labels, groups, seed=7, rounds=20_000)

    assert found == pytest.approx(exact, abs=0.01)
    assert found == auc_permutation(scores, labels, groups, seed=7, rounds=20_000)


def test_what_differs_between_the_groups_alone_is_no_evidence() -> None:
    scores = [10.0, 10.0, 10.0, 10.0, 0.0, 0.0, 0.0, 0.0]
    labels = [True, True, True, False, False, False, False, True]
    groups = ["a"] * 4 + ["b"] * 4

    assert auc(scores, labels) == 0.75
    assert auc(scores, labels, groups) == 0.5
    assert auc_permutation(scores, labels, groups, seed=0, rounds=99) == 1.0


def test_the_p_of_noise_is_spread_evenly() -> None:
    generator = np.random.default_rng(5)
    groups = [str(number // 6) for number in range(24)]
    labels = [number % 2 == 0 for number in range(24)]
    found = [
        auc_permutation(list(generator.normal(size=24)), labels, groups, seed=draw, rounds=99)
        for draw in range(200)
    ]

    assert 0.02 <= np.mean([p is not None and p <= 0.05 for p in found]) <= 0.09
    assert 0.4 <= np.mean([p for p in found if p is not None]) <= 0.6


@pytest.mark.parametrize(
    ("scores", "labels", "groups", "rounds"),
    [
        ([1.0], [True, False], None, 9),
        ([1.0, 2.0], [True, False], ["a"], 9),
        ([float("nan"), 1.0], [True, False], None, 9),
        ([2.0, 1.0], [True, False], None, 0),
    ],
)
def test_what_cannot_be_compared_is_refused(
    scores: list[float], labels: list[bool], groups: list[str] | None, rounds: int
) -> None:
    with pytest.raises(InvalidInput):
        auc_permutation(scores, labels, groups, seed=0, rounds=rounds)
