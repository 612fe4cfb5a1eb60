"""A partition's vectors in memory: loaded once, and from then on only what is added."""

import sqlite3
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from truerecall.memory.store.blocks import Rows, blocks, tail_rows
from truerecall.memory.store.cache import PartitionState
from truerecall.memory.store.rows import partition_range
from truerecall.memory.store.vectors import OpenModels, last_embedded

if TYPE_CHECKING:
    from numpy.typing import NDArray

_Number = TypeVar("_Number", bound=np.generic)


@dataclass(frozen=True, slots=True)
class VectorTable:
    """All vectors of a partition by one model. Arrays are shared between threads: nobody writes into them."""

    rowids: "NDArray[np.int64]"
    """Shape (n,): the entry of each, ascending."""
    scales: "NDArray[np.float32]"
    """Shape (n,)."""
    values: "NDArray[np.int8]"
    """Shape (n, dimension); times its scale, a row has length 1."""

    def upto(self, last: int) -> "VectorTable":
        """As an earlier reader sees it: up to an entry."""
        size = int(np.searchsorted(self.rowids, last, side="right"))
        return VectorTable(self.rowids[:size], self.scales[:size], self.values[:size])


def vectors_state(db: sqlite3.Connection, models: OpenModels, number: int) -> PartitionState:
    """What a partition's vectors are read by: the last entry that has one, and the count of other changes."""
    (epoch,) = db.execute("SELECT vectors_epoch FROM partition WHERE id = ?", (number,)).fetchone()
    return PartitionState(number, last_embedded(db, models, *partition_range(number)), epoch)


def load_vectors(
    db: sqlite3.Connection, models: OpenModels, number: int, known: VectorTable | None
) -> VectorTable:
    """A partition's vectors; only what was appended, where ``known`` holds the rest."""
    low, high = partition_range(number)
    model, dimension = models.dense, models.dimension
    if known is None:
        known = VectorTable(np.empty(0, np.int64), np.empty(0, np.float32), np.empty((0, dimension), np.int8))
    elif len(known.rowids):
        low = int(known.rowids[-1]) + 1
    tail = tail_rows(db, model, dimension, low, high)
    (size,) = db.execute(
        "SELECT coalesce(sum(length(entries) / 8), 0) FROM vector_block WHERE model = ? AND high >= ? AND low <= ?",
        (model, low, high),
    ).fetchone()
    filling = _Filling(known, size + len(tail.entries))
    for _, block in blocks(db, model, dimension, low, high):
        filling.add(block, low)
    filling.add(tail, low)
    return filling.table()


class _Filling:
    """Adds rows behind those of a table, in its own arrays where they have room: no copy for each new entry."""

    def __init__(self, known: VectorTable, more: int) -> None:
        self._used = len(known.rowids)
        self._rowids = _with_room(known.rowids, more)
        self._scales = _with_room(known.scales, more)
        self._values = _with_room(known.values, more)

    def add(self, rows: Rows, low: int) -> None:
        """Take those of the rows that are of ``low`` or a later entry."""
        start = int(np.searchsorted(rows.entries, low))
        place = slice(self._used, self._used + len(rows.entries) - start)
        self._rowids[place] = rows.entries[start:]
        self._scales[place] = rows.scales[start:]
        self._values[place] = rows.values[start:]
        self._used = place.stop

    def table(self) -> VectorTable:
        """All of them, ascending."""
        used = slice(self._used)
        rowids, scales, values = self._rowids[used], self._scales[used], self._values[used]
        # Blocks overlap where some texts were embedded later than others.
        if np.any(rowids[1:] < rowids[:-1]):
            order = np.argsort(rowids, kind="stable")
            rowids, scales, values = rowids[order], scales[order], values[order]
        return VectorTable(rowids, scales, values)


def _with_room(array: "NDArray[_Number]", more: int) -> "NDArray[_Number]":
    """The array's own memory if it has room for more rows, else a copy that has."""
    need = len(array) + more
    own = array.base
    if isinstance(own, np.ndarray) and len(own) >= need:
        return own
    room = np.empty((need + need // 8, *array.shape[1:]), dtype=array.dtype)
    room[: len(array)] = array
    return room
