"""Recall, as the list of its stages.

understand → ask the model → lanes → seeded lanes → fuse → rerank → score → trust → conflict → pin → diversify → dedup →
min_score → cut; pack, when the block is asked for. Lanes stand in ``lanes/table.py``, evidence for reranking in
``evidence/table.py``, factors in ``score.py``. Stages are pure over candidates where they can be; nothing here reads a
clock but the stopwatch of the trace.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, get_args

import numpy as np

from truerecall.core.clock import isoformat
from truerecall.core.config import FactorWeights, Settings, zone_of
from truerecall.core.entry import DEFAULT_TRUST, Scope, Trust
from truerecall.errors import InvalidInput
from truerecall.memory.recall.asked import Asked, ask
from truerecall.memory.recall.candidates import Candidate, Candidates
from truerecall.memory.recall.diversify import diversify
from truerecall.memory.recall.evidence.weights import Weights
from truerecall.memory.recall.lanes.ranking import LaneRanking, Search
from truerecall.memory.recall.lanes.running import fused, run_lanes, run_seeded
from truerecall.memory.recall.order import sort_key
from truerecall.memory.recall.query import Query, understand
from truerecall.memory.recall.recalled import Hit, LaneHit, Recall, Steps
from truerecall.memory.recall.rerank import Reranked, rerank
from truerecall.memory.recall.score import factors
from truerecall.memory.recall.selection import believed, distinct, pinned_first, strong_enough, trusted
from truerecall.memory.recall.signals import in_force, signals_of
from truerecall.memory.recall.trace import Understood
from truerecall.memory.store.protocol import Store
from truerecall.models.protocols import Embedder, TokenCounter

Time = Literal[
    "soft",  # what the query names as its time counts for the lane and the factor that go by it
    "hard",  # and leaves out what did not happen in it, and what has no time
]

_WIDE = 400  # rows that a lane gives: what is cut before the fusion, no later stage can bring back
_SPARE = 20  # loaded beyond the limit, for what later stages drop


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of the memory."""

    query: str
    limit: int
    budget: int
    now: datetime
    """The clock: for the age of entries, and for what "yesterday" is in the query."""
    valid_at: datetime
    """Entries that were valid then are found."""
    trust: frozenset[Trust] = DEFAULT_TRUST
    time: Time = "soft"

    def __post_init__(self) -> None:
        if self.time not in get_args(Time):
            raise InvalidInput(f"time is {self.time!r}", where="time", remedy="Use soft or hard.")


@dataclass(frozen=True, slots=True)
class Means:
    """What recall works with."""

    embedder: Embedder | None
    weights: Weights
    settings: Settings
    counter: TokenCounter


def recall(store: Store, scope: Scope, request: Request, means: Means) -> Recall:
    """Answer a request; one snapshot of the store, no model call but the local embedder's."""
    settings, limit = means.settings, request.limit
    asked = _ask(request, means)
    with store.view(scope, request.valid_at, request.trust, _during(request, asked.query)) as view:
        needed = limit + _SPARE
        compared = needed + limit if settings.recall.diversity < 1.0 else needed
        wanted = max(settings.recall.rerank, compared)
        # What a lane gives does not hang on how many hits are compared, or comparing would move what it cannot compare.
        depth = max(_WIDE, settings.recall.rerank, needed)
        search = Search(view, asked, settings, depth, request.valid_at)
        ran = run_seeded(search, run_lanes(search))
        fused_scores = fused(search, ran, wanted)
        reranked, spent = _reranked(search, list(fused_scores), means.weights)
        candidates = Candidates(fused_scores, reranked, ran.rankings, view.ids(list(fused_scores)))
        pinned = view.pinned(settings.recall.pinned)
        # A factor may move any candidate; without one, entries are loaded for what is returned, and for more of them
        # only where many are dropped. Later stages look at no more than that either way.
        weights = in_force(settings.factors, asked.query)
        most, first, ranked = compared, candidates[:0], list[Hit]()
        while True:
            if len(first) < min(most, len(candidates)):
                first = candidates[: len(candidates) if weights else most]
                ranked = _scored(search, first, request.now, weights)
            places = {candidate.id: candidate.place for candidate in first}
            hits, untrusted = trusted(ranked[:most], request.trust)
            hits, overtaken = believed(view, hits, places, request.valid_at)
            hits = pinned_first(hits, pinned)
            hits, diversified = diversify(view, hits, places, settings.recall.diversity, compared)
            hits, repeated = distinct(hits)
            hits, weak = strong_enough(hits, settings.recall.min_score)
            if len(hits) >= limit or most >= len(candidates):
                break
            most *= 2
        found = _explained(hits[:limit], first, ran.rankings)
    steps = Steps(
        query=asked.query,
        lanes=ran.traces,
        candidates=candidates,
        ranked=ranked,
        refused=(*untrusted, *overtaken, *repeated, *weak),
        beyond=(*hits[limit:], *ranked[most:]),
        reranked=reranked,
        rerank_milliseconds=spent,
        understood=_understood(request, asked.query, settings),
        diversified=diversified,
        undated=view.undated,
    )
    return Recall(found, steps, request.budget, means.counter)


def _ask(request: Request, means: Means) -> Asked:
    settings = means.settings
    now = request.now if _needs_time(request, settings) else None
    query = understand(request.query, now, zone_of(settings.recall.zone), settings.recall.synonyms)
    wanted = means.embedder if settings.lanes.vector > 0 else None
    return ask(query, wanted, settings.recall.rerank > 0)


def _needs_time(request: Request, settings: Settings) -> bool:
    """Whether anything goes by the time that a query names."""
    return request.time == "hard" or settings.lanes.time > 0 or settings.factors.range > 0


def _needs_intent(settings: Settings) -> bool:
    """Whether anything goes by the intent of a query."""
    boosted = settings.recall.intent_boost != 1.0 and (settings.lanes.time > 0 or settings.lanes.entity > 0)
    return boosted or settings.factors.usefulness > 0 or settings.factors.forget > 0


def _during(request: Request, query: Query) -> tuple[datetime, datetime] | None:
    """The time to keep to; None for all of it."""
    return (query.span.start, query.span.end) if request.time == "hard" and query.span is not None else None


def _understood(request: Request, query: Query, settings: Settings) -> Understood | None:
    intent = query.intent if _needs_intent(settings) else None
    span = query.span
    if span is None:
        return None if intent is None else Understood(intent, None, None, None, hard=False)
    hard = request.time == "hard"
    return Understood(intent, isoformat(span.start), isoformat(span.end), span.precision, hard)


def _reranked(search: Search, fused_first: Sequence[int], weights: Weights) -> tuple[Reranked | None, float]:
    """The pool in its new order, and the milliseconds that it took; None where nothing is reranked."""
    pool = fused_first[: search.settings.recall.rerank]
    began = time.perf_counter()
    reranked = rerank(search, pool, weights) if pool else None
    return reranked, round((time.perf_counter() - began) * 1000, 3)


def _scored(search: Search, first: Sequence[Candidate], now: datetime, weights: FactorWeights) -> list[Hit]:
    """Candidates with their entries, in the order of the scores."""
    view = search.view
    entries = view.entries([candidate.place for candidate in first])
    if not weights:
        return [Hit(entry, one.fused, one.base, {}) for one, entry in zip(first, entries, strict=True)]
    signals = signals_of(view, first, entries, search.query, weights)
    hits = [
        Hit(entry, one.fused, one.base, {}, factors(entry, now, weights, known))
        for one, entry, known in zip(first, entries, signals, strict=True)
    ]
    return sorted(hits, key=lambda hit: sort_key(hit.entry, hit.score))


def _explained(
    hits: Sequence[Hit], first: Sequence[Candidate], rankings: Mapping[str, LaneRanking]
) -> tuple[Hit, ...]:
    """The hits with where each lane had them, and why: asked for no more of them than are returned."""
    given = {candidate.id: candidate for candidate in first}
    lanes: dict[str, dict[str, LaneHit]] = {hit.id: {} for hit in hits}
    for name, ranking in rankings.items():
        found = [given[hit.id] for hit in hits if hit.id in given and name in given[hit.id].lanes]
        reasons = ranking.reasons(np.array([candidate.place for candidate in found], dtype=np.intp))
        for candidate, reason in zip(found, reasons, strict=True):
            rank = candidate.lanes[name]
            lanes[candidate.id][name] = LaneHit(rank, ranking.scores[rank - 1], reason)
    return tuple(replace(hit, lanes=lanes[hit.id]) for hit in hits)
