"""The entity lane: rows that name what the query or the first hits name.

A name that is written like one of the query's is not that one, but counts in part: by how much the two are alike.
"""

from typing import TYPE_CHECKING

import numpy as np

from truerecall.memory.recall.lanes.ranking import LaneRanking, best, cannot
from truerecall.memory.recall.lanes.seeded import Seeded

if TYPE_CHECKING:
    from numpy.typing import NDArray

NAMELESS = "the query and the first hits name nobody and nothing"


def entity(seeded: Seeded) -> LaneRanking:
    """Rows by tanh(0.5·shared): how many entities of the query and of first hits other than itself a row names."""
    view, rows = seeded.search.view, seeded.rows
    if not rows:
        return cannot(NAMELESS)
    shared = np.zeros(len(view.rowids))
    for places in rows.values():
        shared[places] += 1
    for seed, own in seeded.own.items():
        shared[seed] -= sum(_holds(rows[key], seed) for key in own if key in rows)
    for _, alike, places in seeded.alike:
        shared[places] += alike
    found = np.flatnonzero(shared > 0)
    scores = np.tanh(0.5 * shared[found])
    first = best(view, found, scores, seeded.search.depth)

    def reasons(places: "NDArray[np.intp]") -> list[str]:
        return [_shared(seeded, place) for place in places.tolist()]

    return LaneRanking(tuple(found[first].tolist()), tuple(scores[first].tolist()), len(found), reasons)


def _shared(seeded: Seeded, place: int) -> str:
    own = seeded.own.get(place, frozenset())
    named = [key for key, places in seeded.rows.items() if key not in own and _holds(places, place)]
    alike = [f"{key} (alike)" for key, _, places in seeded.alike if _holds(places, place)]
    return "names " + ", ".join(dict.fromkeys([*named, *alike]))


def _holds(places: "NDArray[np.intp]", place: int) -> bool:
    at = int(np.searchsorted(places, place))
    return at < len(places) and int(places[at]) == place
