"""``truerecall study demo``: the sample study with a scripted model, from nothing to the report."""

import os
import shlex
import signal
import sys
import webbrowser
from pathlib import Path

import click

from truerecall.cli.study_progress import RunDisplay
from truerecall.study.demo import can_open, show


@click.command("demo")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default="study-demo",
    show_default=True,
    help="Where it writes.",
)
@click.option("--no-open", is_flag=True, help="Do not open the report in the browser.")
def demo_command(out: Path, no_open: bool) -> None:
    """Run the sample study with the real Claude Code and a scripted model, and open its report.

    It needs no key, costs nothing and takes a few minutes. Given again it goes on where it stopped.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    display = RunDisplay()
    try:
        shown = show(out, os.environ, display, command=shlex.join(["truerecall", *sys.argv[1:]]))
    finally:
        display.end()
    click.echo(shown.verdict)
    click.echo(f"\nreport: {shown.page} (also report.md, report.json)")
    click.echo(f"the study: {shown.study} (study.toml, questions with their keys, the frozen memory)")
    click.echo(
        "\nA script spoke for every model. With ANTHROPIC_API_KEY set, the same study asks real ones:\n"
        f"  truerecall study run {shlex.quote(str(shown.study))}\n"
        "and this begins one on your own repositories and your own memory:\n"
        "  truerecall study init --help"
    )
    if not no_open and can_open(os.environ):
        webbrowser.open(shown.page.resolve().as_uri())
