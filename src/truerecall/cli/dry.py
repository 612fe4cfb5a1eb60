"""``truerecall bench dry``: the whole protocol on the fixtures, command by command."""

import subprocess
import sys
from pathlib import Path
from shlex import join
from time import perf_counter

import click

from truerecall.bench.dry.steps import Step, lay_out, steps
from truerecall.bench.outputs import write_whole
from truerecall.errors import TruerecallError

_LONGEST = 600.0  # seconds that one step may take


@click.command("dry")
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), default="dry", show_default=True,
    help="Where everything is written.",
)  # fmt: skip
def dry_command(out: Path) -> None:
    """Run the whole protocol on the fixtures that ship with truerecall: no key, no model, no network.

    It proves that the wiring works, and is no result. Each step is a command that you could give yourself; what it
    prints is kept below --out. Exit codes: 0 every step did what it must, 1 one did not.
    """
    lay_out(out)
    failed = 0
    planned = steps()
    for number, step in enumerate(planned, start=1):
        click.echo(f"{number:>2}/{len(planned)} {step.what}")
        started = perf_counter()
        problem, said = _run(out, number, step)
        seconds = perf_counter() - started
        failed += problem is not None
        click.echo(f"      truerecall {join(step.arguments)}")
        click.echo(f"      {'FAILED: ' + problem if problem else said} ({seconds:.1f} s)")
    click.echo(f"What each command printed: {out / 'step-01.txt'} and so on.")
    click.echo(
        f"The reports: {out / 'runs/retrieval/report.html'}, {out / 'runs/qa/report.html'}, {out / 'pages'}"
    )
    click.echo(
        f"{failed} of {len(planned)} steps failed"
        if failed
        else f"all {len(planned)} steps did what they must"
    )
    click.echo("Wiring proof, not a result: fixtures and scripted models.")
    sys.exit(1 if failed else 0)


def _run(out: Path, number: int, step: Step) -> tuple[str | None, str]:
    """What went wrong, if anything; else what is true now."""
    kept = out / f"step-{number:02}.txt"
    try:
        # A process of its own, as a user's command is: nothing is carried from one step to the next.
        done = subprocess.run(
            [sys.executable, "-m", "truerecall", *step.arguments],
            cwd=out, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            timeout=_LONGEST, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"not done within {_LONGEST:.0f} seconds", ""
    write_whole(kept, done.stdout.decode("utf-8", "replace"))
    if done.returncode != step.code:
        return f"exit code {done.returncode}, not {step.code}: see {kept}", ""
    try:
        return None, step.check(out)
    except TruerecallError as error:
        return str(error), ""
