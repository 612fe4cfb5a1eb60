"""Latency against the size of what is searched, both on logarithmic axes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from truerecall.errors import InvalidInput
from truerecall.measure.plot.dots import milliseconds
from truerecall.measure.plot.frame import (
    MARGIN,
    WIDTH,
    description,
    figure,
    grid_line,
    heading,
    legend,
    words,
)
from truerecall.measure.plot.lines import along, sign, spread, stroke
from truerecall.measure.plot.palette import marker
from truerecall.measure.plot.svg import element, joined

LEFT, RIGHT = 60.0, WIDTH - 24.0
HEIGHT = 240.0

_INNER = 16.0  # keeps markers and labels off the ends of the axis
_LABELS_APART = 44.0
_MOST_TICKS = 8


@dataclass(frozen=True, slots=True)
class SizeSeries:
    """The latencies of one system."""

    label: str
    points: tuple[tuple[float, float], ...]
    """Size and milliseconds, both above 0, at least one, by size."""


def latency_by_size(series: Sequence[SizeSeries], title: str, axis: str = "entries in the store") -> str:
    """A line a series over the sizes that were measured; times run from a round number to a round number.

    Raises:
        InvalidInput: nothing to draw, a size or a time that is not above 0, or sizes that fall.
    """
    _check(series)
    top, begin = heading(title)
    begin += 30.0  # the name of the upright axis
    bottom = begin + HEIGHT
    sizes = sorted({size for one in series for size, _ in one.points})
    times = _ticks([ms for one in series for _, ms in one.points])

    def x(size: float) -> float:
        return along(size, sizes[0], sizes[-1], LEFT + _INNER, RIGHT - _INNER)

    def y(ms: float) -> float:
        return along(ms, times[0], times[-1], bottom, begin)

    rows = [
        joined(
            grid_line(LEFT, y(ms), RIGHT, y(ms)),
            words(LEFT - 8.0, y(ms) + 5.0, _short(ms), anchor="end", muted=True),
        )
        for ms in times
    ]
    places = [x(size) for size in sizes]
    ends_first = sorted(range(len(sizes)), key=lambda at: (at not in (0, len(sizes) - 1), at))
    columns = [
        words(places[at], bottom + 20.0, _short(sizes[at]), anchor="middle", muted=True)
        for at in spread(places, ends_first, _LABELS_APART)
    ]
    names = joined(
        words(MARGIN, begin - 16.0, "milliseconds", muted=True),
        words((LEFT + RIGHT) / 2.0, bottom + 40.0, axis, anchor="middle", muted=True),
    )
    lines = []
    for index, one in enumerate(series):
        line = [stroke(index, [(x(n), y(ms)) for n, ms in one.points])] if len(one.points) > 1 else []
        marks = [marker(index, x(n), y(ms), 3.5, f"{one.label}, {_worded(n, ms)}") for n, ms in one.points]
        lines.append(element("g", {}, *line, *marks))
    key, height = legend([one.label for one in series], bottom + 50.0, sign)
    told = description((one.label, (_worded(n, ms) for n, ms in one.points)) for one in series)
    return figure(height, title, told, top, *rows, *columns, names, *lines, key)


def _ticks(values: Sequence[float]) -> list[float]:
    """From a round number at or below the least value to one at or above the greatest; of many, powers of ten."""
    low, high = min(values), max(values)
    bottom, top = math.floor(math.log10(low)), math.ceil(math.log10(high))
    # Through text, for 5 * 10**-2 is not 0.05.
    steps = [float(f"{head}e{power}") for power in range(bottom, top + 2) for head in (1, 2, 5)]
    first = max(step for step in steps if step <= low)
    last = min(step for step in steps if step >= high and step > first)
    ticks = [step for step in steps if first <= step <= last]
    return ticks if len(ticks) <= _MOST_TICKS else [float(f"1e{power}") for power in range(bottom, top + 1)]


def _short(value: float) -> str:
    """At most three significant digits: 0.05, 419, 12.5k, 1M."""
    for unit, letter in ((1e6, "M"), (1e3, "k")):
        if value >= unit:
            return f"{value / unit:.3g}{letter}"
    return f"{value:.3g}"


def _worded(size: float, ms: float) -> str:
    return f"{size:,.0f} entries {milliseconds(ms)} ms"


def _check(series: Sequence[SizeSeries]) -> None:
    points = [point for one in series for point in one.points]
    if not points or not all(one.points for one in series):
        raise InvalidInput("There is nothing to draw", where="latency_by_size", remedy="Leave the plot out.")
    for one in series:
        sizes = [size for size, _ in one.points]
        if sizes != sorted(sizes) or not all(
            0.0 < value < math.inf for point in one.points for value in point
        ):
            raise InvalidInput(
                f"{one.label!r} has the points {one.points}",
                where="latency_by_size",
                remedy="Give sizes and milliseconds above 0, by size.",
            )
