"""``truerecall agents import``: what the agents of this machine did before, replayed into the memory."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import click

from truerecall.agents.places import Places
from truerecall.agents.records import ToolName
from truerecall.agents.settings import AgentSettings, load_agent_settings
from truerecall.cli.counting import Counting
from truerecall.cli.text import Words
from truerecall.core.clock import system_clock
from truerecall.core.entry import EventTime
from truerecall.errors import TruerecallError

if TYPE_CHECKING:
    from truerecall.agents.capture import Capture
    from truerecall.agents.captured import Captured
    from truerecall.agents.facts.llm import Spent as ChatSpent
    from truerecall.agents.facts.session import Extract
    from truerecall.agents.progress import Spent

_COLUMNS: Mapping[str, str] = {
    "sessions": "sessions",
    "turns": "turns",
    "stored": "stored",
    "duplicates": "duplicates",
    "facts": "facts",
    "masked": "masked secrets",
    "withheld": "withheld outputs",
    "lowered": "repeated orders",
    "faults": "faults",
}
"""What is shown of each tool, by the names of ``captured.COUNTED``."""
_MOST_FAULTS = 20


class _Since(click.ParamType[datetime]):
    name = "date"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        try:
            return value if isinstance(value, datetime) else EventTime.parse(str(value)).instant
        except TruerecallError as error:
            self.fail(str(error), param, ctx)


@click.command("import")
@click.option(
    "--since", type=_Since(), help="Only sessions that changed since then: 2024-05-08, or an instant."
)
@click.option(
    "--tool", "tools", type=click.Choice(get_args(ToolName)), multiple=True, help="Only this tool's."
)
@click.option("--dry-run", is_flag=True, help="Read and count; store nothing.")
@click.option("--store", type=click.Path(path_type=Path), help="Another memory than the agents' own.")
@click.option("--tenant", type=Words(), help="Another team than the settings'.")
@click.option("--user", type=Words(), help="Another user than git's.")
@click.option(
    "--embedder",
    default="auto",
    envvar="TRUERECALL_EMBEDDER",
    show_default=True,
    help="auto (the local model if installed), none, local, hashing.",
)
def import_command(
    since: datetime | None,
    tools: tuple[ToolName, ...],
    dry_run: bool,
    store: Path | None,
    tenant: str | None,
    user: str | None,
    embedder: str,
) -> None:
    """Import what the coding agents of this machine did before: each session once, at its own time.

    What went on while the memory was off is taken in as well, but of folders that are kept out nothing is.
    Broken off, it goes on where it was when it is run again. Credentials are never read.
    """
    from truerecall.agents.capture import Capture  # numpy loads here, not for --help
    from truerecall.models.registry import embedder as named_embedder

    places = Places.of(os.environ)
    settings = _overridden(load_agent_settings(places.settings), store, tenant, user)
    wanted = tools or get_args(ToolName)
    if dry_run:
        _dry_run(settings, places, wanted, since)
        return
    extract, spent = _extractor(settings)
    model = named_embedder(embedder)
    with Capture(
        settings,
        places,
        os.environ,
        system_clock,
        embedder=model,
        lately=timedelta(0),
        extract=extract,
        keep_off=False,
    ) as capture:
        captured: list[Captured] = []
        try:
            with Counting("read") as progress:
                for one in capture.sweep(wanted, since, progress):
                    captured.append(one)
        finally:
            _show(capture, captured, wanted)
            if spent is not None:
                _cost(spent)


def _extractor(settings: AgentSettings) -> "tuple[Extract, ChatSpent | None]":
    """The rules, with the chat model that the settings name beside them: what it costs is told."""
    from truerecall.agents.facts.extract import facts_in

    if settings.capture.extractor == "rules":
        return facts_in, None
    from truerecall.agents.facts.llm import ChatFacts
    from truerecall.core.config import ChatSettings
    from truerecall.models.registry import chat

    model = chat(ChatSettings(model=settings.capture.extractor), os.environ)
    if model is None:
        return facts_in, None
    extractor = ChatFacts(model)
    return extractor.facts_in, extractor.spent


def _cost(spent: "ChatSpent") -> None:
    price = "of no known price" if spent.cost is None else f"${spent.cost:.4f}"
    click.echo(
        f"\nfacts by the chat model: {spent.calls} calls ({spent.failed} failed), {spent.tokens_in:,} tokens in,"
        f" {spent.tokens_out:,} out, {price}"
    )


def _overridden(
    settings: AgentSettings, store: Path | None, tenant: str | None, user: str | None
) -> AgentSettings:
    memory = settings.memory
    return replace(
        settings,
        memory=replace(
            memory,
            store=memory.store if store is None else str(store.absolute()),
            tenant=tenant or memory.tenant,
            user=user or memory.user,
        ),
    )


def _dry_run(
    settings: AgentSettings, places: Places, tools: Sequence[ToolName], since: datetime | None
) -> None:
    """Capture into a memory that is thrown away: what is counted is what would be."""
    import tempfile

    from truerecall.agents.capture import Capture

    with tempfile.TemporaryDirectory(prefix="truerecall-dry-run-") as folder:
        scratch = replace(places, store=Path(folder) / "memory.db", state=Path(folder))
        settings = replace(settings, memory=replace(settings.memory, store=""))
        with Capture(
            settings, scratch, os.environ, system_clock, lately=timedelta(0), keep_off=False
        ) as capture:
            with Counting("read") as progress:
                captured = list(capture.sweep(tools, since, progress))
            _show(capture, captured, tools)
    click.echo("nothing was stored: this was a dry run, into an empty memory")


def _show(capture: "Capture", captured: "Sequence[Captured]", tools: Sequence[ToolName]) -> None:
    totals = {tool: counts for tool, counts in capture.progress.totals().items() if tool in tools}
    if not totals:
        click.echo(f"no sessions of {', '.join(tools)} are here")
        return
    new = sum(one.counts["turns"] for one in captured)
    click.echo(f"read {len(captured)} sessions that had grown, with {new} new turns; in all:\n")
    rows = [[tool, *(f"{counts.get(name, 0):,}" for name in _COLUMNS)] for tool, counts in totals.items()]
    _table(["tool", *_COLUMNS.values()], rows)
    spent = [one for one in capture.progress.spent() if one.tool in tools]
    if spent:
        click.echo()
        _table(["tool", "model", "messages", "in", "out", "cache read", "cache written"], map(_tokens, spent))
    _unknown(captured)
    _faults(captured)


def _tokens(spent: "Spent") -> list[str]:
    numbers = (spent.messages, spent.tokens_in, spent.tokens_out, spent.cache_read, spent.cache_written)
    return [spent.tool, spent.model or "?", *(f"{number:,}" for number in numbers)]


def _unknown(captured: "Sequence[Captured]") -> None:
    found: dict[str, int] = {}
    for one in captured:
        for kind, count in one.unknown.items():
            name = f"{one.transcript.tool}: {kind}"
            found[name] = found.get(name, 0) + count
    if found:
        click.echo("\nlines of unknown types, passed over:")
        for name, count in sorted(found.items()):
            click.echo(f"  {count:,} x {name}")


def _faults(captured: "Sequence[Captured]") -> None:
    """Told on standard output: a fault of a transcript is news, and none of this command."""
    told = [f"{one.transcript.path}: {fault}" for one in captured for fault in (*one.faults, *_problem(one))]
    if told:
        click.echo("\nwhat could not be read:")
        for line in told[:_MOST_FAULTS]:
            click.echo(f"  {line}")
        if len(told) > _MOST_FAULTS:
            click.echo(f"  … and {len(told) - _MOST_FAULTS} more")


def _problem(captured: "Captured") -> tuple[str, ...]:
    return (captured.problem,) if captured.problem else ()


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """The first columns that hold words to the left, numbers to the right."""
    lines = [list(head), *map(list, rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    words = 2 if head[1] == "model" else 1
    for line in lines:
        cells = [
            cell.ljust(width) if column < words else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        click.echo("  ".join(cells).rstrip())
