"""Percentiles of latency."""

import math
from collections.abc import Sequence
from fractions import Fraction

from truerecall.errors import InvalidInput
from truerecall.measure.intervals import checked_values


def percentile(values: Sequence[float], q: float) -> float:
    """The q-th percentile (0..100) by nearest rank: the ceil(q/100 · n)-th smallest value; for 0 the first.

    Always a value that was measured, never one between two; p95 of fewer than 20 values is their maximum.
    """
    numbers = sorted(checked_values(values))
    if not 0.0 <= q <= 100.0:
        raise InvalidInput(f"Percentile {q}", where="q", remedy="Use 0 to 100, such as 50 or 95.")
    # As a fraction of its decimal form: 99.9 / 100 * 1000 in floats may round up to the next rank.
    rank = math.ceil(Fraction(str(q)) * len(numbers) / 100)
    return numbers[max(rank, 1) - 1]
