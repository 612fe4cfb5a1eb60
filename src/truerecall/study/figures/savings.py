"""What memory saved, against the cheaper of the agent alone and the investigation done again."""

import math
from collections.abc import Sequence
from itertools import product
from statistics import median

from truerecall.bench.manifest import Interval
from truerecall.measure.bootstrap import bootstrap_interval
from truerecall.study.figures.records import (
    MEASURES,
    Contrast,
    Measure,
    Saving,
    SavingOverall,
    SideOnQuestion,
)
from truerecall.study.figures.records import Median as MedianTo
from truerecall.study.figures.runs import Taken
from truerecall.study.planned import PlannedSide

FEWEST = 6
"""Questions that can be compared, below which no interval is drawn: a few drawn again say little but themselves."""

_AGAINST = ("none", "redo")


def savings(question: str, sides: Sequence[SideOnQuestion]) -> list[Saving]:
    """Of each memory side by each measure, on one question."""
    memories = [side for side in sides if side.kind == "memory"]
    others = [side for side in sides if side.kind in _AGAINST]
    return [_saving(question, side, others, measure) for side, measure in product(memories, MEASURES)]


def _saving(
    question: str, memory: SideOnQuestion, others: Sequence[SideOnQuestion], measure: Measure
) -> Saving:
    own = to(memory, measure)
    theirs = [(side, found) for side in others if (found := to(side, measure)).value is not None]
    cheapest = min(theirs, key=lambda pair: pair[1].value or 0.0, default=None)
    reason = _no_saving(memory, others, measure)
    against, other = ("", None) if cheapest is None else (cheapest[0].side, cheapest[1].value)
    amount = saved = None
    if not reason and own.value is not None and other is not None:
        amount = other - own.value
        saved = 1.0 - own.value / other if other > 0.0 else None
        reason = "" if saved is not None else f"{against} spent nothing"
    return Saving(
        question=question,
        side=memory.side,
        measure=measure,
        memory=own.value,
        against=against,
        other=other,
        amount=amount,
        saved=saved,
        reason=reason,
    )


def _no_saving(memory: SideOnQuestion, others: Sequence[SideOnQuestion], measure: Measure) -> str:
    """Why none can be printed; empty where one can."""
    if not others:
        return "there is no side without a memory to compare with"
    states = {to(side, measure).state for side in others}
    own = to(memory, measure).state
    if own == "no runs":
        return f"no run of {memory.side} counts"
    if own == "not reached":
        if memory.correct:
            return f"{memory.side} got it right in {memory.correct} of {memory.counted} runs, not in more than half"
        return f"{memory.side} never got it right"
    if own == "no price" or "no price" in states:
        return "the price of a model is not known"
    if "reached" not in states:
        names = " nor ".join(side.side for side in others)
        if any(side.correct for side in others):
            return f"neither {names} got it right in more than half of the runs"
        return f"neither {names} got it right" if len(others) > 1 else f"{names} never got it right"
    return ""


def to(side: SideOnQuestion, measure: Measure) -> MedianTo:
    """The median of a side by a measure."""
    return next(one for one in side.medians if one.measure == measure)


def savings_overall(taken: Taken, found: Sequence[Saving]) -> list[SavingOverall]:
    """Of each memory side by each measure, over all questions that are no controls."""
    return [
        _overall(
            taken,
            side.name,
            measure,
            [one for one in found if (one.side, one.measure) == (side.name, measure)],
        )
        for side, measure in product(taken.sides("memory"), MEASURES)
    ]


def _overall(taken: Taken, side: str, measure: Measure, found: Sequence[Saving]) -> SavingOverall:
    printed = [one for one in found if one.saved is not None]
    shares = [one.saved for one in printed if one.saved is not None]
    sums = [one.amount for one in printed if one.amount is not None]
    bounds = None
    if len(shares) >= FEWEST:
        bounds = bootstrap_interval(shares, [one.question for one in printed], taken.plan.seed)
    return SavingOverall(
        side=side,
        measure=measure,
        questions=len(taken.questions),
        n=len(shares),
        cheaper=sum(share > 0.0 for share in shares),
        median=median(shares) if shares else None,
        low=min(shares, default=None),
        high=max(shares, default=None),
        mean=math.fsum(shares) / len(shares) if shares else None,
        interval=None if bounds is None else Interval(low=bounds.low, high=bounds.high),
        median_amount=median(sums) if sums else None,
    )


def contrasts(taken: Taken, by_question: Sequence[Sequence[SideOnQuestion]]) -> list[Contrast]:
    """Memory against each placebo and grep side, where both got it right."""
    return [
        _contrast(memory.name, other, measure, by_question)
        for memory, other, measure in product(taken.sides("memory"), taken.sides("placebo", "grep"), MEASURES)
    ]


def _contrast(
    memory: str, other: PlannedSide, measure: Measure, by_question: Sequence[Sequence[SideOnQuestion]]
) -> Contrast:
    shares = []
    for sides in by_question:
        found = {side.side: to(side, measure).value for side in sides}
        own, theirs = found[memory], found[other.name]
        if own is not None and theirs:
            shares.append(1.0 - own / theirs)
    return Contrast(
        side=memory,
        other=other.name,
        other_kind=other.kind,
        measure=measure,
        questions=len(by_question),
        n=len(shares),
        median=median(shares) if shares else None,
        low=min(shares, default=None),
        high=max(shares, default=None),
    )
