"""Metrics over one ranked list of item refs and its gold set.

They see places, never scores: a tie has been broken by whoever made the list, so a constant scorer earns what
its order earns and no more. Gold that is not in the list counts in every denominator. A question without gold
has no value here (``InvalidInput``): its caller leaves it out and counts it.
"""

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache

from truerecall.errors import InvalidInput

Ranks = Sequence[int | None]
"""The place of each gold item in the list, from 1; None for one that is not in it."""

KS = (1, 3, 5, 10, 20)
"""The cut-offs of the grid."""

NDCG_K = 10


def gold_ranks(ranked: Sequence[str], gold: Collection[str]) -> list[int | None]:
    """The place in ``ranked`` (best first, from 1) of each gold item, in sorted order of the gold.

    Raises:
        InvalidInput: ``ranked`` holds an item twice, which would push the others down.
    """
    places = {ref: place for place, ref in enumerate(ranked, start=1)}
    _check_distinct(ranked, len(places))
    return [places.get(ref) for ref in sorted(set(gold))]


def session_ranking(ranked_turns: Sequence[str], session_of: Mapping[str, str]) -> list[str]:
    """The distinct sessions of a list of turns, each at the place of its best turn among sessions.

    Raises:
        InvalidInput: a turn stands twice in the list, or has no session.
    """
    _check_distinct(ranked_turns, len(set(ranked_turns)))
    sessions: dict[str, None] = {}
    for turn in ranked_turns:
        if turn not in session_of:
            raise InvalidInput(
                f"Turn {turn!r} belongs to no session",
                where="session_of",
                remedy="Give the session of every turn that can be ranked.",
            )
        sessions.setdefault(session_of[turn])
    return list(sessions)


def any_at(ranks: Ranks, k: int) -> float:
    """1.0 if at least one gold item is among the first k, else 0.0.

    Others call this hit@k, success@k or recall@k; it is not recall.
    """
    return 1.0 if _found(ranks, k) else 0.0


def fractional_at(ranks: Ranks, k: int) -> float:
    """Recall@k proper: gold items among the first k, divided by all gold items (not by min(k, gold))."""
    return _found(ranks, k) / len(ranks)


def all_at(ranks: Ranks, k: int) -> float:
    """1.0 if every gold item is among the first k, else 0.0; always 0.0 where there are more than k."""
    return 1.0 if _found(ranks, k) == len(ranks) else 0.0


def reciprocal_rank(ranks: Ranks) -> float:
    """1 / the place of the first gold item; 0.0 if none is in the list (the list's length is the cut-off)."""
    _check_ranks(ranks)
    present = [rank for rank in ranks if rank is not None]
    return 1.0 / min(present) if present else 0.0


def ndcg_at(ranks: Ranks, k: int) -> float:
    """Normalised discounted cumulative gain, binary, discount 1/log2(rank + 1) (Järvelin & Kekäläinen 2002).

    The ideal is the true one: min(k, number of gold items) items at the top, found or not.
    """
    _check_ranks(ranks)
    _check_k(k)
    gain = _discounts(sorted(rank for rank in ranks if rank is not None and rank <= k))
    return gain / _discounts(range(1, min(k, len(ranks)) + 1))


def grid(ranks: Ranks, ks: Sequence[int] = KS) -> dict[str, float]:
    """Every metric of one list: ``any@k``, ``fractional@k``, ``all@k`` for each k, ``mrr``, ``ndcg@10``."""
    return (
        {f"any@{k}": any_at(ranks, k) for k in ks}
        | {f"fractional@{k}": fractional_at(ranks, k) for k in ks}
        | {f"all@{k}": all_at(ranks, k) for k in ks}
        | {"mrr": reciprocal_rank(ranks), f"ndcg@{NDCG_K}": ndcg_at(ranks, NDCG_K)}
    )


@lru_cache(maxsize=16_384)
def chance(metric_name: str, pool: int, gold_count: int) -> float:
    """The expected value of a metric over all orders of ``pool`` items, ``gold_count`` of them gold.

    ``metric_name`` is a key of ``grid`` (any k). Exact, up to the rounding of the last operations. ``k`` may
    exceed the pool. ``mrr`` is that of the whole order, not of a list that was cut.

    Raises:
        InvalidInput: no gold, more gold than items, or a name that ``grid`` does not use.
    """
    if not 1 <= gold_count <= pool:
        raise InvalidInput(
            f"{gold_count} gold items in a pool of {pool}",
            where="chance",
            remedy="Give a pool that holds the gold, and leave questions without gold out.",
        )
    if metric_name == "mrr":
        return _chance_mrr(pool, gold_count)
    family, k = _parsed(metric_name)
    shown = min(k, pool)
    if family == "any":
        total = math.comb(pool, shown)
        return (total - math.comb(pool - gold_count, shown)) / total
    if family == "all":
        return math.comb(shown, gold_count) / math.comb(pool, gold_count)
    if family == "fractional":
        return shown / pool
    expected_gain = gold_count / pool * _discounts(range(1, shown + 1))
    return expected_gain / _discounts(range(1, min(k, gold_count) + 1))


def _chance_mrr(pool: int, gold_count: int) -> float:
    # P(first gold item at r) = C(pool - r, gold - 1) / C(pool, gold).
    orders = math.comb(pool, gold_count)
    return math.fsum(
        math.comb(pool - rank, gold_count - 1) / (rank * orders) for rank in range(1, pool - gold_count + 2)
    )


def _parsed(metric_name: str) -> tuple[str, int]:
    family, _, cut = metric_name.partition("@")
    if family in {"any", "fractional", "all", "ndcg"} and cut.isascii() and cut.isdigit() and int(cut) > 0:
        return family, int(cut)
    raise InvalidInput(
        f"{metric_name!r} is not a metric",
        where="metric_name",
        remedy="Use any@k, fractional@k, all@k or ndcg@k with k from 1, or mrr.",
    )


def _found(ranks: Ranks, k: int) -> int:
    _check_ranks(ranks)
    _check_k(k)
    return sum(1 for rank in ranks if rank is not None and rank <= k)


def _discounts(ranks: Sequence[int]) -> float:
    return math.fsum(1.0 / math.log2(rank + 1) for rank in ranks)


def _check_distinct(ranked: Sequence[str], distinct: int) -> None:
    if distinct == len(ranked):
        return
    twice = next(ref for ref, count in Counter(ranked).items() if count > 1)
    raise InvalidInput(
        f"{twice!r} stands in the ranked list more than once",
        where="ranked",
        remedy="Keep each item at its best place only.",
    )


def _check_ranks(ranks: Ranks) -> None:
    if not ranks:
        raise InvalidInput(
            "A question without gold has no retrieval value",
            where="ranks",
            remedy="Leave it out of the mean and count it among what was left out.",
        )
    present = [rank for rank in ranks if rank is not None]
    if len(set(present)) != len(present) or any(rank < 1 for rank in present):
        raise InvalidInput(
            "Ranks are distinct places from 1",
            where="ranks",
            remedy="Make them with gold_ranks.",
        )


def _check_k(k: int) -> None:
    if k < 1:
        raise InvalidInput(f"k is {k}", where="k", remedy="Use a cut-off of 1 or more.")
