"""What each step of the search contributed: where it ranked the gold, over all questions."""

from collections.abc import Mapping, Sequence

from truerecall.bench.manifest import GridLevel, QuestionRow, StepFound
from truerecall.bench.systems.protocol import FUSED, RERANKED
from truerecall.measure.ranking import Ranks, all_at, any_at

RECALLED = "recalled"
"""The answer itself, as the last step."""
DEPTHS = (10, 50, 100, 200)
"""How far into a list gold is looked for; what no lane has among the last of them counts as not found."""

_FIRST, _DEEPEST = DEPTHS[0], DEPTHS[-1]
_LISTS = (FUSED, RERANKED, RECALLED)


def found_by_step(rows: Sequence[QuestionRow], level: GridLevel, digits: int) -> list[StepFound]:
    """Lanes by name, then the lists made of them in their order; empty where the system gave no ranks.

    ``rows`` are one system's, ``level`` that of its items; shares are rounded to ``digits``.
    """
    answered = [(row, row.ranks_turn if level == "turn" else row.ranks_session) for row in rows]
    asked = [(row, gold) for row, gold in answered if gold]
    names = sorted({step for row, _ in asked for step in row.steps} - {RECALLED})
    if not names:
        return []
    ranks: dict[str, list[Ranks]] = {
        step: [row.steps.get(step) or [None] * len(gold) for row, gold in asked] for step in names
    }
    ranks[RECALLED] = [gold for _, gold in asked]
    lanes = {step: ranks[step] for step in names if step not in _LISTS}
    return [
        _found(step, ranks[step], lanes, ranks.get(FUSED), digits)
        for step in (*lanes, *(step for step in _LISTS if step in ranks))
    ]


def _found(
    step: str,
    own: Sequence[Ranks],
    lanes: Mapping[str, Sequence[Ranks]],
    fused: Sequence[Ranks] | None,
    digits: int,
) -> StepFound:
    gold = [rank for ranks in own for rank in ranks]

    def share(amount: float, of: int) -> float:
        return round(amount / of, digits)

    made = StepFound(
        step=step,
        questions=len(own),
        any_at_10=share(sum(any_at(ranks, _FIRST) for ranks in own), len(own)),
        all_at_10=share(sum(all_at(ranks, _FIRST) for ranks in own), len(own)),
        gold=len(gold),
        within={k: share(sum(_among(rank, k) for rank in gold), len(gold)) for k in DEPTHS},
    )
    if step in lanes:
        others = [ranks for name, ranks in lanes.items() if name != step]
        return made.model_copy(update={"only": share(_only(own, others), len(gold))})
    if fused is None or step == FUSED:
        return made
    before, after = ([any_at(ranks, _FIRST) for ranks in lists] for lists in (fused, own))
    pairs = list(zip(before, after, strict=True))
    return made.model_copy(update={"gained": pairs.count((0.0, 1.0)), "lost": pairs.count((1.0, 0.0))})


def _only(own: Sequence[Ranks], others: Sequence[Sequence[Ranks]]) -> int:
    """How many gold items are among the deepest of this lane and of no other."""
    return sum(
        _among(rank, _DEEPEST) and not any(_among(other[at][place], _DEEPEST) for other in others)
        for at, ranks in enumerate(own)
        for place, rank in enumerate(ranks)
    )


def _among(rank: int | None, k: int) -> bool:
    return rank is not None and rank <= k
