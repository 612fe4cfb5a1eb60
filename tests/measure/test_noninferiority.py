"""Whether something is no worse by more than a margin: the interval, the verdict, and how often each is wrong."""

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import brentq, minimize_scalar

from truerecall.errors import InvalidInput
from truerecall.measure.comparing import mcnemar_exact
from truerecall.measure.intervals import Bounds
from truerecall.measure.noninferiority import decide, paired_interval, pairs_needed, score_interval

Z = NormalDist().inv_cdf(0.975)
ORDER = ("regressed", "cannot tell", "pass")

differences = st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.0, 0.0, 0.25, 1.0]), min_size=2, max_size=60)
points = st.floats(-0.9, 0.9)
widths = st.floats(0.0, 0.1)
margins = st.sampled_from([0.0, 0.01, 0.05, 0.2])


def likeliest_variance(gained: float, lost: float, n: int, difference: float) -> float:
    """Of one pair's difference, by maximising the multinomial likelihood outright."""

    def minus_log_likelihood(share: float) -> float:
        cells = ((gained, share + difference), (lost, share), (n - gained - lost, 1 - 2 * share - difference))
        return -math.fsum(count * math.log(max(cell, 1e-300)) for count, cell in cells if count)

    low, high = max(0.0, -difference), (1.0 - difference) / 2.0
    best = minimize_scalar(
        minus_log_likelihood, bounds=(low, high), method="bounded", options={"xatol": 1e-12}
    )
    return 2.0 * float(best.x) + difference - difference**2


@pytest.mark.parametrize(
    ("gained", "lost", "n"), [(3, 1, 40), (1, 9, 60), (12, 15, 100), (0, 4, 30), (7, 0, 25), (20, 20, 41)]
)
def test_the_score_interval_agrees_with_the_likelihood_maximised_outright(
    gained: int, lost: int, n: int
) -> None:
    found = score_interval(gained, lost, n)

    def statistic(difference: float) -> float:
        return (gained - lost - n * difference) ** 2 / (
            n * likeliest_variance(gained, lost, n, difference)
        ) - Z**2

    middle = (gained - lost) / n
    assert found.low == pytest.approx(brentq(statistic, -0.999, middle), abs=1e-5)
    assert found.high == pytest.approx(brentq(statistic, middle, 0.999), abs=1e-5)


def test_without_a_pair_that_differs_the_interval_is_no_point() -> None:
    found = score_interval(0, 0, 200)

    assert found == Bounds(pytest.approx(-(Z**2) / (200 + Z**2)), pytest.approx(Z**2 / (200 + Z**2)))


@given(differences)
def test_the_interval_holds_its_difference_and_lies_within_what_can_be(values: list[float]) -> None:
    mean = math.fsum(values) / len(values)
    found = paired_interval(values, ["one"] * len(values))

    assert -1.0 <= found.low <= mean + 1e-12
    assert mean - 1e-12 <= found.high <= 1.0


@given(differences)
def test_the_interval_of_what_is_turned_round_is_turned_round(values: list[float]) -> None:
    clusters = [f"c{place % 3}" for place in range(len(values))]
    there, back = paired_interval(values, clusters), paired_interval([-value for value in values], clusters)

    assert (back.low, back.high) == (
        pytest.approx(-there.high, abs=1e-9),
        pytest.approx(-there.low, abs=1e-9),
    )


def test_conversations_that_pull_together_widen_the_interval() -> None:
    values = [-1.0] * 10 + [0.0] * 30
    apart = [f"c{place % 8}" for place in range(40)]
    together = [f"c{place // 5}" for place in range(40)]

    assert paired_interval(values, together).low < paired_interval(values, apart).low


@given(points, widths, widths, margins, st.floats(0.0, 1.0), st.floats(0.0, 0.5))
def test_a_better_difference_never_gets_a_worse_verdict(
    at: float, below: float, above: float, margin: float, p: float, better: float
) -> None:
    first = decide(at, Bounds(at - below, at + above), margin, p)
    second = decide(at + better, Bounds(at + better - below, at + better + above), margin, p)

    assert ORDER.index(second) >= ORDER.index(first)


@given(points, widths, widths, margins, st.floats(0.0, 1.0), widths, widths)
def test_a_wider_interval_never_turns_anything_into_a_pass(
    at: float, below: float, above: float, margin: float, p: float, more_below: float, more_above: float
) -> None:
    narrow = decide(at, Bounds(at - below, at + above), margin, p)
    wide = decide(at, Bounds(at - below - more_below, at + above + more_above), margin, p)

    assume(narrow != "pass")
    assert wide != "pass"
    assert wide != "regressed" or narrow == "regressed"


@given(points, widths, widths, margins, margins, st.floats(0.0, 1.0))
def test_a_larger_margin_never_gets_a_worse_verdict(
    at: float, below: float, above: float, margin: float, more: float, p: float
) -> None:
    bounds = Bounds(at - below, at + above)

    assert ORDER.index(decide(at, bounds, margin + more, p)) >= ORDER.index(decide(at, bounds, margin, p))


@pytest.mark.parametrize(
    ("difference", "low", "high", "p", "verdict"),
    [
        (0.0, 0.0, 0.0, 1.0, "pass"),
        (0.01, 0.0, 0.02, 1.0, "pass"),
        (0.01, -0.001, 0.02, 1.0, "cannot tell"),
        (-0.01, -0.02, -0.001, 1.0, "regressed"),
        (-0.01, -0.02, 0.0, 0.049, "regressed"),
        (-0.01, -0.02, 0.0, 0.05, "cannot tell"),
    ],
)
def test_with_no_margin_every_drop_counts(
    difference: float, low: float, high: float, p: float, verdict: str
) -> None:
    assert decide(difference, Bounds(low, high), 0.0, p) == verdict


def test_a_drop_within_the_margin_is_none_however_sure_it_is() -> None:
    assert decide(-0.02, Bounds(-0.025, -0.015), 0.03, 0.0) == "pass"
    assert decide(-0.02, Bounds(-0.04, -0.001), 0.03, 0.0) == "cannot tell"


@pytest.mark.parametrize("margin", [-0.01, math.nan, math.inf])
def test_an_impossible_margin_is_refused(margin: float) -> None:
    with pytest.raises(InvalidInput, match="margin"):
        decide(0.0, Bounds(0.0, 0.0), margin, 1.0)


def test_values_that_are_no_differences_of_shares_are_refused() -> None:
    with pytest.raises(InvalidInput, match="exceeds 1"):
        paired_interval([1.5], ["one"])
    with pytest.raises(InvalidInput, match="of 2"):
        score_interval(2, 1, 2)
    with pytest.raises(InvalidInput, match="not within"):
        decide(0.5, Bounds(0.0, 0.1), 0.1, 1.0)


@given(st.integers(5, 500), st.floats(-0.1, 0.1), st.floats(0.01, 0.3), margins)
def test_the_questions_that_could_tell_are_more_than_those_that_cannot(
    n: int, difference: float, half: float, margin: float
) -> None:
    bounds = Bounds(difference - half, difference + half)
    assume(decide(difference, bounds, margin, 1.0) == "cannot tell")
    needed = pairs_needed(n, difference, bounds, margin)

    assert needed is None or needed > 2 * n


def test_with_as_many_questions_as_were_named_it_can_be_told() -> None:
    values = [-1.0] * 2 + [1.0] * 3 + [0.0] * 45
    bounds = paired_interval(values, ["one"] * 50)
    needed = pairs_needed(50, 0.02, bounds, 0.03)
    assert needed is not None
    more = values * -(-needed // 50)

    assert decide(0.02, bounds, 0.03, 1.0) == "cannot tell"
    assert decide(0.02, paired_interval(more, ["one"] * len(more)), 0.03, 1.0) == "pass"


def test_on_the_margin_itself_no_number_of_questions_could_tell() -> None:
    assert pairs_needed(50, -0.03, Bounds(-0.1, 0.04), 0.03) is None


# How often a verdict is wrong, counted at fixed seeds.

TRIALS = 1_000


def verdicts(lost: float, gained: float, n: int, margin: float, conversations: int) -> dict[str, float]:
    """The share of each verdict over trials in which so large a share of questions is really lost and gained."""
    dice = np.random.Generator(np.random.PCG64(3))
    clusters = [f"c{place % conversations}" for place in range(n)]
    counts = dict.fromkeys(ORDER, 0)
    for _ in range(TRIALS):
        drawn = dice.random(n)
        values = np.where(drawn < lost, -1.0, np.where(drawn < lost + gained, 1.0, 0.0)).tolist()
        p = mcnemar_exact(values.count(1.0), values.count(-1.0))
        bounds = paired_interval(values, clusters)
        counts[decide(math.fsum(values) / n, bounds, margin, p)] += 1
    return {verdict: count / TRIALS for verdict, count in counts.items()}


@pytest.mark.parametrize(("lost", "gained", "n"), [(0.03, 0.0, 60), (0.03, 0.0, 300), (0.06, 0.03, 300)])
def test_what_is_worse_by_the_margin_hardly_ever_passes(lost: float, gained: float, n: int) -> None:
    # One side of 95 %, with what 1,000 trials leave to chance.
    assert verdicts(lost, gained, n, 0.03, 10)["pass"] <= 0.025 + 2 * math.sqrt(0.025 * 0.975 / TRIALS)


@pytest.mark.parametrize(("share", "n"), [(0.03, 60), (0.05, 300)])
def test_what_is_no_worse_is_hardly_ever_called_a_regression(share: float, n: int) -> None:
    assert verdicts(share, share, n, 0.03, 10)["regressed"] <= 0.025 + 2 * math.sqrt(0.025 * 0.975 / TRIALS)


def test_a_drop_of_a_tenth_is_found_by_three_hundred_questions() -> None:
    assert verdicts(0.12, 0.02, 300, 0.03, 10)["regressed"] >= 0.95


def test_what_changed_hardly_anything_passes_with_three_hundred_questions() -> None:
    assert verdicts(0.005, 0.005, 300, 0.03, 10)["pass"] >= 0.8
