"""Our own speed beside a run's figures: what was asked of it, and recall against the size of the store."""

import re

from markupsafe import Markup

from truerecall.bench.report.charts import Plot
from truerecall.bench.report.design import UNMEASURED, figures_table, measured_block
from truerecall.bench.report.figures import plain
from truerecall.bench.report.tables import Section, Table, section, table
from truerecall.bench.speed import Speed
from truerecall.measure.plot.sizes import SizeSeries, latency_by_size

_SIZED = re.compile(r"(?P<turns>[\d,]+) turns, [\d,]+ (?P<asked>questions .+)")
"""The caption of a table of one size, as benchmarks/speed.py writes it."""
_MEDIAN = "median ms"
_PART = "of the recall, "
"""How a row of a part begins: a picture shows wholes."""


def speed_section(speed: Speed) -> Section:
    """The bars with what was measured, then every table."""
    made = speed.making
    told = (
        f"Made by `{made.script}` at commit {made.commit or '-'} on {made.machine.get('cores', '-')} cores."
    )
    return section("sizes", "Recall by size", [speed.method, told], _tables(speed))


def speed_block(file: str, speed: Speed | None) -> str:
    """The same as a block of docs/design, from ``file`` in the folder of manifests."""
    if speed is None:
        return UNMEASURED
    return measured_block(file, _tables(speed), speed.method, speed.making)


def _tables(speed: Speed) -> list[Table]:
    bars = table(
        "What is asked of the speed",
        ["what", "unit", "measured", "bound", "limit", "met"],
        [
            (
                bar.name,
                bar.unit,
                f"{bar.measured:,.3f}",
                bar.bound,
                f"{bar.limit:,.3f}",
                "yes" if bar.met else "no",
            )
            for bar in speed.bars
        ],
    )
    return [bars, *map(figures_table, speed.tables)]


def speed_plots(speed: Speed) -> list[Plot]:
    """One a kind of question: median milliseconds of each whole thing, by turns in the store."""
    kinds: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for made in speed.tables:
        found = _SIZED.fullmatch(made.caption)
        heads = [column.name for column in made.columns]
        if found is None or _MEDIAN not in heads:
            continue
        lines = kinds.setdefault(found["asked"], {})
        for row in made.rows:
            ms = row.figures[heads.index(_MEDIAN)]
            if ms and not row.name.startswith(_PART):
                lines.setdefault(row.name, []).append((float(found["turns"].replace(",", "")), ms))
    return [_plot(asked, lines) for asked, lines in kinds.items() if lines]


def _plot(asked: str, lines: dict[str, list[tuple[float, float]]]) -> Plot:
    title = f"Recall by size, {plain(asked)}"
    series = [SizeSeries(plain(name), tuple(sorted(points))) for name, points in lines.items()]
    svg = latency_by_size(series, title, "turns in the store")
    return Plot(title, Markup(svg), "Medians over the questions of each size; both axes are logarithmic.")
