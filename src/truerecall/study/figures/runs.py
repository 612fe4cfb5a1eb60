"""The runs that figures are made of: which count, in what order, and what each spent."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from truerecall.study.figures.records import Amounts, Dot
from truerecall.study.planned import Plan, PlannedQuestion, PlannedSide
from truerecall.study.records import AnswerRow, RunRow, Spent

COUNTED = frozenset({"correct", "wrong", "failed"})
"""Outcomes that are known: a solver that failed was not correct; one that could not be graded may have been."""


@dataclass(frozen=True, slots=True)
class Taken:
    """The finished runs that a view takes, and the plan they belong to."""

    plan: Plan
    rows: Sequence[RunRow]

    def of(self, question: str, side: str) -> list[RunRow]:
        """Those of a side on a question, by repeat."""
        found = [row for row in self.rows if (row.question, row.side) == (question, side)]
        return sorted(found, key=lambda row: row.repeat)

    def asked(self, side: str) -> list[RunRow]:
        """Those of a side on all questions that are no controls."""
        return [row for question in self.questions for row in self.of(question.id, side)]

    @property
    def questions(self) -> list[PlannedQuestion]:
        """Those that are no controls."""
        return [question for question in self.plan.questions if not question.control]

    @property
    def controls(self) -> list[PlannedQuestion]:
        """The others."""
        return [question for question in self.plan.questions if question.control]

    def sides(self, *kinds: Literal["memory", "none", "redo", "placebo", "grep"]) -> list[PlannedSide]:
        """The sides of these kinds, in the order of the plan."""
        return [side for side in self.plan.sides if side.kind in kinds]

    def per_protocol(self) -> "Taken":
        """Only the runs that were what their side says."""
        return Taken(self.plan, [row for row in self.rows if row.admission.per_protocol])


def counted(rows: Iterable[RunRow]) -> list[RunRow]:
    """Those whose outcome is known."""
    return [row for row in rows if row.outcome in COUNTED]


def to_correct(row: RunRow) -> AnswerRow | None:
    """The first correct answer of a run that was correct."""
    return row.to_correct if row.outcome == "correct" else None


def amounts(spent: Spent, seconds: float) -> Amounts:
    """What was spent, by measure."""
    return Amounts(tokens=spent.tokens, cost=spent.cost, uncached_cost=spent.uncached_cost, seconds=seconds)


def total(parts: Iterable[Amounts]) -> Amounts:
    """Their sum; a cost is unknown where one of them is."""
    every = list(parts)
    return Amounts(
        tokens=math.fsum(one.tokens for one in every),
        cost=known_sum(one.cost for one in every),
        uncached_cost=known_sum(one.uncached_cost for one in every),
        seconds=math.fsum(one.seconds for one in every),
    )


def known_sum(values: Iterable[float | None]) -> float | None:
    """The sum, or None where one of them is."""
    every = list(values)
    known = [value for value in every if value is not None]
    return math.fsum(known) if len(known) == len(every) else None


def dot(row: RunRow) -> Dot:
    """One finished run."""
    first = to_correct(row)
    block = row.block if row.block is not None and row.block.state == "valid" else None
    return Dot(
        repeat=row.repeat,
        attempt=row.attempt,
        outcome=row.outcome,
        problem=row.problem,
        correct_after=None if first is None else first.followups,
        to_correct=None if first is None else amounts(first.spent, first.seconds),
        whole=amounts(row.spent, row.seconds),
        answers=len(row.answers),
        truth_hits=row.answers[-1].truth_hits if row.answers and row.outcome != "invalid" else None,
        session_hits=row.answers[0].session_hits if row.answers else None,
        block_hits=None if block is None else block.hits,
        block_unknown=row.block is not None and row.block.state == "invalid",
        delivered=row.admission.delivered,
        nothing_found=row.admission.nothing_found,
        per_protocol=row.admission.per_protocol,
        reason=row.admission.reason,
        misled=any(answer.misled for answer in row.answers),
        suspects=sum(answer.suspects for answer in row.answers),
        denied=row.audit.denied,
    )
