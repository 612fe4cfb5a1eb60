"""``truerecall bench``: data sets, retrieval runs, comparisons and reports."""

import hashlib
import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import click

from truerecall.bench.compare import ALPHA, DEFAULT_ROWS, compare
from truerecall.bench.datasets.known import Split
from truerecall.bench.datasets.reading import read
from truerecall.bench.keys import plan
from truerecall.bench.manifest import RetrievalManifest
from truerecall.bench.report import summary, write_reports
from truerecall.bench.report.accuracy import write_qa_reports
from truerecall.bench.report.beside import read_runs, write_pages
from truerecall.bench.report.reading import read_run
from truerecall.bench.retrieval import run_retrieval
from truerecall.bench.run import RunOptions
from truerecall.bench.speed import read_speed
from truerecall.bench.systems.protocol import Granularity, System
from truerecall.bench.systems.table import SYSTEMS, controls
from truerecall.cli.choosing import data_option, out_option, system_of
from truerecall.cli.data import data
from truerecall.cli.dry import dry_command
from truerecall.cli.gate import gate_command, ledger_command
from truerecall.cli.head_to_head import head_to_head_command
from truerecall.cli.progress import Display
from truerecall.cli.qa import calibrate_command, qa_command
from truerecall.cli.suite import suite_command
from truerecall.cli.systems import systems_command
from truerecall.cli.text import readable_json
from truerecall.core.clock import system_clock
from truerecall.errors import InvalidInput, RunError

if TYPE_CHECKING:
    from truerecall.bench.datasets.records import Dataset

_ALWAYS = "Controls are always run: leave it out."


@click.group("bench")
def bench_command() -> None:
    """Measure recall: data sets, systems, reports, comparisons."""


bench_command.add_command(data)
bench_command.add_command(dry_command)
bench_command.add_command(suite_command)
bench_command.add_command(systems_command)
bench_command.add_command(head_to_head_command)
bench_command.add_command(gate_command)
bench_command.add_command(ledger_command)
bench_command.add_command(qa_command)
bench_command.add_command(calibrate_command)


@bench_command.command("retrieval")
@data_option
@out_option
@click.option("--name", help="The run's folder below --out; the default is made from what is run.")
@click.option(
    "--cache",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where embedded texts are kept for later runs: below --out unless you say so.",
)
@click.option(
    "--system",
    "specs",
    multiple=True,
    default=("truerecall",),
    show_default=True,
    help=f"NAME or NAME,option=value of {', '.join(SYSTEMS)}; may be repeated. Controls are always run.",
)
@click.option("--granularity", type=click.Choice(get_args(Granularity)), default="turn", show_default=True)
@click.option("--split", type=click.Choice(get_args(Split)), help="Of LoCoMo: dev unless asked otherwise.")
@click.option("--seed", type=int, default=0, show_default=True)
def retrieval_command(
    folder: Path, out: Path, name: str | None, cache: Path | None, specs: tuple[str, ...],
    granularity: Granularity, split: str | None, seed: int,
) -> None:  # fmt: skip
    """Measure retrieval on LoCoMo and LongMemEval files: systems beside their controls.

    A run that was stopped goes on when the same command is given again.
    """
    datasets = read(folder, split=split)
    systems = [*(system_of(spec, _ALWAYS) for spec in specs), *controls(seed)]
    manifest, path = measure(datasets, systems, out, name, granularity, seed, cache)
    click.echo(summary(manifest))
    click.echo(f"report: {path / 'report.html'} (also report.md, manifest.json, rows.jsonl)")


@bench_command.command("compare")
@click.argument("run_a", type=click.Path(path_type=Path))
@click.argument("run_b", type=click.Path(path_type=Path), required=False)
@click.option("--a", "system_a", default="truerecall", show_default=True, help="The system of RUN_A.")
@click.option("--b", "system_b", default="bm25", show_default=True, help="The system of RUN_B (or of RUN_A).")
@click.option(
    "--row", "rows", multiple=True, default=DEFAULT_ROWS, show_default=True, help="Named rows; repeatable."
)
@click.option("--alpha", type=float, default=ALPHA, show_default=True, help="The level of the adjusted p.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def compare_command(
    run_a: Path,
    run_b: Path | None,
    system_a: str,
    system_b: str,
    rows: tuple[str, ...],
    alpha: float,
    as_json: bool,
) -> None:
    """Compare two systems question by question: of RUN_A alone, or of RUN_A and RUN_B."""
    report = compare(run_a, system_a, run_b or run_a, system_b, rows, alpha)
    if unknown := set(rows) - {result.row for result in report.rows}:
        raise RunError(
            f"no question has a value for {sorted(unknown)[0]!r}",
            remedy="rows.jsonl of the run shows the rows there are.",
        )
    click.echo((readable_json(report.as_json()) if as_json else report.as_text()).rstrip("\n"))


@bench_command.command("report")
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Another folder for it.")
@click.option(
    "--speed",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="What benchmarks/speed.py wrote: it becomes a chapter.",
)
def report_command(run: Path, out: Path | None, speed: Path | None) -> None:
    """Make the reports of a finished RUN (a run's folder or a manifest file) anew.

    Of retrieval or of accuracy, as the manifest says. No model is called and no memory is asked.
    """
    manifest = read_run(run)
    folder = out or (run if run.is_dir() else run.parent)
    if isinstance(manifest, RetrievalManifest):
        written = write_reports(manifest, folder, None if speed is None else read_speed(speed))
    elif speed is not None:
        raise InvalidInput("--speed belongs to a report of retrieval", remedy="Leave it out.")
    else:
        written = write_qa_reports(manifest, folder)
    for path in written:
        click.echo(str(path))


@bench_command.command("pages")
@click.argument("runs", type=click.Path(path_type=Path), nargs=-1, required=True, metavar="RUN...")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default="runs",
    show_default=True,
    help="The folder for it.",
)
def pages_command(runs: tuple[Path, ...], out: Path) -> None:
    """Make one page of several finished runs, of retrieval and of accuracy, side by side.

    Runs on different data, questions or granularity never share a table, and nothing is pooled. The page shows what
    differs between runs and, between accuracy runs of the same questions, which answers were fixed or broken.
    """
    for path in write_pages(read_runs(runs), out):
        click.echo(str(path))


def measure(
    datasets: "Sequence[Dataset]",
    systems: Sequence[System],
    out: Path,
    name: str | None,
    granularity: Granularity,
    seed: int,
    cache: Path | None = None,
) -> tuple[RetrievalManifest, Path]:
    """Run, show the progress and write the reports; the manifest and the run's folder."""
    options = RunOptions(out, name or "unnamed", granularity, command=_command(), cache=cache)
    options = replace(options, ruler=replace(options.ruler, seed=seed))
    if name is None:
        digest = hashlib.sha256(plan(datasets, systems, options).encode()).hexdigest()
        options = replace(options, name=f"retrieval-{digest[:8]}")
    manifest = run_retrieval(datasets, systems, options, system_clock, Display())
    write_reports(manifest, out / options.name)
    return manifest, out / options.name


def _command() -> str:
    return shlex.join(["truerecall", *sys.argv[1:]])
