"""Manifests of what the scripts in benchmarks/ of a checkout measure: sweeps over a setting, and tables of figures."""

import json
import os
import platform
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import Field, ValidationError

from truerecall import __version__
from truerecall.bench.manifest import Provenance, Record
from truerecall.bench.provenance import checkout, machine, package_versions
from truerecall.bench.systems.protocol import Setting
from truerecall.core.clock import Clock, isoformat
from truerecall.errors import RunError

SWEPT: tuple[tuple[Literal["turn", "session"], str], ...] = (
    ("turn", "any@5"),
    ("turn", "any@10"),
    ("turn", "all@10"),
    ("session", "fractional@1"),
    ("session", "fractional@5"),
    ("session", "mrr"),
)
"""The rows of a sweep: those that a comparison names."""

_R = TypeVar("_R", bound=Record)


class Asked(Record):
    """The questions that figures are of."""

    dataset: str
    split: str
    sha256: str
    recognised: bool
    n: int = Field(description="Questions.")
    conversations: int


class SweepRow(Record):
    """What one value of the setting reached, or what the control did."""

    value: float | None = Field(description="None for the control.")
    default: bool = Field(description="Whether the package ships with this value.")
    figures: dict[str, float] = Field(description="Means over all questions, by '<level> <metric>'.")


class Sweep(Asked):
    """One setting at several values over one data set, beside the bm25 control; all else as shipped."""

    kind: Literal["sweep"] = "sweep"
    setting: str = Field(description="As docs/settings.md names it.")
    embedder: str | None
    tried: int = Field(description="Configurations tried: the values that were looked at.")
    in_sample: str = Field(description="What must be said beside the figures.")
    rows: list[SweepRow]
    control: SweepRow
    provenance: Provenance


class Column(Record):
    """A column of figures."""

    name: str
    places: int = Field(ge=0, le=3, description="Decimals that are printed.")


class FiguresRow(Record):
    """One thing, and its figure in each column; None is not measured."""

    name: str
    figures: list[float | None]


class FiguresTable(Record):
    """Figures with one unit or one form a column."""

    caption: str
    rows_are: str = Field(description="The head of the first column.")
    columns: list[Column]
    rows: list[FiguresRow]


class Making(Record):
    """Which code made it, on what kind of machine: no host name, no user, no path."""

    created: str
    truerecall: str
    commit: str | None
    dirty: bool | None
    python: str
    sqlite: str
    packages: dict[str, str]
    machine: dict[str, Setting]
    load: float | None = Field(
        description="Load average of the minute before: above the cores, times stretch."
    )
    script: str = Field(description="As it is run.")


class Figures(Record):
    """What one script measured."""

    kind: Literal["figures"] = "figures"
    method: str = Field(description="How: what was repeated, and which statistic is given.")
    tables: list[FiguresTable]
    making: Making


def making(clock: Clock, script: str, packages: Sequence[str]) -> Making:
    """The record of this machine and this code, to be taken before measuring.

    ``packages`` are those that decide the figures.
    """
    commit, dirty = checkout(Path(__file__).resolve().parents[3])
    return Making(
        created=isoformat(clock()),
        truerecall=__version__,
        commit=commit,
        dirty=dirty,
        python=platform.python_version(),
        sqlite=sqlite3.sqlite_version,
        packages=package_versions(packages),
        machine=machine(),
        load=round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
        script=script,
    )


def read_sweep(path: Path) -> Sweep:
    """The sweep in a file; ``RunError`` if it is not one of this version."""
    return read_record(Sweep, path)


def read_figures(path: Path) -> Figures:
    """The figures in a file; ``RunError`` if they are not of this version."""
    return read_record(Figures, path)


def record_json(record: Record) -> str:
    """A manifest as it is committed: sorted keys, one figure a line."""
    return json.dumps(record.model_dump(mode="json"), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def read_record(kind: type[_R], path: Path) -> _R:
    """The record of this kind in a file; ``RunError`` if it is not one of this version."""
    try:
        return kind.model_validate_json(path.read_text(encoding="utf-8"))
    except (ValidationError, UnicodeDecodeError):
        raise RunError(
            "the manifest is not one of this version",
            where=path.name,
            remedy="Write it anew: benchmarks/README.md names the script.",
        ) from None
