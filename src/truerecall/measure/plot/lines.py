"""Lines over a logarithmic axis, as curves and latencies by size have them."""

import math
from collections.abc import Sequence

from truerecall.measure.plot.palette import colour, dash, marker
from truerecall.measure.plot.svg import Markup, element, joined

Point = tuple[float, float]


def stroke(index: int, points: Sequence[Point], paint: str = "") -> Markup:
    """The line of the index-th series through at least two points; ``paint`` is another colour than its own."""
    attributes: dict[str, str | float] = {
        "points": corners(points),
        "fill": "none",
        "stroke": paint or colour(index),
        "stroke-width": 2.0,
    }
    if dash(index):
        attributes["stroke-dasharray"] = dash(index)
    return element("polyline", attributes)


def band(index: int, upper: Sequence[Point], lower: Sequence[Point]) -> Markup:
    """The pale area between two lines of the index-th series."""
    return element(
        "polygon",
        {"points": corners([*upper, *reversed(lower)]), "fill": colour(index), "fill-opacity": "0.16"},
    )


def sign(index: int, x: float, y: float, paint: str = "") -> Markup:
    """A piece of the index-th line with its marker, for a legend."""
    return joined(stroke(index, [(x - 14.0, y), (x + 14.0, y)], paint), marker(index, x, y, paint=paint))


def spread(xs: Sequence[float], order: Sequence[int], apart: float) -> list[int]:
    """Places of the labels that fit under an axis, taken in ``order``; rising."""
    chosen: list[int] = []
    for at in order:
        if all(abs(xs[at] - xs[other]) >= apart for other in chosen):
            chosen.append(at)
    return sorted(chosen)


def corners(points: Sequence[Point]) -> str:
    """Points on the grid of two decimals, as an attribute holds them."""
    return " ".join(f"{x:.2f},{y:.2f}" for x, y in points)


def along(value: float, low: float, high: float, start: float, end: float) -> float:
    """Where ``value`` lies between ``start`` and ``end`` on a logarithmic axis from ``low`` to ``high``."""
    if low == high:
        return (start + end) / 2.0
    return start + math.log(value / low) / math.log(high / low) * (end - start)


def is_round(value: float) -> bool:
    """Whether it is 1, 2 or 5 times a power of ten."""
    return f"{value:e}".split("e")[0].rstrip("0").rstrip(".") in ("1", "2", "5")
