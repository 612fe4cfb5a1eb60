"""Whether something that was changed is no worse than before, by more than a margin: the arithmetic of a gate.

Differences are paired, after less before, of figures in 0..1; a margin is the drop that is put up with.
"""

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Literal

from truerecall.errors import InvalidInput
from truerecall.measure.comparing import ALPHA, POWER
from truerecall.measure.intervals import CONFIDENCE, Bounds, checked_values, clustered_interval

_FURTHEST = 1e3  # half widths in a gap: as many questions as a million times n are none

Verdict = Literal[
    "pass",  # the interval lies above -margin as a whole
    "regressed",  # a drop of more than the margin is shown
    "cannot tell",  # neither: more questions are needed
]


def decide(difference: float, bounds: Bounds, margin: float, p: float) -> Verdict:
    """The verdict of one figure.

    ``pass``: ``bounds.low >= -margin``. ``regressed``: ``bounds.high < -margin``, or the difference itself is below
    ``-margin`` and its p (two-sided, adjusted for the rows that are looked at) below .05. Else ``cannot tell``.

    Raises:
        InvalidInput: the margin is negative or not finite, or the difference lies outside its interval.
    """
    if not (math.isfinite(margin) and margin >= 0.0):
        raise InvalidInput(
            f"A margin of {margin}", where="margin", remedy="Use a finite number of 0 or more."
        )
    if not bounds.low <= difference <= bounds.high:
        raise InvalidInput(
            f"{difference} is not within {bounds.low} to {bounds.high}",
            where="decide",
            remedy="Give a difference with the interval that is its own.",
        )
    if bounds.low >= -margin:
        return "pass"
    if bounds.high < -margin or (difference < -margin and p < ALPHA):
        return "regressed"
    return "cannot tell"


def paired_interval(
    differences: Sequence[float], clusters: Sequence[str], confidence: float = CONFIDENCE
) -> Bounds:
    """The interval that a gate goes by: the wider end, on each side, of two.

    One is the score interval over questions (``score_interval``; a difference of .3 counts as three tenths of a
    question, which is wider than a t interval, for no difference exceeds 1). The other is clustered by conversation,
    where there are two or more.
    """
    numbers = checked_values(differences)
    if any(abs(value) > 1.0 for value in numbers):
        raise InvalidInput(
            "A difference exceeds 1", where="differences", remedy="Give differences of figures in 0..1."
        )
    gained = math.fsum(value for value in numbers if value > 0.0)
    lost = math.fsum(-value for value in numbers if value < 0.0)
    bounds = score_interval(gained, lost, len(numbers), confidence)
    clustered = clustered_interval(numbers, clusters, confidence)
    if clustered is None:
        return bounds
    return Bounds(min(bounds.low, clustered.low), max(bounds.high, clustered.high))


def score_interval(gained: float, lost: float, n: int, confidence: float = CONFIDENCE) -> Bounds:
    """The score interval of the difference of two paired shares, (gained - lost) / n (Tango 1998).

    It keeps what it says also where few or no pairs differ: of n pairs without one that differs it is not a point,
    for the next n may hold some. Counts may be fractions.
    """
    if n < 1 or min(gained, lost) < 0.0 or gained + lost > n * (1.0 + 1e-12):
        raise InvalidInput(
            f"{gained} gained and {lost} lost of {n}",
            where="score_interval",
            remedy="Give at least one pair, and no more that differ than there are.",
        )
    if not 0.0 < confidence < 1.0:
        raise InvalidInput(f"Confidence {confidence}", where="confidence", remedy="Use a share such as 0.95.")
    z = NormalDist().inv_cdf(0.5 + confidence / 2.0)
    # The mirror of itself: what is gained by one is lost by the other.
    return Bounds(_lower(gained, lost, n, z), -_lower(lost, gained, n, z))


def pairs_needed(n: int, difference: float, bounds: Bounds, margin: float) -> int | None:
    """About how many questions could tell, with power .8, were difference and spread to stay what they are.

    The width of an interval falls with the root of n. None where no number could, for the difference lies on
    ``-margin`` itself or next to it, or where n could tell already.
    """
    gap = difference + margin
    half = difference - bounds.low if gap > 0.0 else bounds.high - difference
    if half <= abs(gap) or half > _FURTHEST * abs(gap):
        return None
    normal = NormalDist()
    power = 1.0 + normal.inv_cdf(POWER) / normal.inv_cdf(1.0 - ALPHA / 2.0)
    return math.ceil(n * (half / abs(gap) * power) ** 2)


def _lower(gained: float, lost: float, n: int, z: float) -> float:
    """Where the score statistic of a difference equals z, by bisection."""
    low, high = -1.0, (gained - lost) / n
    for _ in range(80):
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        if gained - lost - n * middle > z * math.sqrt(n * _variance(gained, lost, n, middle)):
            low = middle
        else:
            high = middle
    return low


def _variance(gained: float, lost: float, n: int, difference: float) -> float:
    """Of one pair's difference, where the share that is lost is the likeliest that agrees with ``difference``."""
    b = (2.0 * n - gained + lost) * difference - gained - lost
    c = -lost * difference * (1.0 - difference)
    share = (math.sqrt(max(0.0, b * b - 8.0 * n * c)) - b) / (4.0 * n)
    return max(0.0, 2.0 * share + difference * (1.0 - difference))
