"""The plots of an accuracy run. What is missing is left out; what is unstable is written, never drawn."""

from collections.abc import Sequence

from markupsafe import Markup

from truerecall.bench.manifest import ALL
from truerecall.bench.qa.manifest import LARGEST_SPREAD, Arm, JudgeResult, QaDataset
from truerecall.bench.report.accuracy.money import stages
from truerecall.bench.report.accuracy.standing import (
    UNSTABLE,
    cell_of,
    headlines,
    kinds,
    model_name,
    unstable,
)
from truerecall.bench.report.charts import Plot
from truerecall.bench.report.disclosed import disclosed
from truerecall.bench.report.figures import first_seen
from truerecall.measure.intervals import Bounds
from truerecall.measure.plot.apart import Apart, apart_bars
from truerecall.measure.plot.bars import Bar, BarSeries, interval_bars
from truerecall.measure.plot.dots import Latency, latency_dots
from truerecall.measure.plot.scatter import Place, scatter


def qa_charts(dataset: QaDataset, names: dict[str, str]) -> dict[str, list[Plot]]:
    """Plots by the key of the section to which they belong."""
    judges = first_seen(result.judge for arm in dataset.arms for result in arm.judges)
    drawn = {
        "types": [_bars(dataset, judge, names) for judge in judges],
        "agreement": [_apart(arm, names) for arm in dataset.arms],
        "cost": [_against(dataset, names, money=True), _against(dataset, names, money=False)],
        "latency": [_latency(dataset, names)],
    }
    return {key: [plot for plot in plots if plot is not None] for key, plots in drawn.items()}


def _bars(dataset: QaDataset, judge: str, names: dict[str, str]) -> Plot | None:
    types = kinds(dataset)
    own = [(arm, result) for arm in dataset.arms for result in arm.judges if result.judge == judge]
    series = [
        BarSeries(disclosed(arm.system), tuple(_bar(arm, result, kind) for kind in types))
        for arm, result in own
    ]
    if not any(isinstance(bar, Bar) for one in series for bar in one.bars):
        return None
    alike = any(result.relation == "self-judged" for _, result in own)
    who = f"{model_name(names, judge)}{', self-judged' if alike else ''}"
    title = f"Accuracy by type, judge {disclosed(who)}"
    labels = [disclosed(f"{kind}{_n(dataset, kind)}") for kind in types]
    clustered = any(_clustered(result) for _, result in own)
    how = "clustered by conversation where they exist" if clustered else "questions taken as independent"
    alone = f"{series[0].label}. " if len(series) == 1 else ""
    caption = f"{alone}Whiskers: 95 % intervals, {how}. Unstable: the judges do not agree within the bound."
    return Plot(title, Markup(interval_bars(labels, series, title)), caption)


def _n(dataset: QaDataset, kind: str) -> str:
    sizes = {c.n for arm in dataset.arms for r in arm.judges if (c := cell_of(r.cells, kind))}
    return f" (n {sizes.pop():,})" if len(sizes) == 1 else ""


def _clustered(result: JudgeResult) -> bool:
    return any(cell.by_conversation for cell in result.cells)


def _bar(arm: Arm, result: JudgeResult, kind: str) -> Bar | str | None:
    cell = cell_of(result.cells, kind)
    if cell is None or cell.accuracy is None:
        return None
    if unstable(arm, kind):
        return UNSTABLE
    bounds = cell.by_conversation or cell.by_question
    holds = bounds is not None and bounds.low <= cell.accuracy <= bounds.high
    return Bar(cell.accuracy, Bounds(bounds.low, bounds.high) if bounds and holds else None)


def _apart(arm: Arm, names: dict[str, str]) -> Plot | None:
    """Of the first pair of judges: the table below holds every pair."""
    pairs = list(dict.fromkeys((made.a, made.b) for made in arm.agreements))
    if not pairs:
        return None
    a, b = pairs[0]
    own = [made for made in arm.agreements if (made.a, made.b) == (a, b) and made.n]
    if not any(made.disagreements for made in own):
        return None
    rows = [
        Apart(
            disclosed(f"{'all' if made.type == ALL else made.type} (n {made.n:,})"),
            made.only_b / made.n,
            made.only_a / made.n,
            "" if made.stable else UNSTABLE,
        )
        for made in own
    ]
    title = f"{disclosed(arm.system)}: where the judges differ"
    more = "" if len(pairs) == 1 else " Other pairs of judges stand in the table."
    caption = (
        f"Left: answers that {disclosed(model_name(names, b))} alone called right; right: those that "
        f"{disclosed(model_name(names, a))} alone did. The spread is the difference of the two; above "
        f"{LARGEST_SPREAD:g} points it is unstable.{more}"
    )
    return Plot(title, Markup(apart_bars(rows, title)), caption)


def _against(dataset: QaDataset, names: dict[str, str], *, money: bool) -> Plot | None:
    """Accuracy over dollars, or over tokens of context; an arm that cannot stand on a logarithmic axis is left out."""
    points = []
    for found in headlines(dataset):
        x = found.arm.cost_per_question if money else found.arm.context_tokens_mean
        if found.instead or found.cell.accuracy is None or not x or x <= 0:
            continue
        judge = disclosed(model_name(names, found.result.judge))
        points.append(Place(disclosed(found.arm.system), judge, x, found.cell.accuracy))
    if not points:
        return None
    axis = "US$ a question, logarithmic" if money else "context tokens a question, logarithmic"
    title = f"Accuracy against {'cost' if money else 'context'}"
    caption = "All types together. Left out: what is unstable or self-judged, and what has no " + (
        "price or costs nothing." if money else "context."
    )
    return Plot(title, Markup(scatter(points, title, axis)), caption)


def _latency(dataset: QaDataset, names: dict[str, str]) -> Plot | None:
    rows: Sequence[Latency] = [
        Latency(disclosed(f"{arm.system}, {what}"), took.p50, took.p95)
        for arm in dataset.arms
        for what, took in stages(arm, names)
        if took and took.recalls and 0.0 < took.p50 <= took.p95
    ]
    if not rows:
        return None
    title = "Milliseconds by stage"
    caption = "Each step of the axis is ten times the one before."
    return Plot(title, Markup(latency_dots(rows, title)), caption)
