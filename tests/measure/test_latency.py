import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truerecall.errors import InvalidInput
from truerecall.measure.latency import percentile


def test_a_percentile_is_a_value_that_was_measured() -> None:
    assert percentile([30.0, 10.0, 20.0, 40.0], 50) == 20.0
    assert percentile([30.0, 10.0, 20.0, 40.0], 95) == 40.0
    assert percentile([30.0, 10.0, 20.0, 40.0], 0) == 10.0
    assert percentile([7.5], 95) == 7.5


def test_rounding_of_the_percentage_never_moves_the_rank() -> None:
    assert percentile(range(1, 1001), 99.9) == 999.0
    assert percentile(range(1, 101), 7) == 7.0


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.floats(0.0, 1e6), min_size=1, max_size=50),
    st.sampled_from([0, 1, 25, 50, 75, 90, 95, 99, 100]),
)
def test_percentiles_agree_with_numpys_inverted_distribution(values: list[float], q: int) -> None:
    assert percentile(values, q) == np.percentile(values, q, method="inverted_cdf")


@pytest.mark.parametrize(
    ("values", "q"), [([], 50), ([1.0], 101), ([1.0], -1), ([float("nan")], 50), ([1.0], float("nan"))]
)
def test_no_values_or_an_impossible_percentile_is_refused(values: list[float], q: float) -> None:
    with pytest.raises(InvalidInput):
        percentile(values, q)
