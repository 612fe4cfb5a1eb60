"""The session lane: all rows of the sessions that are most about the query's words."""

import numpy as np

from truerecall.memory.recall.lanes.lexical import NO_WORDS
from truerecall.memory.recall.lanes.ranking import LaneRanking, Search, best, cannot

_ROW = 1e-3  # within a session, rows with the words come first; little beside what sets sessions apart


def session(search: Search) -> LaneRanking:
    """Rows by the score of their session."""
    if not search.query.terms:
        return cannot(NO_WORDS)
    view, words = search.view, search.words
    if not words.sessions.any():
        return LaneRanking((), (), 0)
    # Only sessions that can fill the depth: each that has a score has a row at least.
    wanted = words.sessions > 0
    if np.count_nonzero(wanted) > search.depth:
        least = np.partition(words.sessions, len(wanted) - search.depth)[len(wanted) - search.depth]
        wanted = words.sessions >= least
    within = np.append(wanted, False)[view.session]  # the last stands for rows without a session, -1
    places = np.flatnonzero(within & view.allowed)
    scores = words.sessions[view.session[places]] + _ROW * words.rows[places]
    chosen = best(view, places, scores, search.depth)
    first = places[chosen]
    return LaneRanking(
        tuple(first.tolist()),
        tuple(scores[chosen].tolist()),
        len(places),
        lambda hits: [f"session scores {score:.2f}" for score in words.sessions[view.session[hits]]],
    )
