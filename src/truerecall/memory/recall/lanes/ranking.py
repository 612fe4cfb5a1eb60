"""What a lane gets, and what it gives: its best rows in order, and why."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from truerecall.core.config import Settings
from truerecall.memory.recall.asked import Asked
from truerecall.memory.recall.query import Query
from truerecall.memory.recall.words import Words, match_words
from truerecall.memory.store.view import View

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Search:
    """All that a lane may use; what several lanes need is computed once."""

    view: View
    asked: Asked
    settings: Settings
    depth: int
    """How many rows a lane gives at most."""
    valid_at: datetime
    """What was valid then is searched."""

    @property
    def query(self) -> Query:
        """What is searched for."""
        return self.asked.query

    @cached_property
    def words(self) -> Words:
        """The view's rows by the words that they share with the query."""
        return match_words(self.view, self.query.terms, self.settings.recall.length_weight)

    @cached_property
    def cosines(self) -> "NDArray[np.float32] | None":
        """Of each row with the query, minus infinity where a row has no vector; None where there is no comparing."""
        asked, models = self.asked, self.view.models
        if asked.vector is None or models is None or models.identity != asked.identity:
            return None
        return self.view.cosines(asked.vector) if self.view.has_vectors else None


@dataclass(frozen=True, slots=True)
class LaneRanking:
    """The rows that a lane found, best first."""

    places: tuple[int, ...]
    """Places in the view's arrays."""
    scores: tuple[float, ...]
    """The lane's own scores: for explaining, never compared with another lane's."""
    found: int
    """Rows that the lane could have given, before the cut at the depth."""
    reasons: "Callable[[NDArray[np.intp]], list[str]]" = lambda places: [""] * len(places)
    """What speaks for the rows at these places, for a reader; asked for hits only, while the view is open."""
    note: str = ""
    """Why the lane could not do (all of) its work; empty where it did."""
    ran: bool = True
    """Whether it ran at all: one that did not has no say in the fusion."""


Lane = Callable[[Search], LaneRanking]


def cannot(why: str) -> LaneRanking:
    """A lane that did not run."""
    return LaneRanking((), (), 0, note=why, ran=False)


def best(
    view: View, places: "NDArray[np.intp]", scores: "NDArray[np.float64]", depth: int
) -> "NDArray[np.intp]":
    """Indices of the ``depth`` best, in the order of ``recall.order``: no tie is left to the order of arrival."""
    if len(places) > depth:
        # Only rows that can be among the first need the full comparison; half a unit of the ninth decimal of grace.
        least = np.partition(scores, len(scores) - depth)[len(scores) - depth]
        keep = np.flatnonzero(scores >= least - 1e-9)
    else:
        keep = np.arange(len(places))
    at = places[keep]
    keys = np.stack(
        [
            -np.round(scores[keep], 9),
            -view.trust[at].astype(np.float64),
            -view.happened[at].astype(np.float64),
        ]
    )
    order = np.lexsort(keys[::-1])
    keys = keys[:, order]
    # Rows of one group are equal in score, trust and event time.
    changes = np.any(keys[:, 1:] != keys[:, :-1], axis=0)
    group = np.concatenate([[0], np.cumsum(changes)])[: len(order)]
    if len(order) > depth:
        order = order[: np.searchsorted(group, group[depth - 1], side="right")]
        group = group[: len(order)]
    chosen: NDArray[np.intp] = keep[order]
    if len(group) and group[-1] + 1 < len(group):
        chosen = _settled(view, places, chosen, group)
    return chosen[:depth]


def _settled(
    view: View, places: "NDArray[np.intp]", chosen: "NDArray[np.intp]", group: "NDArray[np.intp]"
) -> "NDArray[np.intp]":
    """Order rows within their groups: by position where a group is of one session, else by all of the keys."""
    session, position = view.session[places[chosen]], view.position[places[chosen]]
    order = np.lexsort((position, group))
    settled = chosen[order]
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    mixed = np.minimum.reduceat(session, starts) != np.maximum.reduceat(session, starts)
    again = group[1:][(group[1:] == group[:-1]) & (position[order][1:] == position[order][:-1])]
    mixed[again] = True  # two rows at one position
    if not mixed.any():
        return settled
    sizes = np.diff(starts, append=len(group))
    unclear = [slice(starts[i], starts[i] + sizes[i]) for i in np.flatnonzero(mixed & (sizes > 1))]
    ties = view.tie_keys([int(place) for part in unclear for place in places[chosen[part]]])
    for part in unclear:
        settled[part] = sorted(chosen[part].tolist(), key=lambda i: ties[int(places[i])])
    return settled
