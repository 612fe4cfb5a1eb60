"""``ask`` and ``reflect``: what a chat model makes of what is remembered."""

import math
import sys
from typing import TYPE_CHECKING, Any

import click

from truerecall.cli.counting import Counting
from truerecall.cli.opening import Place, memory_options
from truerecall.cli.text import Words, for_terminal, json_text, one_line
from truerecall.errors import InvalidInput

if TYPE_CHECKING:
    from truerecall.core.entry import Draft
    from truerecall.memory.ask import Answer
    from truerecall.memory.reflect.run import Outcome, Reflection
    from truerecall.memory.write.prepare import WriteResult

_SHOWN = 120  # characters of a text in a list
_MILLION = 1_000_000


@click.command("ask")
@click.argument("question", type=Words())
@click.option("--no-learn", is_flag=True, help="Do not record which entries the answer cites.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@memory_options
def ask_command(place: Place, question: str, no_learn: bool, as_json: bool) -> None:
    """Answer QUESTION from what is recalled, by the chat model of the settings; every citation is checked.

    Exit code 1 where there is no answer.
    """
    with place.open() as memory:
        answer = memory.ask(question, learn=not no_learn)
        cited = [memory.get(entry_id) for entry_id in answer.citations]
    if as_json:
        click.echo(json_text(_answer_json(answer)))
    elif answer.abstained is not None:
        click.echo(f"no answer: {answer.abstained}")
    else:
        click.echo(for_terminal(answer.text))
        for entry in cited:
            when = entry.happened_at or f"{entry.recorded_at:%Y-%m-%d}"
            click.echo(f"   {entry.id}  {when}  {entry.trust.label}  {_short(entry.text)}")
        for note in answer.notes:
            click.echo(f"note: {one_line(note)}")
    if answer.abstained is not None:
        sys.exit(1)


@click.command("reflect")
@click.option("--dry-run", is_flag=True, help="Write nothing: show the groups, and what they would cost.")
@click.option("--groups", type=int, default=20, show_default=True, help="Groups, and so calls, at most.")
@click.option("--entries", type=int, default=24, show_default=True, help="Entries of a group, at most.")
@click.option(
    "--tokens", type=int, default=4000, show_default=True, help="Tokens of a group's entries, at most."
)
@click.option("--external", is_flag=True, help="Reflect on external entries as well, on their own.")
@click.option("--extract", is_flag=True, help="Take statements out of single entries instead.")
@click.option("--price-in", type=float, help="What a million tokens in cost, for --dry-run.")
@click.option("--price-out", type=float, help="What a million tokens out cost, for --dry-run.")
@memory_options
def reflect_command(
    place: Place, dry_run: bool, price_in: float | None, price_out: float | None, **options: Any
) -> None:
    """Have the chat model of the settings work out what groups of entries say together, and remember it.

    Broken off, it goes on where it was when it is run again. Exit code 1 where the model failed on a group.
    """
    from truerecall.memory.reflect.groups import Limits
    from truerecall.memory.reflect.run import Options

    for name in ("groups", "entries", "tokens"):
        if options[name] < 1:
            raise InvalidInput(
                f"{name} is {options[name]}", where=f"--{name}", remedy="Give a whole number from 1."
            )
    for name, price in (("--price-in", price_in), ("--price-out", price_out)):
        if price is not None and not (math.isfinite(price) and price >= 0):
            raise InvalidInput(f"the price is {price:g}", where=name, remedy="Give a number from 0.")
    limits = Limits(groups=options["groups"], entries=options["entries"], tokens=options["tokens"])
    wanted = Options(limits, external=options["external"], extract=options["extract"], dry=dry_run)
    with place.open() as memory, Counting("reflected on") as progress:
        found = memory.reflect(wanted, progress=progress)
    for outcome in found.outcomes:
        click.echo("\n".join(_outcome_lines(outcome, dry_run)))
    click.echo("\n".join(_estimate(found, price_in, price_out) if dry_run else _totals(found)))
    if found.stopped:
        click.echo("stopped: the model failed on three groups in a row; run it again to go on", err=True)
    if found.failures:
        sys.exit(1)


def _answer_json(answer: "Answer") -> dict[str, Any]:
    return {
        "text": answer.text,
        "abstained": answer.abstained,
        "claims": [
            {
                "text": claim.text,
                "cited": claim.cited,
                "supported": claim.supported,
                "share": claim.share,
                "missing": claim.missing,
            }
            for claim in answer.claims
        ],
        "uncited": answer.uncited,
        "citations": answer.citations,
        "unknown": answer.unknown,
        "notes": answer.notes,
        "model": answer.reply and answer.reply.model,
        "tokens_in": answer.reply and answer.reply.tokens_in,
        "tokens_out": answer.reply and answer.reply.tokens_out,
    }


def _outcome_lines(outcome: "Outcome", dry_run: bool) -> list[str]:
    group = outcome.group
    lines = [f"{one_line(', '.join(group.about))}: {len(group.entries)} entries, {group.trust.label}"]
    if dry_run:
        lines += [f"   source {entry.id}  {_short(entry.text)}" for entry in group.entries]
    if outcome.failure:
        return [*lines, f"   not done: {one_line(outcome.failure)}"]
    if outcome.proposed is None:
        return lines if dry_run else [*lines, "   was written before, and is noted as done now"]
    for draft, result in zip(outcome.proposed.drafts, outcome.results, strict=True):
        lines.append(f"   {_status(result, dry_run)} {_draft(draft)}")
    for cause in outcome.proposed.causes:
        ends = f"{cause.cause} caused {cause.effect} ({cause.confidence:g})"
        lines.append(f"   {'would link' if dry_run else 'link'}: {ends}")
    lines += [
        f"   dropped {dropped.where}: {one_line(dropped.reason)}" for dropped in outcome.proposed.dropped
    ]
    return lines


def _status(result: "WriteResult", dry_run: bool) -> str:
    said: str = result.status
    if dry_run:
        said = "would be refused" if result.status == "refused" else "would write"
    return f"{said} ({one_line(result.reason)})" if result.reason else said


def _draft(draft: "Draft") -> str:
    says = draft.statement
    stated = "" if says is None else f" ({one_line(f'{says.subject} {says.predicate} {says.object}')})"
    sure = "" if draft.confidence is None else f", confidence {draft.confidence:g}"
    head = f"{draft.kind} [{draft.trust.label}{sure}] from {len(draft.source_ids)}"
    return f"{head}: {_short(draft.text)}{stated}"


def _estimate(found: "Reflection", price_in: float | None, price_out: float | None) -> list[str]:
    counted = (
        f"{len(found.outcomes)} groups: at most {found.most_writes} writes,"
        f" {found.tokens_in:,} tokens in (by {found.counter}), at most {found.most_tokens_out:,} tokens out"
    )
    if price_in is None or price_out is None:
        return [counted, "cost: no price given (--price-in and --price-out, per million tokens)"]
    cost = (found.tokens_in * price_in + found.most_tokens_out * price_out) / _MILLION
    return [counted, f"cost: at most {cost:.4f} at {price_in:g} in and {price_out:g} out per million tokens"]


def _totals(found: "Reflection") -> list[str]:
    stored = sum(
        result.status in ("stored", "pending vector") for o in found.outcomes for result in o.results
    )
    linked = sum(outcome.linked for outcome in found.outcomes)
    done = len(found.outcomes) - len(found.failures)
    return [
        f"reflected on {done} groups: {stored} entries and {linked} links written, {len(found.dropped)} proposals"
        " dropped"
    ]


def _short(text: str) -> str:
    line = one_line(text[: 4 * _SHOWN])
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"
