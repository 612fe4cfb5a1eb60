"""Recall over a cut-off or a budget."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from truerecall.errors import InvalidInput
from truerecall.measure.intervals import Bounds
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
from truerecall.measure.plot.lines import Point, along, band, is_round, sign, spread, stroke
from truerecall.measure.plot.palette import GREY, marker
from truerecall.measure.plot.svg import Markup, element, joined

LEFT, RIGHT = 48.0, WIDTH - 20.0
HEIGHT = 240.0
"""Of the area between 0 and 1."""

_STEPS = ("0", "0.2", "0.4", "0.6", "0.8", "1")
_INNER = 12.0  # keeps the first markers off the axis labels
_LABELS_APART = 30.0


@dataclass(frozen=True, slots=True)
class Series:
    """One line of a curve."""

    label: str
    values: tuple[float | None, ...]
    """One a cut-off, within 0..1; None where it was not measured, which leaves a gap."""
    bands: tuple[Bounds | None, ...] = ()
    """95 % intervals, one a cut-off, drawn as a pale band that is cut at 0 and 1; empty draws none."""
    muted: bool = False
    """Drawn in grey: a line to stand beside, not to be looked at."""


def recall_curve(series: Sequence[Series], ks: Sequence[int], title: str, axis: str = "k") -> str:
    """A line a series over the cut-offs ``ks`` on a logarithmic axis; y runs from 0 to 1.

    Where cut-offs stand too close for their labels, the rounder ones are labelled, marked and put into words.

    Args:
        series: The lines.
        ks: Where they have values: cut-offs or budgets, rising from 1.
        title: Above the plot.
        axis: What ``ks`` are.

    Raises:
        InvalidInput: no series or no k, a series of another length, a value outside 0..1, or ``ks`` that fall.
    """
    _check(series, ks)
    top, begin = heading(title)
    bottom = begin + HEIGHT
    xs = [along(k, ks[0], ks[-1], LEFT + _INNER, RIGHT - _INNER) for k in ks]
    labelled = _labelled(ks, xs)
    rows = [
        joined(grid_line(LEFT, y, RIGHT, y), words(LEFT - 8.0, y + 5.0, text, anchor="end", muted=True))
        for text in _STEPS
        for y in [bottom - float(text) * HEIGHT]
    ]
    columns = [words(xs[at], bottom + 20.0, str(ks[at]), anchor="middle", muted=True) for at in labelled]
    banded = any(bounds for one in series for bounds in one.bands)
    below = f"{axis} (bands: 95 % intervals)" if banded else axis
    name = words((LEFT + RIGHT) / 2.0, bottom + 40.0, below, anchor="middle", muted=True)
    places = {at: f"{axis} = {ks[at]}" for at in labelled}
    bands = [_band(index, one, xs, bottom) for index, one in enumerate(series)]
    lines = [_line(index, one, places, xs, bottom) for index, one in enumerate(series)]
    key, height = legend(
        [one.label for one in series],
        bottom + 50.0,
        lambda index, x, y: sign(index, x, y, _paint(series[index])),
    )
    told = description(
        (one.label, (_worded(place, one.values[at]) for at, place in places.items())) for one in series
    )
    return figure(height, title, told, top, *rows, *columns, name, *bands, *lines, key)


def _labelled(ks: Sequence[int], xs: Sequence[float]) -> list[int]:
    """Places of the cut-offs that get a label: the ends, then round ones, then those that still fit."""
    order = sorted(range(len(ks)), key=lambda at: (at not in (0, len(ks) - 1), not is_round(ks[at]), at))
    return spread(xs, order, _LABELS_APART)


def _line(index: int, one: Series, places: dict[int, str], xs: Sequence[float], bottom: float) -> Markup:
    runs: list[list[Point]] = [[]]
    markers = []
    for at, (x, value) in enumerate(zip(xs, one.values, strict=True)):
        if value is None:
            runs.append([])
            continue
        y = bottom - value * HEIGHT
        runs[-1].append((x, y))
        if at in places:
            markers.append(
                marker(index, x, y, hint=f"{one.label}, {places[at]}: {value:.3f}", paint=_paint(one))
            )
    strokes = [stroke(index, run, _paint(one)) for run in runs if len(run) > 1]
    return element("g", {}, *strokes, *markers) if markers else Markup("")


def _paint(one: Series) -> str:
    return GREY if one.muted else ""


def _band(index: int, one: Series, xs: Sequence[float], bottom: float) -> Markup:
    known = [(x, bounds) for x, bounds in zip(xs, one.bands, strict=False) if bounds is not None]
    if len(known) < 2:
        return Markup("")
    upper = [(x, bottom - min(1.0, bounds.high) * HEIGHT) for x, bounds in known]
    lower = [(x, bottom - max(0.0, bounds.low) * HEIGHT) for x, bounds in known]
    return band(index, upper, lower)


def _worded(place: str, value: float | None) -> str:
    return f"{place} not measured" if value is None else f"{place} {value:.3f}"


def _check(series: Sequence[Series], ks: Sequence[int]) -> None:
    check_lengths("recall_curve", [(one.label, len(one.values)) for one in series], len(ks))
    if ks[0] < 1 or any(later <= earlier for earlier, later in pairwise(ks)):
        raise InvalidInput(f"cut-offs {ks}", where="recall_curve", remedy="Give them rising, from 1.")
    for one in series:
        if one.bands and len(one.bands) != len(ks):
            raise InvalidInput(
                f"{one.label!r} has {len(one.bands)} intervals for {len(ks)} cut-offs",
                where="recall_curve",
                remedy="Give one a cut-off, or none at all.",
            )
        for value in one.values:
            if value is not None and not 0.0 <= value <= 1.0:
                raise InvalidInput(
                    f"{one.label!r} has the value {value}",
                    where="recall_curve",
                    remedy="Plot shares within 0..1, not percentages.",
                )
