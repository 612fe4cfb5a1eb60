"""The manifest of a run of claims: each value that was measured beside the one that was expected."""

from pathlib import Path
from typing import Literal

from pydantic import JsonValue, model_validator

from truerecall.bench.manifest import Record
from truerecall.bench.measured import Making, read_record

NOT_ACCURACY = "Mechanical claims say that a mechanism works; they are never accuracy, nor a figure of it."

Verdict = Literal["green", "red"]


class Observation(Record):
    """One run of a scenario."""

    arm: str
    value: JsonValue
    """Of the switch; null where there is none."""
    seed: int
    measured: JsonValue
    expected: JsonValue
    crash: str = ""
    """What was raised that no error of the package is; empty for most."""

    @property
    def holds(self) -> bool:
        """Whether what was measured is what was expected."""
        return not self.crash and _same(self.measured, self.expected)


class Control(Record):
    """The claim with its production path broken on purpose."""

    what: str
    target: str
    """The attribute that was replaced."""
    observed: list[Observation]
    """Up to the first that does not hold."""

    @property
    def red(self) -> bool:
        """Whether the claim failed, by another value: a crash proves nothing of what was claimed."""
        return any(not one.holds and not one.crash for one in self.observed)


class ClaimResult(Record):
    """One claim."""

    kind: Literal["claim"] = "claim"
    name: str
    sentence: str
    measures: str
    switch: str
    """Empty where there is none."""
    observations: list[Observation]
    controls: list[Control]
    verdict: Verdict
    """Green where every value is the expected one and every control is red."""

    @model_validator(mode="after")
    def _follows(self) -> "ClaimResult":
        if self.verdict != verdict(self.observations, self.controls):
            raise ValueError("the verdict does not follow from the values")
        return self

    @property
    def holds(self) -> bool:
        """Whether every value is the expected one."""
        return all(one.holds for one in self.observations)


class ClaimManifest(Record):
    """One claim, as it is written by itself."""

    note: str = NOT_ACCURACY
    claim: ClaimResult
    making: Making


class ClaimsManifest(Record):
    """All claims, as they are committed."""

    kind: Literal["claims"] = "claims"
    note: str = NOT_ACCURACY
    claims: list[ClaimResult]
    making: Making


def verdict(observations: list[Observation], controls: list[Control]) -> Verdict:
    """What follows from the values."""
    sound = observations and controls and all(one.red for one in controls)
    return "green" if sound and all(one.holds for one in observations) else "red"


def read_claims(path: Path) -> ClaimsManifest:
    """The claims in a file; ``RunError`` if they are not of this version, or a verdict does not follow."""
    return read_record(ClaimsManifest, path)


def _same(left: JsonValue, right: JsonValue) -> bool:
    """Equality of whole values: 1, 1.0 and true are three."""
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_same, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_same(left[key], right[key]) for key in left)
    return type(left) is type(right) and left == right
