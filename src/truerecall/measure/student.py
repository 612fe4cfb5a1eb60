"""Student's t distribution, so that intervals need no scipy at run time."""

import math
from functools import lru_cache

from truerecall.errors import InvalidInput

_TINY = 1e-300
_TERMS = 100_000  # the fraction converges in O(sqrt(max(a, b))) terms; 1e6 degrees of freedom need under 100


def incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function I_x(a, b), for a, b > 0 and 0 <= x <= 1."""
    if not (a > 0.0 and b > 0.0 and 0.0 <= x <= 1.0):
        raise InvalidInput(
            f"I_x(a, b) with a={a}, b={b}, x={x}",
            where="incomplete_beta",
            remedy="Use positive a and b, and x between 0 and 1.",
        )
    return _beta_ratio(a, b, x, 1.0 - x)


def t_cdf(t: float, degrees: float) -> float:
    """P(T <= t) for Student's t with ``degrees`` > 0 degrees of freedom."""
    _check_degrees(degrees)
    if t == 0.0:
        return 0.5
    tail = _upper_tail(abs(t), degrees)
    return 1.0 - tail if t > 0.0 else tail


@lru_cache(maxsize=4_096)
def t_quantile(probability: float, degrees: float) -> float:
    """The t with P(T <= t) = ``probability``, strictly between 0 and 1; by bisection, to the last bits."""
    _check_degrees(degrees)
    if not 0.0 < probability < 1.0:
        raise InvalidInput(
            f"Probability {probability}", where="t_quantile", remedy="Use one strictly between 0 and 1."
        )
    if probability == 0.5:
        return 0.0
    tail = min(probability, 1.0 - probability)
    low, high = 0.0, 1.0
    while _upper_tail(high, degrees) > tail:
        low, high = high, 2.0 * high
    while True:
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        if _upper_tail(middle, degrees) > tail:
            low = middle
        else:
            high = middle
    return high if probability > 0.5 else -high


def _upper_tail(t: float, degrees: float) -> float:
    # x and 1 - x are each formed without a subtraction, so the smaller one keeps all its digits.
    square = t * t
    whole = degrees + square
    return 0.5 * _beta_ratio(0.5 * degrees, 0.5, degrees / whole, square / whole)


def _beta_ratio(a: float, b: float, x: float, y: float) -> float:
    """I_x(a, b) with y = 1 - x given apart; by its continued fraction (Abramowitz & Stegun 26.5.8)."""
    if x == 0.0 or y == 0.0:
        return 0.0 if x == 0.0 else 1.0
    front = math.exp(a * _log(x, y) + b * _log(y, x) - _log_beta(a, b))
    # Each side converges fast on its own half only.
    if x < (a + 1.0) / (a + b + 2.0):
        return front * _fraction(a, b, x) / a
    return 1.0 - front * _fraction(b, a, y) / b


def _log(value: float, complement: float) -> float:
    return math.log1p(-complement) if value > 0.5 else math.log(value)


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of I_x(a, b) by the modified Lentz method."""
    c = 1.0
    d = 1.0 / _away_from_zero(1.0 - (a + b) * x / (a + 1.0))
    value = d
    for m in range(1, _TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m))
        d = 1.0 / _away_from_zero(1.0 + even * d)
        c = _away_from_zero(1.0 + even / c)
        value *= d * c
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0))
        d = 1.0 / _away_from_zero(1.0 + odd * d)
        c = _away_from_zero(1.0 + odd / c)
        step = d * c
        value *= step
        if abs(step - 1.0) < 1e-16:
            break
    return value


def _away_from_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY


def _log_beta(a: float, b: float) -> float:
    large, small = max(a, b), min(a, b)
    if large < 1e3:
        return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    # lgamma of a large argument has lost the digits of the difference; Stirling's series keeps them.
    whole = large + small
    return (
        math.lgamma(small)
        + _stirling_rest(large)
        - _stirling_rest(whole)
        - (large - 0.5) * math.log1p(small / large)
        - small * math.log(whole)
        + small
    )


def _stirling_rest(z: float) -> float:
    return 1.0 / (12.0 * z) - 1.0 / (360.0 * z**3) + 1.0 / (1260.0 * z**5)


def _check_degrees(degrees: float) -> None:
    if not degrees > 0.0:
        raise InvalidInput(f"{degrees} degrees of freedom", where="degrees", remedy="Use a number above 0.")
