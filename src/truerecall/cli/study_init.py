"""``truerecall study init``: questions of a study, out of what the agents' memory has captured."""

import os
import sys
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from truerecall.cli.counting import Counting
from truerecall.cli.text import Words, one_line
from truerecall.core.clock import system_clock
from truerecall.core.entry import EventTime
from truerecall.errors import StoreError

if TYPE_CHECKING:
    from truerecall.memory.memory import Memory
    from truerecall.study.design import Study
    from truerecall.study.proposing.topics import Proposals

_ALL = 1_000_000
_SHOWN = 150  # characters of a prompt


def _since(ctx: click.Context, param: click.Parameter, value: Any) -> datetime | None:
    return None if value is None else EventTime.parse(value).instant


@click.command("init")
@click.argument("folder", type=click.Path(path_type=Path), default="study", required=False)
@click.option("--store", type=click.Path(path_type=Path), help="Another memory than the agents' own.")
@click.option("--tenant", type=Words(), help="Another team than the settings'.")
@click.option("--user", type=Words(), help="Another user than git's.")
@click.option("--space", type=Words(), help="Another project than that of this folder.")
@click.option("--since", callback=_since, help="Only what was asked since then: 2024-05-08, or an instant.")
@click.option(
    "--limit",
    type=click.IntRange(1, 1000),
    default=8,
    show_default=True,
    help="Topics at most; a control is added for every four.",
)
def init_command(
    folder: Path,
    store: Path | None,
    tenant: str | None,
    user: str | None,
    space: str | None,
    since: datetime | None,
    limit: int,
) -> None:
    """Propose what was asked again, and write it into a new FOLDER: a study to be finished by hand.

    FOLDER must be new, or empty.  [default: study]

    A question is a prompt of a later session about what an earlier one discussed: one that says by itself what it is
    about, and shares its rarer words with what was said before. A control is one for which the memory held nothing.
    Nothing is asked of a model. Exit code 1: there is no such topic, which is explained, and nothing was written.
    """
    from truerecall.memory.store.protocol import Filter  # numpy loads here, not for --help
    from truerecall.study.proposing.study_folder import refuse_taken, study_of, write_proposed
    from truerecall.study.proposing.topics import propose

    refuse_taken(folder)
    with _memory(store, tenant, user, space) as memory:
        entries = memory.list(Filter(newest=_ALL))
        with Counting("weighed") as progress:
            proposals = propose(entries, limit, since, progress)
        if not proposals.topics:
            click.echo(_nothing(proposals, memory.scope.space))
            sys.exit(1)
        study, notes = study_of(folder, proposals, memory.scope.space)
        write_proposed(memory, study, notes)
    _show(study, proposals)


def _memory(store: Path | None, tenant: str | None, user: str | None, space: str | None) -> "Memory":
    """The agents' memory of the project of this folder, or of what the options name."""
    from truerecall.agents.hook.surroundings import surroundings
    from truerecall.agents.places import Places
    from truerecall.agents.settings import load_agent_settings
    from truerecall.memory.memory import Memory

    places = Places.of(os.environ)
    here = surroundings(
        str(Path.cwd()), os.environ, places, load_agent_settings(places.settings), system_clock()
    )
    scope = replace(
        here.scope,
        tenant=tenant or here.scope.tenant,
        user=user or here.scope.user,
        space=space or here.scope.space,
    )
    path = store or here.store
    if not path.exists():
        raise StoreError(
            "nothing was captured yet",
            where=str(path),
            remedy="`truerecall agents import` takes in what the agents of this machine did.",
        )
    return Memory.open(path, user=scope.user, tenant=scope.tenant, space=scope.space, embedder="none")


def _nothing(proposals: "Proposals", space: str) -> str:
    looked = f"looked at: {_count(proposals.looked_at, 'prompt')} of {_count(proposals.sessions, 'session')}"
    lines = [
        f"no topic of {one_line(space)} was asked again in a later session; nothing was written.",
        f"{looked}; could be asked by themselves: {proposals.prompts}",
    ]
    if near := proposals.nearest:
        lines += [
            f"The nearest: {near.prompt.at:%Y-%m-%d %H:%M}  {_cut(near.prompt.text)}",
            f"  shares {near.covered:.0%} of its weight with the session {one_line(near.session)}; {near.why}",
        ]
    lines.append(
        "`truerecall agents import` takes in older sessions, --space names another project. A study can be written by"
        "\nhand as well: see docs/study.md."
    )
    return "\n".join(lines)


def _show(study: "Study", proposals: "Proposals") -> None:
    asked = dict(zip((question.id for question in study.questions), proposals.topics, strict=False))
    for question in study.questions:
        commit = question.checkouts[0].commit[:12] if question.checkouts else "not known: fill it in"
        click.echo(f"{question.id}{' (control)' if question.control else ''}")
        click.echo(f"  asked    {question.asked_at:%Y-%m-%d %H:%M}  {_cut(question.text)}")
        if question.id in asked:
            topic = asked[question.id]
            click.echo(f"  before   {topic.request.at:%Y-%m-%d %H:%M}  {_cut(question.request)}")
            click.echo(f"  sessions {', '.join(one_line(name) for name in question.sessions)}")
        click.echo(f"  commit   {commit}")
    controls = sum(question.control for question in study.questions)
    click.echo(
        f"\nwrote {study.folder}: {_count(len(study.questions) - controls, 'question')},"
        f" {_count(controls, 'control')}, and {', '.join(study.memory.exports)}"
    )
    for repository in study.repositories:
        if "://" not in repository.source and not (study.folder / repository.source / ".git").exists():
            click.echo(
                f"{one_line(repository.source)} is no git repository here: mend the source of {repository.name} in"
                " study.toml"
            )
    if not controls:
        click.echo("no control was found: add one by hand, a question of which the memory holds nothing")
    open_ones = any(not question.checkouts for question in study.questions)
    click.echo(
        f"next: take out what is no question,{' fill in commits,' if open_ones else ''} then"
        f" `truerecall study keys draft {study.folder}`"
    )


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _cut(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"
