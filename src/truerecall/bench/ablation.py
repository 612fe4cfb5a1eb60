"""The manifest of what recall is worth without a part of it, which benchmarks/ablation.py of a checkout writes."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from pydantic import Field

from truerecall.bench.manifest import Record
from truerecall.bench.measured import Making, read_record
from truerecall.measure.comparing import Comparison, TestName, compare_pairs

QuestionKey = tuple[str, str]
"""Conversation and question."""


class Change(Record):
    """A row's mean against the whole's, on the same questions; positive is better than the whole."""

    difference: float
    test: TestName
    p: float = Field(description="Two-sided, not adjusted for how many rows were looked at.")
    same_sign: bool = Field(
        description="Whether every conversation's own difference has the same strict sign."
    )


class AblatedFigure(Record):
    """One figure of one row."""

    name: str = Field(description="'<level> <metric>', behind the type of question where it is not all.")
    n: int = Field(description="Questions.")
    mean: float
    change: Change | None = Field(description="None for the whole itself.")


class AblatedRow(Record):
    """Recall with a part switched off, or with nothing else."""

    name: str
    figures: list[AblatedFigure]


class AblatedTable(Record):
    """One embedder, or none; the first row is the whole that the others are held against."""

    embedder: str | None
    rows: list[AblatedRow]


class Ablation(Record):
    """What one run of the script measured."""

    kind: Literal["ablation"] = "ablation"
    method: str = Field(description="What a row is, how it was fitted, which test is given.")
    dataset: str
    split: str
    sha256: str
    recognised: bool
    n: int = Field(description="Questions.")
    conversations: int
    looked_at: int = Field(description="Rows that were looked at, over all tables, beside the wholes.")
    tables: list[AblatedTable]
    making: Making


def figure(
    name: str,
    values: Mapping[QuestionKey, float],
    whole: Mapping[QuestionKey, float] | None,
    seed: int,
) -> AblatedFigure:
    """The mean of a row's values, held against the whole's of the same questions."""
    keys: Sequence[QuestionKey] = list(values)
    mean = sum(values.values()) / len(keys)
    change = None
    if whole is not None:
        change = _change(
            compare_pairs([values[k] for k in keys], [whole[k] for k in keys], [k[0] for k in keys], seed)
        )
    return AblatedFigure(name=name, n=len(keys), mean=round(mean, 6), change=change)


def read_ablation(path: Path) -> Ablation:
    """The ablation in a file; ``RunError`` if it is not one of this version."""
    return read_record(Ablation, path)


def _change(made: Comparison) -> Change:
    return Change(difference=round(made.difference, 6), test=made.test, p=made.p, same_sign=made.same_sign)
