"""Manifests of our own speed, which the scripts in benchmarks/ of a checkout write: figures, and bars to hold."""

from pathlib import Path
from typing import Literal

from pydantic import Field

from truerecall.bench.manifest import Record
from truerecall.bench.measured import FiguresTable, Making, read_record


class Bar(Record):
    """One thing that is asked of the speed, and whether this run reached it."""

    name: str
    unit: str = Field(description="Of both figures; 'times' for a ratio.")
    measured: float
    bound: Literal["at most", "at least"]
    limit: float
    met: bool


class Speed(Record):
    """What one script measured in one run."""

    kind: Literal["speed"] = "speed"
    method: str = Field(description="How: what was compared, what was repeated, which statistic is given.")
    tables: list[FiguresTable]
    bars: list[Bar]
    making: Making


def at_most(name: str, unit: str, measured: float, limit: float) -> Bar:
    """A bar that a smaller figure meets."""
    return Bar(
        name=name,
        unit=unit,
        measured=round(measured, 4),
        bound="at most",
        limit=round(limit, 4),
        met=measured <= limit,
    )


def at_least(name: str, unit: str, measured: float, limit: float) -> Bar:
    """A bar that a larger figure meets."""
    return Bar(
        name=name,
        unit=unit,
        measured=round(measured, 4),
        bound="at least",
        limit=round(limit, 4),
        met=measured >= limit,
    )


def read_speed(path: Path) -> Speed:
    """The figures in a file; ``RunError`` if they are not of this version."""
    return read_record(Speed, path)
