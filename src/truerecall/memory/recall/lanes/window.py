"""The window lane: a row counts with the two beside it, for an answer seldom repeats its question's words."""

import numpy as np

from truerecall.memory.recall.lanes.lexical import NO_WORDS
from truerecall.memory.recall.lanes.ranking import LaneRanking, Search, best, cannot


def window(search: Search) -> LaneRanking:
    """Rows that hold words of the query, or stand beside one that does."""
    if not search.query.terms:
        return cannot(NO_WORDS)
    view, words = search.view, search.words
    places = np.flatnonzero(words.windows)
    first = places[best(view, places, words.windows[places], search.depth)]
    return LaneRanking(
        tuple(first.tolist()),
        tuple(words.windows[first].tolist()),
        len(places),
        lambda hits: [f"near: {terms}" for terms in words.near_rows(view, hits)],
    )
