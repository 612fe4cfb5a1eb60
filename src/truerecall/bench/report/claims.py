"""The generated block of docs/claims.md: every claim, with what was measured."""

from truerecall.bench.claims.manifest import NOT_ACCURACY, ClaimResult, ClaimsManifest
from truerecall.bench.claims.terminal import value_text
from truerecall.bench.report.design import UNMEASURED
from truerecall.bench.report.rendering import escape_markdown

CLAIMS = "claims"
"""The manifest of the mechanical claims."""

_HEAD = "| claim | says | measured | off | on | reference | its breaks |\n|---|---|---|---|---|---|---|"
_LONGEST = 60  # characters of a value: the manifest holds the whole


def claims_block(file: str, made: ClaimsManifest | None) -> str:
    """The table of the manifest ``file`` in the folder of manifests."""
    if made is None:
        return UNMEASURED
    rows = [_row(claim) for claim in made.claims]
    red = sum(claim.verdict == "red" for claim in made.claims)
    state = " with uncommitted changes" if made.making.dirty else ""
    commit = f", made at commit {made.making.commit[:12]}{state}" if made.making.commit else ""
    told = f"{len(rows)} claims, {red} red. {NOT_ACCURACY} Long values are cut here."
    source = f"Manifest: [{file}](../benchmarks/manifests/{file}){commit}."
    return "\n".join([_HEAD, *rows, "", told, source, ""])


def _row(claim: ClaimResult) -> str:
    cells = [_arm(claim, arm) for arm in ("off", "on", "reference")]
    name = f"`{claim.name}`" + (f" ({claim.switch})" if claim.switch else "")
    red = f"{sum(control.red for control in claim.controls)} of {len(claim.controls)} red"
    return f"| {' | '.join([name, *map(escape_markdown, (claim.sentence, claim.measures, *cells, red))])} |"


def _arm(claim: ClaimResult, arm: str) -> str:
    """The value of the first fixture, with the switch's value where there is one."""
    found = next((one for one in claim.observations if one.arm == arm), None)
    if found is None:
        return "—"
    shown = value_text(found.measured)
    shown = shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…"
    setting = "" if found.value is None else f"at {value_text(found.value)}: "
    return setting + ("" if found.holds else "RED, ") + shown
