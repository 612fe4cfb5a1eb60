"""The plots of a data set. What is missing or cannot be drawn is left out of a plot, never drawn as 0."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from truerecall.bench.manifest import ALL, Cell, DatasetResult, GridLevel, SystemResult
from truerecall.bench.report.figures import (
    BASELINE,
    base_and_cut,
    find,
    heading,
    in_order,
    is_ours,
    plain,
    types,
    value,
)
from truerecall.measure.intervals import Bounds
from truerecall.measure.plot.bars import Bar, BarSeries, interval_bars
from truerecall.measure.plot.curve import Series, recall_curve
from truerecall.measure.plot.dots import Latency, latency_dots

_ROUNDING = 1e-9
_BARS: tuple[tuple[GridLevel, str], ...] = (("turn", "any@10"), ("session", "fractional@5"))


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
            _curve(
                dataset, "session", "fractional", "Share of the gold sessions among the first k sessions."
            ),
        ],
        "blocks": [_curve(dataset, None, "carry", "All gold turns are in the block.")],
        "types": [_bars(dataset, level, metric) for level, metric in _BARS],
        "latency": [_latency(dataset)],
    }
    return {key: [plot for plot in plots if plot is not None] for key, plots in drawn.items()}


def _curve(dataset: DatasetResult, level: GridLevel | None, base: str, caption: str) -> Plot | None:
    cells = [cell for system in dataset.systems for cell in system.cells if cell.level == level]
    parts = [base_and_cut(cell.metric) for cell in cells if cell.type == ALL]
    cuts = [cut for cut in in_order(cut for name, cut in parts if name == base and cut) if cut.isdecimal()]
    lines = [
        Series(plain(system.name), tuple(_share(value(find(system, level, f"{base}@{cut}"))) for cut in cuts))
        for system in dataset.systems
    ]
    lines = [line for line in lines if any(point is not None for point in line.values)]
    if not lines:
        return None
    if level is None:
        title, axis = "Evidence carried, by budget", "budget in tokens"
    else:
        title, axis = f"{level.capitalize()} {base}@k", "k"
    return Plot(title, Markup(recall_curve(lines, [int(cut) for cut in cuts], title, axis)), caption)


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
        BarSeries(plain(system.name), tuple(_bar(cell, clustered) for cell in row))
        for system, row in zip(shown, cells, strict=True)
    ]
    names = [plain(f"{kind} (n {_n(cells, at)})") for at, kind in enumerate(kinds)]
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
    return Latency(plain(system.name), took.p50, took.p95)


def _share(amount: float | None) -> float | None:
    """A share within 0..1, without the last bits of a sum; nothing for what is no share."""
    if amount is None or not -_ROUNDING <= amount <= 1.0 + _ROUNDING:
        return None
    return min(1.0, max(0.0, amount))
