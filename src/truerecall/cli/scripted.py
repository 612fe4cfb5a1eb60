"""``truerecall scripted``: a model server on loopback that plays a scenario file."""

import math
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from truerecall.cli.text import one_line

_LONGEST = 86_400.0


@click.command("scripted")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--port", type=click.IntRange(0, 65_535), default=0, show_default=True, help="0 takes a free one."
)
@click.option(
    "--embedder", type=click.Choice(["hashing", "local", "none"]), default="none", show_default=True,
    help="Whose vectors are given for embeddings.",
)  # fmt: skip
@click.option("--cache", is_flag=True, help="Count tokens as a provider does that keeps a prompt cache.")
@click.option(
    "--meter", type=click.Path(dir_okay=False, path_type=Path),
    help="Add a JSON line for each call: tokens and names, never a text or a header.",
)  # fmt: skip
@click.option(
    "--for", "seconds", type=click.FloatRange(0, _LONGEST), default=600.0, show_default=True,
    help="Seconds after which it ends by itself.",
)  # fmt: skip
def scripted_command(
    file: Path, port: int, embedder: str, cache: bool, meter: Path | None, seconds: float
) -> None:
    """Answer model calls on loopback as the scenario in FILE says, until Ctrl-C.

    Speaks chat completions, Responses and embeddings as OpenAI does, and Messages as Anthropic does. The first line
    names the addresses; the last sums up calls and tokens. No model, key or network. Exit code 1 if a call could not be
    added to the meter's file.
    """
    from truerecall.models.registry import embedder as embedder_of
    from truerecall.models.scripted import Scenario, ScriptedServer

    if math.isnan(seconds):
        raise click.BadParameter("it is not a number.", param_hint="'--for'")
    scenario = Scenario.read(file)
    server = ScriptedServer(scenario, embedder_of(embedder), port=port, caching=cache, meter=meter)
    with _ended() as ended, server:
        click.echo(f"OPENAI_BASE_URL={server.base_url} ANTHROPIC_BASE_URL={server.root}")
        click.echo(f"for {seconds:g} seconds, or until Ctrl-C", err=True)
        ended.wait(seconds)
    used = server.usage
    failed = f", {used.failed} of them failed" if used.failed else ""
    calls = "1 call" if used.calls == 1 else f"{used.calls:,} calls"
    told = (
        f"; {used.tokens_cached:,} read from the cache, {used.tokens_written:,} written to it"
        if cache
        else ""
    )
    click.echo(f"{calls}{failed}; {used.tokens_in:,} tokens in, {used.tokens_out:,} tokens out{told}")
    if used.unwritten:
        click.echo(f"{used.unwritten} of the calls could not be added to {one_line(str(meter))}", err=True)
        sys.exit(1)


@contextmanager
def _ended() -> Iterator[threading.Event]:
    """Set by Ctrl-C and by SIGTERM, so that either leads to the summary."""
    ended = threading.Event()
    before = {
        number: signal.signal(number, lambda *_: ended.set()) for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield ended
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
