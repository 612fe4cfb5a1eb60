"""Paired comparison of two systems on the same questions.

What a test here supports holds within the conversations that were measured, never in general.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from truerecall.errors import InvalidInput
from truerecall.measure.intervals import Bounds, checked_values, clustered_interval, is_binary
from truerecall.measure.student import t_quantile

TestName = Literal["McNemar exact", "sign-flip"]

ALPHA = 0.05
POWER = 0.8

_EXACT_UP_TO = 16  # non-zero differences: 65,536 sign patterns take about 10 ms
_FEWEST_DISCORDANT = 6  # 2 * 0.5**6 = .031: with five, the exact test cannot reach .05 at all
_CELLS = 4_000_000  # sign matrix entries held at once


@dataclass(frozen=True, slots=True)
class ClusterDifference:
    """What one conversation says by itself."""

    cluster: str
    n: int
    difference: float
    """Mean of a less mean of b."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """One named row compared between systems a and b; positive differences are in favour of a."""

    n: int
    """Pairs."""
    mean_a: float
    mean_b: float
    difference: float
    """``mean_a - mean_b``."""
    interval: Bounds | None
    """Clustered 95 % interval of the difference; None below two clusters; few clusters undercover."""
    test: TestName
    """McNemar where both sides are 0 or 1 on every question, else sign-flip permutation."""
    p: float
    """Two-sided, not adjusted: see ``holm``."""
    wins: int
    """Pairs in which a is higher."""
    losses: int
    ties: int
    clusters: tuple[ClusterDifference, ...]
    """By name."""
    same_sign: bool
    """Whether every cluster's own difference has the same strict sign."""
    smallest_detectable: float | None
    """What n independent pairs could show; None where they could show nothing. Clustering makes it larger."""


def compare_pairs(a: Sequence[float], b: Sequence[float], clusters: Sequence[str], seed: int) -> Comparison:
    """Compare one row, given question by question in the same order; ``seed`` is the permutation test's.

    Raises:
        InvalidInput: no pairs, unequal lengths, or a value that is not finite.
    """
    left, right = checked_values(a), checked_values(b)
    _check_lengths(len(left), len(right), len(clusters))
    differences = [x - y for x, y in zip(left, right, strict=True)]
    n = len(differences)
    wins = sum(1 for value in differences if value > 0.0)
    losses = sum(1 for value in differences if value < 0.0)
    test: TestName
    if is_binary(left) and is_binary(right):
        test, p = "McNemar exact", mcnemar_exact(wins, losses)
        smallest = smallest_detectable_share(n, (wins + losses) / n)
    else:
        test, p = "sign-flip", sign_flip(differences, seed)
        smallest = smallest_detectable_mean(n, _standard_deviation(differences))
    return Comparison(
        n=n,
        mean_a=math.fsum(left) / n,
        mean_b=math.fsum(right) / n,
        difference=math.fsum(differences) / n,
        interval=clustered_interval(differences, clusters),
        test=test,
        p=p,
        wins=wins,
        losses=losses,
        ties=n - wins - losses,
        clusters=cluster_differences(differences, clusters),
        same_sign=same_sign(differences, clusters),
        smallest_detectable=smallest,
    )


def mcnemar_exact(b: int, c: int) -> float:
    """Two-sided exact binomial p of ``b`` against ``c`` discordant pairs (McNemar 1947); 1.0 without any."""
    if b < 0 or c < 0:
        raise InvalidInput(
            f"Discordant counts {b} and {c}", where="mcnemar_exact", remedy="Counts are 0 or more."
        )
    n = b + c
    term = total = 1
    for i in range(min(b, c)):
        term = term * (n - i) // (i + 1)
        total += term
    return min(1.0, 2 * total / (1 << n))


def sign_flip(differences: Sequence[float], seed: int, rounds: int = 20_000) -> float:
    """Two-sided sign-flip permutation p of the mean difference being 0 (Fisher's randomisation test, paired).

    All sign patterns are enumerated up to 16 non-zero differences; above, ``rounds`` random ones give
    (hits + 1) / (rounds + 1) (Phipson & Smyth 2010), which is never 0. The same seed gives the same p.
    """
    numbers = checked_values(differences)
    if rounds < 1:
        raise InvalidInput(f"{rounds} rounds", where="rounds", remedy="Use 1 or more.")
    moved = np.array([value for value in numbers if value != 0.0], dtype=np.float64)
    if moved.size == 0:
        return 1.0
    # Sums that are equal on paper differ in the last bits by their order; they count as equal.
    bar = abs(math.fsum(moved)) - 1e-9 * float(np.abs(moved).sum())
    if moved.size <= _EXACT_UP_TO:
        sums = np.zeros(1)
        for value in moved:
            sums = np.concatenate([sums + value, sums - value])
        return int((np.abs(sums) >= bar).sum()) / sums.size
    return (_random_hits(moved, bar, seed, rounds) + 1) / (rounds + 1)


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Family-wise adjusted p values (Holm 1979), in the order given."""
    for name, p in p_values.items():
        if not 0.0 <= p <= 1.0:
            raise InvalidInput(f"p of {name!r} is {p}", where=name, remedy="A p value lies in 0..1.")
    adjusted: dict[str, float] = {}
    highest = 0.0
    ordered = sorted(p_values.items(), key=lambda item: item[1])
    for left, (name, p) in zip(range(len(ordered), 0, -1), ordered, strict=True):
        highest = max(highest, min(1.0, left * p))
        adjusted[name] = highest
    return {name: adjusted[name] for name in p_values}


def cluster_differences(
    differences: Sequence[float], clusters: Sequence[str]
) -> tuple[ClusterDifference, ...]:
    """Each cluster's number of pairs and mean difference, by name."""
    numbers = checked_values(differences)
    _check_lengths(len(numbers), len(numbers), len(clusters))
    groups: dict[str, list[float]] = {}
    for value, cluster in zip(numbers, clusters, strict=True):
        groups.setdefault(cluster, []).append(value)
    return tuple(
        ClusterDifference(name, len(group), math.fsum(group) / len(group))
        for name, group in sorted(groups.items())
    )


def same_sign(differences: Sequence[float], clusters: Sequence[str]) -> bool:
    """Whether the mean difference of every cluster is strictly positive, or of every one strictly negative.

    Five clusters alone cannot give p < .06 this way (2 / 2**5), so it stands beside a test, not for one.
    """
    means = [row.difference for row in cluster_differences(differences, clusters)]
    return all(mean > 0.0 for mean in means) or all(mean < 0.0 for mean in means)


def smallest_detectable_share(n: int, discordant_share: float) -> float | None:
    """The smallest difference of two paired shares that n pairs show at alpha .05, two-sided, power .8.

    The sample size formula of McNemar's test, n = (z_a √ψ + z_b √(ψ - d²))² / d² (Connor 1987), solved for d;
    ψ is the share of discordant pairs. None where no difference could be shown: d would exceed ψ, or fewer
    than six discordant pairs are expected, with which the exact test cannot reach .05.
    """
    _check_n(n)
    if not 0.0 <= discordant_share <= 1.0:
        raise InvalidInput(
            f"Discordant share {discordant_share}", where="discordant_share", remedy="Give a share in 0..1."
        )
    # Rounded, for 0.06 * 100 must count as six pairs.
    if round(n * discordant_share, 6) < _FEWEST_DISCORDANT:
        return None
    z_a, z_b = NormalDist().inv_cdf(1.0 - ALPHA / 2.0), NormalDist().inv_cdf(POWER)
    root = math.sqrt(n) * z_a + z_b * math.sqrt(n + z_b * z_b - z_a * z_a)
    difference = math.sqrt(discordant_share) * root / (n + z_b * z_b)
    return difference if difference <= discordant_share else None


def smallest_detectable_mean(n: int, standard_deviation: float) -> float | None:
    """The smallest mean paired difference that n pairs show at alpha .05, two-sided, power .8.

    (t_{.975} + t_{.8}) · sd / √n with n - 1 degrees of freedom, the usual approximation to the noncentral
    t (Zar, Biostatistical Analysis, paired t test). None with one pair, or where the differences do not vary.
    """
    _check_n(n)
    if not (standard_deviation >= 0.0 and math.isfinite(standard_deviation)):
        raise InvalidInput(
            f"Standard deviation {standard_deviation}",
            where="standard_deviation",
            remedy="Give a finite number of 0 or more.",
        )
    if n < 2 or standard_deviation == 0.0:
        return None
    quantiles = t_quantile(1.0 - ALPHA / 2.0, n - 1) + t_quantile(POWER, n - 1)
    return quantiles * standard_deviation / math.sqrt(n)


def _random_hits(moved: NDArray[np.float64], bar: float, seed: int, rounds: int) -> int:
    # Raw words of PCG64 are the same in every numpy version; streams of Generator methods may change.
    source = np.random.PCG64(seed)
    words = -(-moved.size // 64)
    step = max(1, _CELLS // (words * 64))
    total = float(moved.sum())
    hits = 0
    for start in range(0, rounds, step):
        rows = min(step, rounds - start)
        raw = source.random_raw(rows * words).astype("<u8").reshape(rows, words)
        bits = np.unpackbits(raw.view(np.uint8), axis=1)[:, : moved.size]
        sums = 2.0 * (bits @ moved) - total
        hits += int((np.abs(sums) >= bar).sum())
    return hits


def _standard_deviation(values: Sequence[float]) -> float:
    n = len(values)
    if n < 2:
        return 0.0
    mean = math.fsum(values) / n
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (n - 1))


def _check_lengths(a: int, b: int, clusters: int) -> None:
    if not a == b == clusters:
        raise InvalidInput(
            f"{a} and {b} values with {clusters} cluster names",
            where="compare",
            remedy="Give both systems' values and the cluster of the same questions, in the same order.",
        )


def _check_n(n: int) -> None:
    if n < 1:
        raise InvalidInput(f"{n} pairs", where="n", remedy="Give at least one pair.")
