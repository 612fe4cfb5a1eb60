"""What was measured of the block: a figure file, every question accounted for."""

from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from truerecall.bench.manifest import Interval, Record
from truerecall.bench.measured import Making
from truerecall.errors import RunError


class CarryRow(Record):
    """One arm over all questions, or over some of them."""

    arm: str
    of: str
    """``all``, a half by the questions' numbers, a kind of question, a transcript, or where the evidence stands."""
    n: int
    carried: int
    rate: float
    interval: Interval
    """Wilson, 95 %: questions taken as independent, though they come from few sessions."""
    empty: int
    """Questions for which nothing was given."""
    mean_tokens: float


class CarryPair(Record):
    """One arm against another on the same questions."""

    arm: str
    against: str
    only_this: int
    """Questions that this arm carried and the other did not."""
    only_that: int
    p: float
    """McNemar, exact, two-sided."""


class UnrelatedRow(Record):
    """How often an arm gave something for a prompt that has nothing to do with the sessions."""

    arm: str
    of: str
    """``all``, or a half by the prompts' numbers."""
    n: int
    given: int
    interval: Interval


class CarryOutcome(Record):
    """One question under every arm."""

    id: str
    kind: str
    trust: str
    transcript: str
    carried: dict[str, bool]
    tokens: dict[str, int]


class CarryManifest(Record):
    """All of it."""

    kind: Literal["carry"]
    files: dict[str, str]
    """sha256 of the questions and the prompts."""
    sessions: int
    real_sessions: int
    entries: int
    turns: int
    """Of the entries, turns; the others are facts."""
    external: int
    budget_tokens: int
    counter: str
    characters: int
    rows: list[CarryRow]
    pairs: list[CarryPair]
    unrelated: list[UnrelatedRow]
    outcomes: list[CarryOutcome]
    notes: list[str]
    making: Making


def read_carried(path: Path) -> CarryManifest:
    """The manifest in a file; ``RunError`` if it is not one of this version."""
    try:
        return CarryManifest.model_validate_json(path.read_text(encoding="utf-8"))
    except ValidationError:
        raise RunError(
            "the manifest is not one of this version",
            where=path.name,
            remedy="Write it anew: python benchmarks/carry.py --write.",
        ) from None
