"""The vector lane: exact cosine of the query's vector with every piece of every text."""

import numpy as np

from truerecall.memory.recall.lanes.ranking import LaneRanking, Search, best, cannot

_NONE = "no entry has a vector yet (`truerecall doctor --repair` embeds them)"


def vector(search: Search) -> LaneRanking:
    """Rows nearest in meaning; a long text counts by its best piece."""
    view, asked = search.view, search.asked
    if asked.vector is None:
        return cannot(asked.note)
    if view.models is None or view.models.identity != asked.identity:
        return cannot("the memory is going over to another embedder")
    cosines = search.cosines
    if cosines is None:
        return cannot(_NONE)
    rows = np.flatnonzero(cosines > -np.inf)
    if not len(rows):
        return cannot(_NONE)
    scores = cosines[rows].astype(np.float64)
    first = best(view, rows, scores, search.depth)
    missing = int(np.count_nonzero(view.allowed)) - len(rows)
    return LaneRanking(
        tuple(rows[first].tolist()),
        tuple(scores[first].tolist()),
        len(rows),
        lambda hits: [f"cosine {cosine:.3f}" for cosine in cosines[hits]],
        note=f"{missing} entries have no vector yet" if missing else "",
    )
