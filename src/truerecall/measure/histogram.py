"""Percentiles of a stream of numbers in bounded memory."""

import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from truerecall.errors import InvalidInput

ACCURACY = 0.001
"""How far a percentile may lie from the number at its rank, relative to that number."""

_GROWTH = (1 + ACCURACY) / (1 - ACCURACY)  # of a bucket's upper end over its lower one
_LEAST, _MOST = 1e-9, 1e12  # outside of which numbers share a bucket: some 24,000 buckets at most


@dataclass(frozen=True, slots=True)
class Distribution:
    """How numbers are spread."""

    n: int
    """How many there are; of none, the others are 0."""
    least: float
    median: float
    """Like ``p95`` by nearest rank, within 0.1 %."""
    p95: float
    most: float


class Histogram:
    """Counts of numbers from 0 in buckets of logarithmic width.

    Nothing is sampled, so the order of the numbers does not matter and the same numbers give the same percentiles.
    """

    def __init__(self) -> None:
        self._buckets: Counter[int | None] = Counter()
        self._n = 0
        self._least, self._most = math.inf, 0.0

    def add(self, value: float) -> None:
        """Count a finite number that is not negative; ``InvalidInput`` for any other."""
        if not 0.0 <= value < math.inf:
            raise InvalidInput(f"{value!r} cannot be counted", remedy="Give a finite number from 0.")
        self._n += 1
        self._least, self._most = min(self._least, value), max(self._most, value)
        self._buckets[_bucket(value)] += 1

    def __len__(self) -> int:
        """Buckets in use: the room that it takes."""
        return len(self._buckets)

    def percentile(self, q: float) -> float:
        """The q-th percentile (0..100) by nearest rank, within ``ACCURACY``; 0 of no numbers."""
        if not 0.0 <= q <= 100.0:
            raise InvalidInput(f"Percentile {q}", where="q", remedy="Use 0 to 100, such as 50 or 95.")
        if self._n == 0:
            return 0.0
        left = max(math.ceil(Fraction(str(q)) * self._n / 100), 1)
        for bucket in sorted(self._buckets, key=_order):
            left -= self._buckets[bucket]
            if left <= 0:
                return min(max(_middle(bucket), self._least), self._most)
        raise AssertionError("the counts add up to n")

    def distribution(self) -> Distribution:
        """Of all numbers so far."""
        if self._n == 0:
            return Distribution(0, 0.0, 0.0, 0.0, 0.0)
        return Distribution(self._n, self._least, self.percentile(50), self.percentile(95), self._most)


def _bucket(value: float) -> int | None:
    """The bucket from γ^(k-1), without it, to γ^k; None for what is next to nothing."""
    if value < _LEAST:
        return None
    return math.ceil(math.log(min(value, _MOST), _GROWTH))


def _order(bucket: int | None) -> float:
    return -math.inf if bucket is None else bucket


def _middle(bucket: int | None) -> float:
    """The number that is off by the same share from both ends of a bucket."""
    return 0.0 if bucket is None else 2.0 * _GROWTH**bucket / (_GROWTH + 1.0)
