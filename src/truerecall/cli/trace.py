"""``truerecall trace``: what the traces of many recalls say together."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from truerecall.cli.text import json_text, one_line

if TYPE_CHECKING:
    from truerecall.measure.histogram import Distribution
    from truerecall.memory.recall.summary import LaneSummary, Summary


@click.group("trace")
def trace_command() -> None:
    """Fold the traces that `truerecall recall --trace FILE` has written."""


@trace_command.command("summary")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def summary_command(file: Path, as_json: bool) -> None:
    """Fold the traces in FILE, one JSON object a line; lines that are none are counted and skipped.

    Exit code 1 if the file holds no trace.
    """
    from truerecall.memory.recall.summary import summarise

    summary = summarise(file)
    if as_json:
        click.echo(json_text(asdict(summary)))
    elif summary.recalls:
        click.echo("\n".join(_shown(summary)))
    if summary.recalls == 0:
        skipped = (
            f"all of its {summary.malformed} lines are malformed" if summary.malformed else "it is empty"
        )
        click.echo(f"no trace in {one_line(str(file))}: {skipped}", err=True)
        sys.exit(1)


def _shown(summary: "Summary") -> Iterable[str]:
    skipped = f"; {summary.malformed} malformed lines skipped" if summary.malformed else ""
    yield f"{summary.recalls} recalls, {summary.candidates} candidates{skipped}"
    yield from _rerank_lines(summary)
    if (diverse := summary.diversify).recalls:
        yield (
            f"diversifying changed the order in {diverse.changed} of {diverse.recalls} recalls,"
            f" {diverse.moved} of {diverse.looked_at} places"
        )
    yield ""
    yield from _table(
        ("dropped for", "entries", "per candidate", "recalls"),
        [(why, f"{d.entries}", f"{d.rate:.4f}", f"{d.recalls}") for why, d in summary.dropped.items()],
    )
    yield ""
    yield from _table(
        ("lane", "recalls", "candidates", "of found", "p50 ms", "p95 ms", "gave nothing"),
        [_lane_row(name, lane) for name, lane in summary.lanes.items()],
    )
    for name, lane in summary.lanes.items():
        yield from _counted(f"  {one_line(name)}: ", lane.notes)
    yield ""
    if summary.factors:
        yield from _table(("factor", *_SPREAD), [_row(name, d) for name, d in summary.factors.items()])
    else:
        yield "no factor moved a score"
    yield ""
    blocks = [_row(f"block tokens ({counter})", d, places=0) for counter, d in summary.tokens.items()]
    yield from _table(("per recall", *_SPREAD), [_row("hits", summary.hits, places=0), *blocks])
    yield ""
    yield f"{summary.degraded} of {summary.recalls} recalls were degraded"
    yield from _counted("  ", summary.degradations)


def _rerank_lines(summary: "Summary") -> Iterable[str]:
    rerank = summary.rerank
    if rerank.lift_realized is None:
        yield "rerank-lift-realized -: nothing was reranked"
        return
    yield (
        f"rerank-lift-realized {rerank.lift_realized:.3f}: the order changed in {rerank.changed} of {rerank.recalls}"
        " reranked recalls"
    )
    yield (
        f"  of {rerank.first} places among the first ten, {rerank.first_moved} changed,"
        f" {rerank.first_entered} of them to an entry from beyond"
    )
    yield f"  p50 {rerank.milliseconds.median:.1f} ms, p95 {rerank.milliseconds.p95:.1f} ms"


_SPREAD = ("n", "min", "median", "p95", "max")


def _row(name: str, spread: "Distribution", places: int = 3) -> tuple[str, ...]:
    values = (spread.least, spread.median, spread.p95, spread.most)
    return name, f"{spread.n}", *(f"{value:.{places}f}" for value in values)


def _lane_row(name: str, lane: "LaneSummary") -> tuple[str, ...]:
    spent = lane.milliseconds
    counts = (lane.recalls, lane.candidates, lane.found)
    return name, *map(str, counts), f"{spent.median:.1f}", f"{spent.p95:.1f}", f"{lane.idle}"


def _counted(before: str, counts: Mapping[str, int]) -> Iterable[str]:
    """The most frequent first."""
    for text, number in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        yield f"{before}{one_line(text)} ({number})"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterable[str]:
    """Columns under their heads: names to the left, numbers to the right."""
    lines: list[list[str]] = [list(head), *([one_line(row[0]), *row[1:]] for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    for line in lines:
        cells: list[Any] = [line[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)]
        yield "  ".join(cells).rstrip()
