import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats

from truerecall.errors import InvalidInput
from truerecall.measure.student import incomplete_beta, t_cdf, t_quantile

DEGREES = st.one_of(st.integers(1, 3000).map(float), st.floats(0.5, 1e6))


@settings(max_examples=300, deadline=None)
@given(st.floats(-60.0, 60.0), DEGREES)
def test_the_distribution_function_agrees_with_scipy(t: float, degrees: float) -> None:
    assert t_cdf(t, degrees) == pytest.approx(stats.t.cdf(t, degrees), abs=1e-9)


@settings(max_examples=200, deadline=None)
@given(st.floats(1e-6, 1.0 - 1e-6), DEGREES)
def test_the_quantile_agrees_with_scipy(probability: float, degrees: float) -> None:
    expected = stats.t.ppf(probability, degrees)
    assert t_quantile(probability, degrees) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@settings(max_examples=300, deadline=None)
@given(st.floats(0.05, 500.0), st.floats(0.05, 500.0), st.floats(0.0, 1.0))
def test_the_incomplete_beta_function_agrees_with_scipy(a: float, b: float, x: float) -> None:
    assert incomplete_beta(a, b, x) == pytest.approx(special.betainc(a, b, x), abs=1e-9)


def test_known_quantiles_of_the_tables_come_out() -> None:
    assert round(t_quantile(0.975, 4), 6) == 2.776445
    assert round(t_quantile(0.975, 1), 6) == 12.706205
    assert round(t_quantile(0.025, 9), 6) == -2.262157
    assert t_quantile(0.5, 7) == 0.0


@pytest.mark.parametrize("degrees", [0.0, -1.0, float("nan")])
def test_degrees_of_freedom_must_be_positive(degrees: float) -> None:
    with pytest.raises(InvalidInput, match="degrees of freedom"):
        t_cdf(1.0, degrees)


@pytest.mark.parametrize("probability", [0.0, 1.0, 1.5, float("nan")])
def test_a_quantile_needs_a_probability_inside_zero_and_one(probability: float) -> None:
    with pytest.raises(InvalidInput, match="Probability"):
        t_quantile(probability, 5)


def test_an_incomplete_beta_outside_its_domain_is_refused() -> None:
    with pytest.raises(InvalidInput, match="I_x"):
        incomplete_beta(1.0, 0.0, 0.5)
