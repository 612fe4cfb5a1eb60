"""``facts``, ``profile``, ``link``, ``feedback``."""

import json
import sys
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from truerecall.cli.opening import Instant, Place, memory_options
from truerecall.cli.text import Words, json_text, one_line, standard_input
from truerecall.core.clock import isoformat
from truerecall.core.entry import ProfileTrait
from truerecall.errors import InvalidInput

if TYPE_CHECKING:
    from truerecall.memory.facts import FactView

_FILE = click.Path(path_type=Path, exists=True, dir_okay=False, allow_dash=True)
_TRAIT = click.Choice(get_args(ProfileTrait))


@click.command("facts")
@click.argument("subject", required=False, type=Words())
@click.option("--predicate", type=Words(), help="Of this predicate only, such as lives_in.")
@click.option("--valid-at", type=Instant(), help="What was so then; by default now.")
@click.option("--known-at", type=Instant(), help="As it was known just before then.")
@click.option("--all", "everything", is_flag=True, help="Also what is not so, with the reason.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
@memory_options
def facts_command(
    place: Place,
    subject: str | None,
    predicate: str | None,
    valid_at: datetime | None,
    known_at: datetime | None,
    everything: bool,
    as_json: bool,
) -> None:
    """Show what the entries state, about SUBJECT (by any of its names) or about everything."""
    with place.open() as memory:
        found = memory.facts(subject, predicate, valid_at=valid_at, known_at=known_at, current=not everything)
    for fact in found:
        click.echo(json_text(_fact_json(fact)) if as_json else _fact_line(fact))
    if not found and not as_json:
        click.echo("nothing is stated")


@click.group("profile")
def profile_command() -> None:
    """The lasting traits of the user: each has a kind, a key and a text, and is seen by that user only."""


@profile_command.command("list")
@click.option("--trait", type=_TRAIT, help="Of this kind only.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
@memory_options
def profile_list_command(place: Place, trait: ProfileTrait | None, as_json: bool) -> None:
    """Show the user's traits."""
    with place.open() as memory:
        found = memory.profile(trait)
    for row in found:
        if as_json:
            values = asdict(row) | {"trust": row.trust.label, "recorded_at": isoformat(row.recorded_at)}
            click.echo(json_text(values))
        else:
            click.echo(
                f"{row.entry_id}  {row.trait}  {one_line(row.key)}  {row.trust.label}  {one_line(row.text)}"
            )
    if not found and not as_json:
        click.echo("the profile is empty")


@profile_command.command("set")
@click.argument("trait", type=_TRAIT)
@click.argument("key", type=Words())
@click.argument("text", type=Words())
@click.option("--trust", type=click.Choice(("system", "learned")), default="learned", show_default=True)
@memory_options
def profile_set_command(place: Place, trait: ProfileTrait, key: str, text: str, trust: str) -> None:
    """Set the trait of a kind (TRAIT) and a KEY to TEXT.

    The one before it is superseded, and stays in its history.
    """
    with place.open(create=True) as memory:
        result = memory.set_profile(trait, key, text, trust=trust)
    reason = f": {one_line(result.reason)}" if result.reason else ""
    click.echo(f"{result.status}{reason}  {result.id or ''}".rstrip())
    if result.status == "refused":
        sys.exit(1)


@profile_command.command("forget")
@click.argument("trait", type=_TRAIT)
@click.argument("key", type=Words())
@memory_options
def profile_forget_command(place: Place, trait: ProfileTrait, key: str) -> None:
    """Retire the trait of a kind (TRAIT) and a KEY; nothing is deleted."""
    from truerecall.memory.profile import remove

    with place.open() as memory:
        remove(memory, trait, key)
    click.echo("retired 1")


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
        click.echo(json_text(asdict(told)))
        return
    for kind, ids in (("used", told.used), ("ignored", told.ignored), ("failed", told.failed)):
        for entry_id in ids:
            click.echo(f"{kind}  {entry_id}")
    for name, why in told.passed_over.items():
        click.echo(f"passed over, for {why}  {one_line(name)}")


def _fact_line(fact: "FactView") -> str:
    said = one_line(f"{fact.subject} {fact.predicate} {fact.object}")
    span = f" from {fact.begins}" if fact.begins else ""
    span += f" until {fact.until:%Y-%m-%d}" if fact.until is not None else ""
    rival = f" by {fact.rival}" if fact.rival else ""
    reason = f": {one_line(fact.reason)}" if fact.reason else ""
    return f"{fact.entry_id}  {said}  {fact.trust.label}  {fact.status}{span}{rival}{reason}"


def _fact_json(fact: "FactView") -> dict[str, Any]:
    values = asdict(fact) | {"trust": fact.trust.label}
    for name in ("start", "start_by", "until", "recorded_at"):
        values[name] = None if values[name] is None else isoformat(values[name])
    return values


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
