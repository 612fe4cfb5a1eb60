"""Latency on a logarithmic axis: two percentiles a row."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from truerecall.errors import InvalidInput
from truerecall.measure.plot.frame import (
    MARGIN,
    WIDTH,
    description,
    figure,
    grid_line,
    heading,
    shortened,
    words,
)
from truerecall.measure.plot.palette import colour
from truerecall.measure.plot.svg import Markup, element, joined

LEFT, RIGHT = 40.0, WIDTH - 40.0
"""Where the lowest and the highest power of ten lie."""

_ROW = 50.0
_KEY = 26.0


@dataclass(frozen=True, slots=True)
class Latency:
    """Percentiles of one system, in milliseconds above 0."""

    label: str
    p50: float
    p95: float


def latency_dots(rows: Sequence[Latency], title: str) -> str:
    """A row a system: p50 filled, p95 hollow, a line between; the axis runs over whole powers of ten.

    Raises:
        InvalidInput: no rows, a time that is not above 0, or a p95 below its p50.
    """
    _check(rows)
    first = math.floor(math.log10(min(row.p50 for row in rows)))
    last = max(math.ceil(math.log10(max(row.p95 for row in rows))), first + 1)
    top, begin = heading(title)
    begin += _KEY
    bottom = begin + _ROW * len(rows)
    grid = [
        joined(
            grid_line(x, begin, x, bottom),
            words(x, bottom + 18.0, milliseconds(float(f"1e{power}")), anchor="middle", muted=True),
        )
        for power in range(first, last + 1)
        for x in [_x(power, (first, last))]
    ]
    drawn = [_row(row, begin + place * _ROW, (first, last)) for place, row in enumerate(rows)]
    name = words(WIDTH / 2.0, bottom + 38.0, "milliseconds, logarithmic", anchor="middle", muted=True)
    told = description((row.label, _worded(row)) for row in rows)
    return figure(bottom + 50.0, title, told, top, _key(begin - 18.0), *grid, *drawn, name)


def _row(row: Latency, top: float, powers: tuple[int, int]) -> Markup:
    middle, tail = (_x(math.log10(value), powers) for value in (row.p50, row.p95))
    figures = f"{milliseconds(row.p50)} / {milliseconds(row.p95)}"
    y = top + 34.0
    return element(
        "g",
        {},
        element("title", {}, f"{row.label}: {', '.join(_worded(row))}"),
        words(MARGIN, top + 17.0, shortened(row.label, WIDTH - 2 * MARGIN - 150.0)),
        words(WIDTH - MARGIN, top + 17.0, figures, anchor="end"),
        element(
            "line", {"x1": middle, "y1": y, "x2": tail, "y2": y, "stroke": colour(0), "stroke-width": 2.0}
        ),
        _hollow(tail, y),
        _filled(middle, y),
    )


def _x(power: float, powers: tuple[int, int]) -> float:
    """Where a power of ten lies on an axis between two of them."""
    first, last = powers
    return LEFT + (power - first) / (last - first) * (RIGHT - LEFT)


def _filled(x: float, y: float) -> Markup:
    return element("circle", {"cx": x, "cy": y, "r": 5.0, "fill": colour(0)})


def _hollow(x: float, y: float) -> Markup:
    return element(
        "circle", {"cx": x, "cy": y, "r": 5.5, "fill": "none", "stroke": colour(0), "stroke-width": 2.0}
    )


def _key(y: float) -> Markup:
    return joined(
        _filled(MARGIN + 6.0, y),
        words(MARGIN + 18.0, y + 5.0, "p50", muted=True),
        _hollow(MARGIN + 68.0, y),
        words(MARGIN + 80.0, y + 5.0, "p95", muted=True),
    )


def milliseconds(value: float) -> str:
    """Three significant digits without an exponent: 0.052, 7.31, 1,240."""
    decimals = max(0, 2 - math.floor(math.log10(value)))
    rounded = float(f"{value:.3g}")
    text = f"{rounded:,.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _worded(row: Latency) -> tuple[str, str]:
    return f"p50 {milliseconds(row.p50)} ms", f"p95 {milliseconds(row.p95)} ms"


def _check(rows: Sequence[Latency]) -> None:
    if not rows:
        raise InvalidInput("No latency to draw", where="latency_dots", remedy="Leave the plot out.")
    for row in rows:
        if not 0.0 < row.p50 <= row.p95 < math.inf:
            raise InvalidInput(
                f"{row.label!r} has p50 {row.p50} and p95 {row.p95}",
                where="latency_dots",
                remedy="Give milliseconds above 0, with p95 at least p50.",
            )
