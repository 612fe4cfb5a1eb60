"""The lexical lane: BM25 over the counts of what the reader may see (docs/design/lexical-lane.md).

FTS5 serves as the store of postings; its own ``bm25()`` counts words over the whole table, so one tenant's writes
would reorder another's results. Turns are short: term frequency is taken as 1.

Formula, for a term in n of N rows: ln(1 + (N − n + 0.5)/(n + 0.5)) · 2.2/(1 + 1.2·(1 − b + b·length/mean length)),
after Robertson and Zaragoza (2009) with k1 = 1.2.
"""

from typing import TYPE_CHECKING

import numpy as np

from truerecall.memory.recall.lanes.ranking import LaneRanking, Search, best
from truerecall.memory.store.view import View

if TYPE_CHECKING:
    from numpy.typing import NDArray

_K1 = 1.2
_MOST_TERMS = 24  # of a long query the rarest: the others could not change the order by much


def lexical(search: Search) -> LaneRanking:
    """Rows that share a word with the query, rarer words counting for more."""
    view = search.view
    if not search.query.terms:
        return LaneRanking((), (), 0, note="the query has no words", ran=False)
    rows = int(view.allowed.sum())
    held = [(term, found) for term in search.query.terms if len(found := view.holding(term))]
    held.sort(key=lambda item: len(item[1]))  # stable: equally rare terms stay in the query's order
    held = held[:_MOST_TERMS]
    scores = np.zeros(len(view.rowids))
    shape = _length_factor(view, search.settings.recall.length_weight)
    for _, found in held:
        rarity = np.log1p((rows - len(found) + 0.5) / (len(found) + 0.5))
        scores[found] += rarity * shape[found] if shape is not None else rarity
    places = np.flatnonzero(scores)
    first = places[best(view, places, scores[places], search.depth)]
    return LaneRanking(
        tuple(first.tolist()), tuple(scores[first].tolist()), len(places), _reasons(first, held)
    )


def _length_factor(view: View, weight: float) -> "NDArray[np.float64] | None":
    if not weight or not view.allowed.any():
        return None
    mean = view.lengths[view.allowed].mean()
    factor: NDArray[np.float64] = (_K1 + 1) / (1 + _K1 * (1 - weight + weight * view.lengths / mean))
    return factor


def _reasons(places: "NDArray[np.intp]", held: "list[tuple[str, NDArray[np.intp]]]") -> dict[int, str]:
    words: dict[int, list[str]] = {place: [] for place in places.tolist()}
    for term, found in held:
        for place in places[np.isin(places, found)].tolist():
            words[place].append(term)
    return {place: " ".join(terms) for place, terms in words.items()}
