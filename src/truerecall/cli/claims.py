"""``truerecall claims``: check that every mechanism works, and that every check can fail."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from truerecall.bench.claims.claim import Claim
from truerecall.bench.claims.manifest import ClaimManifest, ClaimResult, ClaimsManifest
from truerecall.bench.claims.running import break_claim, chosen, run
from truerecall.bench.claims.table import CLAIMS
from truerecall.bench.claims.terminal import noticed, table, unnoticed
from truerecall.bench.measured import making, record_json
from truerecall.bench.outputs import below, write_whole
from truerecall.cli.counting import Counting
from truerecall.cli.text import json_text, readable_json
from truerecall.core.clock import system_clock
from truerecall.errors import InvalidInput

if TYPE_CHECKING:
    from truerecall.bench.measured import Making

_PACKAGES = ("numpy", "pydantic")
_ALL = "all"


@click.command("claims")
@click.argument("names", nargs=-1)
@click.option("--list", "listed", is_flag=True, help="Name the claims, one a line, and run none.")
@click.option(
    "--break", "broken", metavar="NAME[,NAME]|all",
    help="Break the production path of these on purpose, in turn: exit 1 where every one went red, as it must, and 0"
    " where one stayed green.",
)  # fmt: skip
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), default="runs/claims", show_default=True,
    help="Where a manifest of each is written.",
)  # fmt: skip
@click.option(
    "--manifest", type=click.Path(dir_okay=False, path_type=Path),
    help="Write all of them into this one file as well.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def claims_command(
    names: tuple[str, ...],
    listed: bool,
    broken: str | None,
    out: Path,
    manifest: Path | None,
    as_json: bool,
) -> None:
    """Check that each mechanism works, without a key or a network: all claims, or those of NAMES.

    Each claim is also run with its production path broken, and must go red then. Mechanical claims are never accuracy.
    Exit codes: 0 all are green, 1 one is red.
    """
    _agree(listed, broken is not None, names)
    if listed:
        for claim in chosen(CLAIMS, names):
            click.echo(f"{claim.name}: {claim.sentence}")
        return
    if broken is not None:
        _break(_named(broken), as_json)
        return
    selected = chosen(CLAIMS, names)
    if manifest is not None and len(selected) < len(CLAIMS):
        raise InvalidInput(
            "a manifest holds every claim", where="--manifest", remedy="Name no claims beside it."
        )
    made = making(system_clock, "truerecall claims", _PACKAGES)
    results = _run(selected)
    _write(out, results, made)
    whole = ClaimsManifest(claims=results, making=made)
    if manifest is not None:
        write_whole(manifest, record_json(whole))
    click.echo(readable_json(record_json(whole)) if as_json else table(results), nl=not as_json)
    sys.exit(int(any(result.verdict == "red" for result in results)))


def _agree(listed: bool, breaks: bool, names: Sequence[str]) -> None:
    """Refuse options that would be passed over in silence."""
    context = click.get_current_context()
    given = {
        f"--{option}" for option, name in (("out", "out"), ("manifest", "manifest"), ("json", "as_json"))
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    } | ({"--break"} if breaks else set())  # fmt: skip
    if listed and given:
        raise InvalidInput(f"--list takes no {min(given)}", remedy="Leave one of them out.")
    if breaks and names:
        raise InvalidInput("--break takes the names itself", remedy="Write --break NAME,NAME or --break all.")
    if breaks and (idle := given & {"--out", "--manifest"}):
        raise InvalidInput(
            f"--break takes no {min(idle)}", remedy="Leave it out: what is broken on purpose has no manifest."
        )


def _named(broken: str) -> Sequence[Claim]:
    names = [name.strip() for name in broken.split(",") if name.strip()]
    if not names:
        raise InvalidInput("--break names no claim", remedy="Write --break NAME, or --break all.")
    return CLAIMS if names == [_ALL] else chosen(CLAIMS, names)


def _run(selected: Sequence[Claim]) -> list[ClaimResult]:
    results = []
    with Counting("claims checked:") as progress:
        for done, claim in enumerate(selected, start=1):
            results.append(run(claim))
            progress(done, len(selected))
    return results


def _write(out: Path, results: Sequence[ClaimResult], made: "Making") -> None:
    out.mkdir(parents=True, exist_ok=True)
    folder = out.resolve()
    for result in results:
        record = ClaimManifest(claim=result, making=made)
        write_whole(below(folder, f"{result.name}.json"), record_json(record))


def _break(selected: Sequence[Claim], as_json: bool) -> None:
    controls = []
    with Counting("claims broken:") as progress:
        for done, claim in enumerate(selected, start=1):
            controls += [(claim.name, break_claim(claim, one)) for one in claim.breaks]
            progress(done, len(selected))
    green = [(name, control) for name, control in controls if not control.red]
    if as_json:
        rows = [{"claim": name, "red": c.red, **c.model_dump(mode="json")} for name, c in controls]
        click.echo(json_text(rows, indent=2))
    else:
        for name, control in controls:
            click.echo(
                f"{name}: red, as it must: {noticed(control)}"
                if control.red
                else f"{name}: {unnoticed(control)}"
            )
    if green:
        click.echo(
            f"{len(green)} of {len(controls)} breaks went unnoticed: a check that cannot fail", err=True
        )
    sys.exit(0 if green else 1)
