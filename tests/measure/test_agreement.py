import math
from fractions import Fraction

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import cohens_kappa as oracle

from truerecall.errors import InvalidInput
from truerecall.measure.agreement import cohens_kappa, within_points

PAIRS = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60)


def verdicts(both: int, only_a: int, only_b: int, neither: int) -> tuple[list[bool], list[bool]]:
    """Two judges' verdicts with these counts."""
    pairs = (
        [(True, True)] * both
        + [(True, False)] * only_a
        + [(False, True)] * only_b
        + [(False, False)] * neither
    )
    return [a for a, _ in pairs], [b for _, b in pairs]


@settings(max_examples=80, deadline=None)
@given(st.tuples(*[st.integers(0, 200)] * 4))
@example((20, 5, 10, 15))
def test_kappa_and_its_interval_agree_with_statsmodels(counts: tuple[int, int, int, int]) -> None:
    a, b = verdicts(*counts)
    assume(len(set(a)) == len(set(b)) == 2)
    both, only_a, only_b, neither = counts
    expected = oracle([[both, only_a], [only_b, neither]])
    found = cohens_kappa(a, b)
    assert found is not None
    assert found.value == pytest.approx(expected.kappa, abs=1e-12)
    low, high = expected.kappa_low, expected.kappa_upp
    if math.isnan(low):  # statsmodels takes the root of a variance that rounding left below 0
        low = high = expected.kappa
    assert found.interval.low == pytest.approx(max(-1.0, low), abs=1e-6)
    assert found.interval.high == pytest.approx(min(1.0, high), abs=1e-6)


def test_the_kappa_of_a_table_from_the_text_books() -> None:
    found = cohens_kappa(*verdicts(20, 5, 10, 15))
    assert found is not None and found.value == pytest.approx(0.4)


def test_full_agreement_is_one_without_spread() -> None:
    found = cohens_kappa([True, False, True], [True, False, True])
    assert found is not None
    assert (found.value, found.interval.low, found.interval.high) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize(
    ("a", "b"), [([True, True], [True, True]), ([True, True], [True, False]), ([False, True], [False, False])]
)
def test_a_constant_judge_has_no_kappa(a: list[bool], b: list[bool]) -> None:
    assert cohens_kappa(a, b) is None


@given(PAIRS)
def test_kappa_does_not_depend_on_who_is_named_first_nor_on_what_right_is_called(
    pairs: list[tuple[bool, bool]],
) -> None:
    a, b = [x for x, _ in pairs], [y for _, y in pairs]
    found, turned = cohens_kappa(a, b), cohens_kappa(b, a)
    negated = cohens_kappa([not x for x in a], [not y for y in b])
    for other in (turned, negated):
        assert (found is None) == (other is None)
        if found is not None and other is not None:
            assert other.value == pytest.approx(found.value, abs=1e-12)
            assert -1.0 <= other.interval.low <= other.interval.high <= 1.0


def test_verdicts_that_are_not_of_the_same_answers_are_refused() -> None:
    with pytest.raises(InvalidInput, match="1 and 2 verdicts"):
        cohens_kappa([True], [True, False])
    with pytest.raises(InvalidInput, match="0 and 0 verdicts"):
        cohens_kappa([], [])


def test_five_points_are_within_and_anything_more_is_not() -> None:
    assert within_points(10, 11, 20, 5)  # five points, which is one question
    assert not within_points(10, 12, 20, 5)
    assert not within_points(9, 10, 19, 5)
    assert within_points(0, 0, 1, 5)
    # 57 of 100 and 52: in floats .57 - .52 is a little less than .05, .62 - .57 a little more.
    assert within_points(57, 52, 100, 5) and within_points(62, 57, 100, 5)


def test_nothing_judged_is_no_agreement() -> None:
    assert not within_points(0, 0, 0, 5)


@given(st.integers(1, 10_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.integers(0, n), st.just(n))))
def test_the_bound_is_exact(counts: tuple[int, int, int]) -> None:
    a, b, n = counts
    assert within_points(a, b, n, 5) == (abs(Fraction(a, n) - Fraction(b, n)) <= Fraction(5, 100))


@pytest.mark.parametrize("counts", [(3, 0, 2), (0, 3, 2), (-1, 0, 2), (0, 0, -1)])
def test_counts_that_cannot_be_are_refused(counts: tuple[int, int, int]) -> None:
    with pytest.raises(InvalidInput):
        within_points(*counts, 5)
