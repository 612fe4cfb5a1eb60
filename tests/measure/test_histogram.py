"""Percentiles of a stream, against those of the whole list."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truerecall.errors import InvalidInput
from truerecall.measure.histogram import ACCURACY, MOST_EXACT, Distribution, Histogram
from truerecall.measure.latency import percentile

NUMBERS = st.lists(st.floats(min_value=1e-8, max_value=1e11) | st.just(0.0), min_size=1, max_size=60)


MANY = [1e-8 * 1.04**number for number in range(MOST_EXACT + 1)]
"""So many that they are kept in buckets, and from 1e-8 to 1e9."""
QS = st.sampled_from([0.0, 0.1, 50.0, 95.0, 99.9, 100.0])


def of(*numbers: float) -> Histogram:
    made = Histogram()
    for number in numbers:
        made.add(number)
    return made


@given(NUMBERS, QS)
def test_a_percentile_of_few_numbers_is_the_number_at_its_rank(numbers: list[float], q: float) -> None:
    assert of(*numbers).percentile(q) == percentile(numbers, q)


@given(NUMBERS, QS)
def test_a_percentile_of_many_is_within_a_thousandth_of_the_number_at_its_rank(
    numbers: list[float], q: float
) -> None:
    numbers = [*numbers, *MANY, *numbers]

    assert math.isclose(of(*numbers).percentile(q), percentile(numbers, q), rel_tol=ACCURACY * 1.0001)


@given(NUMBERS)
def test_the_order_of_the_numbers_does_not_matter(numbers: list[float]) -> None:
    for some in (numbers, [*MANY, *numbers]):
        assert of(*some).distribution() == of(*reversed(some)).distribution()


@given(st.lists(st.floats(min_value=0.0, max_value=1.7e308), max_size=40))
def test_any_numbers_keep_their_ends_and_an_order(numbers: list[float]) -> None:
    numbers = [*MANY, *numbers]
    made = of(*numbers).distribution()

    assert made.n == len(numbers)
    assert (made.least, made.most) == (min(numbers), max(numbers))
    assert made.least <= made.median <= made.p95 <= made.most


def test_a_few_numbers_by_hand() -> None:
    assert of().distribution() == Distribution(0, 0.0, 0.0, 0.0, 0.0)
    assert of(3.25).distribution() == Distribution(1, 3.25, 3.25, 3.25, 3.25)
    assert of(0.0, 0.0, 4.0).distribution() == Distribution(3, 0.0, 0.0, 4.0, 4.0)


def test_many_different_numbers_take_no_more_room_than_their_buckets() -> None:
    made = of(*(1.0 + number / 1e6 for number in range(20_000)))

    assert len(made) < 20  # from 1 to 1.02, 0.2 % apart


@pytest.mark.parametrize("number", [-1.0, math.nan, math.inf])
def test_what_is_no_number_from_0_is_refused(number: float) -> None:
    with pytest.raises(InvalidInput, match="cannot be counted"):
        of(number)


@pytest.mark.parametrize("q", [-0.1, 100.1, math.nan])
def test_a_percentile_outside_0_to_100_is_refused(q: float) -> None:
    with pytest.raises(InvalidInput, match="Percentile"):
        of(1.0).percentile(q)
