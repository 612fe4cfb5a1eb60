"""``truerecall study plan``, ``run`` and ``status``: what would be run, running it, and how far it is."""

import os
import shlex
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import NoReturn

import click

from truerecall.cli.study_progress import RunDisplay
from truerecall.errors import StudyError
from truerecall.measure.prices import load_prices, shipped
from truerecall.study.estimate import estimate
from truerecall.study.files.reading import read_study
from truerecall.study.folder import StudyRun
from truerecall.study.keys.approving import require_approved
from truerecall.study.report.standing import status_of
from truerecall.study.report.terminal import plan_text
from truerecall.study.report.writing import write_report
from truerecall.study.running.options import RunOptions
from truerecall.study.running.run import plan_study, run_study

_STUDY = click.argument("study", type=click.Path(path_type=Path), default=".", required=False)
_PRICES = click.option(
    "--prices", type=click.Path(path_type=Path), help="A table of prices of your own, over the shipped one."
)
_OUT = click.option(
    "--out", type=click.Path(path_type=Path), help="The run folder  [default: runs/NAME below the study]"
)


@click.command("plan")
@_STUDY
@_OUT
@_PRICES
def plan_command(study: Path, out: Path | None, prices: Path | None) -> None:
    """Say what would be run and what it may cost; nothing is asked, and nothing is written.

    STUDY is the folder with study.toml.  [default: .]

    A run that is there already is taken into account: what is finished is not run again.
    """
    read = read_study(study)
    options = _options(study, read.name, out, prices)
    plan = plan_study(read, options)
    run = StudyRun(options.out) if options.out.is_dir() else None
    rows = run.rows() if run is not None and (options.out / "plan.json").is_file() else []
    click.echo(plan_text(plan, estimate(plan, rows), len(rows)))
    try:
        require_approved(read)
    except StudyError as error:
        click.echo(f"not yet: {error}")


@click.command("run")
@_STUDY
@_OUT
@click.option("--parallel", type=click.IntRange(1, 16), default=1, show_default=True, help="Runs at once.")
@click.option(
    "--max-cost",
    type=click.FloatRange(min=0.0, min_open=True),
    help="US dollars, of solver and graders together: no run is begun, and none goes on, that could pass it.",
)
@_PRICES
def run_command(
    study: Path, out: Path | None, parallel: int, max_cost: float | None, prices: Path | None
) -> None:
    """Run a study, and write its report.

    STUDY is the folder with study.toml.  [default: .]

    Whatever is finished is kept: a study that was stopped goes on when the same command is given again, and a run that
    was half done is done anew. Exit codes: 0 all is finished, 1 the limit of the costs ended it, 2 bad input.
    """
    read = read_study(study)
    options = _options(study, read.name, out, prices, parallel, max_cost)
    signal.signal(signal.SIGTERM, _stop)
    run = run_study(read, options)
    written = write_report(run)
    click.echo(status_of(run))
    click.echo(f"report: {written[0].parent / 'report.html'} (also report.md, report.json)")
    sys.exit(0 if len(run.rows()) == len(run.plan().runs) else 1)


@click.command("status")
@click.argument("run", type=click.Path(path_type=Path))
def status_command(run: Path) -> None:
    """Show how far a run is: by side what is finished, thrown out and waiting, and what was spent."""
    click.echo(status_of(StudyRun(run)))


def _options(
    study: Path,
    name: str,
    out: Path | None,
    prices: Path | None,
    jobs: int = 1,
    max_cost: float | None = None,
) -> RunOptions:
    return RunOptions(
        out=out or study / "runs" / name,
        environment=dict(os.environ),
        jobs=jobs,
        max_cost=max_cost,
        report=RunDisplay(),
        command=shlex.join(["truerecall", *sys.argv[1:]]),
        prices=load_prices(prices) if prices else shipped(),
    )


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    """As Ctrl-C does: the solvers that are under way are ended, so that nothing goes on being paid."""
    raise KeyboardInterrupt
