"""Recall over a cut-off or a budget."""

from collections.abc import Sequence
from dataclasses import dataclass

from truerecall.errors import InvalidInput
from truerecall.measure.plot.frame import (
    WIDTH,
    check_lengths,
    description,
    figure,
    grid_line,
    heading,
    legend,
    words,
)
from truerecall.measure.plot.palette import colour, dash, marker
from truerecall.measure.plot.svg import Markup, element, joined

LEFT, RIGHT = 48.0, WIDTH - 20.0
HEIGHT = 240.0
"""Of the area between 0 and 1."""

_STEPS = ("0", "0.2", "0.4", "0.6", "0.8", "1")


@dataclass(frozen=True, slots=True)
class Series:
    """One line of a curve."""

    label: str
    values: tuple[float | None, ...]
    """One a cut-off, within 0..1; None where it was not measured, which leaves a gap."""


def recall_curve(series: Sequence[Series], ks: Sequence[int], title: str, axis: str = "k") -> str:
    """A line a series over the cut-offs ``ks``, which stand evenly spaced; y runs from 0 to 1.

    Args:
        series: The lines.
        ks: Where they have values: cut-offs or budgets.
        title: Above the plot.
        axis: What ``ks`` are.

    Raises:
        InvalidInput: no series or no k, a series of another length, or a value outside 0..1.
    """
    _check(series, ks)
    top, begin = heading(title)
    bottom = begin + HEIGHT
    xs = _columns(len(ks))
    rows = [
        joined(grid_line(LEFT, y, RIGHT, y), words(LEFT - 8.0, y + 5.0, text, anchor="end", muted=True))
        for text in _STEPS
        for y in [bottom - float(text) * HEIGHT]
    ]
    columns = [
        words(x, bottom + 20.0, str(k), anchor="middle", muted=True) for x, k in zip(xs, ks, strict=True)
    ]
    name = words((LEFT + RIGHT) / 2.0, bottom + 40.0, axis, anchor="middle", muted=True)
    places = [f"{axis} = {k}" for k in ks]
    lines = [_line(index, one, places, xs, bottom) for index, one in enumerate(series)]
    key, height = legend([one.label for one in series], bottom + 50.0, _sign)
    told = description((one.label, map(_worded, places, one.values)) for one in series)
    return figure(height, title, told, top, *rows, *columns, name, *lines, key)


def _columns(count: int) -> list[float]:
    if count == 1:
        return [(LEFT + RIGHT) / 2.0]
    inner = 12.0  # keeps the first markers off the axis labels
    step = (RIGHT - LEFT - 2.0 * inner) / (count - 1)
    return [LEFT + inner + place * step for place in range(count)]


def _line(index: int, one: Series, places: Sequence[str], xs: Sequence[float], bottom: float) -> Markup:
    runs: list[list[tuple[float, float]]] = [[]]
    markers = []
    for place, x, value in zip(places, xs, one.values, strict=True):
        if value is None:
            runs.append([])
            continue
        y = bottom - value * HEIGHT
        runs[-1].append((x, y))
        markers.append(marker(index, x, y, hint=f"{one.label}, {place}: {value:.3f}"))
    strokes = [_stroke(index, run) for run in runs if len(run) > 1]
    return element("g", {}, *strokes, *markers) if markers else Markup("")


def _stroke(index: int, points: Sequence[tuple[float, float]]) -> Markup:
    attributes: dict[str, str | float] = {
        "points": " ".join(f"{x:.2f},{y:.2f}" for x, y in points),
        "fill": "none",
        "stroke": colour(index),
        "stroke-width": 2.0,
    }
    if dash(index):
        attributes["stroke-dasharray"] = dash(index)
    return element("polyline", attributes)


def _sign(index: int, x: float, y: float) -> Markup:
    return joined(_stroke(index, [(x - 14.0, y), (x + 14.0, y)]), marker(index, x, y))


def _worded(place: str, value: float | None) -> str:
    return f"{place} not measured" if value is None else f"{place} {value:.3f}"


def _check(series: Sequence[Series], ks: Sequence[int]) -> None:
    check_lengths("recall_curve", [(one.label, len(one.values)) for one in series], len(ks))
    for one in series:
        for value in one.values:
            if value is not None and not 0.0 <= value <= 1.0:
                raise InvalidInput(
                    f"{one.label!r} has the value {value}",
                    where="recall_curve",
                    remedy="Plot shares within 0..1, not percentages.",
                )
