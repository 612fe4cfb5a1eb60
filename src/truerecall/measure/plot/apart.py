"""Shares on both sides of a middle: what one judge alone said, and what the other alone said."""

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
from truerecall.measure.plot.palette import INK, colour
from truerecall.measure.plot.svg import Markup, element, joined

MIDDLE = WIDTH / 2.0
"""Where 0 lies."""

_HALF = MIDDLE - 60.0
_ROW = 48.0
_BAR = 14.0
_STEPS = (0.1, 0.2, 0.5, 1.0)


@dataclass(frozen=True, slots=True)
class Apart:
    """One row: a share to the left, one to the right, and a word beside its name."""

    label: str
    left: float
    right: float
    note: str = ""


def apart_bars(rows: Sequence[Apart], title: str) -> str:
    """Bars to both sides of a middle line, on one scale that fits the largest share; figures in points.

    Raises:
        InvalidInput: no rows, or a share outside 0..1.
    """
    _check(rows)
    largest = max(max(row.left, row.right) for row in rows)
    end = next(step for step in _STEPS if largest <= step)
    top, begin = heading(title)
    bottom = begin + _ROW * len(rows) + 4.0
    grid = [
        joined(grid_line(x, begin, x, bottom), words(x, bottom + 18.0, text, anchor="middle", muted=True))
        for x, text in (
            (MIDDLE - _HALF, f"{end:.0%}"),
            (MIDDLE, "0"),
            (MIDDLE + _HALF, f"{end:.0%}"),
        )
    ]
    drawn = [_row(row, begin + place * _ROW, end) for place, row in enumerate(rows)]
    axis = element(
        "line", {"x1": MIDDLE, "y1": begin, "x2": MIDDLE, "y2": bottom, "stroke": INK, "stroke-width": 1.0}
    )
    told = description((row.label, _worded(row)) for row in rows)
    return figure(bottom + 30.0, title, told, top, *grid, *drawn, axis)


def _row(row: Apart, top: float, end: float) -> Markup:
    left, right = row.left / end * _HALF, row.right / end * _HALF
    y = top + 24.0
    note = [words(WIDTH - MARGIN, top + 17.0, row.note, anchor="end", weight="600")] if row.note else []
    return element(
        "g",
        {},
        element("title", {}, f"{row.label}: {', '.join(_worded(row))}"),
        words(MARGIN, top + 17.0, shortened(row.label, WIDTH - 2 * MARGIN - 90.0)),
        *note,
        element("rect", {"x": MIDDLE - left, "y": y, "width": left, "height": _BAR, "fill": colour(0)}),
        element("rect", {"x": MIDDLE, "y": y, "width": right, "height": _BAR, "fill": colour(1)}),
        words(MIDDLE - left - 6.0, y + _BAR - 2.0, f"{100 * row.left:.1f}", anchor="end"),
        words(MIDDLE + right + 6.0, y + _BAR - 2.0, f"{100 * row.right:.1f}"),
    )


def _worded(row: Apart) -> tuple[str, ...]:
    told = (f"{100 * row.left:.1f} to the left", f"{100 * row.right:.1f} to the right")
    return (*told, row.note) if row.note else told


def _check(rows: Sequence[Apart]) -> None:
    if not rows:
        raise InvalidInput("There is nothing to draw", where="apart_bars", remedy="Leave the plot out.")
    for row in rows:
        if not (0.0 <= row.left <= 1.0 and 0.0 <= row.right <= 1.0):
            raise InvalidInput(
                f"{row.label!r} has the shares {row.left} and {row.right}",
                where="apart_bars",
                remedy="Plot shares within 0..1.",
            )
