"""What a lane gives: its best rows in order, and why."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from truerecall.core.config import Settings
from truerecall.memory.recall.query import Query
from truerecall.memory.store.view import View
from truerecall.models.protocols import Embedder

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Search:
    """All that a lane may use."""

    view: View
    query: Query
    embedder: Embedder | None
    settings: Settings
    depth: int
    """How many rows to give at most."""


@dataclass(frozen=True, slots=True)
class LaneRanking:
    """The rows that a lane found, best first."""

    places: tuple[int, ...]
    """Places in the view's arrays."""
    scores: tuple[float, ...]
    """The lane's own scores: for explaining, never compared with another lane's."""
    found: int
    """Rows that the lane could have given, before the cut at the depth."""
    reasons: Mapping[int, str] = field(default_factory=dict)
    """By place: what speaks for the row, for a reader."""
    note: str = ""
    """Why the lane could not do (all of) its work; empty where it did."""
    ran: bool = True
    """Whether it ran at all: one that did not has no say in the fusion."""


Lane = Callable[[Search], LaneRanking]


def best(
    view: View, places: "NDArray[np.intp]", scores: "NDArray[np.float64]", depth: int
) -> "NDArray[np.intp]":
    """Indices of the ``depth`` best, in the order of ``recall.order``: no tie is left to the order of arrival."""
    rounded = np.round(scores, 9)
    if len(places) > depth:
        # Only rows that can be among the first need the full comparison.
        least = np.partition(rounded, len(rounded) - depth)[len(rounded) - depth]
        keep = np.flatnonzero(rounded >= least)
    else:
        keep = np.arange(len(places))
    at = places[keep]
    keys = np.stack(
        [-rounded[keep], -view.trust[at].astype(np.float64), -view.happened[at].astype(np.float64)]
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
        ties = view.tie_keys(places[chosen].tolist())
        ranked = sorted(range(len(chosen)), key=lambda i: (group[i], ties[int(places[chosen[i]])]))
        chosen = chosen[ranked]
    return chosen[:depth]
