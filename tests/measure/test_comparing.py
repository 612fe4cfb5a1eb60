import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower

from truerecall.errors import InvalidInput
from truerecall.measure.comparing import (
    ClusterDifference,
    compare_pairs,
    holm,
    mcnemar_exact,
    same_sign,
    sign_flip,
    smallest_detectable_mean,
    smallest_detectable_share,
)
from truerecall.measure.intervals import clustered_interval


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 300), st.integers(0, 300))
def test_mcnemar_agrees_with_statsmodels(b: int, c: int) -> None:
    expected = 1.0 if b + c == 0 else mcnemar([[5, b], [c, 5]], exact=True).pvalue
    assert mcnemar_exact(b, c) == pytest.approx(expected, rel=1e-9, abs=1e-15)


def test_mcnemar_of_thousands_of_pairs_does_not_overflow() -> None:
    assert mcnemar_exact(3000, 2900) == pytest.approx(stats.binomtest(2900, 5900).pvalue, rel=1e-9)


def test_mcnemar_refuses_negative_counts() -> None:
    with pytest.raises(InvalidInput, match="-1"):
        mcnemar_exact(-1, 3)


@settings(max_examples=12, deadline=None)  # statsmodels collects garbage on every call: .13 s each
@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=12))
def test_holm_agrees_with_statsmodels(values: list[float]) -> None:
    p_values = {f"row {place}": value for place, value in enumerate(values)}
    expected = multipletests(values, method="holm")[1]
    adjusted = holm(p_values)
    assert list(adjusted) == list(p_values)
    assert list(adjusted.values()) == pytest.approx(list(expected), abs=1e-12)


def test_holm_of_a_known_family() -> None:
    assert holm({"x": 0.03, "y": 0.01, "z": 0.04}) == {"x": 0.06, "y": 0.03, "z": 0.06}
    assert holm({}) == {}


@pytest.mark.parametrize("p", [-0.1, 1.1, float("nan")])
def test_holm_refuses_what_is_no_p_value(p: float) -> None:
    with pytest.raises(InvalidInput, match="'row'"):
        holm({"row": p})


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from([-1.0, -0.5, -1 / 3, 0.0, 1 / 3, 2 / 3, 1.0]), min_size=1, max_size=9))
def test_a_small_sign_flip_test_enumerates_every_pattern(differences: list[float]) -> None:
    seen = abs(sum(differences))
    sums = [
        abs(sum(sign * value for sign, value in zip(signs, differences, strict=True)))
        for signs in itertools.product((1, -1), repeat=len(differences))
    ]
    expected = sum(total >= seen - 1e-9 for total in sums) / len(sums)
    assert sign_flip(differences, seed=0) == pytest.approx(expected, abs=1e-12)


def test_the_exact_sign_flip_test_agrees_with_scipy() -> None:
    differences = [0.5, 0.25, 1.0, -0.25, 0.75, 0.1, 0.6, -0.05]
    expected = stats.permutation_test(
        (np.array(differences),), np.mean, permutation_type="samples", n_resamples=np.inf
    )
    assert sign_flip(differences, seed=0) == pytest.approx(expected.pvalue)


def test_zero_differences_neither_help_nor_hide_an_effect() -> None:
    assert sign_flip([1.0] * 8, seed=0) == 2 / 2**8
    assert sign_flip([1.0] * 8 + [0.0] * 500, seed=0) == 2 / 2**8
    assert sign_flip([0.0, 0.0], seed=0) == 1.0


def test_many_differences_are_sampled_and_agree_with_the_exact_binomial() -> None:
    # With differences of one size the sign-flip test is McNemar's test.
    differences = [1.0] * 60 + [-1.0] * 40
    assert sign_flip(differences, seed=7, rounds=40_000) == pytest.approx(mcnemar_exact(60, 40), abs=0.008)


def test_a_sampled_p_value_is_never_zero_and_depends_on_the_seed_only() -> None:
    assert sign_flip([1.0] * 200, seed=3, rounds=999) == 1 / 1000
    mixed = [0.3 if number % 3 else -0.45 for number in range(90)]
    assert sign_flip(mixed, seed=5) == sign_flip(mixed, seed=5)
    assert sign_flip(mixed, seed=5) != sign_flip(mixed, seed=6)


def test_the_stream_of_random_signs_is_pinned() -> None:
    mixed = [0.3 if number % 3 else -0.45 for number in range(90)]
    assert sign_flip(mixed, seed=5, rounds=1000) == 217 / 1001


def test_same_sign_needs_every_cluster_and_is_strict() -> None:
    assert same_sign([0.5, -0.1, 0.2], ["a", "a", "b"])
    assert same_sign([-0.5, -0.2], ["a", "b"])
    assert not same_sign([0.5, 0.0], ["a", "b"])
    assert not same_sign([0.5, -0.1], ["a", "b"])


def test_the_smallest_share_difference_has_the_power_it_promises() -> None:
    n, discordant = 400, 0.2
    smallest = smallest_detectable_share(n, discordant)
    assert smallest == pytest.approx(0.0620, abs=5e-4)
    assert smallest is not None
    z_a, z_b = stats.norm.ppf(0.975), stats.norm.ppf(0.8)
    needed = (z_a * math.sqrt(discordant) + z_b * math.sqrt(discordant - smallest**2)) ** 2 / smallest**2
    assert needed == pytest.approx(n)


@pytest.mark.parametrize(("n", "discordant"), [(20, 0.25), (100, 0.05), (50, 0.0), (5, 1.0)])
def test_too_few_discordant_pairs_can_show_nothing(n: int, discordant: float) -> None:
    assert smallest_detectable_share(n, discordant) is None


def test_a_difference_larger_than_the_discordant_share_cannot_be_shown() -> None:
    # 7 expected discordant pairs would all have to agree, and more often than they do with power .8.
    assert smallest_detectable_share(100, 0.07) is None
    assert smallest_detectable_share(100, 0.12) == pytest.approx(0.0959, abs=5e-4)


@pytest.mark.parametrize("n", [10, 50, 700])
def test_the_smallest_mean_difference_is_close_to_the_noncentral_t(n: int) -> None:
    expected = 0.4 * TTestPower().solve_power(nobs=n, alpha=0.05, power=0.8, alternative="two-sided")
    assert smallest_detectable_mean(n, 0.4) == pytest.approx(expected, rel=0.02)


def test_differences_that_do_not_vary_say_nothing_about_what_could_be_shown() -> None:
    assert smallest_detectable_mean(50, 0.0) is None
    assert smallest_detectable_mean(1, 0.3) is None


def test_a_row_of_zeros_and_ones_is_compared_with_mcnemar() -> None:
    a = [1.0] * 9 + [0.0] * 3
    b = [1.0] * 1 + [0.0] * 9 + [1.0] + [0.0]
    clusters = ["north"] * 6 + ["south"] * 6
    result = compare_pairs(a, b, clusters, seed=1)
    assert (result.n, result.wins, result.losses, result.ties) == (12, 8, 1, 3)
    assert (result.mean_a, result.mean_b, result.difference) == (0.75, 2 / 12, 7 / 12)
    assert (result.test, result.p) == ("McNemar exact", 20 / 512)
    assert result.clusters == (ClusterDifference("north", 6, 5 / 6), ClusterDifference("south", 6, 2 / 6))
    assert result.same_sign
    assert result.interval == clustered_interval([x - y for x, y in zip(a, b, strict=True)], clusters)
    assert result.smallest_detectable == smallest_detectable_share(12, 9 / 12)


def test_a_row_of_fractions_is_compared_by_sign_flips() -> None:
    result = compare_pairs([0.5, 1.0, 0.5, 0.0], [0.0, 0.5, 0.0, 0.0], ["x", "x", "y", "y"], seed=1)
    assert (result.test, result.p) == ("sign-flip", 0.25)
    assert (result.wins, result.losses, result.ties) == (3, 0, 1)
    assert result.smallest_detectable == smallest_detectable_mean(4, 0.25)


def test_one_conversation_gives_no_clustered_interval() -> None:
    assert compare_pairs([1.0, 0.0], [0.0, 0.0], ["x", "x"], seed=1).interval is None


def test_swapping_the_systems_turns_every_sign_and_keeps_p() -> None:
    a, b, clusters = [0.5, 1.0, 0.25, 0.0], [0.0, 0.5, 0.5, 0.0], ["x", "x", "y", "y"]
    forth, back = compare_pairs(a, b, clusters, seed=1), compare_pairs(b, a, clusters, seed=1)
    assert (back.difference, back.wins, back.losses, back.p) == (
        -forth.difference,
        forth.losses,
        forth.wins,
        forth.p,
    )


@pytest.mark.parametrize(
    ("a", "b", "clusters"),
    [([1.0], [1.0, 0.0], ["x"]), ([1.0], [0.0], []), ([], [], []), ([float("nan")], [0.0], ["x"])],
)
def test_pairs_that_do_not_match_are_refused(a: list[float], b: list[float], clusters: list[str]) -> None:
    with pytest.raises(InvalidInput):
        compare_pairs(a, b, clusters, seed=1)
