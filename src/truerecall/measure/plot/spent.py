"""Amounts by group and side: a bar to the median, with the single repeats as dots."""

import math
from collections.abc import Callable, Sequence
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

LEFT, RIGHT = 96.0, WIDTH - 84.0
"""Where nothing and the largest amount lie: names stand to the left, figures to the right."""

_GROUP = 28.0
_PITCH = 24.0
_BAR = 15.0
_GAP = 8.0


@dataclass(frozen=True, slots=True)
class Spent:
    """One side of a group."""

    label: str
    value: float | None
    """The length of the bar; None where a word stands in its place."""
    dots: tuple[float, ...] = ()
    word: str = ""
    colour: int = 0
    """Which of the palette: the same side has the same in every plot."""


@dataclass(frozen=True, slots=True)
class Group:
    """The sides of one question."""

    label: str
    rows: tuple[Spent, ...]


def spent_bars(groups: Sequence[Group], title: str, written: Callable[[float], str]) -> str:
    """Horizontal bars on one scale from 0; a word in place of a bar, dots for the repeats also there.

    Args:
        groups: A group a question.
        title: Above the plot.
        written: How an amount is written: ``$0.12``, ``12,300``.

    Raises:
        InvalidInput: nothing to draw, or an amount below 0.
    """
    largest = _check(groups)
    top, begin = heading(title)
    y = begin
    drawn = []
    for group in groups:
        drawn.append(words(MARGIN, y + 18.0, shortened(group.label, WIDTH - 2 * MARGIN), weight="600"))
        y += _GROUP
        for row in group.rows:
            drawn.append(_row(row, y, largest, written))
            y += _PITCH
        y += _GAP
    ticks = [largest * part / 4.0 for part in range(5)]
    grid = [
        joined(
            grid_line(x, begin, x, y),
            *([words(x, y + 18.0, written(tick), anchor="middle", muted=True)] if part % 2 == 0 else []),
        )
        for part, tick in enumerate(ticks)
        for x in [_x(tick, largest)]
    ]
    told = description(
        (f"{group.label}, {row.label}", _worded(row, written)) for group in groups for row in group.rows
    )
    return figure(y + 30.0, title, told, top, *grid, *drawn)


def _row(row: Spent, y: float, largest: float, written: Callable[[float], str]) -> Markup:
    bar = []
    if row.value is not None:
        width = _x(row.value, largest) - LEFT
        bar.append(
            element("rect", {"x": LEFT, "y": y, "width": width, "height": _BAR, "fill": colour(row.colour)})
        )
    figures = row.word if row.value is None else written(row.value)
    said = words(WIDTH - MARGIN, y + _BAR - 2.0, figures, anchor="end", size=13.0, muted=row.value is None)
    return element(
        "g",
        {},
        element("title", {}, f"{row.label}: {', '.join(_worded(row, written))}"),
        words(LEFT - 8.0, y + _BAR - 2.0, shortened(row.label, LEFT - MARGIN - 8.0), anchor="end"),
        *bar,
        *(_dot(dot, y + _BAR / 2.0, largest, written) for dot in row.dots),
        said,
    )


def _dot(value: float, y: float, largest: float, written: Callable[[float], str]) -> Markup:
    ring: dict[str, str | float] = {"cx": _x(value, largest), "cy": y, "r": 4.0, "fill": INK}
    hint = element("title", {}, written(value))
    return element("circle", {**ring, "stroke": "var(--paper, #fff)", "stroke-width": 1.5}, hint)


def _x(value: float, largest: float) -> float:
    return LEFT + value / largest * (RIGHT - LEFT)


def _worded(row: Spent, written: Callable[[float], str]) -> tuple[str, ...]:
    median = row.word or "no median" if row.value is None else f"median {written(row.value)}"
    return (median, f"repeats {', '.join(map(written, row.dots))}") if row.dots else (median,)


def _check(groups: Sequence[Group]) -> float:
    """The end of the scale: the largest amount, rounded up to 1, 2, 4, 5 or 8 of its power of ten."""
    if not groups or not all(group.rows for group in groups):
        raise InvalidInput("There is nothing to draw", where="spent_bars", remedy="Leave the plot out.")
    values = [
        value
        for group in groups
        for row in group.rows
        for value in (row.value, *row.dots)
        if value is not None
    ]
    if any(not 0.0 <= value < math.inf for value in values):
        raise InvalidInput("an amount is below 0", where="spent_bars", remedy="Plot what was spent.")
    most = max(values, default=0.0)
    if most == 0.0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(most))
    return next(step * power for step in (1.0, 2.0, 4.0, 5.0, 8.0, 10.0) if most <= step * power * 1.000001)
