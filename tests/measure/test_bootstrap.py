import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truerecall.errors import InvalidInput
from truerecall.measure.bootstrap import bootstrap_interval

VALUES = st.lists(
    st.tuples(st.sampled_from([-1.0, 0.0, 1.0]), st.sampled_from("abcd")), min_size=1, max_size=30
)


def every_mean(values: list[float], clusters: list[str]) -> list[float]:
    """The mean of every draw of as many clusters as there are, smallest first."""
    own: dict[str, list[float]] = {}
    for value, cluster in zip(values, clusters, strict=True):
        own.setdefault(cluster, []).append(value)
    means = []
    for draw in itertools.product(sorted(own), repeat=len(own)):
        drawn = [value for name in draw for value in own[name]]
        means.append(math.fsum(drawn) / len(drawn))
    return sorted(means)


@settings(max_examples=40, deadline=None)
@given(VALUES)
def test_with_few_clusters_every_draw_is_counted(rows: list[tuple[float, str]]) -> None:
    values, clusters = [value for value, _ in rows], [cluster for _, cluster in rows]
    found = bootstrap_interval(values, clusters, seed=0)
    if len(set(clusters)) < 2:
        assert found is None
        return
    means = every_mean(values, clusters)
    skipped = int(0.025 * len(means))
    assert found is not None
    assert found.low == pytest.approx(means[skipped])
    assert found.high == pytest.approx(means[len(means) - 1 - skipped])


def test_random_draws_come_near_to_every_draw() -> None:
    source = np.random.default_rng(3)
    sizes = {"a": 30, "b": 5, "c": 12, "d": 8, "e": 20, "f": 9, "g": 16}
    clusters = [name for name, size in sizes.items() for _ in range(size)]
    values = [float(v) for v in source.integers(-1, 2, size=len(clusters))]
    own = {name: [v for v, c in zip(values, clusters, strict=True) if c == name] for name in sizes}
    sums = np.array([sum(v) for v in own.values()])
    counts = np.array([len(v) for v in own.values()])
    draws = np.indices((7,) * 7).reshape(7, -1)  # all 823,543 of them
    means = np.sort(sums[draws].sum(axis=0) / counts[draws].sum(axis=0))
    found = bootstrap_interval(values, clusters, seed=1)
    assert found is not None
    assert found.low == pytest.approx(float(np.quantile(means, 0.025)), abs=0.01)
    assert found.high == pytest.approx(float(np.quantile(means, 0.975)), abs=0.01)


def test_a_seed_gives_the_same_interval_and_another_one_may_not() -> None:
    values = [number * 37 % 101 / 101 for number in range(101)]
    clusters = [f"c{number % 17}" for number in range(101)]
    first = bootstrap_interval(values, clusters, seed=5)
    assert first == bootstrap_interval(values, clusters, seed=5)
    assert first != bootstrap_interval(values, clusters, seed=6)


@settings(max_examples=40, deadline=None)
@given(VALUES)
def test_turning_the_sides_turns_the_interval(rows: list[tuple[float, str]]) -> None:
    values, clusters = [value for value, _ in rows], [cluster for _, cluster in rows]
    found, turned = (bootstrap_interval([sign * v for v in values], clusters, seed=0) for sign in (1.0, -1.0))
    if found is not None and turned is not None:
        assert (turned.low, turned.high) == (pytest.approx(-found.high), pytest.approx(-found.low))


def test_what_does_not_differ_has_no_spread() -> None:
    found = bootstrap_interval([1.0] * 40, [f"c{number % 10}" for number in range(40)], seed=0)
    assert found is not None and (found.low, found.high) == (1.0, 1.0)


def test_hundreds_of_clusters_of_one_question_are_the_plain_bootstrap() -> None:
    values = [1.0] * 60 + [0.0] * 340
    found = bootstrap_interval(values, [str(number) for number in range(400)], seed=0)
    error = math.sqrt(0.15 * 0.85 / 400)
    assert found is not None
    assert found.low == pytest.approx(0.15 - 1.96 * error, abs=0.004)
    assert found.high == pytest.approx(0.15 + 1.96 * error, abs=0.004)


def test_values_without_a_cluster_are_refused() -> None:
    with pytest.raises(InvalidInput, match="2 values, 1 cluster names"):
        bootstrap_interval([1.0, 0.0], ["a"], seed=0)
    with pytest.raises(InvalidInput, match="no values"):
        bootstrap_interval([], [], seed=0)
    with pytest.raises(InvalidInput, match="0 rounds"):
        bootstrap_interval([1.0, 0.0], ["a", "b"], seed=0, rounds=0)
