"""Success by follow-up: a line a side over the number of prompts."""

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
from truerecall.measure.plot.lines import sign, stroke
from truerecall.measure.plot.palette import marker
from truerecall.measure.plot.svg import Markup, element, joined

LEFT, RIGHT = 48.0, WIDTH - 24.0
HEIGHT = 170.0
"""Of the area between none and all."""

_STEPS = ("0", "0.25", "0.5", "0.75", "1")
_INNER = 28.0
_APART = (
    9.0  # markers of equal shares stand beside each other: moved up or down they would tell another share
)
_OF_A_STEP = 0.6  # that the markers of one place take at most


@dataclass(frozen=True, slots=True)
class Reached:
    """One side: the share of its runs that were correct after so many follow-ups, one value a number of them."""

    label: str
    shares: tuple[float, ...]
    counts: tuple[str, ...] = ()
    """How each share is told in words, such as "4 of 6"."""


def success_curve(sides: Sequence[Reached], title: str, axis: str = "follow-ups") -> str:
    """A line a side over 0, 1, 2 … follow-ups; y runs from 0 to 1.

    Raises:
        InvalidInput: nothing to draw, sides of different lengths, or a share outside 0..1.
    """
    places = len(sides[0].shares) if sides else 0
    check_lengths("success_curve", [(side.label, len(side.shares)) for side in sides], places)
    for side in sides:
        if any(not 0.0 <= share <= 1.0 for share in side.shares):
            raise InvalidInput(
                f"{side.label!r} has a share outside 0..1", where="success_curve", remedy="Plot shares."
            )
    top, begin = heading(title)
    begin += 8.0
    bottom = begin + HEIGHT
    xs = [LEFT + _INNER + place / max(1, places - 1) * (RIGHT - LEFT - 2 * _INNER) for place in range(places)]
    rows = [
        joined(grid_line(LEFT, y, RIGHT, y), words(LEFT - 8.0, y + 5.0, text, anchor="end", muted=True))
        for text in _STEPS
        for y in [bottom - float(text) * HEIGHT]
    ]
    columns = [words(x, bottom + 20.0, str(at), anchor="middle", muted=True) for at, x in enumerate(xs)]
    name = words((LEFT + RIGHT) / 2.0, bottom + 40.0, axis, anchor="middle", muted=True)
    apart = _apart(xs, len(sides))
    lines = [_line(index, side, [x + apart[index] for x in xs], bottom) for index, side in enumerate(sides)]
    key, height = legend([side.label for side in sides], bottom + 52.0, sign)
    told = description((side.label, _worded(side)) for side in sides)
    return figure(height, title, told, top, *rows, *columns, name, *lines, key)


def _apart(xs: Sequence[float], sides: int) -> list[float]:
    """How far to the left or right of a place each side stands."""
    room = 2.0 * _INNER if len(xs) == 1 else min(2.0 * _INNER, _OF_A_STEP * (xs[1] - xs[0]))
    pitch = min(_APART, room / sides)
    return [(index - (sides - 1) / 2.0) * pitch for index in range(sides)]


def _line(index: int, side: Reached, xs: Sequence[float], bottom: float) -> Markup:
    points = [(x, bottom - share * HEIGHT) for x, share in zip(xs, side.shares, strict=True)]
    hints = _worded(side)
    markers = [
        marker(index, x, y, hint=f"{side.label}, {hint}") for (x, y), hint in zip(points, hints, strict=True)
    ]
    return element("g", {}, *([stroke(index, points)] if len(points) > 1 else []), *markers)


def _worded(side: Reached) -> tuple[str, ...]:
    counts = side.counts or tuple(f"{share:.0%}" for share in side.shares)
    return tuple(f"after {at}: {count}" for at, count in enumerate(counts))
