"""Percentiles of a stream of numbers in bounded memory."""

import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from truerecall.errors import InvalidInput

ACCURACY = 0.001
"""How far a percentile of many numbers may lie from the one at its rank, relative to that."""
MOST_EXACT = 1000
"""Different numbers up to which percentiles are exact."""

_GROWTH = (1 + ACCURACY) / (1 - ACCURACY)  # of a bucket's upper end over its lower one
_LEAST, _MOST = 1e-9, 1e12  # outside of which numbers share a bucket: some 24,000 buckets at most


@dataclass(frozen=True, slots=True)
class Distribution:
    """How numbers are spread."""

    n: int
    """How many there are; of none, the others are 0."""
    least: float
    median: float
    """Like ``p95`` by nearest rank, as ``Histogram.percentile`` gives it."""
    p95: float
    most: float


class Histogram:
    """Counts of numbers from 0: exact up to a thousand different ones, then in buckets of logarithmic width.

    Nothing is sampled, so the order of the numbers does not matter and the same numbers give the same percentiles.
    """

    def __init__(self) -> None:
        self._numbers: Counter[float] = Counter()
        self._buckets: Counter[int | None] = Counter()
        self._n = 0
        self._least, self._most = math.inf, 0.0

    def add(self, value: float) -> None:
        """Count a finite number that is not negative; ``InvalidInput`` for any other."""
        if not 0.0 <= value < math.inf:
            raise InvalidInput(f"{value!r} cannot be counted", remedy="Give a finite number from 0.")
        self._n += 1
        self._least, self._most = min(self._least, value), max(self._most, value)
        if self._buckets:
            self._buckets[_bucket(value)] += 1
            return
        self._numbers[value] += 1
        if len(self._numbers) > MOST_EXACT:
            for number, count in self._numbers.items():
                self._buckets[_bucket(number)] += count
            self._numbers.clear()

    def __len__(self) -> int:
        """Different numbers, or buckets in use: the room that it takes."""
        return len(self._numbers) + len(self._buckets)

    def percentile(self, q: float) -> float:
        """The q-th percentile (0..100) by nearest rank, of many numbers within ``ACCURACY``; 0 of none."""
        if not 0.0 <= q <= 100.0:
            raise InvalidInput(f"Percentile {q}", where="q", remedy="Use 0 to 100, such as 50 or 95.")
        if self._n == 0:
            return 0.0
        left = max(math.ceil(Fraction(str(q)) * self._n / 100), 1)
        for number, count in self._counts():
            left -= count
            if left <= 0:
                return min(max(number, self._least), self._most)
        raise AssertionError("the counts add up to n")

    def distribution(self) -> Distribution:
        """Of all numbers so far."""
        if self._n == 0:
            return Distribution(0, 0.0, 0.0, 0.0, 0.0)
        return Distribution(self._n, self._least, self.percentile(50), self.percentile(95), self._most)

    def _counts(self) -> list[tuple[float, int]]:
        """Numbers with how often they came, the least first."""
        if self._numbers:
            return sorted(self._numbers.items())
        return sorted((_middle(bucket), count) for bucket, count in self._buckets.items())


def _bucket(value: float) -> int | None:
    """The bucket from γ^(k-1), without it, to γ^k; None for what is next to nothing."""
    if value < _LEAST:
        return None
    return math.ceil(math.log(min(value, _MOST), _GROWTH))


def _middle(bucket: int | None) -> float:
    """The number that is off by the same share from both ends of a bucket."""
    return 0.0 if bucket is None else 2.0 * _GROWTH**bucket / (_GROWTH + 1.0)
