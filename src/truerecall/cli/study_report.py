"""``truerecall study audit`` and ``report``: whether a run can be trusted, and what it found."""

import sys
from pathlib import Path

import click

from truerecall.study.folder import StudyRun
from truerecall.study.ledger import disagreements
from truerecall.study.report.standing import audit_of, waiting_of
from truerecall.study.report.writing import write_report

_RUN = click.argument("run", type=click.Path(path_type=Path))


@click.command("audit")
@_RUN
def audit_command(run: Path) -> None:
    """Hold the ledger of a run against its transcripts, and list what was thrown out and what waits for a person.

    Exit codes: 0 the ledger is what the transcripts make it, 1 it is not, 2 bad input.
    """
    folder = StudyRun(run)
    found = disagreements(folder)
    click.echo(audit_of(folder))
    for one in found:
        click.echo(f"DISAGREES: {one.where}: {one.what}")
    places = "1 place disagrees" if len(found) == 1 else f"{len(found)} places disagree"
    click.echo(places if found else "every row of the ledger is what its transcript makes it")
    sys.exit(1 if found else 0)


@click.command("report")
@_RUN
def report_command(run: Path) -> None:
    """Write the report of a run, from its folder alone: Markdown, JSON and one HTML page."""
    folder = StudyRun(run)
    for path in write_report(folder):
        click.echo(path)
    if told := waiting_of(folder):
        click.echo(told)
