"""``truerecall bench gate`` and ``bench ledger``: nothing worse than before, and what each release reached."""

import json
import sys
import tempfile
from contextlib import nullcontext
from pathlib import Path

import click

from truerecall.bench.gate.baseline import GateRecord, gate_json, read_gate_record
from truerecall.bench.gate.checking import check
from truerecall.bench.gate.drill import drill, drill_text
from truerecall.bench.gate.made import Made, measure_made
from truerecall.bench.gate.margins import Margins, margins_text, read_margins
from truerecall.bench.gate.report import report_text
from truerecall.bench.gate.taking import take
from truerecall.bench.ledger import FOLDER, ReleaseLedger, ledger_text, release_of
from truerecall.bench.measured import record_json
from truerecall.bench.outputs import write_whole
from truerecall.bench.qa.folder import read_qa_manifest, read_qa_rows
from truerecall.bench.report.reading import kind_of
from truerecall.bench.run import read_manifest
from truerecall.bench.systems.table import create
from truerecall.cli.counting import Counting
from truerecall.cli.progress import Display
from truerecall.cli.text import json_text, readable_json, visible
from truerecall.core.clock import system_clock
from truerecall.errors import InvalidInput, RunError

_FILE = click.Path(dir_okay=False, path_type=Path)
_FOLDER = click.Path(file_okay=False, path_type=Path)
_qa = click.option(
    "--qa", type=click.Path(path_type=Path), help="A finished accuracy run, to be taken as well."
)
_system = click.option("--system", default="truerecall", show_default=True, help="Whose figures.")
_control = click.option(
    "--control", default="bm25", show_default=True, help="What its latency is a multiple of."
)
_margins = click.option(
    "--margins", type=_FILE, help="A JSON file of margins that differ from the stated ones."
)
_strict = click.option("--strict", is_flag=True, help="Leave with 1 also where something cannot be told.")
_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")


@click.group("gate")
def gate_command() -> None:
    """Hold runs against a baseline: retrieval, accuracy, latency, cost and store size.

    Exit codes: 0 nothing regressed (what cannot be told is said on standard error), 1 something did, 2 there is
    nothing to compare.
    """


@gate_command.command("take")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...", type=click.Path(path_type=Path))
@_qa
@_system
@_control
@click.option("--out", type=_FILE, required=True, help="The baseline's file.")
def take_command(runs: tuple[Path, ...], qa: Path | None, system: str, control: str, out: Path) -> None:
    """Keep a baseline of finished retrieval RUNs: figures by question, and no text.

    Name three repeats of one command, or its latency cannot be compared.
    """
    record = _taken(runs, qa, system, control)
    write_whole(out, gate_json(record))
    click.echo(f"baseline: {out} ({len(runs)} runs, {_questions(record)} questions)")


@gate_command.command("check")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...", type=click.Path(path_type=Path))
@click.option("--baseline", type=_FILE, required=True, help="What `gate take` wrote.")
@_qa
@_system
@_control
@_margins
@_strict
@_json
def check_command(
    runs: tuple[Path, ...],
    baseline: Path,
    qa: Path | None,
    system: str,
    control: str,
    margins: Path | None,
    strict: bool,
    as_json: bool,
) -> None:
    """Compare finished RUNs with a baseline, question by question."""
    before, allowed = read_gate_record(baseline), _allowed(margins)
    _leave(_taken(runs, qa, system, control), before, allowed, strict, as_json)


@gate_command.command("made")
@click.option("--baseline", type=_FILE, help="What an earlier --take wrote: compare with it.")
@click.option("--take", "out", type=_FILE, help="Write a baseline instead of comparing.")
@click.option(
    "--runs", type=_FOLDER, help="Where the runs are kept; in a temporary folder unless you say so."
)
@_margins
@_strict
@_json
def made_command(
    baseline: Path | None,
    out: Path | None,
    runs: Path | None,
    margins: Path | None,
    strict: bool,
    as_json: bool,
) -> None:
    """The whole gate without a key and without data: makes conversations and asks them three times."""
    if (baseline is None) == (out is None):
        raise InvalidInput("the gate needs one of --baseline and --take", remedy="Name one file.")
    before, allowed = None if baseline is None else read_gate_record(baseline), _allowed(margins)
    with tempfile.TemporaryDirectory() if runs is None else nullcontext(str(runs)) as folder:
        record = measure_made(Path(folder), create("truerecall", {}), Made(), system_clock, Display())
    if out is not None:
        write_whole(out, gate_json(record))
        click.echo(f"baseline: {out} ({_questions(record)} questions)")
    elif before is not None:
        _leave(record, before, allowed, strict, as_json)


@gate_command.command("drill")
@_json
def drill_command(as_json: bool) -> None:
    """Plant a regression of every kind, and show that the gate catches each: exit 1 where one is missed."""
    with tempfile.TemporaryDirectory() as folder, Counting("drills done:") as told:
        drilled = drill(Path(folder), system_clock, told)
    if as_json:
        rows = [
            {"kind": one.kind, "planted": one.what, "must": one.must, "caught": one.caught,
             "report": one.report.model_dump(mode="json")}
            for one in drilled
        ]  # fmt: skip
        click.echo(json_text(rows, indent=2))
    else:
        click.echo(drill_text(drilled))
    sys.exit(int(any(not one.caught for one in drilled)))


@gate_command.command("margins")
@_margins
def margins_command(margins: Path | None) -> None:
    """Say what is put up with, and why."""
    click.echo(margins_text(_allowed(margins)))


@click.group("ledger")
def ledger_command() -> None:
    """What each release reached: a file a release, added and never changed."""


@ledger_command.command("add")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...", type=click.Path(path_type=Path))
@click.option("--ledger", type=_FOLDER, default=FOLDER, show_default=True, help="The folder of releases.")
@click.option(
    "--label", default="", help="What must be said of it: for a wiring proof, or code that no commit holds."
)
def add_command(runs: tuple[Path, ...], ledger: Path, label: str) -> None:
    """Add the figures of finished RUNs, retrieval or accuracy, all of one commit."""
    kinds = [(run, _kind(run)) for run in runs]
    release = release_of(
        [(run, read_manifest(run)) for run, kind in kinds if kind != "qa"],
        [(run, read_qa_manifest(run)) for run, kind in kinds if kind == "qa"],
        system_clock,
        label,
    )
    click.echo(f"added: {ReleaseLedger(ledger).add(release)}")


@ledger_command.command("list")
@click.option("--ledger", type=_FOLDER, default=FOLDER, show_default=True, help="The folder of releases.")
@_json
def list_command(ledger: Path, as_json: bool) -> None:
    """Print every release with its figures, oldest first."""
    releases = ReleaseLedger(ledger).releases()
    if as_json:
        click.echo(readable_json(json.dumps([json.loads(record_json(one)) for _, one in releases], indent=2)))
    else:
        click.echo(visible(ledger_text(releases), keep="\n"))


def _taken(runs: tuple[Path, ...], qa: Path | None, system: str, control: str) -> GateRecord:
    if qa is None:
        return take(runs, system, control)
    manifest = read_qa_manifest(qa)
    return take(runs, system, control, (qa, manifest, read_qa_rows(qa, manifest)))


def _allowed(margins: Path | None) -> Margins:
    return Margins() if margins is None else read_margins(margins)


def _leave(now: GateRecord, before: GateRecord, margins: Margins, strict: bool, as_json: bool) -> None:
    """Print the verdicts, and end with their exit code."""
    report = check(now, before, margins)
    click.echo(record_json(report).rstrip("\n") if as_json else report_text(report))
    if report.verdict == "cannot tell":
        count = sum(line.verdict == "cannot tell" for line in report.lines)
        click.echo(f"warning: {count} figures cannot be told from noise, or were not measured", err=True)
    sys.exit(report.exit_code(strict))


def _questions(record: GateRecord) -> int:
    return sum(len(part.questions) for part in record.retrieval)


def _kind(run: Path) -> str:
    """What a run's manifest says that it is; reading it whole says what is wrong with it."""
    kind = kind_of(run)
    if kind not in ("retrieval", "qa", ""):
        raise RunError(
            "the manifest is of no run", where=run.name, remedy="Name a retrieval or an accuracy run."
        )
    return kind
