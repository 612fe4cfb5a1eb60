"""The plots of a data set. What is missing or cannot be drawn is left out of a plot, never drawn as 0."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from truerecall.bench.manifest import ALL, Cell, DatasetResult, GridLevel, Interval, SystemResult
from truerecall.bench.report.disclosed import disclosed
from truerecall.bench.report.figures import (
    BASELINE,
    SEARCHLESS,
    base_and_cut,
    count,
    find,
    heading,
    is_ours,
    types,
    value,
)
from truerecall.bench.systems.protocol import RERANKED
from truerecall.measure.intervals import Bounds
from truerecall.measure.plot.bars import Bar, BarSeries, interval_bars
from truerecall.measure.plot.curve import Series, recall_curve
from truerecall.measure.plot.dots import Latency, latency_dots
from truerecall.measure.plot.sizes import SizeSeries, latency_by_size

_ROUNDING = 1e-9
_BARS: tuple[tuple[GridLevel, str], ...] = (
    ("turn", "any@10"),
    ("turn", "all@10"),
    ("session", "fractional@5"),
)


@dataclass(frozen=True, slots=True)
class Plot:
    """One drawing with its caption."""

    title: str
    svg: Markup
    """Escaped by the plotting code, so a page prints it as it is."""
    caption: str


def charts(dataset: DatasetResult) -> dict[str, list[Plot]]:
    """Plots by the key of the section to which they belong."""
    drawn = {
        "short": [
            _curve(dataset, "turn", "any", "Any gold turn among the first k: a hit rate, not recall."),
            _curve(dataset, "turn", "all", "Every gold turn among the first k."),
            _curve(
                dataset, "session", "fractional", "Share of the gold sessions among the first k sessions."
            ),
        ],
        "blocks": [_curve(dataset, None, "carry", "All gold turns are in the block.")],
        "types": [_bars(dataset, level, metric) for level, metric in _BARS],
        "latency": [_latency(dataset), _sizes(dataset)],
        "lanes": [draw(system) for system in dataset.systems for draw in (_lanes, _lists)],
    }
    return {key: [plot for plot in plots if plot is not None] for key, plots in drawn.items()}


def _curve(dataset: DatasetResult, level: GridLevel | None, base: str, caption: str) -> Plot | None:
    measured = [_points(system, level, base) for system in dataset.systems]
    cuts = sorted({k for points in measured for k in points})
    banded = _banded(dataset)
    lines = [
        Series(
            disclosed(system.name),
            tuple(_share(points[k][0]) if k in points else None for k in cuts),
            tuple(points[k][1] if k in points else None for k in cuts) if system.name in banded else (),
            muted=system.name in SEARCHLESS,
        )
        for system, points in zip(dataset.systems, measured, strict=True)
    ]
    lines = [line for line in lines if any(point is not None for point in line.values)]
    if not lines:
        return None
    if level is None:
        title, axis = "Evidence carried, by budget", "budget in tokens"
    else:
        title, axis = f"{level.capitalize()} {base}@k", "k"
    if any(bounds for line in lines for bounds in line.bands):
        caption = f"{caption} Bands: 95 % intervals of {' and '.join(banded)}, clustered by conversation."
    return Plot(title, Markup(recall_curve(lines, cuts, title, axis)), caption)


def _banded(dataset: DatasetResult) -> list[str]:
    """The first system of ours and the baseline: more bands would hide one another."""
    ours = [system.name for system in dataset.systems if is_ours(system)]
    return [*ours[:1], *(system.name for system in dataset.systems if system.name == BASELINE)]


def _points(
    system: SystemResult, level: GridLevel | None, base: str
) -> dict[int, tuple[float, Bounds | None]]:
    """Mean and interval by cut-off: of the system's curve, or of its cells where it has none."""
    for curve in system.curves:
        if curve.level == level and curve.family == base:
            return {point.k: (point.mean, _bounds(point.interval)) for point in curve.points}
    cells = [cell for cell in system.cells if cell.level == level and cell.type == ALL]
    named = [(base_and_cut(cell.metric), cell) for cell in cells]
    return {
        int(cut): (mean, _bounds(cell.by_conversation))
        for (name, cut), cell in named
        if name == base and (mean := value(cell)) is not None and cut and cut.isdecimal() and int(cut) > 0
    }


def _bounds(interval: Interval | None) -> Bounds | None:
    return None if interval is None else Bounds(interval.low, interval.high)


def _bars(dataset: DatasetResult, level: GridLevel, metric: str) -> Plot | None:
    kinds = [kind for kind in types(dataset) if any(find(s, level, metric, kind) for s in dataset.systems)]
    chosen = [system for system in dataset.systems if is_ours(system) or system.name == BASELINE]
    shown = chosen or dataset.systems
    cells = [[find(system, level, metric, kind) for kind in kinds] for system in shown]
    measured = [cell for row in cells for cell in row if value(cell) is not None]
    if not measured:
        return None
    clustered = all(cell is None or cell.by_conversation for cell in measured)
    series = [
        BarSeries(disclosed(system.name), tuple(_bar(cell, clustered) for cell in row))
        for system, row in zip(shown, cells, strict=True)
    ]
    names = [disclosed(f"{kind} (n {_n(cells, at)})") for at, kind in enumerate(kinds)]
    title = f"{heading(level, metric)}, by type"
    how = "clustered by conversation" if clustered else "questions taken as independent"
    # A plot of one series has no legend, so the caption names it.
    alone = f"{series[0].label}. " if len(series) == 1 else ""
    return Plot(
        title, Markup(interval_bars(names, series, title)), f"{alone}Whiskers: 95 % intervals, {how}."
    )


def _n(cells: Sequence[Sequence[Cell | None]], at: int) -> str:
    counts = {cell.n for row in cells if (cell := row[at])}
    return f"{counts.pop():,}" if len(counts) == 1 else "varies"


def _bar(cell: Cell | None, clustered: bool) -> Bar | None:
    share = _share(value(cell))
    if cell is None or share is None:
        return None
    bounds = cell.by_conversation if clustered else cell.by_question
    holds = bounds is not None and bounds.low <= share <= bounds.high
    return Bar(share, Bounds(bounds.low, bounds.high) if bounds and holds else None)


def _latency(dataset: DatasetResult) -> Plot | None:
    rows = [_times(system) for system in dataset.systems]
    drawn = [row for row in rows if row is not None]
    if not drawn:
        return None
    title = "Milliseconds of a recall"
    return Plot(
        title, Markup(latency_dots(drawn, title)), "Each step of the axis is ten times the one before."
    )


def _times(system: SystemResult) -> Latency | None:
    took = system.latency
    if took.recalls == 0 or not 0.0 < took.p50 <= took.p95:
        return None
    return Latency(disclosed(system.name), took.p50, took.p95)


def _sizes(dataset: DatasetResult) -> Plot | None:
    lines = [
        SizeSeries(disclosed(system.name), points)
        for system in dataset.systems
        if system.name not in SEARCHLESS
        and (points := tuple((float(s.entries), s.p50) for s in system.sizes if s.entries and s.p50 > 0.0))
    ]
    if not lines:
        return None
    title = "Milliseconds of a recall, by size of the store"
    caption = "Medians: a point a conversation, or a few of about one size where there are many."
    return Plot(title, Markup(latency_by_size(lines, title)), caption)


def _lanes(system: SystemResult) -> Plot | None:
    lanes = [step for step in system.steps if step.only is not None]
    if not lanes:
        return None
    series = [
        BarSeries("among its first 10", tuple(_whole_bar(lane.within.get(10)) for lane in lanes)),
        BarSeries("among its first 200", tuple(_whole_bar(lane.within.get(200)) for lane in lanes)),
    ]
    if len(lanes) > 1:
        alone = tuple(_whole_bar(lane.only) for lane in lanes)
        series.append(BarSeries("there, and in no other lane's first 200", alone))
    title = f"{disclosed(system.name)}: gold found by each lane"
    caption = f"Shares of {count(lanes[0].gold)} gold items."
    return Plot(
        title, Markup(interval_bars([disclosed(lane.step) for lane in lanes], series, title)), caption
    )


def _lists(system: SystemResult) -> Plot | None:
    """What fusion, reranking and the later steps made of the lanes; nothing where there is one list alone."""
    lists = [step for step in system.steps if step.only is None]
    if len(lists) < 2:
        return None
    series = [
        BarSeries(disclosed(made.step), (_whole_bar(made.any_at_10), _whole_bar(made.all_at_10)))
        for made in lists
    ]
    reranked = any(made.step == RERANKED for made in lists)
    title = f"{disclosed(system.name)}: {'before and after reranking' if reranked else 'from fusion to the answer'}"
    caption = f"{count(lists[0].questions)} questions. Recalled is the answer, after every later step."
    return Plot(title, Markup(interval_bars(["any@10", "all@10"], series, title)), caption)


def _whole_bar(amount: float | None) -> Bar | None:
    share = _share(amount)
    return None if share is None else Bar(share)


def _share(amount: float | None) -> float | None:
    """A share within 0..1, without the last bits of a sum; nothing for what is no share."""
    if amount is None or not -_ROUNDING <= amount <= 1.0 + _ROUNDING:
        return None
    return min(1.0, max(0.0, amount))
