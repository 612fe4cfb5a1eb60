"""Vectors of entries, each knowing the model that made it: written, found by entry, counted, removed."""

import sqlite3
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from truerecall.memory.store.blocks import block_entries, blocks, read_block, seal, tail_rows, write_block
from truerecall.memory.store.rows import PARTITION_BITS
from truerecall.memory.store.tokens import insert_tokens, text_tokens
from truerecall.models.protocols import ModelIdentity
from truerecall.models.quantised import Int8Rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LAST = 2**63 - 1
_LOOK_EVERY = 64  # to count the single rows takes half as long as to remember one text


@dataclass(frozen=True, slots=True)
class OpenModels:
    """The open model, and the numbers that it has in this store; 0 where nothing of it is stored yet."""

    identity: ModelIdentity
    dense: int
    token_identity: ModelIdentity | None
    """Of its token vectors; None where it makes none."""
    tokens: int

    @property
    def dimension(self) -> int:
        """Of its vectors."""
        return self.identity.dimension


@dataclass(frozen=True, slots=True)
class TextVectors:
    """The vectors of one text's pieces, as they are stored."""

    dense: Int8Rows
    """Shape (pieces, dimension): one row a piece."""
    chunks: int
    """Pieces that the text has; more than have a vector where it is very long."""
    tokens: Int8Rows | None = None
    """One row a token of the first pieces; None where the model gives none."""

    @property
    def remark(self) -> str:
        """What is to be said of a text that is too long to be embedded whole; empty where it is."""
        kept = len(self.dense.values)
        return f"{kept} of its {self.chunks} pieces have a vector" if kept < self.chunks else ""


def find_model(db: sqlite3.Connection, identity: ModelIdentity) -> int | None:
    """The number of a model in this store, or None."""
    row = db.execute(
        "SELECT id FROM model WHERE name = ? AND dimension = ? AND weights = ? AND runtime = ?",
        (identity.name, identity.dimension, identity.weights, identity.runtime),
    ).fetchone()
    return None if row is None else int(row[0])


def add_model(db: sqlite3.Connection, identity: ModelIdentity) -> int:
    """Give a model its number in this store."""
    known = find_model(db, identity)
    if known is not None:
        return known
    cursor = db.execute(
        "INSERT INTO model (name, dimension, weights, runtime) VALUES (?, ?, ?, ?)",
        (identity.name, identity.dimension, identity.weights, identity.runtime),
    )
    return int(cursor.lastrowid or 0)


def open_models(db: sqlite3.Connection, identity: ModelIdentity, tokens: ModelIdentity | None) -> OpenModels:
    """The numbers of a model and of its token vectors."""
    number = 0 if tokens is None else find_model(db, tokens) or 0
    return OpenModels(identity, find_model(db, identity) or 0, tokens, number)


def models(db: sqlite3.Connection) -> list[tuple[ModelIdentity, int]]:
    """Every model that made a vector of a text here, with how many entries it covers."""
    rows = db.execute(
        "SELECT m.name, m.dimension, m.weights, m.runtime, m.id FROM model m WHERE"
        " EXISTS (SELECT 1 FROM vector_block b WHERE b.model = m.id)"
        " OR EXISTS (SELECT 1 FROM vector v WHERE v.model = m.id) ORDER BY m.id"
    ).fetchall()
    return [(ModelIdentity(*row[:4]), count_texts(db, row[4], 0, _LAST)) for row in rows]


def count_texts(db: sqlite3.Connection, model: int, low: int, high: int) -> int:
    """How many of these entries have a vector."""
    return int(
        db.execute(
            "SELECT (SELECT coalesce(sum(texts), 0) FROM vector_block WHERE model = ? AND low BETWEEN ? AND ?)"
            " + (SELECT count(DISTINCT entry) FROM vector WHERE entry BETWEEN ? AND ? AND model = ?)",
            (model, low, high, low, high, model),
        ).fetchone()[0]
    )


def insert_vectors(db: sqlite3.Connection, open_: OpenModels, rowid: int, vectors: TextVectors) -> None:
    """Store the vectors of an entry that has none; ``seal`` its partition when all of a batch are in."""
    kept, dense = len(vectors.dense.values), vectors.dense
    db.executemany(
        "INSERT OR REPLACE INTO vector (entry, model, chunk, kept, chunks, scale, value)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (rowid, open_.dense, chunk, kept, vectors.chunks, float(scale), value.tobytes())
            for chunk, (scale, value) in enumerate(zip(dense.scales, dense.values, strict=True))
        ],
    )
    if vectors.tokens is not None and open_.tokens:
        insert_tokens(db, open_.tokens, rowid, vectors.tokens)


def seal_partitions(db: sqlite3.Connection, open_: OpenModels | None, rowids: Collection[int]) -> None:
    """Make blocks of the single rows of these entries' partitions, as far as they fill some.

    Of few entries only every 64th is a reason to look.
    """
    if open_ is None or not open_.dense:
        return
    many = len(rowids) >= _LOOK_EVERY
    for partition in {rowid >> PARTITION_BITS for rowid in rowids if many or rowid % _LOOK_EVERY == 0}:
        seal(db, open_.dense, open_.dimension, partition)


def embedded(db: sqlite3.Connection, open_: OpenModels, low: int, high: int) -> "NDArray[np.int64]":
    """Those of a range of entries that have a vector that can be read, ascending, each once."""
    single = db.execute(
        "SELECT entry FROM vector WHERE entry BETWEEN ? AND ? AND model = ? AND length(value) = ?"
        " AND typeof(value) = 'blob' GROUP BY entry HAVING count(*) = max(kept)",
        (low, high, open_.dense, open_.dimension),
    )
    found = np.fromiter((row[0] for row in single), dtype=np.int64)
    together = np.unique(np.concatenate([found, *block_entries(db, open_.dense, open_.dimension, low, high)]))
    return together[(together >= low) & (together <= high)]


def unembedded_rows(db: sqlite3.Connection, open_: OpenModels) -> "NDArray[np.int64]":
    """Entries of the whole store that lack a vector of the open model, or its token vectors; ascending."""
    entries = np.fromiter((row[0] for row in db.execute("SELECT rowid FROM entry")), dtype=np.int64)
    lacking = np.setdiff1d(entries, embedded(db, open_, 0, _LAST), assume_unique=True)
    if open_.token_identity is None:
        return lacking
    query = "SELECT entry FROM token_vector WHERE model = ?"
    matched = np.fromiter((row[0] for row in db.execute(query, (open_.tokens,))), dtype=np.int64)
    return np.union1d(lacking, np.setdiff1d(entries, matched, assume_unique=True))


def last_embedded(db: sqlite3.Connection, open_: OpenModels, low: int, high: int) -> int:
    """The last of a range of entries that has a vector; 0 where none has."""
    return int(
        db.execute(
            "SELECT max(coalesce((SELECT max(high) FROM vector_block WHERE model = ? AND low BETWEEN ? AND ?), 0),"
            " coalesce((SELECT max(entry) FROM vector WHERE entry BETWEEN ? AND ? AND model = ?), 0))",
            (open_.dense, low, high, low, high, open_.dense),
        ).fetchone()[0]
    )


def text_vectors(db: sqlite3.Connection, open_: OpenModels, rowids: Sequence[int]) -> dict[int, TextVectors]:
    """The vectors of those of these entries that have them, by entry; quick where the entries stand close together."""
    wanted = np.array(rowids, dtype=np.int64)
    span = (open_.dense, open_.dimension, min(rowids), max(rowids))
    tokens = text_tokens(db, open_.tokens, rowids)
    found = {}
    for rows in (*(rows for _, rows in blocks(db, *span)), tail_rows(db, *span)):
        own = rows.only(np.isin(rows.entries, wanted))
        entries, starts = np.unique(own.entries, return_index=True)
        bounds = [*starts.tolist(), len(own.entries)]
        for rowid, start, end in zip(entries.tolist(), bounds, bounds[1:], strict=False):
            dense = Int8Rows(own.values[start:end], own.scales[start:end])
            found[rowid] = TextVectors(dense, int(own.chunks[start]), tokens.get(rowid))
    return found


def remove_vectors(db: sqlite3.Connection, rowids: Collection[int]) -> None:
    """Take the vectors of entries out, of every model; blocks that held one are written anew without it."""
    gone = np.array(sorted(rowids), dtype=np.int64)
    for rowid in rowids:
        db.execute("DELETE FROM vector WHERE entry = ?", (rowid,))
        db.execute("DELETE FROM token_vector WHERE entry = ?", (rowid,))
    for model, dimension in db.execute("SELECT id, dimension FROM model").fetchall():
        for number in _touched(db, model, gone):
            _without(db, model, dimension, number, gone)
    changed(db, {rowid >> PARTITION_BITS for rowid in rowids})


def _touched(db: sqlite3.Connection, model: int, rowids: "NDArray[np.int64]") -> list[int]:
    """Blocks of a model whose range holds one of these entries."""
    spans = db.execute("SELECT id, low, high FROM vector_block WHERE model = ?", (model,)).fetchall()
    return [
        number
        for number, low, high in spans
        if np.searchsorted(rowids, low) < np.searchsorted(rowids, high, "right")
    ]


def _without(
    db: sqlite3.Connection, model: int, dimension: int, number: int, gone: "NDArray[np.int64]"
) -> None:
    rows = read_block(db, number, dimension)
    # What cannot be read may hold a vector of theirs: it goes as a whole, and doctor makes the rest anew.
    keep = None if rows is None else ~np.isin(rows.entries, gone)
    if rows is None or keep is None or not keep.any():
        db.execute("DELETE FROM vector_block WHERE id = ?", (number,))
    elif not keep.all():
        write_block(db, model, rows.only(keep), number)


def drop_other_models(db: sqlite3.Connection, kept: Sequence[int]) -> int:
    """Remove the vectors of every model but these; how many entries lost theirs."""
    marks = ", ".join("?" * len(kept))
    others = db.execute(f"SELECT id FROM model WHERE id NOT IN ({marks})", tuple(kept)).fetchall()
    gone = max((count_texts(db, number, 0, _LAST) for (number,) in others), default=0)
    for table in ("vector", "vector_block", "token_vector"):
        db.execute(f"DELETE FROM {table} WHERE model NOT IN ({marks})", tuple(kept))
    db.execute(f"DELETE FROM model WHERE id NOT IN ({marks})", tuple(kept))
    if others:
        changed(db)
    return gone


def changed(db: sqlite3.Connection, partitions: Iterable[int] | None = None) -> None:
    """Tell readers that vectors of these partitions (None: of all) changed otherwise than by more at the end."""
    if partitions is None:
        db.execute("UPDATE partition SET vectors_epoch = vectors_epoch + 1")
        return
    for number in partitions:
        db.execute("UPDATE partition SET vectors_epoch = vectors_epoch + 1 WHERE id = ?", (number,))
