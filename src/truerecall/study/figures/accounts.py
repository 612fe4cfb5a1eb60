"""What became of every planned run and attempt, and whether our sums agree with the solver's."""

from collections import Counter
from itertools import product
from typing import Literal

from truerecall.study.figures.records import Confinement, DiscardedSpend, Exclusions, Told
from truerecall.study.figures.runs import Taken, known_sum
from truerecall.study.records import Discarded

_REASONS: tuple[Literal["outside", "interrupted", "failed"], ...] = ("outside", "interrupted", "failed")


def exclusions(taken: Taken) -> list[Exclusions]:
    """Every planned run, once, by side."""
    outcomes = {(row.question, row.side, row.repeat): row.outcome for row in taken.rows}
    found = []
    for side in taken.plan.sides:
        runs = [run for run in taken.plan.runs if run.side == side.name]
        counts = Counter(outcomes.get((run.question, run.side, run.repeat)) for run in runs)
        found.append(
            Exclusions(
                side=side.name,
                kind=side.kind,
                planned=len(runs),
                correct=counts["correct"],
                wrong=counts["wrong"],
                invalid=counts["invalid"],
                failed=counts["failed"],
                out=counts["out"],
                not_finished=counts[None],
            )
        )
    return found


def discarded_spend(taken: Taken, discarded: list[Discarded]) -> list[DiscardedSpend]:
    """By side and reason, where there is any."""
    found = []
    for side, reason in product(taken.plan.sides, _REASONS):
        spent = [one.spent for one in discarded if (one.side, one.reason) == (side.name, reason)]
        if spent:
            found.append(
                DiscardedSpend(
                    side=side.name,
                    reason=reason,
                    attempts=len(spent),
                    tokens=sum(one.tokens for one in spent),
                    cost=known_sum(one.cost for one in spent),
                    uncached_cost=known_sum(one.uncached_cost for one in spent),
                )
            )
    return found


def confinement(taken: Taken, discarded: list[Discarded]) -> list[Confinement]:
    """By side: what finished runs tried, and how many attempts read outside."""
    found = []
    for side in taken.plan.sides:
        audits = [row.audit for row in taken.rows if row.side == side.name]
        outside = [one for one in discarded if (one.side, one.reason) == (side.name, "outside")]
        found.append(
            Confinement(
                side=side.name,
                kind=side.kind,
                uses=sum(one.uses for one in audits),
                denied=sum(one.denied for one in audits),
                thrown_out=len(outside),
            )
        )
    return found


def told(taken: Taken) -> Told:
    """Our cost of each run beside the last cumulative one that its solver told."""
    pairs = [
        (row.spent.cost, row.told_cost)
        for row in taken.rows
        if row.spent.cost is not None and row.told_cost is not None
    ]
    return Told(
        runs=len(pairs),
        differ=sum(abs(ours - theirs) > max(abs(theirs) / 1000, 1e-9) for ours, theirs in pairs),
        ours=known_sum(ours for ours, _ in pairs) or 0.0,
        told=known_sum(theirs for _, theirs in pairs) or 0.0,
        largest=max((abs(ours - theirs) for ours, theirs in pairs), default=0.0),
    )


def unpriced(taken: Taken, discarded: list[Discarded]) -> list[str]:
    """Models that were asked and have no price."""
    spent = [*(row.spent for row in taken.rows), *(one.spent for one in discarded)]
    return sorted({model for one in spent for model in one.unpriced})
