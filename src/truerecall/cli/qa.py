"""``truerecall bench qa`` and ``truerecall bench calibrate``: answers, judged by at least two models."""

import hashlib
import os
import sys
from collections.abc import Sequence
from dataclasses import replace

import click

from truerecall.bench.datasets.reading import read
from truerecall.bench.qa.calibrating import calibrate, calibrate_plan
from truerecall.bench.qa.flips import with_flips
from truerecall.bench.qa.options import qa_plan
from truerecall.bench.qa.plan import Plan
from truerecall.bench.qa.run import plan_qa, run_qa
from truerecall.bench.report.accuracy.terminal import qa_summary
from truerecall.bench.report.accuracy.writing import write_qa_reports
from truerecall.bench.systems.protocol import System
from truerecall.bench.systems.table import SYSTEMS, create
from truerecall.cli.choosing import system_of
from truerecall.cli.progress import Display
from truerecall.cli.qa_options import (
    Asked,
    Asking,
    Kept,
    asked_options,
    asking_options,
    judging_options,
    kept_options,
    model_of,
    qa_options,
)
from truerecall.cli.text import one_line
from truerecall.core.clock import system_clock
from truerecall.errors import InvalidInput, JudgeRefused

CONTROLS = tuple(name for name, row in SYSTEMS.items() if row.control)
"""What memories can be held against."""
_WANTED = ("full-dump", "oracle", "null")
"""Controls that a reader looks for: where one is left out, the manifest says so."""


@click.command("qa")
@click.option(
    "--system",
    "specs",
    multiple=True,
    default=("truerecall",),
    show_default=True,
    help=f"NAME or NAME,option=value of {', '.join(SYSTEMS)}; may be repeated.",
)
@click.option(
    "--control",
    "controls",
    multiple=True,
    default=("full-dump",),
    show_default=True,
    type=click.Choice([*CONTROLS, "none"]),
    help="Asked beside the systems, each at the price of a system; may be repeated.",
)
@click.option(
    "--ablate",
    is_flag=True,
    help="Ask with each switch of recall flipped as well, and hold each against the one truerecall that is named.",
)
@click.option("--plan", "plan_only", is_flag=True, help="Say what would be asked and what it costs, and end.")
@asked_options
@asking_options
@kept_options
def qa_command(
    asked: Asked, asking: Asking, kept: Kept, specs: tuple[str, ...], controls: tuple[str, ...], ablate: bool,
    plan_only: bool,
) -> None:  # fmt: skip
    """Measure accuracy: recall, have a model answer, have at least two others judge.

    Every result is kept below --out before anything stands on it: a run that was stopped goes on when the same
    command is given again, and no call is made twice. Exit codes: 0 done, 1 a judge is not fit to judge, 2 bad input.
    """
    systems, ablated = chosen(specs, controls, asked.seed), ""
    if ablate:
        systems, ablated = with_flips(systems)
    options = replace(qa_options(asking, kept, asked), not_measured=_left_out(controls), ablated=ablated)
    models = asking.models(os.environ)
    datasets = read(asked.data, split=asked.split)
    if kept.name is None:
        digest = hashlib.sha256(qa_plan(datasets, systems, models, options).encode()).hexdigest()
        options = replace(options, name=f"qa-{digest[:8]}")
    if plan_only:
        click.echo(plan_qa(datasets, systems, models, options, system_clock, Display()).as_text())
        return
    try:
        manifest = run_qa(datasets, systems, models, options, system_clock, Display(), announce=announce)
    except JudgeRefused as error:
        refuse(error)
    path = options.out / options.name
    write_qa_reports(manifest, path)
    click.echo(qa_summary(manifest))
    click.echo(f"report: {path / 'report.html'} (also report.md, manifest.json, rows.jsonl)")


@click.command("calibrate")
@judging_options
@kept_options
def calibrate_command(asking: Asking, kept: Kept) -> None:
    """Try judges on answers whose verdict is known; what they say is kept for later runs.

    Exit codes: 0 every judge is fit, 1 one is not, 2 bad input.
    """
    if not asking.judges:
        raise InvalidInput(
            "no judge is named", where="--judge", remedy="Give --judge MODEL (or set TRUERECALL_JUDGES)."
        )
    options = qa_options(asking, kept)
    judges = [model_of(spec, os.environ) for spec in asking.judges]
    if kept.name is None:
        digest = hashlib.sha256(calibrate_plan(judges, options).encode()).hexdigest()
        options = replace(options, name=f"calibrate-{digest[:8]}")
    found = calibrate(judges, options, Display(), announce=announce)
    for one in found:
        click.echo(
            f"{one.judge}: {'fit to judge' if one.passed else 'NOT fit to judge'}: refuses {one.false_rejects} of"
            f" {one.right} right answers, accepts {one.false_accepts} of {one.wrong} wrong ones;"
            f" {one.invalid} verdicts cannot be read, {one.failed} calls failed"
        )
    sys.exit(0 if all(one.passed for one in found) else 1)


def chosen(specs: Sequence[str], controls: Sequence[str], seed: int) -> list[System]:
    """The systems, then the controls that are asked beside them."""
    beside = dict.fromkeys(name for name in controls if name != "none")
    made = [system_of(spec, "Give it by --control.") for spec in specs]
    return made + [
        create(name, {"seed": str(seed)} if "seed" in SYSTEMS[name].options else {}) for name in beside
    ]


def announce(plan: Plan) -> None:
    """Show what is about to be asked."""
    click.echo(plan.as_text(), err=True)


def refuse(error: JudgeRefused) -> None:
    """End the command as a check that failed."""
    click.echo(f"truerecall: {one_line(str(error))}", err=True)
    sys.exit(1)


def _left_out(controls: Sequence[str]) -> dict[str, str]:
    return {
        SYSTEMS[name].make({}).name: f"not asked for: --control {name} adds it"
        for name in _WANTED
        if name not in controls
    }
