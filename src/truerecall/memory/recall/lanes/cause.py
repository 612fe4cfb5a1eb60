"""The cause lane: what led to the first hits, and what they led to."""

from typing import TYPE_CHECKING

import numpy as np

from truerecall.memory.recall.lanes.ranking import LaneRanking, best, cannot
from truerecall.memory.recall.lanes.seeded import Seeded

if TYPE_CHECKING:
    from numpy.typing import NDArray

UNLINKED = "no causes or effects of the first hits are known"


def cause(seeded: Seeded) -> LaneRanking:
    """Rows one causal link away from a first hit, either way, by how sure the link is; of several the surest."""
    view = seeded.search.view
    links = view.links.causes(seeded.seeds) if seeded.seeds else []
    if not links:
        return cannot(UNLINKED)
    sureness: dict[int, float] = {}
    roles: dict[int, str] = {}
    for link in links:
        ends = ((link.cause, link.effect, "cause"), (link.effect, link.cause, "effect"))
        for place, other, role in ends:
            if other in seeded.seeds and place != other and link.confidence > sureness.get(place, 0.0):
                sureness[place], roles[place] = link.confidence, role
    found = np.array(sorted(sureness), dtype=np.intp)
    scores = np.array([sureness[place] for place in found.tolist()], dtype=np.float64)
    first = best(view, found, scores, seeded.search.depth)

    def reasons(places: "NDArray[np.intp]") -> list[str]:
        return [f"{roles[place]} of a first hit, {sureness[place]:.2f} sure" for place in places.tolist()]

    return LaneRanking(tuple(found[first].tolist()), tuple(scores[first].tolist()), len(found), reasons)
