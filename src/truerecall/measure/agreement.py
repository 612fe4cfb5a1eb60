"""How far two judges of the same answers agree."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from truerecall.errors import InvalidInput
from truerecall.measure.intervals import CONFIDENCE, Bounds


@dataclass(frozen=True, slots=True)
class Kappa:
    """Agreement beyond chance."""

    value: float
    """1 is full agreement, 0 what chance gives to judges of these shares; negative below it."""
    interval: Bounds
    """95 %, for independent questions; within -1..1."""


def cohens_kappa(a: Sequence[bool], b: Sequence[bool], confidence: float = CONFIDENCE) -> Kappa | None:
    """Cohen's κ of two judges' verdicts on the same answers, in the same order (Cohen 1960).

    The interval is κ ± z · se with the large-sample standard error of a κ that is not 0 (Fleiss, Cohen & Everitt
    1969, equation 13), cut to -1..1; with few questions it covers the truth less often than it says.

    None where a judge is constant: chance then explains everything, and κ would be 0 or 0/0 however often they agree.

    Raises:
        InvalidInput: no verdicts, or not as many of each.
    """
    if not a or len(a) != len(b):
        raise InvalidInput(
            f"{len(a)} and {len(b)} verdicts",
            where="cohens_kappa",
            remedy="Give both judges' verdicts on the same answers, at least one.",
        )
    n = len(a)
    if len(set(a)) == 1 or len(set(b)) == 1:
        return None
    share = {
        (x, y): sum(1 for pair in zip(a, b, strict=True) if pair == (x, y)) / n
        for x in (False, True)
        for y in (False, True)
    }
    of_a = {x: share[x, False] + share[x, True] for x in (False, True)}
    of_b = {y: share[False, y] + share[True, y] for y in (False, True)}
    observed = share[False, False] + share[True, True]
    expected = of_a[False] * of_b[False] + of_a[True] * of_b[True]
    kappa = (observed - expected) / (1.0 - expected)
    agreed = sum(share[x, x] * (1.0 - (of_a[x] + of_b[x]) * (1.0 - kappa)) ** 2 for x in (False, True))
    apart = sum(share[x, not x] * (of_b[x] + of_a[not x]) ** 2 for x in (False, True))
    spread = agreed + (1.0 - kappa) ** 2 * apart - (kappa - expected * (1.0 - kappa)) ** 2
    # Full agreement has no spread; rounding may leave a little below 0.
    error = math.sqrt(max(0.0, spread) / n) / (1.0 - expected)
    half = NormalDist().inv_cdf(0.5 + confidence / 2.0) * error
    return Kappa(kappa, Bounds(max(-1.0, kappa - half), min(1.0, kappa + half)))


def within_points(correct_a: int, correct_b: int, n: int, points: int) -> bool:
    """Whether two shares of the same n differ by at most so many points; in integers, and False where n is 0."""
    if n < 0 or not 0 <= correct_a <= n or not 0 <= correct_b <= n:
        raise InvalidInput(
            f"{correct_a} and {correct_b} of {n}",
            where="within_points",
            remedy="Give counts of the same questions.",
        )
    return n > 0 and 100 * abs(correct_a - correct_b) <= points * n
