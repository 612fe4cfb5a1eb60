"""What a claim is: a scenario, what it must give with its switch at each value, and what must make it fail."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from truerecall.bench.claims.breaking import Break
from truerecall.core.config import Settings

Value = None | bool | int | float | str | Sequence["Value"] | Mapping[str, "Value"]
"""What is measured: anything that JSON has, compared as a whole."""

SEEDS = (1, 2, 3)
"""Of the fixtures: each is another set of names, texts and dates."""


@dataclass(frozen=True, slots=True)
class Arm:
    """The scenario under one setting."""

    name: str
    """``on``, ``off``, ``reference`` (the value of the reference system), or another value of the switch."""
    expected: Value | Callable[[int], Value]
    """What must be measured; called with the seed where it differs by the fixture."""
    settings: Settings = field(default_factory=Settings)
    value: Value = None
    """Of the switch; None where there is no switch."""

    def expects(self, seed: int) -> Value:
        """What must be measured on the fixture of a seed."""
        return self.expected(seed) if callable(self.expected) else self.expected


@dataclass(frozen=True, slots=True)
class Claim:
    """One mechanism, in a form that can fail."""

    name: str
    sentence: str
    measures: str
    """What the values are, in a few words."""
    scenario: Callable[[Settings, int], Value]
    """Builds a fixture of a seed, lets the memory work under the settings, and measures."""
    arms: tuple[Arm, ...]
    breaks: tuple[Break, ...]
    """Under each the claim must go red."""
    switch: str = ""
    """The setting, such as ``lanes.graph``; empty where the mechanism is always on."""
    seeds: tuple[int, ...] = SEEDS
