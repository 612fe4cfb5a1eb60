"""Values of 0..1 by category and series, with their intervals."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from truerecall.errors import InvalidInput
from truerecall.measure.intervals import Bounds
from truerecall.measure.plot.frame import (
    MARGIN,
    WIDTH,
    check_lengths,
    description,
    figure,
    grid_line,
    heading,
    legend,
    shortened,
    words,
)
from truerecall.measure.plot.palette import INK, colour
from truerecall.measure.plot.svg import Markup, element, joined

LEFT, RIGHT = MARGIN, WIDTH - 64.0
"""Where 0 and 1 lie; the values are written to the right."""

_BAR = 14.0
_PITCH = 20.0
_LABEL = 24.0
_GAP = 12.0
_STEPS = ("0", "0.25", "0.5", "0.75", "1")


@dataclass(frozen=True, slots=True)
class Bar:
    """One measured value."""

    value: float
    interval: Bounds | None = None
    """Drawn as whiskers, cut at 0 and 1; None draws none."""


@dataclass(frozen=True, slots=True)
class BarSeries:
    """The bars of one system."""

    label: str
    bars: tuple[Bar | str | None, ...]
    """One a category; a word stands in place of a bar, and None is printed as “not measured”."""


def interval_bars(categories: Sequence[str], series: Sequence[BarSeries], title: str) -> str:
    """Horizontal bars, grouped by category, each with its interval as whiskers and its value in figures.

    Raises:
        InvalidInput: nothing to draw, a series of another length, or a value outside 0..1.
    """
    _check(categories, series)
    top, begin = heading(title)
    group = _LABEL + _PITCH * len(series) + _GAP
    bottom = begin + group * len(categories)
    grid = [
        joined(
            grid_line(x, begin, x, bottom), words(x, bottom + 18.0, text, anchor=_anchor(text), muted=True)
        )
        for text in _STEPS
        for x in [_x(float(text))]
    ]
    groups = [
        _group(place, category, series, begin + place * group) for place, category in enumerate(categories)
    ]
    labels = [one.label for one in series]
    key, height = legend(labels if len(labels) > 1 else [], bottom + 30.0, _sign)
    told = description(
        (one.label, (f"{name} {_worded(bar)}" for name, bar in zip(categories, one.bars, strict=True)))
        for one in series
    )
    return figure(height, title, told, top, *grid, *groups, key)


def _group(place: int, category: str, series: Sequence[BarSeries], top: float) -> Markup:
    label = words(LEFT, top + 17.0, shortened(category, WIDTH - 2 * MARGIN))
    bars = []
    for index, one in enumerate(series):
        bar = one.bars[place]
        y = top + _LABEL + index * _PITCH
        if not isinstance(bar, Bar):
            bars.append(words(LEFT + 4.0, y + _BAR - 2.0, _worded(bar), size=12.0, muted=True))
        else:
            bars.append(_bar(index, bar, y, f"{one.label}, {category}: {_worded(bar)}"))
    return element("g", {}, element("title", {}, category), label, *bars)


def _bar(index: int, bar: Bar, y: float, hint: str) -> Markup:
    shape = element(
        "rect",
        {"x": LEFT, "y": y, "width": _x(bar.value) - LEFT, "height": _BAR, "fill": colour(index)},
    )
    figures = words(WIDTH - MARGIN, y + _BAR - 2.0, f"{bar.value:.3f}", anchor="end")
    whiskers = [_whiskers(bar.interval, y + _BAR / 2.0)] if bar.interval is not None else []
    return element("g", {}, element("title", {}, hint), shape, *whiskers, figures)


def _whiskers(interval: Bounds, y: float) -> Markup:
    low, high = _x(max(0.0, interval.low)), _x(min(1.0, interval.high))
    # An end that was cut has no cap, for the interval goes on.
    caps = [(low, interval.low >= 0.0), (high, interval.high <= 1.0)]
    return joined(
        _ink_line(low, y, high, y),
        *(_ink_line(x, y - 4.0, x, y + 4.0) for x, whole in caps if whole),
    )


def _ink_line(x1: float, y1: float, x2: float, y2: float) -> Markup:
    return element("line", {"x1": x1, "y1": y1, "x2": x2, "y2": y2, "stroke": INK, "stroke-width": 1.5})


def _x(value: float) -> float:
    return LEFT + value * (RIGHT - LEFT)


def _anchor(text: str) -> str:
    return "start" if text == "0" else "middle"


def _sign(index: int, x: float, y: float) -> Markup:
    return element(
        "rect", {"x": x - 12.0, "y": y - 6.0, "width": 24.0, "height": 12.0, "fill": colour(index)}
    )


def _worded(bar: Bar | str | None) -> str:
    if not isinstance(bar, Bar):
        return "not measured" if bar is None else bar
    if bar.interval is None:
        return f"{bar.value:.3f}"
    return f"{bar.value:.3f} ({bar.interval.low:.3f} to {bar.interval.high:.3f})"


def _check(categories: Sequence[str], series: Sequence[BarSeries]) -> None:
    check_lengths("interval_bars", [(one.label, len(one.bars)) for one in series], len(categories))
    for one in series:
        for bar in one.bars:
            if isinstance(bar, Bar) and not _drawable(bar):
                raise InvalidInput(
                    f"{one.label!r} has the bar {_worded(bar)}",
                    where="interval_bars",
                    remedy="Plot shares within 0..1, with an interval from low to high.",
                )


def _drawable(bar: Bar) -> bool:
    if not 0.0 <= bar.value <= 1.0:
        return False
    return bar.interval is None or -math.inf < bar.interval.low <= bar.value <= bar.interval.high < math.inf
