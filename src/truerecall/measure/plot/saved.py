"""Shares saved: a bar to each side of nothing, with the single repeats as dots."""

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
from truerecall.measure.plot.palette import INK, colour
from truerecall.measure.plot.svg import Markup, element, joined

LEFT, RIGHT = 28.0, WIDTH - 28.0
LOWEST = -1.0
"""Where the axis ends at the latest on the side of what was dearer; beyond it an arrow stands."""

_ROW = 52.0
_SLIM = 28.0  # of a row with nothing to draw
_LABEL = 22.0  # of a row: the line of nothing keeps clear of its words
_BAR = 16.0
_STEP = 0.25


@dataclass(frozen=True, slots=True)
class Saved:
    """One row: a share that was saved (below 0: lost), with one share a repeat; or a word in place of the bar."""

    label: str
    value: float | None
    dots: tuple[float, ...] = ()
    word: str = ""
    """What stands where there is no value."""


def saved_bars(rows: Sequence[Saved], title: str) -> str:
    """A bar a row from 0 to the share, dots for the repeats, the share in figures; the axis fits what is drawn.

    Raises:
        InvalidInput: no rows, or a share that is not finite or above 1.
    """
    _check(rows)
    low, high = _axis([value for row in rows for value in (row.value, *row.dots) if value is not None])
    top, begin = heading(title)
    heights = [_SLIM if row.value is None and not row.dots else _ROW for row in rows]
    tops = [begin + sum(heights[:place]) for place in range(len(rows))]
    bottom = begin + sum(heights)
    steps = round((high - low) / _STEP)
    every = 1 if steps <= 6 else 2
    ticks = [low + place * _STEP for place in range(0, steps + 1, every)]
    grid = [
        joined(
            grid_line(x, begin, x, bottom),
            words(x, bottom + 18.0, percent(tick), anchor="middle", muted=True),
        )
        for tick in ticks
        for x in [_x(tick, low, high)]
    ]
    zero = _x(0.0, low, high)
    axis = joined(
        *(
            element(
                "line",
                {
                    "x1": zero,
                    "y1": y + _LABEL,
                    "x2": zero,
                    "y2": y + _ROW,
                    "stroke": INK,
                    "stroke-width": 1.5,
                },
            )
            for y, height in zip(tops, heights, strict=True)
            if height == _ROW
        )
    )
    drawn = [_row(row, y, low, high) for row, y in zip(rows, tops, strict=True)]
    told = description((row.label, _worded(row)) for row in rows)
    return figure(bottom + 30.0, title, told, top, *grid, *drawn, axis)


def percent(share: float) -> str:
    """A share in whole per cent, with a true minus."""
    whole = round(100 * share)
    return f"\N{MINUS SIGN}{-whole} %" if whole < 0 else f"{whole} %"


def _row(row: Saved, top: float, low: float, high: float) -> Markup:
    hint = element("title", {}, f"{row.label}: {', '.join(_worded(row))}")
    figures = percent(row.value) if row.value is not None else row.word
    room = WIDTH - 2 * MARGIN - 9.0 * len(figures)
    label = words(MARGIN, top + 17.0, shortened(row.label, room))
    said = words(
        WIDTH - MARGIN, top + 17.0, figures, anchor="end", weight="600" if row.value is not None else "400"
    )
    y = top + 25.0
    bar = []
    if row.value is not None:
        ends = sorted((_x(0.0, low, high), _x(max(row.value, low), low, high)))
        paint = colour(0) if row.value >= 0 else colour(1)
        bar.append(
            element("rect", {"x": ends[0], "y": y, "width": ends[1] - ends[0], "height": _BAR, "fill": paint})
        )
    return element(
        "g", {}, hint, label, said, *bar, *(_dot(dot, y + _BAR / 2.0, low, high) for dot in row.dots)
    )


def _dot(value: float, y: float, low: float, high: float) -> Markup:
    x = _x(max(value, low), low, high)
    hint = element("title", {}, percent(value))
    if value < low:
        points = f"{x - 6.0:.2f},{y:.2f} {x + 4.0:.2f},{y - 5.0:.2f} {x + 4.0:.2f},{y + 5.0:.2f}"
        return element("polygon", {"points": points, "fill": INK}, hint)
    ring: dict[str, str | float] = {"cx": x, "cy": y, "r": 4.5, "fill": INK, "stroke": "var(--paper, #fff)"}
    return element("circle", {**ring, "stroke-width": 1.5}, hint)


def _x(share: float, low: float, high: float) -> float:
    return LEFT + (share - low) / (high - low) * (RIGHT - LEFT)


def _axis(values: Sequence[float]) -> tuple[float, float]:
    low = max(LOWEST, min([0.0, *values]))
    high = max([_STEP, *values])
    return math.floor(low / _STEP) * _STEP, math.ceil(high / _STEP) * _STEP


def _worded(row: Saved) -> tuple[str, ...]:
    if row.value is None:
        return (row.word or "no saving",)
    repeats = (f"repeats {', '.join(map(percent, row.dots))}",) if row.dots else ()
    return (f"{percent(row.value)} saved", *repeats)


def _check(rows: Sequence[Saved]) -> None:
    if not rows:
        raise InvalidInput("There is nothing to draw", where="saved_bars", remedy="Leave the plot out.")
    for row in rows:
        for value in (row.value, *row.dots):
            if value is not None and not -math.inf < value <= 1.0:
                raise InvalidInput(
                    f"{row.label!r} has the share {value}",
                    where="saved_bars",
                    remedy="Plot finite shares of what was spent, at most 1.",
                )
