"""``link``, ``feedback``."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from truerecall.cli.opening import Place, memory_options
from truerecall.cli.text import one_line, standard_input
from truerecall.errors import InvalidInput

_FILE = click.Path(path_type=Path, exists=True, dir_okay=False, allow_dash=True)


@click.command("link")
@click.argument("cause")
@click.argument("effect")
@click.option("--confidence", type=float, default=1.0, show_default=True, help="How surely, from 0 to 1.")
@memory_options
def link_command(place: Place, cause: str, effect: str, confidence: float) -> None:
    """Note that the entry of the id CAUSE is a cause of the one of EFFECT; recall may follow it both ways."""
    with place.open() as memory:
        memory.link(cause, effect, confidence)
    click.echo(f"linked  {cause} -> {effect}, confidence {confidence:g}")


@click.command("feedback")
@click.argument("recall", type=_FILE)
@click.option(
    "--response",
    type=_FILE,
    help="The answer, a UTF-8 file: what it says again was used.",
)
@click.option("--cited", multiple=True, help="The id of an entry that the answer cites; may be repeated.")
@click.option("--failed", is_flag=True, help="The answer turned out badly.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@memory_options
def feedback_command(
    place: Place, recall: Path, response: Path | None, cited: tuple[str, ...], failed: bool, as_json: bool
) -> None:
    """Record which entries of RECALL went into an answer: a file with what `recall --json` printed.

    `-` is standard input. Each entry of the file counts once; the same file given again counts again.
    """
    from truerecall.memory.feedback import SavedRecall

    if str(recall) == str(response) == "-":
        raise InvalidInput(
            "standard input is one of them, the recall or the response", remedy="Name a file for the other."
        )
    saved = SavedRecall.parse(_read_json(recall))
    answer = None if response is None else _read(response)
    with place.open() as memory:
        told = memory.feedback(saved, response=answer, cited=cited, failed=failed)
    if as_json:
        click.echo(json.dumps(asdict(told), ensure_ascii=False))
        return
    for kind, ids in (("used", told.used), ("ignored", told.ignored), ("failed", told.failed)):
        for entry_id in ids:
            click.echo(f"{kind}  {entry_id}")
    for name, why in told.passed_over.items():
        click.echo(f"passed over, for {why}  {one_line(name)}")


def _read(file: Path) -> str:
    if str(file) == "-":
        return standard_input()
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"it is not UTF-8: {error.reason} at byte {error.start}",
            where=str(file),
            remedy="Convert it first, for example with iconv.",
        ) from None


def _read_json(file: Path) -> Any:
    text = _read(file)
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidInput(
            "this is no recall", where=str(file), remedy="Save what `truerecall recall QUERY --json` prints."
        ) from None
