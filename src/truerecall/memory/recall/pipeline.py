"""Recall, as the list of its stages.

understand → lanes → fuse → score → trust → pin → dedup → cut → pack. Lanes stand in ``lanes/table.py``; a reranker
takes its place between fuse and score, a diversifier between trust and dedup. Stages are pure over candidates; nothing
here reads a clock but the stopwatch of the trace.
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
from truerecall.memory.recall.pack import Packed, pack
from truerecall.memory.recall.query import Query, understand
from truerecall.memory.recall.score import NEUTRAL, Factors, factors
from truerecall.memory.recall.trace import Dropped, LaneTrace, Scored, Trace
from truerecall.memory.store.protocol import Store
from truerecall.memory.store.view import View
from truerecall.models.protocols import Embedder, TokenCounter

_NARROWEST = 100  # candidates of a lane: what is cut before the fusion, no later stage can bring back


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
class LaneHit:
    """Where a lane had a hit, and why."""

    rank: int
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class Hit:
    """An entry that was recalled."""

    entry: Entry
    fused: float
    """What the lanes made of it, from 0 to 1."""
    lanes: Mapping[str, LaneHit]
    factors: Factors = NEUTRAL
    pinned: bool = False
    """Whether it is there because it is pinned."""

    @property
    def score(self) -> float:
        """By which it is ranked; comparable within one recall only."""
        return self.fused * self.factors.product

    @property
    def why(self) -> str:
        """The reason for the hit, in one line."""
        lanes = [f"{name} #{hit.rank} ({hit.reason})" for name, hit in self.lanes.items()]
        moved = [f"{name} x{value:.3f}" for name, value in self.factors.by_name().items() if value != 1.0]
        return ", ".join([*(["pinned"] if self.pinned else []), *lanes, *moved])


@dataclass(frozen=True, slots=True)
class Recall:
    """What was recalled."""

    hits: tuple[Hit, ...]
    """Best first."""
    block: Packed
    """The hits as text for a model, within the budget."""
    trace: Trace
    counter: TokenCounter

    @property
    def text(self) -> str:
        """The block's text."""
        return self.block.text

    @property
    def degradations(self) -> tuple[str, ...]:
        """What recall had to do without."""
        return self.trace.degradations

    def packed(self, budget: int) -> Packed:
        """The same hits within another budget."""
        return pack([hit.entry for hit in self.hits], budget, self.counter)


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
        search = Search(view, query, embedder, settings, depth=max(_NARROWEST, 2 * request.limit))
        rankings, lane_traces = _run_lanes(search)
        candidates = _load(view, _fused(rankings, settings), rankings)
        pinned = view.pinned(settings.recall.pinned)
    ranked = _scored(candidates, request, settings)
    trusted, untrusted = _trust_filter(ranked, request.trust)
    distinct, repeated = _dedup(_pin(trusted, pinned))
    hits, beyond = tuple(distinct[: request.limit]), distinct[request.limit :]
    block = pack([hit.entry for hit in hits], request.budget, counter)
    dropped = (
        *untrusted,
        *repeated,
        *(Dropped(hit.entry.id, "limit") for hit in beyond),
        *(Dropped(left, "budget") for left in block.left_out),
    )
    return Recall(hits, block, _trace(query, lane_traces, ranked, dropped, hits, block, counter), counter)


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
    scored = [replace(hit, factors=factors(hit.entry, request.now, settings.factors)) for hit in candidates]
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


def _trace(
    query: Query,
    lanes: tuple[LaneTrace, ...],
    ranked: Sequence[Hit],
    dropped: tuple[Dropped, ...],
    hits: Sequence[Hit],
    block: Packed,
    counter: TokenCounter,
) -> Trace:
    return Trace(
        query_sha256=query.sha256,
        terms=len(query.terms),
        lanes=lanes,
        scored=tuple(
            Scored(hit.entry.id, round(hit.fused, 9), hit.factors.by_name(), round(hit.score, 9))
            for hit in ranked
        ),
        dropped=dropped,
        hits=tuple(hit.entry.id for hit in hits),
        tokens=block.tokens,
        counter=counter.name,
        degradations=tuple(f"{lane.name} lane: {lane.note}" for lane in lanes if lane.note),
    )
