"""Shares of 0..1 over an amount on a logarithmic axis: a marker a series, a number a place."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from truerecall.errors import InvalidInput
from truerecall.measure.plot.dots import milliseconds as three_digits
from truerecall.measure.plot.frame import (
    WIDTH,
    description,
    figure,
    grid_line,
    heading,
    legend,
    words,
)
from truerecall.measure.plot.palette import marker
from truerecall.measure.plot.svg import Markup, joined

LEFT, RIGHT = 52.0, WIDTH - 28.0
"""Where the lowest and the highest power of ten lie."""

_HEIGHT = 240.0
_STEPS = ("0", "0.25", "0.5", "0.75", "1")


@dataclass(frozen=True, slots=True)
class Place:
    """One point; points of one label share a colour and a marker."""

    label: str
    by: str
    """What tells points of one label apart; shown by a browser on hovering, and in the description."""
    x: float
    y: float


def scatter(places: Sequence[Place], title: str, axis: str) -> str:
    """Points over whole powers of ten, with a legend of their labels.

    Raises:
        InvalidInput: no points, an x that is not above 0, or a y outside 0..1.
    """
    _check(places)
    first = math.floor(math.log10(min(place.x for place in places)))
    last = max(math.ceil(math.log10(max(place.x for place in places))), first + 1)
    top, begin = heading(title)
    begin += 6.0
    bottom = begin + _HEIGHT
    rows = [
        joined(grid_line(LEFT, y, RIGHT, y), words(LEFT - 8.0, y + 5.0, text, anchor="end", muted=True))
        for text in _STEPS
        for y in [bottom - float(text) * _HEIGHT]
    ]
    columns = [
        joined(
            grid_line(x, begin, x, bottom),
            words(x, bottom + 18.0, three_digits(float(f"1e{power}")), anchor="middle", muted=True),
        )
        for power in range(first, last + 1)
        for x in [LEFT + (power - first) / (last - first) * (RIGHT - LEFT)]
    ]
    labels = list(dict.fromkeys(place.label for place in places))
    drawn = [
        marker(
            labels.index(place.label),
            LEFT + (math.log10(place.x) - first) / (last - first) * (RIGHT - LEFT),
            bottom - place.y * _HEIGHT,
            6.0,
            f"{place.label}, {_worded(place)}",
        )
        for place in places
    ]
    name = words((LEFT + RIGHT) / 2.0, bottom + 38.0, axis, anchor="middle", muted=True)
    key, height = legend(labels, bottom + 50.0, _sign)
    told = description(
        (label, (_worded(place) for place in places if place.label == label)) for label in labels
    )
    return figure(max(height, bottom + 50.0), title, told, top, *rows, *columns, *drawn, name, key)


def _sign(index: int, x: float, y: float) -> Markup:
    return marker(index, x, y, 6.0)


def _worded(place: Place) -> str:
    return f"{place.by} {place.y:.3f} at {three_digits(place.x)}"


def _check(places: Sequence[Place]) -> None:
    if not places:
        raise InvalidInput("There is nothing to draw", where="scatter", remedy="Leave the plot out.")
    for place in places:
        if not (0.0 < place.x < math.inf and 0.0 <= place.y <= 1.0):
            raise InvalidInput(
                f"{place.label!r} stands at {place.x}, {place.y}",
                where="scatter",
                remedy="Give an amount above 0 and a share within 0..1.",
            )
