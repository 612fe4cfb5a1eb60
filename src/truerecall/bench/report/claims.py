"""The generated blocks of docs/claims.md: every claim with what was measured, and the figures of the suite."""

from truerecall.bench.claims.manifest import NOT_ACCURACY, ClaimResult, ClaimsManifest
from truerecall.bench.claims.terminal import value_text
from truerecall.bench.measured import Making
from truerecall.bench.report.design import UNMEASURED
from truerecall.bench.report.rendering import escape_markdown
from truerecall.bench.suite.manifest import NOTE, Figure, SuiteManifest

CLAIMS = "claims"
"""The manifest of the mechanical claims."""
SUITE = "suite"
"""The manifest of the suite."""

_HEAD = "| claim | says | measured | off | on | reference | its breaks |\n| --- | --- | --- | --- | --- | --- | --- |"
_SUITE_HEAD = "| part | what | how often | 95 % | must be |\n| --- | --- | --- | --- | --- |"
_LONGEST = 60  # characters of a value: the manifest holds the whole


def claims_block(file: str, made: ClaimsManifest | None) -> str:
    """The table of the manifest ``file`` in the folder of manifests."""
    if made is None:
        return UNMEASURED
    rows = [_row(claim) for claim in made.claims]
    red = sum(claim.verdict == "red" for claim in made.claims)
    told = f"{len(rows)} claims, {red} red. {NOT_ACCURACY} Long values are cut here."
    return "\n".join([_HEAD, *rows, "", told, _source(file, made.making), ""])


def suite_block(file: str, made: SuiteManifest | None) -> str:
    """The table of the suite's manifest."""
    if made is None:
        return UNMEASURED
    rows = [_figure(part.name, figure) for part in made.parts for figure in part.figures]
    templates = ", ".join(f"{part.templates} of {part.name}" for part in made.parts)
    told = f"Templates: {templates}; {len(made.seeds)} seeds. {NOTE}"
    return "\n".join([_SUITE_HEAD, *rows, "", told, _source(file, made.making), ""])


def _source(file: str, made: Making) -> str:
    state = " with uncommitted changes" if made.dirty else ""
    commit = f", made at commit {made.commit[:12]}{state}" if made.commit else ""
    return f"Manifest: [{file}](../benchmarks/manifests/{file}){commit}."


def _figure(part: str, figure: Figure) -> str:
    between = f"{100 * figure.interval.low:.1f} to {100 * figure.interval.high:.1f} %"
    must = {"none": "never", "all": "always", "reported": "reported"}[figure.demand]
    state = must if figure.holds else f"{must}: NOT MET"
    cells = (part, figure.what, f"{figure.count} of {figure.n}", between, state)
    return f"| {' | '.join(map(escape_markdown, cells))} |"


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
