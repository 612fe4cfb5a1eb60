"""``truerecall agents facts``: what was learned in one session of a coding agent."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from truerecall.cli.text import Words, json_text, one_line
from truerecall.core.clock import Clock, system_clock
from truerecall.errors import StoreError

if TYPE_CHECKING:
    from truerecall.agents.facts.llm import Spent
    from truerecall.agents.facts.session import Extract
    from truerecall.core.entry import Entry
    from truerecall.memory.memory import Memory


@click.command("facts")
@click.argument("session", type=Words())
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
@click.option(
    "--extract", is_flag=True, help="First take them out of its turns once more; known ones are passed over."
)
@click.option(
    "--chat", type=Words(), help="With --extract: also by this chat model, provider:model. It costs."
)
def facts_command(session: str, as_json: bool, extract: bool, chat: str | None) -> None:
    """Show the facts of SESSION: kind, date, trust, text and the turn that each was taken from.

    SESSION is the agent's own id of it, or the beginning of one, in the project of this folder.
    """
    from truerecall.agents.facts.session import extract_again, facts_of, session_of

    if chat is not None and not extract:
        raise click.UsageError("--chat goes with --extract: what is stored needs no model")
    clock: Clock = system_clock
    with _memory(clock) as memory:
        name = session_of(memory, session)
        if extract:
            by, spent = _extractor(chat)
            results = extract_again(memory, name, by)
            new = sum(result.status in ("stored", "pending vector") for result in results)
            refused = [result.reason for result in results if result.status == "refused"]
            _tell(f"{new} new of {name}", *(f"refused: {reason}" for reason in refused), *_costs(spent))
        found = facts_of(memory, name)
    for entry in found:
        click.echo(json_text(_json(entry)) if as_json else _line(entry))
    if not found and not as_json:
        click.echo(f"no facts of {one_line(name)}")


def _memory(clock: Clock) -> "Memory":
    """The agents' memory of the project of this folder."""
    from truerecall.agents.hook.surroundings import surroundings
    from truerecall.agents.places import Places
    from truerecall.agents.settings import load_agent_settings
    from truerecall.memory.memory import Memory  # numpy loads here

    places = Places.of(os.environ)
    here = surroundings(str(Path.cwd()), os.environ, places, load_agent_settings(places.settings), clock())
    path, scope = here.store, here.scope
    if not path.exists():
        raise StoreError(
            "nothing was captured yet",
            where=str(path),
            remedy="`truerecall agents import` takes in what the agents of this machine did.",
        )
    return Memory.open(
        path, user=scope.user, tenant=scope.tenant, space=scope.space, embedder="none", clock=clock
    )


def _extractor(chat: str | None) -> "tuple[Extract, Spent | None]":
    """The rules; with a chat model what it costs as well."""
    from truerecall.agents.facts.extract import facts_in

    if chat is None:
        return facts_in, None
    from truerecall.agents.facts.llm import ChatFacts
    from truerecall.core.config import ChatSettings
    from truerecall.models.registry import chat as named

    model = named(ChatSettings(model=chat), os.environ)
    if model is None:
        raise click.UsageError("--chat names no model: write it like openai:gpt-4.1")
    extractor = ChatFacts(model)
    return extractor.facts_in, extractor.spent


def _costs(spent: "Spent | None") -> list[str]:
    if spent is None:
        return []
    price = "of no known price" if spent.cost is None else f"${spent.cost:.4f}"
    counted = f", {spent.counted} of them counted here" if spent.counted else ""
    calls = f"{spent.calls} calls{counted}: {spent.tokens_in} tokens in, {spent.tokens_out} out, {price}"
    return [calls, *(f"failed: {one_line(problem)}" for problem in spent.problems)]


def _tell(*lines: str) -> None:
    """To standard error: standard output holds the facts alone."""
    for line in lines:
        click.echo(one_line(line), err=True)


def _line(entry: "Entry") -> str:
    from truerecall.agents.facts.known import kind_of
    from truerecall.memory.recall.pack import short_id

    at = "undated" if entry.happened_at is None else str(entry.happened_at)[:16]
    source = short_id(entry.source_ids[0]) if entry.source_ids else "-"
    kind = kind_of(entry) or "-"
    return f"{at:<16}  {kind:<10}  {entry.trust.label:<8}  {one_line(entry.text)}  [{source}]"


def _json(entry: "Entry") -> dict[str, Any]:
    from truerecall.agents.facts.known import kind_of
    from truerecall.memory.recall.pack import short_id

    said = entry.statement
    return {
        "id": entry.id,
        "kind": kind_of(entry),
        "at": None if entry.happened_at is None else str(entry.happened_at),
        "trust": entry.trust.label,
        "text": entry.text,
        "subject": None if said is None else said.subject,
        "value": None if said is None else said.object,
        "session": entry.source.session,
        "position": entry.source.position,
        "source": short_id(entry.source_ids[0]) if entry.source_ids else None,
        "sources": list(entry.source_ids),
    }
