"""Vectors as rows: int8 with a scale, each knowing the model that made it."""

import sqlite3
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from truerecall.models.protocols import ModelIdentity

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class TextVectors:
    """The vectors of one text's pieces, as they are stored."""

    values: "NDArray[np.int8]"
    """Shape (pieces, dimension); times its scale, a row has length 1."""
    scales: "NDArray[np.float32]"
    """Shape (pieces,)."""
    chunks: int
    """Pieces that the text has; more than have a vector where it is very long."""

    @property
    def remark(self) -> str:
        """What is to be said of a text that is too long to be embedded whole; empty where it is."""
        kept = len(self.values)
        return f"{kept} of its {self.chunks} pieces have a vector" if kept < self.chunks else ""

    @classmethod
    def of(cls, vectors: "NDArray[np.float32]", chunks: int) -> "TextVectors":
        """Quantise unit vectors, shape (pieces, dimension); each component's error is at most half a scale."""
        largest = np.max(np.abs(vectors), axis=1)
        scales = np.where(largest > 0, largest / np.float32(127), np.float32(1)).astype(np.float32)
        return cls(np.rint(vectors / scales[:, None]).astype(np.int8), scales, chunks)


@dataclass(frozen=True, slots=True)
class VectorTable:
    """All vectors of a range of rows by one model."""

    rowids: "NDArray[np.int64]"
    """Shape (n,): the entry of each, ascending."""
    scales: "NDArray[np.float32]"
    """Shape (n,)."""
    values: "NDArray[np.int8]"
    """Shape (n, dimension); times its scale, a row has length 1."""


def find_model(db: sqlite3.Connection, identity: ModelIdentity) -> int | None:
    """The number of a model in this store, or None."""
    row = db.execute(
        "SELECT id FROM model WHERE name = ? AND dimension = ? AND weights = ? AND runtime = ?",
        (identity.name, identity.dimension, identity.weights, identity.runtime),
    ).fetchone()
    return None if row is None else int(row[0])


def add_model(db: sqlite3.Connection, identity: ModelIdentity) -> int:
    """Give a model its number in this store."""
    cursor = db.execute(
        "INSERT INTO model (name, dimension, weights, runtime) VALUES (?, ?, ?, ?)",
        (identity.name, identity.dimension, identity.weights, identity.runtime),
    )
    return int(cursor.lastrowid or 0)


def models(db: sqlite3.Connection) -> list[tuple[ModelIdentity, int]]:
    """Every model that made a vector here, with how many entries it covers."""
    rows = db.execute(
        "SELECT m.name, m.dimension, m.weights, m.runtime,"
        " (SELECT count(*) FROM vector v WHERE v.model = m.id AND v.chunk = 0) FROM model m ORDER BY m.id"
    )
    return [(ModelIdentity(*row[:4]), row[4]) for row in rows if row[4]]


def insert_vectors(db: sqlite3.Connection, model: int, rowid: int, vectors: TextVectors) -> None:
    """Store the vectors of an entry."""
    db.executemany(
        "INSERT OR REPLACE INTO vector (model, entry, chunk, kept, chunks, scale, value) VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (model, rowid, chunk, len(vectors.values), vectors.chunks, float(scale), value.tobytes())
            for chunk, (scale, value) in enumerate(zip(vectors.scales, vectors.values, strict=True))
        ],
    )


def read_vectors(db: sqlite3.Connection, model: int, dimension: int, low: int, high: int) -> VectorTable:
    """All vectors of a range of rows, but damaged ones: those count as missing, and doctor makes them anew."""
    rows = db.execute(
        "SELECT entry, scale, value FROM vector WHERE model = ? AND entry BETWEEN ? AND ? AND length(value) = ?"
        " ORDER BY entry, chunk",
        (model, low, high, dimension),
    ).fetchall()
    values = np.frombuffer(b"".join(row[2] for row in rows), dtype=np.int8).reshape(len(rows), dimension)
    return VectorTable(
        np.array([row[0] for row in rows], dtype=np.int64),
        np.array([row[1] for row in rows], dtype=np.float32),
        values,
    )


def unembedded(db: sqlite3.Connection, model: int | None) -> list[int]:
    """Rows of the whole store that this model has not embedded."""
    return [
        row[0]
        for row in db.execute(
            "SELECT rowid FROM entry e WHERE NOT EXISTS"
            " (SELECT 1 FROM vector v WHERE v.model = ? AND v.entry = e.rowid AND v.chunk = 0) ORDER BY rowid",
            (model,),
        )
    ]


def text_vectors(db: sqlite3.Connection, model: int, rowid: int) -> TextVectors | None:
    """An entry's vectors; None where it has none."""
    rows = db.execute(
        "SELECT v.chunks, v.scale, v.value, v.kept FROM vector v JOIN model m ON m.id = v.model"
        " WHERE v.model = ? AND v.entry = ? AND length(v.value) = m.dimension ORDER BY v.chunk",
        (model, rowid),
    ).fetchall()
    if not rows or len(rows) != rows[0][3]:  # none, or a damaged one among them
        return None
    values = np.stack([np.frombuffer(value, dtype=np.int8) for _, _, value, _ in rows])
    return TextVectors(values, np.array([scale for _, scale, _, _ in rows], dtype=np.float32), rows[0][0])


def drop_other_models(db: sqlite3.Connection, identity: ModelIdentity) -> int:
    """Remove the vectors of every model but this one; how many entries lost theirs."""
    keep = find_model(db, identity) or 0
    gone = int(db.execute("SELECT count(DISTINCT entry) FROM vector WHERE model <> ?", (keep,)).fetchone()[0])
    db.execute("DELETE FROM vector WHERE model <> ?", (keep,))
    db.execute("DELETE FROM model WHERE id <> ?", (keep,))
    if gone:
        db.execute("UPDATE partition SET epoch = epoch + 1")
    return gone
