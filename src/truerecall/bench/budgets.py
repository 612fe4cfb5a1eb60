"""The manifest of the start-up budgets, which benchmarks/budgets.py of a checkout writes."""

from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from truerecall.bench.manifest import Record
from truerecall.errors import RunError


class BudgetRow(Record):
    """One start-up budget as it was measured; times in seconds."""

    name: str
    budget: float
    beyond_bare: float
    quartiles: tuple[float, float]
    bare: float
    whole: float
    ratio: float
    pairs: int
    within: bool


class Budgets(Record):
    """All that was measured, with which versions, on what kind of machine."""

    kind: Literal["budgets"]
    truerecall: str
    python: str
    system: str
    machine: str
    cores: int | None
    measurements: list[BudgetRow]


def read_budgets(path: Path) -> Budgets:
    """The manifest in a file; ``RunError`` if it is not one of this version."""
    try:
        return Budgets.model_validate_json(path.read_text(encoding="utf-8"))
    except ValidationError:
        raise RunError(
            "the manifest of the budgets is not one of this version",
            where=path.name,
            remedy="Write it anew: make bench ARGS=--write.",
        ) from None
