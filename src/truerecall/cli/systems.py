"""``truerecall bench systems``: other memory systems, each in a virtual environment of its own."""

import os
import sys
import tempfile
from pathlib import Path

import click

from truerecall.bench.rivals.installing import install, installed, root_of
from truerecall.bench.rivals.standing import Checked, check
from truerecall.bench.rivals.table import RIVALS, rival
from truerecall.cli.text import visible

FAILED = 1


@click.group("systems")
def systems_command() -> None:
    """Other memory systems: which there are, installing one, checking its adapter."""


_ROOT = click.option(
    "--root",
    type=click.Path(file_okay=False, path_type=Path),
    envvar="TRUERECALL_SYSTEMS",
    help="Where they are installed: .systems unless you say so.",
)


@systems_command.command("list")
@_ROOT
def list_command(root: Path | None) -> None:
    """Name every system that can be measured, and whether it is installed."""
    place = root_of(os.environ, root)
    for row in RIVALS.values():
        state = row.reason or ("installed" if installed(row, place) else "not installed")
        click.echo(f"{row.name:<14} {row.package:<28} {state}")


@systems_command.command("install")
@click.argument("name")
@_ROOT
def install_command(name: str, root: Path | None) -> None:
    """Install the system NAME into a virtual environment of its own, out of the package index.

    This is the one command of the benchmark that contacts another machine, and only because you gave it. An
    installation that was stopped begins anew.
    """
    row = rival(name)
    found = install(row, root_of(os.environ, root), _step)
    click.echo(
        f"{row.name}: {row.package} on Python {found.stamp.python}, {len(found.stamp.packages)} packages"
    )
    click.echo(f"next: truerecall bench systems check {row.name}")


@systems_command.command("check")
@click.argument("name")
@_ROOT
@click.option("--option", "options", multiple=True, help="option=value for its adapter; may be repeated.")
def check_command(name: str, root: Path | None, options: tuple[str, ...]) -> None:
    """Run the conformance test on the adapter of the system NAME, in new stores."""
    row = rival(name)
    given = dict(option.partition("=")[::2] for option in options)
    with tempfile.TemporaryDirectory(prefix="truerecall-check-") as folder:
        checked = check(row, given, _with_root(root), Path(folder))
    click.echo("\n".join(_lines(checked)))
    if any(outcome.verdict == "failed" and not outcome.known for outcome in checked.outcomes):
        sys.exit(FAILED)


def _with_root(root: Path | None) -> dict[str, str]:
    return {**os.environ, "TRUERECALL_SYSTEMS": str(root_of(os.environ, root))}


def _step(line: str) -> None:
    if line:
        click.echo(visible(line)[:200], err=True)


def _lines(checked: Checked) -> list[str]:
    lines = [checked.name]
    for outcome in checked.outcomes:
        lines.append(f"  {outcome.check:<30} {outcome.verdict:<13} {outcome.detail}")
        if outcome.known:
            lines.append(f"  {'':<30} {'known':<13} {outcome.known}")
    return [visible(line) for line in lines]
