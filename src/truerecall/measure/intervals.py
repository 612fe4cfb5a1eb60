"""95 % intervals: Wilson for shares, Student t for means, and a cluster-robust one for conversations."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from truerecall.errors import InvalidInput
from truerecall.measure.student import t_quantile

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Bounds:
    """Both ends of an interval."""

    low: float
    high: float


def wilson(successes: int, n: int, confidence: float = CONFIDENCE) -> Bounds:
    """The score interval of a share (Wilson 1927), for independent trials; within 0..1 at any n.

    Raises:
        InvalidInput: no trials, or more successes than trials.
    """
    if n < 1 or not 0 <= successes <= n:
        raise InvalidInput(
            f"{successes} successes of {n}",
            where="wilson",
            remedy="Give at least one trial and no more successes than trials.",
        )
    z = NormalDist().inv_cdf(0.5 + _checked(confidence) / 2.0)
    share = successes / n
    scale = 1.0 + z * z / n
    centre = (share + z * z / (2.0 * n)) / scale
    half = z / scale * math.sqrt(share * (1.0 - share) / n + z * z / (4.0 * n * n))
    # At the ends the formula gives 0 and 1 exactly; rounding must not leave the range.
    return Bounds(
        0.0 if successes == 0 else max(0.0, centre - half),
        1.0 if successes == n else min(1.0, centre + half),
    )


def mean_interval(values: Sequence[float], confidence: float = CONFIDENCE) -> Bounds | None:
    """The interval of the mean of independent questions: Wilson if all values are 0 or 1, else Student t.

    The t interval is not clipped to the metric's range. None for a single value that is neither 0 nor 1.
    """
    numbers = checked_values(values)
    if is_binary(numbers):
        return wilson(sum(1 for value in numbers if value == 1.0), len(numbers), confidence)
    return student_interval(numbers, confidence)


def student_interval(values: Sequence[float], confidence: float = CONFIDENCE) -> Bounds | None:
    """Student's t interval of the mean of independent amounts (tokens, milliseconds); None for a single one."""
    numbers = checked_values(values)
    n = len(numbers)
    if n < 2:
        return None
    mean = math.fsum(numbers) / n
    variance = math.fsum((value - mean) ** 2 for value in numbers) / (n - 1)
    return _around(mean, math.sqrt(variance / n), n - 1, confidence)


def clustered_interval(
    values: Sequence[float], clusters: Sequence[str], confidence: float = CONFIDENCE
) -> Bounds | None:
    """The interval of the mean of questions that come in clusters (the conversations they are asked of).

    Linearised cluster-robust standard error with the factor G/(G-1) (Liang & Zeger 1986; Cameron & Miller
    2015, section II), t with G-1 degrees of freedom, not clipped. With few clusters (below about 30) such an
    interval covers the truth less often than it says: print G beside it. None with fewer than two clusters.
    """
    error = clustered_error(values, clusters)
    if error is None:
        return None
    return _around(math.fsum(values) / len(values), error, len(set(clusters)) - 1, confidence)


def clustered_error(values: Sequence[float], clusters: Sequence[str]) -> float | None:
    """The cluster-robust standard error of the mean; None with fewer than two clusters."""
    numbers = checked_values(values)
    if len(numbers) != len(clusters):
        raise InvalidInput(
            f"{len(numbers)} values but {len(clusters)} cluster names",
            where="clusters",
            remedy="Give the cluster of every value, in the same order.",
        )
    n = len(numbers)
    mean = math.fsum(numbers) / n
    residuals: dict[str, list[float]] = {}
    for value, cluster in zip(numbers, clusters, strict=True):
        residuals.setdefault(cluster, []).append(value - mean)
    count = len(residuals)
    if count < 2:
        return None
    squares = math.fsum(math.fsum(rest) ** 2 for rest in residuals.values())
    return math.sqrt(count / (count - 1) * squares) / n


def checked_values(values: Sequence[float]) -> list[float]:
    """The values as floats; ``InvalidInput`` if there are none or one is not finite."""
    numbers = [float(value) for value in values]
    if not numbers:
        raise InvalidInput(
            "There are no values", where="values", remedy="Print “no data” and its reason instead."
        )
    if not all(math.isfinite(value) for value in numbers):
        raise InvalidInput(
            "A value is not a finite number",
            where="values",
            remedy="Leave that question out and count it among what was left out.",
        )
    return numbers


def is_binary(values: Sequence[float]) -> bool:
    """Whether every value is 0 or 1."""
    return all(value in (0.0, 1.0) for value in values)


def _around(mean: float, error: float, degrees: int, confidence: float) -> Bounds:
    half = t_quantile(0.5 + _checked(confidence) / 2.0, degrees) * error
    return Bounds(mean - half, mean + half)


def _checked(confidence: float) -> float:
    if 0.0 < confidence < 1.0:
        return confidence
    raise InvalidInput(f"Confidence {confidence}", where="confidence", remedy="Use a share such as 0.95.")
