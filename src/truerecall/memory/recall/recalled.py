"""What a recall gives: hits, and on demand the block for a model and the trace of how it came about."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from truerecall.core.entry import Entry
from truerecall.memory.recall.candidates import Candidate, Candidates
from truerecall.memory.recall.intent import Intent
from truerecall.memory.recall.pack import Packed, pack
from truerecall.memory.recall.query import Query
from truerecall.memory.recall.rerank import Reranked
from truerecall.memory.recall.score import NEUTRAL, Factors
from truerecall.memory.recall.trace import (
    DiversifyTrace,
    Dropped,
    LaneTrace,
    Moved,
    RerankTrace,
    Scored,
    Trace,
    Understood,
)
from truerecall.memory.usefulness import Outcome
from truerecall.models.protocols import TokenCounter


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
    base: float
    """The score before the factors."""
    lanes: Mapping[str, LaneHit]
    factors: Factors = NEUTRAL
    pinned: bool = False
    """Whether it is there because it is pinned."""

    @property
    def score(self) -> float:
        """By which it is ranked; comparable within one recall only."""
        return self.base * self.factors.product

    @property
    def id(self) -> str:
        """The entry's."""
        return self.entry.id

    @property
    def why(self) -> str:
        """The reason for the hit, in one line."""
        lanes = [f"{name} #{hit.rank} ({hit.reason})" for name, hit in self.lanes.items()]
        moved = [f"{name} x{value:.3f}" for name, value in self.factors.by_name().items() if value != 1.0]
        return ", ".join([*(["pinned"] if self.pinned else []), *lanes, *moved])


@dataclass(frozen=True, slots=True)
class Steps:
    """How the hits came about; the trace is written from it."""

    query: Query
    lanes: tuple[LaneTrace, ...]
    candidates: Candidates
    """All that the lanes gave, reranked, before the factors."""
    ranked: Sequence[Hit]
    """Those whose entries were looked at, in the order of the scores."""
    refused: tuple[Dropped, ...]
    """Of those, the ones that were dropped whatever their rank."""
    beyond: tuple[Hit, ...]
    """Of those, the ones after the limit."""
    reranked: Reranked | None
    rerank_milliseconds: float
    understood: Understood | None
    diversified: DiversifyTrace | None
    undated: int = 0
    """Entries that a hard filter on the time left out, since no time of theirs is known."""

    @property
    def dropped(self) -> tuple[Dropped, ...]:
        """All that did not become a hit."""
        unseen = range(len(self.ranked), len(self.candidates))
        ids = [*(hit.id for hit in self.beyond), *(self.candidates.id(row) for row in unseen)]
        return (*self.refused, *(Dropped(left, "limit") for left in ids))

    def rerank_trace(self) -> RerankTrace | None:
        """What reranking did; None where there was none."""
        if self.reranked is None:
            return None
        pool = self.candidates[: len(self.reranked.places)]
        moved = sum(candidate.fused_rank != rank for rank, candidate in enumerate(pool, start=1))
        return RerankTrace(
            evidence=self.reranked.evidence.fitted,
            pool=tuple(
                Moved(candidate.id, candidate.fused_rank, round(score, 9))
                for candidate, score in zip(pool, self.reranked.scores, strict=True)
            ),
            moved=moved,
            milliseconds=self.rerank_milliseconds,
        )


class Recall:
    """What was recalled. Block and trace are made when they are first looked at, from what was found then."""

    def __init__(self, hits: tuple[Hit, ...], steps: Steps, budget: int, counter: TokenCounter) -> None:
        self.hits = hits
        """Best first."""
        self._steps = steps
        self._budget = budget
        self._counter = counter
        self.judged: dict[str, Outcome] = {}
        """What feedback has recorded of each hit, by its id; see ``memory.feedback``."""

    @property
    def intent(self) -> Intent:
        """What kind of answer the query wants."""
        return self._steps.query.intent

    @cached_property
    def block(self) -> Packed:
        """The hits as text for a model, within the budget."""
        return self.packed(self._budget)

    @property
    def text(self) -> str:
        """The block's text."""
        return self.block.text

    @property
    def lanes(self) -> tuple[LaneTrace, ...]:
        """What each lane gave."""
        return self._steps.lanes

    @property
    def candidates(self) -> Sequence[Candidate]:
        """All that the lanes gave, in the order after reranking; the hits are among them, but for pinned ones."""
        return self._steps.candidates

    @property
    def reranked(self) -> Reranked | None:
        """The pool with its evidence; None where nothing was reranked."""
        return self._steps.reranked

    @property
    def degradations(self) -> tuple[str, ...]:
        """What recall had to do without."""
        diversified = self._steps.diversified
        notes = [f"{lane.name} lane: {lane.note}" for lane in self.lanes if lane.note]
        if self._steps.undated:
            notes.append(f"time: {self._steps.undated} entries were left out, as no time of theirs is known")
        return (*notes, *([f"diversify: {diversified.note}"] if diversified and diversified.note else []))

    def packed(self, budget: int) -> Packed:
        """The same hits within another budget."""
        return pack([hit.entry for hit in self.hits], budget, self._counter)

    @cached_property
    def trace(self) -> Trace:
        """Every stage: candidates, factors, and everything dropped with its reason."""
        steps = self._steps
        return Trace(
            query_sha256=steps.query.sha256,
            terms=len(steps.query.terms),
            lanes=steps.lanes,
            rerank=steps.rerank_trace(),
            scored=(
                *(
                    Scored(hit.id, round(hit.fused, 9), hit.factors.by_name(), round(hit.score, 9))
                    for hit in steps.ranked
                ),
                *(
                    Scored(c.id, round(c.fused, 9), NEUTRAL.by_name(), round(c.base, 9))
                    for c in steps.candidates[len(steps.ranked) :]
                ),
            ),
            dropped=(*steps.dropped, *(Dropped(left, "budget") for left in self.block.left_out)),
            hits=tuple(hit.entry.id for hit in self.hits),
            tokens=self.block.tokens,
            counter=self._counter.name,
            degradations=self.degradations,
            understood=steps.understood,
            diversify=steps.diversified,
        )
