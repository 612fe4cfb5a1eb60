"""In which order the runs are begun: every side as often early as late."""

from collections.abc import Sequence
from hashlib import sha256
from itertools import product
from math import lcm

from truerecall.study.design import SideKind
from truerecall.study.planned import PlannedQuestion, PlannedRun, PlannedSide

ON_CONTROLS: frozenset[SideKind] = frozenset({"memory", "none", "placebo"})
"""A control has no original request to be made again, and no old session that could be searched."""


def runs_in_order(
    questions: Sequence[PlannedQuestion], sides: Sequence[PlannedSide], repeats: int, seed: int
) -> list[PlannedRun]:
    """All runs: repeat by repeat, in each of them question by question, in each of those side by side.

    The sides of one question in one repeat follow each other as in a row of a cyclic Latin square, and each next
    repeat of a question takes the next row. So each side stands in each place equally often, or once more or less:
    over all, and on each question. Controls are rotated by themselves, for they have fewer sides.

    Args:
        questions: In the order of the study.
        sides: Likewise.
        repeats: Of each side on each question, from 1.
        seed: Decides which side is the first of the square; the same seed gives the same order.
    """
    own = {question.id: _taking(question, sides, seed) for question in questions}
    rows = {
        question.id: place
        for control in (False, True)
        for place, question in enumerate(one for one in questions if one.control is control)
    }
    return [
        PlannedRun(question=question.id, side=side, repeat=repeat + 1)
        for repeat, question in product(range(repeats), questions)
        for side in _rotated(own[question.id], rows[question.id], repeat, repeats)
    ]


def _taking(question: PlannedQuestion, sides: Sequence[PlannedSide], seed: int) -> list[str]:
    """The sides that are run on a question, in the order of the seed."""
    names = [side.name for side in sides if not question.control or side.kind in ON_CONTROLS]
    return sorted(names, key=lambda name: (sha256(f"{seed}:{name}".encode()).digest(), name))


def _rotated(names: list[str], question: int, repeat: int, repeats: int) -> list[str]:
    """A row of the square; where the repeats alone fill whole squares, each next question begins a row later."""
    if not names:
        return []
    whole = lcm(repeats, len(names)) // repeats
    first = (question * repeats + repeat + question // whole) % len(names)
    return [*names[first:], *names[:first]]
