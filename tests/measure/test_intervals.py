import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.proportion import proportion_confint

from truerecall.errors import InvalidInput
from truerecall.measure.intervals import (
    Bounds,
    clustered_error,
    clustered_interval,
    mean_interval,
    wilson,
)

VALUES = st.lists(st.sampled_from([0.0, 0.25, 1 / 3, 0.5, 1.0, 0.9]), min_size=2, max_size=60)


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 2000), st.data())
def test_wilson_agrees_with_statsmodels(n: int, data: st.DataObject) -> None:
    successes = data.draw(st.integers(0, n))
    low, high = proportion_confint(successes, n, method="wilson")
    ours = wilson(successes, n)
    assert (ours.low, ours.high) == (pytest.approx(low, abs=1e-9), pytest.approx(high, abs=1e-9))
    assert 0.0 <= ours.low <= successes / n <= ours.high <= 1.0


def test_wilson_of_nothing_right_still_starts_at_zero_and_ends_above_it() -> None:
    assert wilson(0, 20) == Bounds(0.0, pytest.approx(0.161125, abs=1e-6))
    assert wilson(20, 20) == Bounds(pytest.approx(0.838875, abs=1e-6), 1.0)


@pytest.mark.parametrize(("successes", "n"), [(0, 0), (3, 2), (-1, 5)])
def test_wilson_refuses_impossible_counts(successes: int, n: int) -> None:
    with pytest.raises(InvalidInput, match="successes of"):
        wilson(successes, n)


def test_the_interval_of_zeros_and_ones_is_wilsons() -> None:
    assert mean_interval([1.0, 0.0, 1.0, 1.0]) == wilson(3, 4)


def test_the_interval_of_fractions_is_students_and_is_not_clipped() -> None:
    values = [1.0, 1.0, 0.5, 1.0]
    low, high = stats.t.interval(0.95, 3, loc=np.mean(values), scale=stats.sem(values))
    assert mean_interval(values) == Bounds(pytest.approx(low, abs=1e-12), pytest.approx(high, abs=1e-12))
    assert high > 1.0


def test_one_fraction_has_no_interval() -> None:
    assert mean_interval([0.5]) is None


@settings(max_examples=100, deadline=None)
@given(VALUES, st.data())
def test_the_clustered_interval_agrees_with_statsmodels(values: list[float], data: st.DataObject) -> None:
    size = len(values)
    groups = data.draw(st.lists(st.sampled_from("abcde"), min_size=size, max_size=size))
    ours = clustered_interval(values, groups)
    if len(set(groups)) < 2:
        assert ours is None
        return
    assert ours is not None
    codes = np.array(["abcde".index(group) for group in groups])
    with warnings.catch_warnings():
        # Constant values divide by zero in statsmodels' own t ratio, which is not compared.
        warnings.simplefilter("ignore", RuntimeWarning)
        fit = OLS(np.array(values), np.ones(size)).fit(
            cov_type="cluster",
            cov_kwds={"groups": codes, "use_correction": True, "df_correction": True},
            use_t=True,
        )
        low, high = fit.conf_int(0.05)[0]
    assert clustered_error(values, groups) == pytest.approx(float(fit.bse[0]), abs=1e-7)
    assert (ours.low, ours.high) == (pytest.approx(low, abs=1e-6), pytest.approx(high, abs=1e-6))


def test_the_clustered_interval_of_a_known_case() -> None:
    # Means of the clusters 1 and 0, two questions each: s.e. = sqrt(2/1 * (1 + 1)) / 4 = .5, t with 1 degree.
    bounds = clustered_interval([1.0, 1.0, 0.0, 0.0], ["x", "x", "y", "y"])
    assert bounds == Bounds(pytest.approx(0.5 - 6.3531024), pytest.approx(0.5 + 6.3531024))


def test_singleton_clusters_give_the_plain_student_interval() -> None:
    values = [0.2, 0.4, 0.9, 0.5]
    clustered, plain = clustered_interval(values, ["a", "b", "c", "d"]), mean_interval(values)
    assert clustered is not None
    assert plain is not None
    assert math.isclose(clustered.low, plain.low) and math.isclose(clustered.high, plain.high)


def test_one_cluster_has_no_clustered_interval() -> None:
    assert clustered_interval([0.0, 1.0, 1.0], ["only", "only", "only"]) is None


def test_every_value_needs_its_cluster() -> None:
    with pytest.raises(InvalidInput, match="2 values but 1 cluster names"):
        clustered_interval([0.0, 1.0], ["a"])


@pytest.mark.parametrize("values", [[], [0.5, float("nan")], [float("inf")]])
def test_no_values_or_broken_ones_never_become_an_interval(values: list[float]) -> None:
    with pytest.raises(InvalidInput):
        mean_interval(values)
    with pytest.raises(InvalidInput):
        clustered_interval(values, ["a"] * len(values))


def test_confidence_is_a_share() -> None:
    with pytest.raises(InvalidInput, match="Confidence 95"):
        wilson(1, 2, confidence=95)
