"""Recall, as the list of its stages.

understand → lanes → fuse → score → trust → pin → dedup → cut; pack, when the block is asked for. Lanes stand in
``lanes/table.py``; a reranker takes its place between fuse and score, a diversifier between pin and dedup. Stages are
pure over candidates; nothing here reads a clock but the stopwatch of the trace.
"""

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from truerecall.core.config import Settings
from truerecall.core.entry import DEFAULT_TRUST, Entry, Scope, Trust
from truerecall.memory.recall.dedup import duplicates
from truerecall.memory.recall.fuse import fuse
from truerecall.memory.recall.lanes.ranking import LaneRanking, Search
from truerecall.memory.recall.lanes.table import LANES
from truerecall.memory.recall.order import sort_key
from truerecall.memory.recall.query import understand
from truerecall.memory.recall.recalled import Hit, LaneHit, Recall, Steps
from truerecall.memory.recall.score import NEUTRAL, factors
from truerecall.memory.recall.trace import Dropped, LaneTrace
from truerecall.memory.store.protocol import Store
from truerecall.memory.store.view import View
from truerecall.models.protocols import Embedder, TokenCounter

_NARROWEST = 100  # candidates of a lane: what is cut before the fusion, no later stage can bring back
_SPARE = 50  # beyond the limit, for what later stages drop


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of the memory."""

    query: str
    limit: int
    budget: int
    now: datetime
    """The clock, for the age of entries."""
    valid_at: datetime
    """Entries that were valid then are found."""
    trust: frozenset[Trust] = DEFAULT_TRUST


def recall(
    store: Store,
    scope: Scope,
    request: Request,
    embedder: Embedder | None,
    settings: Settings,
    counter: TokenCounter,
) -> Recall:
    """Answer a request; one snapshot of the store, no model call but the local embedder's."""
    query = understand(request.query)
    with store.view(scope, request.valid_at, request.trust) as view:
        search = Search(view, query, embedder, settings, depth=max(_NARROWEST, request.limit + _SPARE))
        rankings, lanes = _run_lanes(search)
        candidates = _load(view, _fused(rankings, settings), rankings)
        pinned = view.pinned(settings.recall.pinned)
    ranked = _scored(candidates, request, settings)
    trusted, untrusted = _trust_filter(ranked, request.trust)
    distinct, repeated = _dedup(_pin(trusted, pinned))
    hits, beyond = tuple(distinct[: request.limit]), distinct[request.limit :]
    dropped = (*untrusted, *repeated, *(Dropped(hit.entry.id, "limit") for hit in beyond))
    return Recall(hits, Steps(query, lanes, ranked, dropped), request.budget, counter)


def _run_lanes(search: Search) -> tuple[dict[str, LaneRanking], tuple[LaneTrace, ...]]:
    rankings, traces = {}, []
    for name, lane in LANES.items():
        if getattr(search.settings.lanes, name) == 0:
            continue
        began = time.perf_counter()
        ranking = lane(search)
        spent = (time.perf_counter() - began) * 1000
        traces.append(LaneTrace(name, len(ranking.places), ranking.found, round(spent, 3), ranking.note))
        if ranking.ran:
            rankings[name] = ranking
    return rankings, tuple(traces)


def _fused(rankings: Mapping[str, LaneRanking], settings: Settings) -> dict[int, float]:
    weights = {name: getattr(settings.lanes, name) for name in rankings}
    return fuse({name: ranking.places for name, ranking in rankings.items()}, weights, settings.recall.rrf_k)


def _load(view: View, fused: Mapping[int, float], rankings: Mapping[str, LaneRanking]) -> list[Hit]:
    lanes: dict[int, dict[str, LaneHit]] = {place: {} for place in fused}
    for name, ranking in rankings.items():
        for rank, (place, score) in enumerate(zip(ranking.places, ranking.scores, strict=True), start=1):
            lanes[place][name] = LaneHit(rank, score, ranking.reasons.get(place, ""))
    places = list(fused)
    return [
        Hit(entry, fused[place], lanes[place])
        for place, entry in zip(places, view.entries(places), strict=True)
    ]


def _scored(candidates: Sequence[Hit], request: Request, settings: Settings) -> list[Hit]:
    moved = [(hit, factors(hit.entry, request.now, settings.factors)) for hit in candidates]
    scored = [hit if factor is NEUTRAL else replace(hit, factors=factor) for hit, factor in moved]
    return sorted(scored, key=lambda hit: sort_key(hit.entry, hit.score))


def _trust_filter(ranked: Sequence[Hit], trust: Collection[Trust]) -> tuple[list[Hit], list[Dropped]]:
    """Once more, after the lanes' own: a lane that forgets the condition must not be able to leak."""
    kept = [hit for hit in ranked if hit.entry.trust in trust]
    return kept, [Dropped(hit.entry.id, "trust") for hit in ranked if hit.entry.trust not in trust]


def _dedup(ranked: Sequence[Hit]) -> tuple[list[Hit], list[Dropped]]:
    repeated = duplicates([hit.entry for hit in ranked])
    kept = [hit for hit in ranked if hit.entry.id not in repeated]
    return kept, [Dropped(loser, "duplicate", winner) for loser, winner in repeated.items()]


def _pin(ranked: Sequence[Hit], pinned: Sequence[Entry]) -> Sequence[Hit]:
    found = {hit.entry.id: hit for hit in ranked}
    head = [replace(found.get(e.id) or Hit(e, 0.0, {}), pinned=True) for e in pinned]
    ids = {hit.entry.id for hit in head}
    return [*head, *(hit for hit in ranked if hit.entry.id not in ids)]
