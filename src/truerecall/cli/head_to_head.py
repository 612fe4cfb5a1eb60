"""``truerecall bench head-to-head``: ours, the controls and other systems over the same questions."""

import os
import shlex
import sys
from pathlib import Path
from typing import get_args

import click

from truerecall.bench.datasets.known import Split
from truerecall.bench.datasets.reading import read
from truerecall.bench.headtohead.arms import planned
from truerecall.bench.headtohead.run import HeadToHeadOptions, run_head_to_head
from truerecall.bench.headtohead.words import told
from truerecall.cli.choosing import data_option, out_option
from truerecall.cli.progress import Display
from truerecall.cli.text import visible
from truerecall.core.clock import system_clock


@click.command("head-to-head")
@data_option
@out_option
@click.option("--name", default="head-to-head", show_default=True, help="The folder below --out.")
@click.option(
    "--system",
    "specs",
    multiple=True,
    help="NAME or NAME,option=value; repeatable. All that are known unless you name some; controls always.",
)
@click.option("--folds", help="Weights for ours that were fitted out-of-fold (benchmarks/weights).")
@click.option("--chat-url", help="An OpenAI-compatible address for rivals that extract by a model.")
@click.option("--chat-model", help="The model to ask for there.")
@click.option("--chat-key", help="The NAME of the variable that holds its key.")
@click.option("--split", type=click.Choice(get_args(Split)), help="Of LoCoMo: dev unless asked otherwise.")
@click.option("--seed", type=int, default=0, show_default=True)
def head_to_head_command(
    folder: Path, out: Path, name: str, specs: tuple[str, ...], folds: str | None,
    chat_url: str | None, chat_model: str | None, chat_key: str | None, split: str | None, seed: int,
) -> None:  # fmt: skip
    """Measure truerecall, the controls and other systems over the same data.

    A system that is not installed, or lacks what it needs, is skipped with the reason. A run that was stopped
    goes on when the same command is given again.
    """
    chat = {"chat_url": chat_url, "chat_model": chat_model, "chat_key": chat_key}
    arms = planned(specs, folds, {option: value for option, value in chat.items() if value})
    options = HeadToHeadOptions(out, name, seed, shlex.join(["truerecall", *sys.argv[1:]]))
    manifest = run_head_to_head(read(folder, split=split), arms, options, os.environ, system_clock, Display())
    for line in told(manifest):
        click.echo(visible(line))
    click.echo(f"record: {out / name / 'manifest.json'}")
