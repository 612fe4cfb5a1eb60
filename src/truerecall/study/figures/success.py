"""How often the sides were correct, and what a correct answer cost with the failures counted."""

from truerecall.bench.manifest import Interval
from truerecall.measure.intervals import wilson
from truerecall.study.figures.records import Amounts, CostPerCorrect, Success
from truerecall.study.figures.runs import COUNTED, Taken, amounts, counted, to_correct, total
from truerecall.study.planned import PlannedSide
from truerecall.study.records import RunRow


def success(taken: Taken) -> list[Success]:
    """By side, then by the number of follow-ups that were allowed."""
    return [
        _success(side, taken.asked(side.name), followups)
        for side in taken.plan.sides
        for followups in range(taken.plan.followups + 1)
    ]


def _success(side: PlannedSide, rows: list[RunRow], followups: int) -> Success:
    runs = counted(rows)
    answers = [answer for answer in map(to_correct, runs) if answer is not None]
    correct, n = sum(answer.followups <= followups for answer in answers), len(runs)
    bounds = wilson(correct, n) if n else None
    return Success(
        side=side.name,
        kind=side.kind,
        followups=followups,
        correct=correct,
        n=n,
        share=correct / n if n else None,
        interval=None if bounds is None else Interval(low=bounds.low, high=bounds.high),
    )


def cost_per_correct(taken: Taken) -> list[CostPerCorrect]:
    """All that the runs of a side spent, by its correct ones; runs of which nobody knows stand beside."""
    return [_per_correct(side, taken.asked(side.name)) for side in taken.plan.sides]


def _per_correct(side: PlannedSide, rows: list[RunRow]) -> CostPerCorrect:
    runs = counted(rows)
    unknown = [row for row in rows if row.outcome not in COUNTED]
    correct = sum(row.outcome == "correct" for row in runs)
    spent = total(amounts(row.spent, row.seconds) for row in runs)
    return CostPerCorrect(
        side=side.name,
        kind=side.kind,
        runs=len(runs),
        correct=correct,
        spent=spent,
        per_correct=_by(spent, correct) if correct else None,
        unknown_runs=len(unknown),
        unknown_spent=total(amounts(row.spent, row.seconds) for row in unknown),
    )


def _by(spent: Amounts, runs: int) -> Amounts:
    return Amounts(
        tokens=spent.tokens / runs,
        cost=None if spent.cost is None else spent.cost / runs,
        uncached_cost=None if spent.uncached_cost is None else spent.uncached_cost / runs,
        seconds=spent.seconds / runs,
    )
