"""What the lanes of the second pass get: the search, and the first hits of the first pass as seeds.

A seed may be found again, but no row speaks for itself: what only this seed names or says is no reason to find it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from truerecall.memory.recall.lanes.ranking import LaneRanking, Search

if TYPE_CHECKING:
    from numpy.typing import NDArray

SEEDS = 5
"""First hits that the second pass sets out from."""
_MOST_NAMES = 16  # of a seed: a long text may name hundreds
_MOST_ROWS = 400  # of a name, the newest: as many as a lane gives


@dataclass(frozen=True)
class Seeded:
    """All that a lane of the second pass may use; what several lanes need is computed once."""

    search: Search
    seeds: tuple[int, ...]
    """Places of the first hits, best first."""

    @cached_property
    def wanted(self) -> frozenset[str]:
        """Keys of the entities that the query may mean, whether any is known here or not."""
        from truerecall.memory.recall.lanes.named import (
            names_asked,  # on first use, as the rules that it brings
        )

        return frozenset(self.search.view.links.folded(names_asked(self.search.query.text)).values())

    @cached_property
    def of_seeds(self) -> tuple[frozenset[str], ...]:
        """Keys of the entities that each seed names, of a long text some."""
        named = self.search.view.links.mentioned(self.seeds) if self.seeds else ()
        return tuple(frozenset(sorted(keys)[:_MOST_NAMES]) for keys in named)

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """Those and what the seeds name, sorted."""
        return tuple(sorted(self.wanted.union(*self.of_seeds)))

    @cached_property
    def rows(self) -> "dict[str, NDArray[np.intp]]":
        """Of each of the keys that a row names the rows that do, ascending; of many the newest."""
        found = self.search.view.links.mentioning(self.keys, _MOST_ROWS)
        return {key: found[key] for key in self.keys if key in found}

    @cached_property
    def alike(self) -> "list[tuple[str, float, NDArray[np.intp]]]":
        """Names that are written like one of the query's, how much, and the rows that name them and not that one."""
        asked = self.wanted & self.rows.keys()
        links = [
            (key, other, weight)
            for key, other, weight in self.search.view.links.similar(asked)
            if other not in asked
        ]
        named = self.search.view.links.mentioning({other for _, other, _ in links}, _MOST_ROWS)
        return [
            (other, weight, np.setdiff1d(named[other], self.rows[key], assume_unique=True))
            for key, other, weight in links
            if other in named
        ]

    @cached_property
    def own(self) -> dict[int, frozenset[str]]:
        """By the place of each seed, the keys that neither the query nor another seed names."""
        others = [
            self.wanted.union(*self.of_seeds[:i], *self.of_seeds[i + 1 :]) for i in range(len(self.of_seeds))
        ]
        named = zip(self.seeds, self.of_seeds, others, strict=True)
        return {place: keys - other for place, keys, other in named}


SeededLane = Callable[[Seeded], LaneRanking]
