"""Colours, markers and strokes by which series are told apart, also without colour."""

from truerecall.measure.plot.svg import Markup, element

# After Okabe & Ito's colour-blind-safe set; its yellow, orange and sky blue are left out or darkened, so that
# every colour has a contrast of 3 : 1 or more both on white and on #121212.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#a67700", "#7a7a7a")

GREY = f"var(--plot-6, {COLOURS[5]})"

INK = "var(--plot-ink, currentColor)"
MUTED = "var(--plot-muted, #767676)"
GRID = "var(--plot-grid, #88888855)"

_DASHES = ("", "7 3", "2 3", "9 3 2 3", "4 4")
_POLYGONS = (
    (),  # the circle
    ((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)),
    ((0.0, -1.3), (1.2, 0.9), (-1.2, 0.9)),
    ((0.0, -1.4), (1.4, 0.0), (0.0, 1.4), (-1.4, 0.0)),
    ((0.0, 1.3), (1.2, -0.9), (-1.2, -0.9)),
)


def colour(index: int) -> str:
    """The colour of the index-th series, from 0; the page may set it."""
    place = index % len(COLOURS)
    return f"var(--plot-{place + 1}, {COLOURS[place]})"


def dash(index: int) -> str:
    """The ``stroke-dasharray`` of the index-th series; empty for a full line.

    The pairs of stroke and marker differ over twenty-five series, for those who see no colour.
    """
    return _DASHES[(index + index // len(_POLYGONS)) % len(_DASHES)]


def marker(
    index: int, x: float, y: float, radius: float = 4.0, hint: str | None = None, paint: str = ""
) -> Markup:
    """The marker of the index-th series at a point; ``hint`` is shown by a browser on hovering.

    ``paint`` is another colour than that of the series.
    """
    fill = paint or colour(index)
    title = (element("title", {}, hint),) if hint is not None else ()
    points = _POLYGONS[index % len(_POLYGONS)]
    if not points:
        return element("circle", {"cx": x, "cy": y, "r": radius, "fill": fill}, *title)
    # Corners lie on the grid of two decimals, like every other coordinate.
    corners = " ".join(f"{x + radius * dx:.2f},{y + radius * dy:.2f}" for dx, dy in points)
    return element(
        "polygon",
        {"points": corners, "fill": fill},
        *title,
    )
