"""Embedding a whole store: what is missing, batch by batch, and the move from one model to another.

A move keeps the old model's vectors until the new one has been through all entries: until then a process that opens the
store with the old model recalls as before, and one with the new model finds those that it has. They are never mixed:
each reads the vectors of its own number only. The mark of a move lies in ``meta``, so that one that was killed goes on.
"""

import sqlite3
from collections.abc import Iterator, Mapping

from truerecall.core.entry import Entry
from truerecall.core.ids import id_bytes
from truerecall.memory.store.database import Database
from truerecall.memory.store.protocol import Unembedded
from truerecall.memory.store.rows import PARTITION_BITS, partition_range, read_entries
from truerecall.memory.store.tokens import insert_tokens
from truerecall.memory.store.vectors import (
    OpenModels,
    TextVectors,
    add_model,
    changed,
    drop_other_models,
    embedded,
    insert_vectors,
    last_embedded,
    models,
    open_models,
    seal_partitions,
    unembedded_rows,
)
from truerecall.models.protocols import ModelIdentity

_BATCH = 256  # entries embedded between two commits: an interruption loses no more than this
_MOVING = "moving_to_model"


def unembedded(database: Database, open_: OpenModels | None) -> Unembedded:
    """Entries that the open model has not embedded, each batch read when it is asked for."""
    with database.reading() as db:
        rows: list[int] = [] if open_ is None else unembedded_rows(db, open_).tolist()

    def batches() -> Iterator[list[Entry]]:
        for start in range(0, len(rows), _BATCH):
            with database.reading() as db:
                found = read_entries(db, rows[start : start + _BATCH])
            yield list(found.values())

    return Unembedded(len(rows), batches())


def add_vectors(db: sqlite3.Connection, open_: OpenModels, vectors: Mapping[str, TextVectors]) -> None:
    """Store vectors by entry id, where they are missing; an entry that was purged meanwhile is passed over."""
    rows = {}
    for entry_id, item in vectors.items():
        found = db.execute("SELECT rowid FROM entry WHERE id = ?", (id_bytes(entry_id),)).fetchone()
        if found is not None:
            rows[int(found[0])] = item
    by_partition: dict[int, list[int]] = {}
    for row in sorted(rows):
        by_partition.setdefault(row >> PARTITION_BITS, []).append(row)
    for partition, own in by_partition.items():
        last = last_embedded(db, open_, *partition_range(partition))
        known = set(embedded(db, open_, own[0], own[-1]).tolist())
        fresh = [row for row in own if row not in known]
        for row in own:
            if row not in known:
                insert_vectors(db, open_, row, rows[row])
            elif (tokens := rows[row].tokens) is not None and open_.tokens:
                insert_tokens(db, open_.tokens, row, tokens)
        if fresh and fresh[0] <= last:
            changed(db, (partition,))
    seal_partitions(db, open_, rows)


def seal_all(database: Database) -> None:
    """Fill blocks from the single rows of a store of schema 1."""
    with database.writing() as db:
        for identity, _ in models(db):
            rows = db.execute("SELECT DISTINCT entry >> 32 FROM vector").fetchall()
            seal_partitions(db, open_models(db, identity, None), [row[0] << PARTITION_BITS for row in rows])


def foreign(db: sqlite3.Connection, identity: ModelIdentity) -> ModelIdentity | None:
    """A model whose vectors are here and keep ``identity`` from being opened; None where it may."""
    held = [found for found, _ in models(db)]
    target = _target(db)
    # During a move both may be opened: the old one, and the one that is to follow it.
    if target is not None and (identity == target or identity in held):
        return None
    return next((found for found in held if found != identity), None)


def adopt(db: sqlite3.Connection, identity: ModelIdentity) -> None:
    """Begin a move to another model, or go on with it."""
    number = add_model(db, identity)
    db.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (_MOVING, str(number)))


def finish(db: sqlite3.Connection, open_: OpenModels) -> int:
    """End a move: remove the vectors of every other model; how many entries had some."""
    db.execute("DELETE FROM meta WHERE key = ?", (_MOVING,))
    return drop_other_models(db, [number for number in (open_.dense, open_.tokens) if number])


def _target(db: sqlite3.Connection) -> ModelIdentity | None:
    row = db.execute(
        "SELECT m.name, m.dimension, m.weights, m.runtime FROM meta t JOIN model m ON m.id = t.value"
        " WHERE t.key = ?",
        (_MOVING,),
    ).fetchone()
    return None if row is None else ModelIdentity(*row)
