"""The exact scan over the vectors that a reader sees.

The query is rounded to int8 as well. Its products with int8 rows are whole numbers, so that every way of adding them up
gives the same sum: numkong's int8 kernels and numpy's float32 (exact below 2**24) order the rows alike.
"""

import sqlite3
from collections.abc import Sequence
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np

from truerecall.errors import ModelMissing
from truerecall.memory.store.resident import VectorTable
from truerecall.memory.store.standing import Standing
from truerecall.memory.store.tokens import TokenVectors, read_tokens
from truerecall.memory.store.vectors import OpenModels
from truerecall.models.optional import load
from truerecall.models.quantised import Int8Rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FLOATS = 512  # rows made float at a time where numpy does it: they stay in the cache
_EXACT = (1 << 24) // (127 * 127)  # dimensions up to which float32 adds whole numbers exactly


class VectorView:
    """The open model's vectors in one snapshot, of all partitions that a reader sees."""

    def __init__(
        self, db: sqlite3.Connection, models: OpenModels | None, tables: Sequence[VectorTable]
    ) -> None:
        self.models = models
        """Whose vectors these are; None where no model is open."""
        self._db = db
        self._tables = tables

    def __bool__(self) -> bool:
        return any(len(table.rowids) for table in self._tables)

    def cosines(self, query: "NDArray[np.float32]", rows: Standing) -> "NDArray[np.float32]":
        """The cosine of each row's best piece with a unit vector, shape (n,); minus infinity where it has none."""
        found = np.full(len(rows.rowids), -np.inf, dtype=np.float32)
        for table in self._tables:
            if len(table.rowids):
                own, nearest = _best_pieces(table, query)
                places, known = rows.find(own)
                found[places[known]] = nearest[known]
        return found

    def rows(self, rowids: Sequence[int]) -> "NDArray[np.float32] | None":
        """Unit vectors of the first piece of these entries, shape (m, dimension), zero where there is none.

        None where nothing has a vector.
        """
        if self.models is None or not self:
            return None
        found = np.zeros((len(rowids), self.models.dimension), dtype=np.float32)
        wanted = np.array(rowids, dtype=np.int64)
        for table in self._tables:
            if len(table.rowids):
                at = np.minimum(np.searchsorted(table.rowids, wanted), len(table.rowids) - 1)
                own = np.flatnonzero(table.rowids[at] == wanted)
                found[own] = table.values[at[own]] * table.scales[at[own], None]
        return found

    def tokens(self, rowids: Sequence[int]) -> TokenVectors:
        """The token vectors of these entries, in this order; none where an entry has none."""
        if self.models is None or self.models.token_identity is None:
            return read_tokens(self._db, 0, 1, rowids)
        return read_tokens(self._db, self.models.tokens, self.models.token_identity.dimension, rowids)


def _best_pieces(
    table: VectorTable, query: "NDArray[np.float32]"
) -> "tuple[NDArray[np.int64], NDArray[np.float32]]":
    """Each entry once, ascending, with its largest cosine."""
    nearest = cosines(table, query)
    first = np.flatnonzero(table.rowids[1:] != table.rowids[:-1]) + 1
    if len(first) + 1 == len(table.rowids):
        return table.rowids, nearest
    starts = np.concatenate([[0], first])
    return table.rowids[starts], np.maximum.reduceat(nearest, starts)


def cosines(table: VectorTable, query: "NDArray[np.float32]") -> "NDArray[np.float32]":
    """The cosine of each vector with a unit vector, shape (n,); the same with and without numkong."""
    rounded = Int8Rows.of(query[None, :])
    products = _products(table.values, rounded.values[0])
    products *= table.scales
    products *= rounded.scales[0]
    return products


def _products(rows: "NDArray[np.int8]", query: "NDArray[np.int8]") -> "NDArray[np.float32]":
    library = _numkong()
    if library is not None and len(rows):
        packed = library.dots_pack(query[None, :])
        return np.asarray(library.dots_packed(rows, packed)).reshape(len(rows)).astype(np.float32)
    exact = np.float32 if rows.shape[1] <= _EXACT else np.float64
    found = np.empty(len(rows), dtype=np.float32)
    wide = query.astype(exact)
    floats = np.empty((_FLOATS, rows.shape[1]), dtype=exact)
    for start in range(0, len(rows), _FLOATS):
        part = rows[start : start + _FLOATS]
        np.copyto(floats[: len(part)], part)
        found[start : start + _FLOATS] = floats[: len(part)] @ wide
    return found


@cache
def _numkong() -> ModuleType | None:
    try:
        return load("numkong", "local")
    except (ModelMissing, ImportError):  # the second: a build that this machine cannot load
        return None
