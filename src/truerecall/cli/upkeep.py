"""``purge``, ``export``, ``import``, ``at``, ``reembed``, ``doctor``."""

import sys
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import click

from truerecall.cli.counting import Counting
from truerecall.cli.opening import Instant, Place, memory_options
from truerecall.errors import InvalidInput


@click.command("purge")
@click.argument("entry_ids", nargs=-1, required=True)
@click.option("--yes", is_flag=True, help="Do not ask.")
@memory_options
def purge_command(place: Place, entry_ids: tuple[str, ...], yes: bool) -> None:
    """Remove the entries of ENTRY_IDS, and all that was derived from them, for good."""
    question = f"Remove {len(entry_ids)} entries and what was derived from them, for good?"
    if not yes and not _confirmed(question):
        click.echo("nothing was removed")
        sys.exit(1)
    with place.open() as memory:
        purged = memory.purge(*entry_ids)
    click.echo(f"removed {len(purged.ids)}")
    if purged.pending:
        click.echo(
            "an open reader still holds old pages: the next command on this store finishes the purge",
            err=True,
        )
    for path in purged.exports:
        click.echo(f"an export may still hold it, remove it yourself: {path}", err=True)


@click.command("export")
@click.argument("folder", type=click.Path(path_type=Path))
@memory_options
def export_command(place: Place, folder: Path) -> None:
    """Write all that you see into a new FOLDER: a manifest and JSON lines."""
    with place.open() as memory:
        memory.export(folder)
        counts = memory.counts()
    click.echo(f"exported {counts.entries} entries and {counts.events} events to {folder}")


@click.command("import")
@click.argument("folder", type=click.Path(path_type=Path))
@memory_options
def import_command(place: Place, folder: Path) -> None:
    """Take in the export in FOLDER; what is here already stays as it is."""
    with place.open(create=True) as memory, Counting("embedded") as progress:
        imported = memory.import_(folder, progress=progress)
    click.echo(
        f"imported {imported.entries} entries and {imported.events} events; {imported.known} were here already"
    )


@click.command("at")
@click.argument("instant", type=Instant())
@click.argument("file", type=click.Path(path_type=Path))
@memory_options
def at_command(place: Place, instant: datetime, file: Path) -> None:
    """Write the memory as it stood just before INSTANT into a new FILE."""
    with place.open() as memory, memory.at(instant, file) as cut:
        counts = cut.counts()
    click.echo(
        f"{counts.entries} entries and {counts.events} events before {instant:%Y-%m-%d %H:%M:%S}Z in {file}"
    )


@click.command("reembed")
@memory_options
def reembed_command(place: Place) -> None:
    """Give every entry of the whole store a vector of --embedder, and remove those of other models.

    Broken off, it goes on where it was when it is run again; recall works meanwhile.
    """
    model = "local" if place.embedder == "auto" else place.embedder
    if model == "none":
        raise InvalidInput("reembed needs an embedder", where="--embedder", remedy="Name one, such as local.")
    with replace(place, embedder="none").open() as memory, Counting("embedded") as progress:
        done = memory.reembed(model, progress=progress)
    click.echo(f"embedded {done.embedded} entries")
    if done.dropped:
        click.echo(f"removed another model's vectors of {done.dropped} entries")
    if done.failed:
        click.echo(f"the embedder failed on {done.failed} entries: run it again to try them again", err=True)
        sys.exit(1)


@click.command("doctor")
@click.option("--repair", is_flag=True, help="Make anew what is derived: text indexes, standing, vectors.")
@memory_options
def doctor_command(place: Place, repair: bool) -> None:
    """Check the whole store; exit code 1 if something is wrong."""
    from truerecall.memory.doctor import adopt_model
    from truerecall.models.registry import embedder

    place.scope()  # refused before anything is changed
    if repair and (model := embedder(place.embedder)) is not None and place.store.exists():
        adopt_model(place.store, place.settings.store, model)
    with place.open() as memory, Counting("embedded") as progress:
        health = memory.doctor(repair, progress=progress)
    for done in health.repaired:
        click.echo(f"repaired: {done}")
    for finding in health.findings:
        mark = "ok  " if finding.healthy else "BAD "
        click.echo(
            f"{mark} {finding.check}: {finding.detail}" + (f". {finding.repair}" if finding.repair else "")
        )
    if not health.healthy:
        sys.exit(1)


def _confirmed(question: str) -> bool:
    try:
        return click.confirm(question)
    except click.Abort:  # Ctrl-C, or no terminal to ask at
        return False
