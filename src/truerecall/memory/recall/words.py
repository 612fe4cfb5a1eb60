"""What rows share with a query's words: a row itself, the row with its neighbours, and its whole session.

BM25 over the counts of what the reader may see (docs/design/lexical-lane.md). FTS5 serves as the store of postings; its
own ``bm25()`` counts words over the whole table, so one tenant's writes would reorder another's results. Turns are
short: within a row term frequency is taken as 1.

Formula, for a term in n of N rows: ln(1 + (N − n + 0.5)/(n + 0.5)) · tf·2.2/(tf + 1.2·(1 − b + b·length/mean length)),
after Robertson and Zaragoza (2009) with k1 = 1.2; tf is 1 for rows, and for sessions the number of rows with the term.
A neighbour's word counts half of one's own: an answer stands beside its question more often than it repeats it.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from truerecall.memory.recall.terms import MOST_TERMS
from truerecall.memory.store.view import View

if TYPE_CHECKING:
    from numpy.typing import NDArray

_K1 = 1.2
_WINDOW_B = 0.2
_SESSION_B = 0.4
_NEIGHBOUR = 0.5


@dataclass(frozen=True, slots=True)
class Words:
    """Scores by the query's words."""

    rows: "NDArray[np.float64]"
    """Shape (n,): of each row of the view; 0 where it shares no word."""
    windows: "NDArray[np.float64]"
    """Shape (n,): of each row with the two beside it in its session."""
    sessions: "NDArray[np.float64]"
    """Shape (number of sessions,)."""
    held: "list[tuple[str, NDArray[np.intp]]]"
    """The terms that were found, rarest first, with their rows, ascending."""

    def of_rows(self, places: "NDArray[np.intp]") -> list[str]:
        """The terms that each of these rows holds."""
        return self._named([places])

    def near_rows(self, view: View, places: "NDArray[np.intp]") -> list[str]:
        """The terms that each of these rows or its neighbours hold."""
        return self._named([places, view.before[places], view.after[places]])

    def _named(self, rows: "list[NDArray[np.intp]]") -> list[str]:
        terms: list[list[str]] = [[] for _ in rows[0]]
        for term, found in self.held:
            holds = np.zeros(len(rows[0]), dtype=np.bool_)
            for places in rows:
                at = np.minimum(np.searchsorted(found, places), len(found) - 1)
                holds |= found[at] == places
            for row in np.flatnonzero(holds).tolist():
                terms[row].append(term)
        return [" ".join(own) for own in terms]


def match_words(view: View, terms: tuple[str, ...], length_weight: float) -> Words:
    """Score the view's rows by the terms of a query."""
    total = int(np.count_nonzero(view.allowed))
    held = [(term, found) for term in terms if len(found := view.holding(term))]
    held.sort(key=lambda item: len(item[1]))  # stable: equally rare terms stay in the query's order
    held = held[:MOST_TERMS]
    rows, windows = np.zeros(len(view.rowids)), np.zeros(len(view.rowids))
    near = np.zeros(len(view.rowids), dtype=np.bool_)
    for _, found in held:
        rows[found] += _rarity(total, len(found))
        beside = np.concatenate([view.before[found], view.after[found]])
        beside = beside[beside >= 0]
        near[beside] = True
        near[found] = False
        only_near = beside[near[beside]]
        rarity = _rarity(total, len(found) + int(np.count_nonzero(near)))
        windows[found] += rarity
        windows[only_near] = (
            windows[only_near] + rarity * _NEIGHBOUR
        )  # a row twice in it is written twice, alike
        near[beside] = False
    _shorten(rows, view.lengths, length_weight)
    _shorten(windows, _window_lengths(view, windows), _WINDOW_B)
    return Words(rows, windows, _sessions(view, held), held)


def _shorten(scores: "NDArray[np.float64]", lengths: "NDArray[np.int64]", weight: float) -> None:
    """Let longer rows count for less: BM25's factor for tf = 1, by the mean length of the rows that were hit."""
    hit = np.flatnonzero(scores)
    if weight and len(hit):
        length = lengths[hit]
        scores[hit] *= (_K1 + 1) / (1 + _K1 * (1 - weight + weight * length / length.mean()))


def _window_lengths(view: View, windows: "NDArray[np.float64]") -> "NDArray[np.int64]":
    lengths = np.zeros(len(windows), dtype=np.int64)
    hit = np.flatnonzero(windows)
    for rows in (hit, view.before[hit], view.after[hit]):
        lengths[hit] += np.where(rows >= 0, view.lengths[rows], 0)
    return lengths


def _sessions(view: View, held: "list[tuple[str, NDArray[np.intp]]]") -> "NDArray[np.float64]":
    size = view.sessions
    scores = np.zeros(size)
    if not size or not held:
        return scores
    counted = view.allowed & (view.session >= 0)
    lengths = np.bincount(view.session[counted], weights=view.lengths[counted], minlength=size)
    known = lengths > 0
    if not known.any():
        return scores
    total = int(np.count_nonzero(known))
    shape = 1 - _SESSION_B + _SESSION_B * lengths / lengths[known].mean()
    for _, found in held:
        session = view.session[found]
        often = np.bincount(session[session >= 0], minlength=size)
        within = np.flatnonzero(often)
        tf = often[within]
        scores[within] += _rarity(total, len(within)) * tf * (_K1 + 1) / (tf + _K1 * shape[within])
    return scores


def _rarity(total: int, holding: int) -> float:
    return float(np.log1p((total - holding + 0.5) / (holding + 0.5)))
