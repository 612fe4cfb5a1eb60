"""What every plot has: the figure with its texts for readers who cannot see it, words, and a legend."""

import unicodedata
from collections.abc import Callable, Iterable, Sequence

from truerecall.errors import InvalidInput
from truerecall.measure.plot.palette import GRID, INK, MUTED
from truerecall.measure.plot.svg import Markup, element, joined, number

WIDTH = 480.0
"""Of the view box. On a phone of 390 px text of 14 shows at 11 px; wide pages stop at 40 rem."""

MARGIN = 12.0
TEXT = 14.0

_LEGEND_ROW = 22.0
_SIGN = 38.0  # from the left of a mark to its label
_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
_TITLE_SIZE = 16.0
_TITLE_LINE = 21.0


def figure(height: float, title: str, description: str, *parts: Markup) -> str:
    """The whole ``<svg>``: scales to its column, and names and describes itself."""
    attributes: dict[str, str | float] = {
        "xmlns": "http://www.w3.org/2000/svg",
        "viewBox": f"0 0 {number(WIDTH)} {number(height)}",
        "width": "100%",
        "style": "max-width:var(--plot-width, 40rem);height:auto",
        "role": "img",
        "aria-label": title,
        "class": "plot",
        "font-family": _FONT,
        "font-size": TEXT,
        "fill": INK,
    }
    head = joined(element("title", {}, title), element("desc", {}, description))
    return element("svg", attributes, head, *parts)


def heading(title: str) -> tuple[Markup, float]:
    """The title over one or more lines from the top, and the y at which the plot may begin."""
    lines = wrapped(title, WIDTH - 2 * MARGIN, _TITLE_SIZE)
    drawn = [
        words(MARGIN, 22.0 + row * _TITLE_LINE, line, size=_TITLE_SIZE, weight="600")
        for row, line in enumerate(lines)
    ]
    return joined(*drawn), 22.0 + len(lines) * _TITLE_LINE


def words(
    x: float,
    y: float,
    text: str,
    *,
    anchor: str = "start",
    size: float = TEXT,
    muted: bool = False,
    weight: str = "400",
) -> Markup:
    """One line of text with its baseline at y."""
    attributes: dict[str, str | float] = {"x": x, "y": y}
    if anchor != "start":
        attributes["text-anchor"] = anchor
    if size != TEXT:
        attributes["font-size"] = size
    if weight != "400":
        attributes["font-weight"] = weight
    if muted:
        attributes["fill"] = MUTED
    return element("text", attributes, text)


def grid_line(x1: float, y1: float, x2: float, y2: float) -> Markup:
    """A thin line of the grid."""
    return element("line", {"x1": x1, "y1": y1, "x2": x2, "y2": y2, "stroke": GRID, "stroke-width": 1.0})


def legend(
    labels: Sequence[str], top: float, sign: Callable[[int, float, float], Markup]
) -> tuple[Markup, float]:
    """The labels below ``top``, in two columns if all are short, and the y at which they end.

    ``sign`` draws a series' mark at a point.
    """
    half = WIDTH / 2.0
    columns = 2 if all(breadth(label, TEXT) <= half - _SIGN - MARGIN for label in labels) else 1
    lines = -(-len(labels) // columns)
    rows = []
    for index, label in enumerate(labels):
        left = MARGIN + index // lines * half
        middle = top + (index % lines + 0.5) * _LEGEND_ROW
        text = words(left + _SIGN, middle + 5.0, shortened(label, WIDTH - MARGIN - _SIGN - left))
        rows.append(element("g", {}, element("title", {}, label), sign(index, left + 14.0, middle), text))
    return joined(*rows), top + _LEGEND_ROW * lines + (MARGIN if rows else 0.0)


def description(rows: Iterable[tuple[str, Iterable[str]]]) -> str:
    """A plot in words for those who cannot see it: a sentence a row, its label first."""
    return " ".join(f"{label}: {', '.join(parts)}." for label, parts in rows)


def check_lengths(where: str, rows: Sequence[tuple[str, int]], places: int) -> None:
    """``InvalidInput`` where there is nothing to draw, or a row has another number of values than of places."""
    if not rows or not places:
        raise InvalidInput("There is nothing to draw", where=where, remedy="Leave the plot out.")
    for label, length in rows:
        if length != places:
            raise InvalidInput(
                f"{label!r} has {length} values for {places} places",
                where=where,
                remedy="Give one value a place, None where nothing was measured.",
            )


def shortened(text: str, room: float, size: float = TEXT) -> str:
    """``text``, cut with an ellipsis where it would not fit into ``room``."""
    if breadth(text, size) <= room:
        return text
    while text and breadth(text + "…", size) > room:
        text = text[:-1]
    return text.rstrip() + "…"


def wrapped(text: str, room: float, size: float) -> list[str]:
    """``text`` in lines that fit into ``room``, broken between words."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and breadth(longer, size) > room:
            lines.append(word)
        else:
            lines[-1] = longer
    return [shortened(line, room, size) for line in lines]


def breadth(text: str, size: float) -> float:
    """An estimate from above of a text's width: 0.58 em a character, a whole em for wide ones."""
    return size * sum(1.0 if unicodedata.east_asian_width(char) in "WF" else 0.58 for char in text)
