"""Running the lanes that are on, and fusing what they gave."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from truerecall.core.config import Settings
from truerecall.memory.recall.fuse import fuse
from truerecall.memory.recall.lanes.ranking import LaneRanking, Search, best
from truerecall.memory.recall.lanes.seeded import SEEDS, Seeded
from truerecall.memory.recall.lanes.table import LANES, SEEDED
from truerecall.memory.recall.query import Query
from truerecall.memory.recall.trace import LaneTrace


@dataclass(frozen=True, slots=True)
class Ran:
    """What the lanes gave."""

    rankings: dict[str, LaneRanking] = field(default_factory=dict)
    """Of those that ran."""
    traces: tuple[LaneTrace, ...] = ()
    """Of all that are on."""

    def and_also(self, name: str, ranking: LaneRanking, milliseconds: float) -> "Ran":
        """With another lane."""
        trace = LaneTrace(name, len(ranking.places), ranking.found, round(milliseconds, 3), ranking.note)
        more = {name: ranking} if ranking.ran else {}
        return Ran({**self.rankings, **more}, (*self.traces, trace))


def run_lanes(search: Search) -> Ran:
    """The first pass: what speaks for a row by itself."""
    ran = Ran()
    for name, lane in LANES.items():
        if weight_of(name, search.settings, search.query) != 0:
            began = time.perf_counter()
            ranking = lane(search)
            ran = ran.and_also(name, ranking, (time.perf_counter() - began) * 1000)
    return ran


def run_seeded(search: Search, ran: Ran) -> Ran:
    """The second pass, from the first hits of the first; nothing at all where none of its lanes is on."""
    on = {name: lane for name, lane in SEEDED.items() if weight_of(name, search.settings, search.query) != 0}
    if on:
        seeded = Seeded(search, tuple(fused(search, ran, SEEDS)))
        for name, lane in on.items():
            began = time.perf_counter()
            ranking = lane(seeded)
            ran = ran.and_also(name, ranking, (time.perf_counter() - began) * 1000)
    return ran


def fused(search: Search, ran: Ran, wanted: int) -> dict[int, float]:
    """The candidates' scores by place: the best so many, best first."""
    weights = {name: weight_of(name, search.settings, search.query) for name in ran.rankings}
    places_by_lane = {name: ranking.places for name, ranking in ran.rankings.items()}
    scores_by_place = fuse(places_by_lane, weights, search.settings.recall.rrf_k)
    if not scores_by_place:
        return {}
    places, scores = np.array(list(scores_by_place), dtype=np.intp), np.array(list(scores_by_place.values()))
    order = places[best(search.view, places, scores, wanted)]
    return {place: scores_by_place[place] for place in order.tolist()}


_BOOSTED: Mapping[str, str] = {"time": "temporal", "entity": "preference"}
"""The intent that makes a lane count for more."""


def weight_of(lane: str, settings: Settings, query: Query) -> float:
    """What a lane counts for, for a query of this intent."""
    weight: float = getattr(settings.lanes, lane)
    boosted = lane in _BOOSTED and _BOOSTED[lane] == query.intent
    return weight * settings.recall.intent_boost if boosted else weight
