"""Recall, as the list of its stages.

understand → ask the model → lanes → fuse → rerank → score → trust → pin → dedup → cut; pack, when the block is asked
for. Lanes stand in ``lanes/table.py``, evidence for reranking in ``evidence/table.py``; a diversifier would take its
place between pin and dedup. Stages are pure over candidates; nothing here reads a clock but the stopwatch of the trace.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np

from truerecall.core.config import FactorWeights, Settings
from truerecall.core.entry import DEFAULT_TRUST, Entry, Scope, Trust
from truerecall.memory.recall.asked import Asked, ask
from truerecall.memory.recall.candidates import Candidate, Candidates
from truerecall.memory.recall.dedup import duplicates
from truerecall.memory.recall.evidence.weights import Weights
from truerecall.memory.recall.fuse import fuse
from truerecall.memory.recall.lanes.ranking import LaneRanking, Search, best
from truerecall.memory.recall.lanes.table import LANES
from truerecall.memory.recall.order import sort_key
from truerecall.memory.recall.query import understand
from truerecall.memory.recall.recalled import Hit, LaneHit, Recall, Steps
from truerecall.memory.recall.rerank import rerank
from truerecall.memory.recall.score import NEUTRAL, factors
from truerecall.memory.recall.trace import Dropped, LaneTrace
from truerecall.memory.store.protocol import Store
from truerecall.memory.store.view import View
from truerecall.models.protocols import Embedder, TokenCounter

_WIDE = 400  # rows that a lane gives: what is cut before the fusion, no later stage can bring back
_SPARE = 20  # loaded beyond the limit, for what later stages drop


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


@dataclass(frozen=True, slots=True)
class Means:
    """What recall works with."""

    embedder: Embedder | None
    weights: Weights
    settings: Settings
    counter: TokenCounter


def recall(store: Store, scope: Scope, request: Request, means: Means) -> Recall:
    """Answer a request; one snapshot of the store, no model call but the local embedder's."""
    settings = means.settings
    asked = _ask(request, means)
    with store.view(scope, request.valid_at, request.trust) as view:
        wanted = max(settings.recall.rerank, request.limit + _SPARE)
        search = Search(view, asked, settings, depth=max(_WIDE, wanted))
        rankings, lanes = _run_lanes(search)
        fused = _fused(view, rankings, settings, wanted)
        pool = list(fused)[: settings.recall.rerank]
        began = time.perf_counter()
        reranked = rerank(search, pool, means.weights) if pool else None
        spent = (time.perf_counter() - began) * 1000
        candidates = Candidates(fused, reranked, rankings, view.ids(list(fused)))
        pinned = view.pinned(settings.recall.pinned)
        # A factor may move any candidate; without one, entries are loaded for what is returned, and for more of them
        # only where many are dropped.
        most = len(candidates) if settings.factors != FactorWeights(0.0, 0.0, 0.0) else request.limit + _SPARE
        while True:
            ranked = _loaded(view, candidates[:most], request, settings.factors, rankings)
            trusted, untrusted = _trust_filter(ranked, request.trust)
            distinct, repeated = _dedup(_pin(trusted, pinned))
            if len(distinct) >= request.limit or most >= len(candidates):
                break
            most *= 2
    hits, beyond = tuple(distinct[: request.limit]), tuple(distinct[request.limit :])
    dropped = (*untrusted, *repeated)
    steps = Steps(asked.query, lanes, candidates, ranked, dropped, beyond, reranked, round(spent, 3))
    return Recall(hits, steps, request.budget, means.counter)


def _ask(request: Request, means: Means) -> Asked:
    wanted = means.embedder if means.settings.lanes.vector > 0 else None
    return ask(understand(request.query), wanted, means.settings.recall.rerank > 0)


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


def _fused(
    view: View, rankings: Mapping[str, LaneRanking], settings: Settings, wanted: int
) -> dict[int, float]:
    """The candidates' scores by place: the best so many, best first."""
    weights = {name: getattr(settings.lanes, name) for name in rankings}
    fused = fuse({name: ranking.places for name, ranking in rankings.items()}, weights, settings.recall.rrf_k)
    if not fused:
        return {}
    places, scores = np.array(list(fused), dtype=np.intp), np.array(list(fused.values()))
    order = places[best(view, places, scores, wanted)]
    return {place: fused[place] for place in order.tolist()}


def _loaded(
    view: View,
    first: Sequence[Candidate],
    request: Request,
    weights: FactorWeights,
    rankings: Mapping[str, LaneRanking],
) -> list[Hit]:
    """Candidates with their entries, in the order of the scores."""
    lanes: list[dict[str, LaneHit]] = [{} for _ in first]
    for name, ranking in rankings.items():
        given = [row for row, candidate in enumerate(first) if name in candidate.lanes]
        reasons = ranking.reasons(np.array([first[row].place for row in given], dtype=np.intp))
        for row, reason in zip(given, reasons, strict=True):
            rank = first[row].lanes[name]
            lanes[row][name] = LaneHit(rank, ranking.scores[rank - 1], reason)
    hits = [
        Hit(entry, one.fused, one.base, found, factors(entry, request.now, weights))
        for one, found, entry in zip(first, lanes, view.entries([c.place for c in first]), strict=True)
    ]
    if any(hit.factors is not NEUTRAL for hit in hits):
        hits.sort(key=lambda hit: sort_key(hit.entry, hit.score))
    return hits


def _trust_filter(ranked: Sequence[Hit], trust: frozenset[Trust]) -> tuple[list[Hit], list[Dropped]]:
    """Once more, after the lanes' own: a lane that forgets the condition must not be able to leak."""
    kept = [hit for hit in ranked if hit.entry.trust in trust]
    return kept, [Dropped(hit.id, "trust") for hit in ranked if hit.entry.trust not in trust]


def _dedup(ranked: Sequence[Hit]) -> tuple[list[Hit], list[Dropped]]:
    repeated = duplicates([hit.entry for hit in ranked])
    kept = [hit for hit in ranked if hit.id not in repeated]
    return kept, [Dropped(loser, "duplicate", winner) for loser, winner in repeated.items()]


def _pin(ranked: Sequence[Hit], pinned: Sequence[Entry]) -> Sequence[Hit]:
    found = {hit.id: hit for hit in ranked}
    head = [replace(found.get(e.id) or Hit(e, 0.0, 0.0, {}), pinned=True) for e in pinned]
    ids = {hit.id for hit in head}
    return [*head, *(hit for hit in ranked if hit.id not in ids)]
