"""What a process holds of a store in memory: each partition's rows and vectors, and several as one."""

import sqlite3
from collections.abc import Sequence

from truerecall.memory.store.cache import PartitionCache, PartitionState
from truerecall.memory.store.resident import VectorTable, load_vectors, vectors_state
from truerecall.memory.store.standing import Standing, join, load_standing
from truerecall.memory.store.vectors import OpenModels


class Loaded:
    """Loaded once, and from then on only what is added; threads share it."""

    def __init__(self) -> None:
        self._standing = PartitionCache(Standing.upto)
        self._views: dict[tuple[int, ...], tuple[tuple[PartitionState, ...], Standing]] = {}
        self._vectors: dict[int, PartitionCache[VectorTable]] = {}  # by the number of the model

    def standing(self, db: sqlite3.Connection, number: int) -> tuple[PartitionState, Standing]:
        """A partition's rows in the transaction's snapshot."""
        sequence, epoch = db.execute(
            "SELECT sequence, epoch FROM partition WHERE id = ?", (number,)
        ).fetchone()
        state = PartitionState(number, sequence, epoch)
        return state, self._standing.get(state, lambda known: load_standing(db, number, known))

    def joined(self, parts: Sequence[tuple[PartitionState, Standing]]) -> Standing:
        """The parts as one; kept for the next view of the same partitions, as joining copies them."""
        if len(parts) == 1:
            return parts[0][1]
        numbers, states = tuple(state.number for state, _ in parts), tuple(state for state, _ in parts)
        known, rows = self._views.get(numbers, ((), None))
        if known != states or rows is None:
            rows = join([standing for _, standing in parts])
            self._views[numbers] = (states, rows)
        return rows

    def vectors(self, db: sqlite3.Connection, models: OpenModels, number: int) -> VectorTable:
        """Kept apart from standing: a vector may come later than its entry, and standing changes without vectors."""
        state = vectors_state(db, models, number)
        cache = self._vectors.setdefault(models.dense, PartitionCache(VectorTable.upto))
        return cache.get(state, lambda known: load_vectors(db, models, number, known))

    def forget_vectors(self) -> None:
        """Let go of the vectors of every model: others are read from now on."""
        self._vectors = {}
