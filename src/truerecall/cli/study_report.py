"""``truerecall study audit`` and ``report``: whether a run can be trusted, and what it found."""

import sys
from pathlib import Path

import click

from truerecall.study.folder import StudyRun
from truerecall.study.grade.claims import read_claims
from truerecall.study.ledger import disagreements
from truerecall.study.report.terminal import audit_text
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
    click.echo(audit_text(folder.finished(read_claims(folder))))
    for one in found:
        click.echo(f"DISAGREES: {one.where}: {one.what}")
    click.echo(
        f"{len(found)} places disagree"
        if found
        else "every row of the ledger is what its transcript makes it"
    )
    sys.exit(1 if found else 0)


@click.command("report")
@_RUN
def report_command(run: Path) -> None:
    """Write the report of a run, from its folder alone: Markdown, JSON and one HTML page."""
    for path in write_report(StudyRun(run)):
        click.echo(path)
