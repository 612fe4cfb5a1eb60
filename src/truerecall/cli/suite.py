"""``truerecall bench suite``: injected text, contradictions and secrets over many templates."""

import sys
from pathlib import Path

import click

from truerecall.bench.measured import making, record_json
from truerecall.bench.outputs import write_whole
from truerecall.bench.suite.manifest import SuiteManifest
from truerecall.bench.suite.running import PARTS, run_parts, suite_text
from truerecall.cli.counting import Counting
from truerecall.cli.text import readable_json
from truerecall.core.clock import system_clock
from truerecall.errors import InvalidInput

_PACKAGES = ("numpy", "pydantic")


@click.command("suite")
@click.argument("names", nargs=-1, metavar="[PART]...")
@click.option(
    "--seeds", type=click.IntRange(1, 100), default=3, show_default=True, help="Fixtures of each template."
)
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), default="runs/suite", show_default=True,
    help="Where suite.json is written.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def suite_command(names: tuple[str, ...], seeds: int, out: Path, as_json: bool) -> None:
    """Try injected text, contradictions and secrets on the memory: all parts, or those of PART.

    No model, key or network. Counts with n and a 95 % interval. Exit codes: 0 every demand is met, 1 one is not.
    """
    for name in names:
        if name not in PARTS:
            raise InvalidInput(f"the suite has no part {name!r}", remedy=f"It has {', '.join(PARTS)}.")
    made = making(system_clock, "truerecall bench suite", _PACKAGES)
    chosen = tuple(name for name in PARTS if not names or name in names)
    with Counting("parts done:") as progress:
        parts = run_parts(chosen, tuple(range(1, seeds + 1)), progress)
    manifest = SuiteManifest(seeds=list(range(1, seeds + 1)), parts=parts, making=made)
    out.mkdir(parents=True, exist_ok=True)
    write_whole(out / "suite.json", record_json(manifest))
    click.echo(readable_json(record_json(manifest)) if as_json else suite_text(manifest), nl=not as_json)
    sys.exit(0 if manifest.holds else 1)
