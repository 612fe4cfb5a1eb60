"""The manifest of what recall is worth without a part of it, which benchmarks/ablation.py of a checkout writes."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from pydantic import Field

from truerecall.bench.datasets.records import Question
from truerecall.bench.history import History
from truerecall.bench.manifest import Record
from truerecall.bench.measured import Asked, Making, read_record
from truerecall.measure.comparing import Comparison, TestName, compare_pairs
from truerecall.measure.ranking import gold_ranks, grid, session_ranking

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


class Ablation(Asked):
    """What one run of the script measured."""

    kind: Literal["ablation"] = "ablation"
    method: str = Field(description="What a row is, how it was fitted, which test is given.")
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
    mean = sum(values.values()) / len(values)
    change = None if whole is None else _change(paired(values, whole, seed))
    return AblatedFigure(name=name, n=len(values), mean=round(mean, 6), change=change)


def paired(values: Mapping[QuestionKey, float], whole: Mapping[QuestionKey, float], seed: int) -> Comparison:
    """A row's values less the whole's of the same questions, by conversation."""
    keys: Sequence[QuestionKey] = list(values)
    return compare_pairs([values[k] for k in keys], [whole[k] for k in keys], [k[0] for k in keys], seed)


def scores(history: History, question: Question, refs: Sequence[str]) -> dict[str, float]:
    """What ranked turns score on a question, by '<level> <metric>'."""
    levels = {
        "turn": gold_ranks(refs, question.gold_turns),
        "session": gold_ranks(session_ranking(refs, history.session_of), question.gold_sessions),
    }
    return {
        f"{level} {metric}": value for level, ranks in levels.items() for metric, value in grid(ranks).items()
    }


def read_ablation(path: Path) -> Ablation:
    """The ablation in a file; ``RunError`` if it is not one of this version."""
    return read_record(Ablation, path)


def _change(made: Comparison) -> Change:
    return Change(difference=round(made.difference, 6), test=made.test, p=made.p, same_sign=made.same_sign)
