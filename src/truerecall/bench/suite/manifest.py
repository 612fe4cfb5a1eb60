"""The manifest of a run of the suite: counts over templates and seeds, each with its n and its interval."""

from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from truerecall.bench.manifest import Interval, Record
from truerecall.bench.measured import Making, read_record
from truerecall.measure.intervals import wilson

NOTE = (
    "Counts over templates of our own writing: they show that a mechanism holds for these, and are neither accuracy"
    " nor a bound on what somebody else will write."
)
_EXAMPLES = 5

Demand = Literal["none", "all", "reported"]


class Figure(Record):
    """How often something happened."""

    name: str
    what: str
    demand: Demand = Field(description="How often it must happen: never, always, or it is only reported.")
    count: int
    n: int = Field(ge=1)
    interval: Interval = Field(description="Wilson, 95 %: templates taken as independent.")
    examples: list[str] = Field(description="Of those that break the demand, the first few.")

    @model_validator(mode="after")
    def _follows(self) -> "Figure":
        bounds = wilson(self.count, self.n)
        if (self.interval.low, self.interval.high) != (bounds.low, bounds.high):
            raise ValueError("the interval is not that of the counts")
        return self

    @property
    def holds(self) -> bool:
        """Whether it is as often as it must be."""
        return self.demand == "reported" or self.count == (0 if self.demand == "none" else self.n)


class Part(Record):
    """One kind of trial."""

    name: str
    templates: int
    figures: list[Figure]


class SuiteManifest(Record):
    """A whole run."""

    kind: Literal["suite"] = "suite"
    note: str = NOTE
    seeds: list[int]
    parts: list[Part]
    making: Making

    @property
    def holds(self) -> bool:
        """Whether every demand is met."""
        return all(figure.holds for part in self.parts for figure in part.figures)


class Tally:
    """Counts what happened, trial by trial."""

    def __init__(self, name: str, what: str, demand: Demand) -> None:
        self._name, self._what, self._demand = name, what, demand
        self._count = self._n = 0
        self._examples: list[str] = []

    def add(self, happened: bool, trial: str) -> None:
        """One trial, named for whoever looks into it."""
        self._n += 1
        self._count += happened
        if happened == (self._demand == "none") and self._demand != "reported":
            self._examples.append(trial)

    def figure(self) -> Figure:
        """What was counted."""
        bounds = wilson(self._count, self._n)
        return Figure(
            name=self._name,
            what=self._what,
            demand=self._demand,
            count=self._count,
            n=self._n,
            interval=Interval(low=bounds.low, high=bounds.high),
            examples=self._examples[:_EXAMPLES],
        )


def read_suite(path: Path) -> SuiteManifest:
    """The suite in a file; ``RunError`` if it is not one of this version."""
    return read_record(SuiteManifest, path)
