"""Claims as text: a line for each value, and what a broken one gave."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from pydantic import JsonValue

from truerecall.bench.claims.manifest import NOT_ACCURACY, ClaimResult, Control, Observation

_WIDTH = 110
_NAME = 24
_LONGEST = 200  # characters of a value where it is said why a claim is red; the manifest holds the whole


def table(claims: Sequence[ClaimResult]) -> str:
    """Each claim with its verdict, what was measured by setting, and whether its breaks went red."""
    lines = [NOT_ACCURACY, ""]
    for claim in claims:
        switch = f" [{claim.switch}]" if claim.switch else ""
        lines.append(f"{claim.verdict:<6} {claim.name:<{_NAME}} {claim.measures}{switch}; {_broken(claim)}")
        lines.extend(_values(claim))
        lines.extend(f"       {'':<{_NAME}} ! {why}" for why in failures(claim))
    red = sum(claim.verdict == "red" for claim in claims)
    what = "1 claim" if len(claims) == 1 else f"{len(claims)} claims"
    lines += ["", f"{what}: {len(claims) - red} green, {red} red"]
    return "\n".join(line if line.startswith("Mechanical") else _cut(line) for line in lines)


def failures(claim: ClaimResult) -> list[str]:
    """What makes it red, each in a line."""
    wrong = [one for one in claim.observations if not one.holds]
    found = [
        f"{_place(one)}: {_short(_gave(one))}, expected {_short(value_text(one.expected))}"
        for one in wrong[:3]
    ]
    found += [f"and {len(wrong) - 3} more" for _ in wrong[3:4]]
    return found + [unnoticed(control) for control in claim.controls if not control.red]


def unnoticed(control: Control) -> str:
    """Of a break that no value shows."""
    crash = next((one.crash for one in control.observed if one.crash), "")
    how = f"it crashed ({crash}), which proves nothing" if crash else "the claim STAYED GREEN"
    return f"broken on purpose, {how}: {control.what} ({control.target})"


def noticed(control: Control) -> str:
    """Of a break that went red: the value that showed it."""
    one = next(one for one in control.observed if not one.holds)
    gave, expected = _short(_gave(one)), _short(value_text(one.expected))
    return f"{control.what} ({control.target}) {_place(one)}: {gave}, not {expected}"


def value_text(value: JsonValue) -> str:
    """A value in a few words."""
    if isinstance(value, dict):
        return ", ".join(f"{key} {value_text(inner)}" for key, inner in value.items()) or "nothing"
    if isinstance(value, list):
        runs = [(text, len(list(run))) for text, run in groupby(map(value_text, value))]
        return f"[{' '.join(text if often == 1 else f'{text} x{often}' for text, often in runs)}]"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else _one_line(str(value))


def _one_line(text: str) -> str:
    """Without line ends or control characters: what was broken must not command the terminal that shows it."""
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in " ".join(text.split()))


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _values(claim: ClaimResult) -> Iterator[str]:
    for arm in dict.fromkeys(one.arm for one in claim.observations):
        own = [one for one in claim.observations if one.arm == arm]
        shown = dict.fromkeys(value_text(one.measured) if not one.crash else one.crash for one in own)
        setting = "" if own[0].value is None else f" {value_text(own[0].value)}"
        often = f" (the first of {len(shown)} fixtures)" if len(shown) > 1 else ""
        yield f"       {'':<{_NAME}} {arm + setting:<14} {next(iter(shown))}{often}"


def _broken(claim: ClaimResult) -> str:
    red = sum(control.red for control in claim.controls)
    return (
        "its break goes red"
        if red == len(claim.controls) == 1
        else f"{red} of {len(claim.controls)} breaks go red"
    )


def _place(one: Observation) -> str:
    return f"{one.arm}, fixture {one.seed}"


def _gave(one: Observation) -> str:
    return _one_line(one.crash) or value_text(one.measured)


def _cut(line: str) -> str:
    return line if len(line) <= _WIDTH or "!" in line else f"{line[: _WIDTH - 1]}…"
