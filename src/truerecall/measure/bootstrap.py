"""The bootstrap by conversation: how far a mean moves if other conversations of the kind had been measured."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from truerecall.errors import InvalidInput
from truerecall.measure.intervals import CONFIDENCE, Bounds, checked_values

ROUNDS = 10_000

_EXACT_UP_TO = 6  # clusters: 46,656 draws are enumerated
_CELLS = 4_000_000  # drawn indices held at once


def bootstrap_interval(
    values: Sequence[float],
    clusters: Sequence[str],
    seed: int,
    rounds: int = ROUNDS,
    confidence: float = CONFIDENCE,
) -> Bounds | None:
    """The percentile interval of the mean of ``values`` if whole clusters are drawn again.

    As many clusters as there are, with replacement (Davison & Hinkley 1997, section 3.8); the mean is that of all
    drawn values, so that a long conversation weighs what it weighs in the mean itself. Up to six clusters every draw is
    counted, above ``rounds`` random ones. With few clusters it is too narrow: print their number beside it. None with
    fewer than two.

    Args:
        values: A number a question, such as the difference of two systems on it.
        clusters: The conversation of each.
        seed: Of the draws; the same seed gives the same interval.
        rounds: How many random draws.
        confidence: Of the interval, such as 0.95.
    """
    numbers = checked_values(values)
    if len(numbers) != len(clusters) or rounds < 1 or not 0.0 < confidence < 1.0:
        raise InvalidInput(
            f"{len(numbers)} values, {len(clusters)} cluster names, {rounds} rounds, confidence {confidence}",
            where="bootstrap_interval",
            remedy="Give the cluster of every value, at least one round, and a share such as 0.95.",
        )
    names = sorted(set(clusters))
    if len(names) < 2:
        return None
    place = {name: number for number, name in enumerate(names)}
    sums, counts = np.zeros(len(names)), np.zeros(len(names))
    for value, cluster in zip(numbers, clusters, strict=True):
        sums[place[cluster]] += value
        counts[place[cluster]] += 1.0
    means = _every(sums, counts) if len(names) <= _EXACT_UP_TO else _random(sums, counts, seed, rounds)
    means.sort()
    tail = (1.0 - confidence) / 2.0
    last = means.size - 1
    # Nearest rank from either end, so that the interval of the negated values is the negated interval.
    skipped = min(int(tail * means.size), last // 2)
    return Bounds(float(means[skipped]), float(means[last - skipped]))


def _every(sums: NDArray[np.float64], counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean of every draw, each equally likely."""
    draws = np.indices((sums.size,) * sums.size).reshape(sums.size, -1)
    return np.asarray(sums[draws].sum(axis=0) / counts[draws].sum(axis=0))


def _random(
    sums: NDArray[np.float64], counts: NDArray[np.float64], seed: int, rounds: int
) -> NDArray[np.float64]:
    # Raw words of PCG64 are the same in every numpy version; streams of Generator methods may change.
    source = np.random.PCG64(seed)
    step = max(1, _CELLS // sums.size)
    means = np.empty(rounds)
    for start in range(0, rounds, step):
        rows = min(step, rounds - start)
        raw = source.random_raw(rows * sums.size) >> np.uint64(32)
        # The upper half of a word times G, shifted back: as even as G in 2^32.
        drawn = ((raw * np.uint64(sums.size)) >> np.uint64(32)).astype(np.intp).reshape(rows, sums.size)
        means[start : start + rows] = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    return means
