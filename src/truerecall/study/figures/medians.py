"""Medians to the first correct answer, where some runs never got there."""

import math
from collections.abc import Sequence

from truerecall.study.figures.records import Measure, Median
from truerecall.study.figures.runs import amounts, counted, to_correct
from truerecall.study.records import RunRow


def median_reached(values: Sequence[float | None]) -> float | None:
    """The median where None stands for infinity; None where it is infinite itself, or there are no values.

    Of an even number it is the mean of the two in the middle, so that it is finite if and only if more than half of the
    values are: the greater of the two in the middle is then still one of them.
    """
    ordered = sorted(math.inf if value is None else value for value in values)
    if not ordered:
        return None
    low, high = ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]
    if math.isinf(high):
        return None
    return low if low == high else low + (high - low) / 2


def to_correct_median(rows: Sequence[RunRow], measure: Measure) -> Median:
    """Over the runs of a side on a question whose outcome is known."""
    runs = counted(rows)
    if not runs:
        return Median(measure=measure, value=None, state="no runs")
    reached = [answer for answer in map(to_correct, runs) if answer is not None]
    if 2 * len(reached) <= len(runs):
        return Median(measure=measure, value=None, state="not reached")
    spent = [amounts(answer.spent, answer.seconds).of(measure) for answer in reached]
    known = [value for value in spent if value is not None]
    if len(known) < len(spent):
        return Median(measure=measure, value=None, state="no price")
    never: list[float | None] = [None] * (len(runs) - len(reached))
    return Median(measure=measure, value=median_reached([*known, *never]), state="reached")
