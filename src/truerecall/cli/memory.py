"""``remember``, ``recall``, ``list``, ``show``, ``correct``, ``forget``."""

import json
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from truerecall.cli.counting import Counting
from truerecall.cli.opening import Instant, Place, memory_options
from truerecall.cli.text import Words, for_terminal, json_text, one_line, standard_input
from truerecall.core.entry import DEFAULT_TRUST, ENDING, Entry, EventTime, Kind, Statement
from truerecall.errors import InvalidInput, InvalidTime

if TYPE_CHECKING:
    from truerecall.memory.recall.recalled import Recall
    from truerecall.memory.recall.trace import Understood

_TIERS = ("system", "learned", "external")
_SHOWN = 160  # characters of a text in a list


def _no_options(
    context: click.Context, param: click.Parameter, fact: tuple[str, str, str] | None
) -> tuple[str, str, str] | None:
    """A fact of fewer than three parts would take the next option for one of them."""
    if strange := [part for part in fact or () if part.startswith("--")]:
        raise InvalidInput(
            f"a part of the fact is {strange[0]!r}",
            where="--fact",
            remedy="Give three parts, SUBJECT PREDICATE OBJECT, of which none begins with --.",
        )
    return fact


def _fact_option(told: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    return click.option(
        "--fact",
        type=(Words(), Words(), Words()),
        metavar="SUBJECT PREDICATE OBJECT",
        callback=_no_options,
        help=told,
    )


@click.command("remember")
@click.argument("texts", nargs=-1, type=Words())
@click.option(
    "--messages",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A JSON file of chat messages: a list, or one a line.",
)
@click.option("--session", type=Words(), help="The conversation that they belong to.")
@click.option("--speaker", type=Words(), help="Who said it.")
@click.option("--happened-at", help="When: 2024, 2024-05, 2024-05-07, or an instant with its zone.")
@click.option("--trust", type=click.Choice(_TIERS), default="learned", show_default=True)
@click.option("--kind", type=click.Choice(get_args(Kind)), default="turn", show_default=True)
@_fact_option(
    "What the text states, such as Mara lives_in Lisbon: a fact, weighed against what is known. The text may"
    " then be left out."
)
@click.option("--private", is_flag=True, help="Only you will see it.")
@click.option("--pin", is_flag=True, help="Keep it at the head of recall.")
@memory_options
def remember_command(
    place: Place,
    texts: tuple[str, ...],
    messages: Path | None,
    fact: tuple[str, str, str] | None,
    private: bool,
    pin: bool,
    **details: Any,
) -> None:
    """Remember TEXTS; without any, standard input as one text."""
    what: list[Any] = [*texts, *([] if messages is None else _read_messages(messages))]
    if fact is not None:
        what, more = _stated(fact, what, details["kind"])
        details |= more
    elif not texts and messages is None:
        what = [standard_input()]
    if not what:
        raise InvalidInput(
            "there is nothing to remember", where=str(messages), remedy="Give a message or more."
        )
    details = {name: value for name, value in details.items() if value is not None}
    if "happened_at" in details:
        details["happened_at"] = _event_time(details["happened_at"])
    details["visibility"] = "private" if private else "shared"
    with place.open(create=True) as memory, Counting("embedded") as progress:
        results = memory.remember(what, progress=progress, pinned=pin, **details)
    for result in results:
        masked = f", {result.masked} secrets masked" if result.masked else ""
        reason = f": {result.reason}" if result.reason else ""
        click.echo(f"{result.status}{reason}{masked}  {result.id or ''}".rstrip())
        if result.outcome is not None:
            rival = f" {result.outcome.rival}" if result.outcome.rival else ""
            click.echo(f"   {result.outcome.kind}{rival}: {one_line(result.outcome.reason)}")
    if any(result.status == "refused" for result in results):
        sys.exit(1)


def _stated(fact: tuple[str, str, str], what: list[Any], kind: str) -> tuple[list[Any], dict[str, Any]]:
    """The one text of a fact, in its own words where none is given, and what goes with it."""
    if kind not in ("turn", "fact"):
        raise InvalidInput(f"a {kind} is no fact", where="--kind", remedy="Leave --kind or --fact out.")
    if len(what) > 1 or not all(isinstance(text, str) for text in what):
        raise InvalidInput("a fact has one text", where="--fact", remedy="Give one text, or none.")
    subject, predicate, thing = fact
    worded = f"{subject} {predicate.replace('_', ' ')} {thing}"
    return what or [worded], {"kind": "fact", "decay_class": "semantic", "statement": Statement(*fact)}


@click.command("recall")
@click.argument("query", type=Words())
@click.option("--limit", type=int, help="Hits at most.")
@click.option("--budget", type=int, help="Tokens of the block at most.")
@click.option(
    "--trust", "tiers", multiple=True, type=click.Choice(_TIERS), help="Tiers to recall; may be repeated."
)
@click.option("--valid-at", type=Instant(), help="Recall what was valid then.")
@click.option(
    "--time",
    type=click.Choice(["soft", "hard"]),
    default="soft",
    show_default=True,
    help="Whether what did not happen in the time that QUERY names is left out (hard).",
)
@click.option("--at", "as_of", type=Instant(), help="Recall from the memory as it stood just before then.")
@click.option("--explain", is_flag=True, help="Show what each stage did and everything that was dropped.")
@click.option("--block", is_flag=True, help="Print the block for a model instead of the hits.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--trace", type=click.Path(path_type=Path), help="Append the trace to this JSONL file.")
@memory_options
def recall_command(
    place: Place,
    query: str,
    tiers: tuple[str, ...],
    as_of: datetime | None,
    trace: Path | None,
    **options: Any,
) -> None:
    """Recall what answers QUERY."""
    with place.open() as memory:
        past = memory.at(as_of) if as_of is not None else memory
        found = past.recall(
            query,
            limit=options["limit"],
            budget=options["budget"],
            valid_at=options["valid_at"],
            time=options["time"],
            trust=tiers or DEFAULT_TRUST,
        )
        past.close()
    if trace is not None:
        from truerecall.memory.recall.trace import append_trace

        append_trace(trace, found.trace)
    for note in found.degradations:
        click.echo(f"note: {note}", err=True)
    if options["as_json"]:
        click.echo(json_text(_as_json(found)))
    elif options["block"]:
        click.echo(for_terminal(found.text))
    else:
        click.echo("\n".join(hit_lines(found)) or "nothing was found")
        if options["explain"]:
            click.echo("\n" + "\n".join(_explained(found)))


@click.command("list")
@click.option("--kind", type=click.Choice(get_args(Kind)))
@click.option("--session", type=Words(), help="Of this conversation only.")
@click.option("--ended", is_flag=True, help="Superseded and retired entries as well.")
@click.option("--newest", type=int, default=50, show_default=True, help="At most so many.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
@memory_options
def list_command(place: Place, as_json: bool, **wanted: Any) -> None:
    """List entries, the last learned first."""
    from truerecall.memory.serial import entry_json
    from truerecall.memory.store.protocol import Filter

    with place.open() as memory:
        entries = memory.list(Filter(**wanted))
        counts = memory.counts()
    for entry in entries:
        click.echo(json_text(entry_json(entry)) if as_json else _row(entry))
    if len(entries) < counts.entries:
        click.echo(f"note: {len(entries)} of {counts.entries} entries shown", err=True)


@click.command("show")
@click.argument("entry_id")
@memory_options
def show_command(place: Place, entry_id: str) -> None:
    """Show the entry of ENTRY_ID (or of its last eight digits), with its provenance and its history."""
    from truerecall.memory.serial import entry_json

    with place.open() as memory:
        history = memory.history(entry_id)
    click.echo(for_terminal(json_text(entry_json(history.entry), indent=2)))
    for event in history.events:
        by = " by" if event.kind in ENDING else ""
        other = f"{by} {event.other_id}" if event.other_id else ""
        detail = f" ({one_line(event.detail)})" if event.detail else ""
        click.echo(f"{event.at:%Y-%m-%d %H:%M:%S}Z {event.kind}{other}{detail}")


@click.command("correct")
@click.argument("entry_id")
@click.argument("text", type=Words())
@_fact_option("What a fact states from now on; without it, what it stated does not count any more.")
@memory_options
def correct_command(place: Place, entry_id: str, text: str, fact: tuple[str, str, str] | None) -> None:
    """Supersede the entry of ENTRY_ID by one with TEXT."""
    with place.open() as memory:
        old = memory.get(entry_id)
        result = memory.correct(old.id, text, statement=None if fact is None else Statement(*fact))
    if result.id is None:
        raise InvalidInput(f"the correction was refused: {result.reason}", remedy="Give another text.")
    click.echo(f"{result.status}  {result.id}")
    if old.statement is not None and old.trait is None and fact is None:
        said = f"{old.statement.subject} {old.statement.predicate} {old.statement.object}"
        click.echo(f"   what it stated does not count any more ({one_line(said)}); --fact states it anew")


@click.command("forget")
@click.argument("entry_ids", nargs=-1, required=True)
@memory_options
def forget_command(place: Place, entry_ids: tuple[str, ...]) -> None:
    """Retire the entries of ENTRY_IDS: they are no longer recalled, and nothing is deleted."""
    with place.open() as memory:
        memory.forget(*entry_ids)
    click.echo(f"retired {len(entry_ids)}")


def _event_time(text: str) -> EventTime:
    try:
        return EventTime.parse(text)
    except InvalidTime as error:
        raise InvalidTime(
            error.problem,
            where="--happened-at",
            remedy="Write 2024, 2024-05, 2024-05-07 or, with its zone, 2024-05-07T09:30:00Z.",
        ) from None


def _read_messages(file: Path) -> list[Any]:
    try:
        text = file.read_text(encoding="utf-8")
        if text.lstrip().startswith("["):
            loaded: list[Any] = json.loads(text)
            return loaded
        return [json.loads(line) for line in text.split("\n") if line.strip()]
    except (ValueError, RecursionError) as error:
        raise InvalidInput(
            f"the messages are not JSON: {error}",
            where=str(file),
            remedy='Write [{"role": "user", "content": "…"}].',
        ) from None


def _row(entry: Entry) -> str:
    text = one_line(entry.text[: 4 * _SHOWN])
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
    when = entry.happened_at or f"{entry.recorded_at:%Y-%m-%d}"
    speaker = f"{one_line(entry.source.speaker)}: " if entry.source.speaker else ""
    ended = " (ended)" if entry.ended_at is not None else ""
    return f"{entry.id}  {when}  {entry.trust.label}{ended}  {speaker}{shown}"


def hit_lines(found: "Recall") -> list[str]:
    """Two lines a hit: the entry, and the reason for it."""
    lines = []
    for rank, hit in enumerate(found.hits, start=1):
        lines += [f"{rank}. {_row(hit.entry)}", f"   score {hit.score:.3f}: {hit.why}"]
    return lines


def _explained(found: "Recall") -> list[str]:
    trace = found.trace
    lines = [f"query sha256 {trace.query_sha256[:16]}, {trace.terms} terms", *_understood(trace.understood)]
    lines += [
        f"lane {lane.name}: {lane.candidates} of {lane.found} candidates, {lane.milliseconds:.1f} ms"
        + (f" ({lane.note})" if lane.note else "")
        for lane in trace.lanes
    ]
    if trace.rerank is not None:
        lines.append(
            f"reranked the first {len(trace.rerank.pool)} by {trace.rerank.evidence}: {trace.rerank.moved} moved,"
            f" {trace.rerank.milliseconds:.1f} ms"
        )
    by_id = {scored.id: scored for scored in trace.scored}
    for scored in (by_id[hit] for hit in trace.hits if hit in by_id):
        moved = ", ".join(f"{name} x{value:.3f}" for name, value in scored.factors.items())
        lines.append(f"scored {scored.id}: fused {scored.fused:.6f}, {moved}, score {scored.score:.6f}")
    if trace.diversify is not None:
        told = (
            trace.diversify.note or f"{trace.diversify.moved} of the first {trace.diversify.looked_at} moved"
        )
        lines.append(f"diversified: {told}")
    for dropped in trace.dropped:
        lines.append(
            f"dropped {dropped.id}: {dropped.reason}" + (f", kept {dropped.kept}" if dropped.kept else "")
        )
    lines.append(f"block: {trace.tokens} tokens by {trace.counter}")
    return lines


def _understood(what: "Understood | None") -> list[str]:
    if what is None:
        return []
    lines = [] if what.intent is None else [f"intent: {what.intent}"]
    if what.start is not None:
        kept = ", and nothing outside it" if what.hard else ""
        lines.append(f"time: from {what.start} to {what.end}, known to the {what.precision}{kept}")
    return lines


def _as_json(found: "Recall") -> dict[str, Any]:
    from truerecall.memory.serial import entry_json

    return {
        "hits": [
            {"entry": entry_json(hit.entry), "score": round(hit.score, 9), "why": hit.why}
            for hit in found.hits
        ],
        "intent": found.intent,
        "block": found.text,
        "trace": json.loads(found.trace.as_json()),
    }
