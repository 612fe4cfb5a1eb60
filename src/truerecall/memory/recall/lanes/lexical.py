"""The lexical lane: rows that share words with the query, rarer words counting for more."""

import numpy as np

from truerecall.memory.recall.lanes.ranking import LaneRanking, Search, best, cannot

NO_WORDS = "the query has no words"


def lexical(search: Search) -> LaneRanking:
    """Rows that hold a word of the query themselves."""
    if not search.query.terms:
        return cannot(NO_WORDS)
    words = search.words
    places = np.flatnonzero(words.rows)
    first = places[best(search.view, places, words.rows[places], search.depth)]
    return LaneRanking(tuple(first.tolist()), tuple(words.rows[first].tolist()), len(places), words.of_rows)
