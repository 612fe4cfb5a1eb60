"""What was measured of the facts: their number, their precision and recall by two labellers, and how these agree."""

from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from truerecall.bench.manifest import Interval, Record
from truerecall.bench.measured import Making
from truerecall.errors import RunError


class ShareRow(Record):
    """A share over all facts or those of one kind."""

    by: str
    """Labeller ``a`` or ``b``; ``both`` where both say so, ``either`` where one does."""
    of: str
    """``all`` or a kind."""
    n: int
    yes: int
    share: float
    interval: Interval
    """Wilson, 95 %, for independent facts; those of one turn are not quite."""


class Agreement(Record):
    """How far the two labellers of the same facts agree."""

    n: int
    agreed: int
    kappa: float | None
    """Cohen's; None where one of them says the same of all."""
    interval: Interval | None


class FactsManifest(Record):
    """Every figure, with what it was measured by."""

    kind: Literal["facts"]
    sessions: int
    turns: int
    speaking: int
    """Of the turns, those in which a person or the agent says something."""
    facts: int
    facts_a_turn: float
    facts_a_speaking_turn: float
    by_kind: dict[str, int]
    external: int
    """Facts that are trusted as external: they quote, or are, what a tool put out."""
    labelled: int
    stale: int
    """Labels of facts that are not found any more; they count nowhere."""
    precision: list[ShareRow]
    agreement: Agreement | None
    recall: list[ShareRow]
    """``both``: of the gold facts of ``a`` that ``b`` wrote down as well, by the same rule."""
    recall_tuned: list[ShareRow]
    """Of gold facts that the rules were improved by: what they reach on what they were made for."""
    gold_agreement: dict[str, ShareRow]
    """How many of one's gold facts the other has as well, by the same rule."""
    files: dict[str, str]
    """sha256 of what the labellers and collectors wrote, which holds words of the transcripts and is not published."""
    rule: str
    """When an extracted fact is a gold one."""
    notes: list[str]
    making: Making


def read_facts_manifest(path: Path) -> FactsManifest:
    """The manifest in a file; ``RunError`` if it is not one of this version."""
    try:
        return FactsManifest.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, ValidationError):
        raise RunError(
            "the manifest of the facts is not one of this version",
            where=path.name,
            remedy="Write it anew with benchmarks/facts.py measure --write.",
        ) from None
