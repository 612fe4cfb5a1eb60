"""All that the lanes gave, in the order after reranking: each row is put together when somebody looks at it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import overload

from truerecall.core.ids import id_text
from truerecall.memory.recall.lanes.ranking import LaneRanking
from truerecall.memory.recall.rerank import Reranked


@dataclass(frozen=True, slots=True)
class Candidate:
    """A row that a lane gave."""

    place: int
    """In the view's arrays, which are gone by now."""
    id: str
    fused: float
    """What the lanes made of it, from 0 to 1."""
    fused_rank: int
    base: float
    """The score before the factors: by the rank after reranking, 61/(60 + rank), or what was fused without it."""
    lanes: Mapping[str, int]
    """Its rank in each lane that gave it."""


class Candidates(Sequence[Candidate]):
    """The reranked pool, then the tail in its fused order."""

    def __init__(
        self,
        fused: Mapping[int, float],
        reranked: Reranked | None,
        rankings: Mapping[str, LaneRanking],
        ids: Mapping[int, bytes],
    ) -> None:
        """``fused`` is in the order of its scores; ``ids`` are by place."""
        self._fused = fused
        self._reranked = reranked is not None
        self._rankings = rankings
        self._ids = ids
        head = reranked.places if reranked else ()
        self.places = (*head, *list(fused)[len(head) :])
        """Of each candidate, in order."""

    def __len__(self) -> int:
        return len(self.places)

    @overload
    def __getitem__(self, index: int) -> Candidate: ...

    @overload
    def __getitem__(self, index: slice) -> list[Candidate]: ...

    def __getitem__(self, index: int | slice) -> Candidate | list[Candidate]:
        if isinstance(index, slice):
            return [self._made(row) for row in range(*index.indices(len(self)))]
        return self._made(range(len(self))[index])

    def id(self, row: int) -> str:
        """Of the entry of a candidate."""
        return id_text(self._ids[self.places[row]])

    @cached_property
    def _ranks(self) -> dict[str, dict[int, int]]:
        return {
            name: {place: rank for rank, place in enumerate(ranking.places, start=1)}
            for name, ranking in self._rankings.items()
        }

    @cached_property
    def _fused_ranks(self) -> dict[int, int]:
        return {place: rank for rank, place in enumerate(self._fused, start=1)}

    def _made(self, row: int) -> Candidate:
        place = self.places[row]
        return Candidate(
            place=place,
            id=self.id(row),
            fused=self._fused[place],
            fused_rank=self._fused_ranks[place],
            base=61 / (61 + row) if self._reranked else self._fused[place],
            lanes={name: ranks[place] for name, ranks in self._ranks.items() if place in ranks},
        )
