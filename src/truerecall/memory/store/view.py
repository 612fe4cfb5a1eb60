"""What one reader may see at one instant: the rows, as arrays, and which of them may be recalled.

Every lane asks the view and nothing else, so that scope, trust and validity hold inside each candidate query, before
any cut, and the counts that rank a word are those of what the reader may see.
"""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from truerecall.core.entry import Entry
from truerecall.errors import NotAStore
from truerecall.memory.store.cache import PartitionState
from truerecall.memory.store.links import Links
from truerecall.memory.store.numbering import numbered
from truerecall.memory.store.rows import partition_range, read_entries, read_ids, read_tie_keys, taken_back
from truerecall.memory.store.scan import VectorView
from truerecall.memory.store.standing import NEVER, Standing
from truerecall.memory.store.textindex import postings
from truerecall.memory.store.tokens import TokenVectors

if TYPE_CHECKING:
    from numpy.typing import NDArray

_Number = TypeVar("_Number", bound=np.generic)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which of its rows a reader asks for."""

    when: int
    """Microseconds: what is valid then."""
    trust: tuple[int, ...]
    span: tuple[int, int] | None = None
    """Microseconds, half-open: what happened in it; None for all."""


class View:
    """A reader's rows in one snapshot; valid only inside the ``with`` that gave it."""

    def __init__(
        self,
        db: sqlite3.Connection,
        parts: Sequence[tuple[PartitionState, Standing]],
        rows: Standing,
        vectors: VectorView,
        wanted: Wanted,
    ) -> None:
        self._db = db
        self._vectors = vectors
        self.models = vectors.models
        """The model whose vectors are here; None where none is open."""
        self.has_vectors = bool(vectors)
        self._parts = [(state.number, standing) for state, standing in parts]
        self._rows = rows
        self._held: dict[str, NDArray[np.intp]] = {}
        self.rowids = rows.rowids
        self.trust = rows.trust
        self.happened = rows.happened
        self.lengths = rows.lengths
        self.session = rows.session
        self.sessions = rows.sessions
        """One more than the largest number in ``session``."""
        self.position = rows.position
        self.speaker = rows.speaker
        self.traits = rows.traits
        self.event_from = rows.event_from
        self.event_to = rows.event_to
        # Without the kind numpy makes a table for so few tiers: 1.7 ms at 100,000 rows instead of 0.1.
        trusted = np.isin(rows.trust, list(wanted.trust), kind="sort")
        self.allowed: NDArray[np.bool_] = trusted & (rows.starts <= wanted.when) & (wanted.when < rows.ends)
        """Which rows may be recalled: trusted, valid at the view's instant, and of its span of time."""
        self.undated = 0
        """Rows that a span of time leaves out since no time of theirs is known."""
        if wanted.span is not None:
            undated = self.allowed & (rows.event_to == NEVER)
            self.undated = int(np.count_nonzero(undated))
            self.allowed &= ~undated & _told_or_said(rows, *wanted.span)
            self.allowed |= trusted & _held(db, rows, *wanted.span)
        self.links = Links(db, [number for number, _ in self._parts], rows, self.allowed)
        """What ties rows together: names, statements, causes, and how useful they were."""
        self.apart = {number: Links(db, [number], rows, self.allowed) for number, _ in self._parts}
        """The same of each partition by itself: in what is shared, nothing of the reader's own shows."""

    @cached_property
    def before(self) -> "NDArray[np.intp]":
        """Of each row the nearest before it in its session that may be recalled; -1 where there is none."""
        return _past(self._rows.before, self._rows.after, self.allowed)

    @cached_property
    def after(self) -> "NDArray[np.intp]":
        """The nearest after it, likewise."""
        return _past(self._rows.after, self._rows.before, self.allowed)

    def holding(self, term: str) -> "NDArray[np.intp]":
        """Places (in the view's arrays) of the allowed rows that hold a term, ascending."""
        if term not in self._held:
            found, start = [], 0
            for number, part in self._parts:
                places, known = part.find(postings(self._db, term, *partition_range(number)))
                found.append(start + places[known])
                start += len(part.rowids)
            places = _joined(found)
            self._held[term] = places[self.allowed[places]]
        return self._held[term]

    def cosines(self, query: "NDArray[np.float32]") -> "NDArray[np.float32]":
        """The cosine of each row with a unit vector, shape (n,): that of its best piece.

        Minus infinity where a row has no vector, or may not be recalled.
        """
        found = self._vectors.cosines(query, self._rows)
        found[~self.allowed] = -np.inf
        return found

    def token_vectors(self, places: Sequence[int]) -> TokenVectors:
        """The token vectors of the entries at these places, in this order; none where an entry has none."""
        return self._vectors.tokens([int(self.rowids[place]) for place in places])

    def entries(self, places: Sequence[int]) -> list[Entry]:
        """The entries at these places, in this order."""
        rowids = [int(self.rowids[place]) for place in places]
        found = read_entries(self._db, rowids)
        if len(found) < len(set(rowids)):
            raise _lost()
        return [found[rowid] for rowid in rowids]

    def ids(self, places: Sequence[int]) -> dict[int, bytes]:
        """The id of the entry at each of these places."""
        rowids = {int(self.rowids[place]): place for place in places}
        found = read_ids(self._db, list(rowids))
        if len(found) < len(rowids):
            raise _lost()
        return {rowids[rowid]: entry_id for rowid, entry_id in found}

    def tie_keys(self, places: Sequence[int]) -> dict[int, tuple[str, int, bytes]]:
        """Session, position and id of the entries at these places: what decides between equals."""
        rowids = {int(self.rowids[place]): place for place in places}
        return {rowids[rowid]: key for rowid, key in read_tie_keys(self._db, list(rowids)).items()}

    def vectors(self, places: Sequence[int]) -> "NDArray[np.float32] | None":
        """Unit vectors of the texts' first pieces, shape (m, dimension), zero where there is none; None of none."""
        return self._vectors.rows([int(self.rowids[place]) for place in places])

    def speakers(self) -> list[tuple[int, str]]:
        """Who is named as a speaker here, with the number that stands in the array ``speaker``, ascending.

        A name with shared and with private rows has a number for each.
        """
        found: list[tuple[int, str]] = []
        start = 0
        for partition, part in self._parts:
            found.extend((start + number, name) for number, name in numbered(self._db, "speaker", partition))
            start += part.speakers
        return found

    def pinned(self, most: int) -> list[Entry]:
        """The newest allowed entries that are pinned, at most so many."""
        rowids = [
            row[0]
            for number, _ in self._parts
            for row in self._db.execute(
                "SELECT rowid FROM entry WHERE pinned AND rowid BETWEEN ? AND ?", partition_range(number)
            )
        ]
        places, known = self._rows.find(np.array(rowids, dtype=np.int64))
        places = places[known]
        places = places[self.allowed[places]]
        entries = sorted(self.entries(places.tolist()), key=lambda e: (e.recorded_at, e.id), reverse=True)
        return entries[:most]


def _told_or_said(rows: Standing, start: int, end: int) -> "NDArray[np.bool_]":
    """Which rows tell of something in a span of time, or were said in it."""
    told = (rows.event_from < end) & (rows.event_to > start)
    said = (rows.happened >= start) & (rows.happened < end)
    found: NDArray[np.bool_] = told | said
    return found


def _held(db: sqlite3.Connection, rows: Standing, start: int, end: int) -> "NDArray[np.bool_]":
    """Which rows state what began at a known time and was so in a span, overtaken since or not; nothing taken back."""
    found: NDArray[np.bool_] = (rows.starts != NEVER) & (rows.starts < end) & (rows.ends > start)
    if found.any():
        back = taken_back(db, rows.rowids[found].tolist())
        found[found] = [row not in back for row in rows.rowids[found].tolist()]
    return found


def _past(
    beside: "NDArray[np.intp]", back: "NDArray[np.intp]", allowed: "NDArray[np.bool_]"
) -> "NDArray[np.intp]":
    """Neighbours on one side, past rows that may not be recalled: those change nothing of what they stand between."""
    hidden = np.flatnonzero(~allowed)
    if not len(hidden):
        return beside
    found = beside.copy()
    unsettled = np.concatenate([hidden, back[hidden][back[hidden] >= 0]])
    while len(unsettled):
        unsettled = unsettled[found[unsettled] >= 0]
        unsettled = unsettled[~allowed[found[unsettled]]]
        found[unsettled] = found[found[unsettled]]  # doubles its reach each time
    return found


def _lost() -> NotAStore:
    return NotAStore(
        "the store has lost entries that its derived rows still name",
        remedy="Run `truerecall doctor`; restore a copy or an export.",
    )


def _joined(arrays: Sequence["NDArray[_Number]"]) -> "NDArray[_Number]":
    if len(arrays) == 1:
        return arrays[0]
    return np.concatenate(arrays) if arrays else np.empty(0, dtype=np.int64)
