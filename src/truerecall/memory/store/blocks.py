"""Vectors as arrays: full blocks of 1,024 rows, and what is read of them.

A vector is written as a row of the table ``vector``: one more text is one more row. As soon as a partition has 1,024 of
them, they become one row of ``vector_block``: a new process reads a hundred thousand vectors out of blocks in 80 ms,
with 45 ms of processor time. A text's vectors stay together, so that a block may hold a few more.
"""

import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from truerecall.memory.store.rows import partition_range

if TYPE_CHECKING:
    from numpy.typing import NDArray

BLOCK = 1024
_COLUMNS = "entries, chunks, scales, vals"


@dataclass(frozen=True, slots=True)
class Rows:
    """Vectors with the entry of each, each array's first axis the same."""

    entries: "NDArray[np.int64]"
    """Shape (n,): the row of the entry. One entry's vectors stand together, in the order of its pieces."""
    chunks: "NDArray[np.int32]"
    """Shape (n,): pieces that the entry's text has."""
    scales: "NDArray[np.float32]"
    """Shape (n,)."""
    values: "NDArray[np.int8]"
    """Shape (n, dimension); times its scale, a row has length 1."""

    def only(self, keep: "NDArray[np.bool_]") -> "Rows":
        """Those of these rows."""
        return Rows(self.entries[keep], self.chunks[keep], self.scales[keep], self.values[keep])


def tail_rows(db: sqlite3.Connection, model: int, dimension: int, low: int, high: int) -> Rows:
    """Vectors that are in no block yet, ascending; a text of which one is damaged or gone is left out."""
    found = db.execute(
        "SELECT entry, chunks, scale, value, kept FROM vector WHERE entry BETWEEN ? AND ? AND model = ?"
        " AND length(value) = ? AND typeof(value) = 'blob' ORDER BY entry, chunk",
        (low, high, model, dimension),
    ).fetchall()
    entries, chunks, scales, values, kept = zip(*found, strict=True) if found else ((), (), (), (), ())
    rows = Rows(
        np.array(entries, dtype=np.int64),
        np.array(chunks, dtype=np.int32),
        np.array(scales, dtype=np.float32),
        np.frombuffer(b"".join(values), dtype=np.int8).reshape(len(found), dimension),
    )
    _, text, size = np.unique(rows.entries, return_inverse=True, return_counts=True)
    whole = size[text] == np.array(kept, dtype=np.int64)
    return rows if whole.all() else rows.only(whole)


def seal(db: sqlite3.Connection, model: int, dimension: int, partition: int) -> None:
    """Make blocks of a partition's single rows, as long as they fill one."""
    low, high = partition_range(partition)
    within = "FROM vector WHERE entry BETWEEN ? AND ? AND model = ?"
    while True:
        ends = db.execute(
            f"SELECT entry {within} ORDER BY entry, chunk LIMIT 1 OFFSET ?", (low, high, model, BLOCK - 1)
        ).fetchone()
        if ends is None:
            return
        rows = tail_rows(db, model, dimension, low, ends[0])
        if len(rows.entries):
            write_block(db, model, rows)
        db.execute(f"DELETE {within}", (low, ends[0], model))


def write_block(db: sqlite3.Connection, model: int, rows: Rows, number: int | None = None) -> None:
    """Write a block: a new one, or one's new content."""
    blobs = (
        rows.entries.astype("<i8").tobytes(),
        rows.chunks.astype("<i4").tobytes(),
        rows.scales.astype("<f4").tobytes(),
        rows.values.tobytes(),
    )
    db.execute(
        f"INSERT OR REPLACE INTO vector_block (id, model, low, high, texts, checksum, {_COLUMNS})"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            number,
            model,
            int(rows.entries[0]),
            int(rows.entries[-1]),
            len(np.unique(rows.entries)),
            _checksum(blobs),
            *blobs,
        ),
    )


def blocks(
    db: sqlite3.Connection, model: int, dimension: int, low: int, high: int
) -> Iterator[tuple[int, Rows]]:
    """Each block that may hold a vector of these entries, with its number; damaged ones are left out."""
    for number, *parts in db.execute(
        f"SELECT id, {_COLUMNS} FROM vector_block WHERE model = ? AND high >= ? AND low <= ? AND {_WHOLE}"
        " ORDER BY low, id",
        (model, low, high, dimension),
    ):
        yield number, _rows(parts, dimension)


def read_block(db: sqlite3.Connection, number: int, dimension: int) -> Rows | None:
    """A block; None where it is damaged."""
    row = db.execute(
        f"SELECT {_COLUMNS} FROM vector_block WHERE id = ? AND {_WHOLE}", (number, dimension)
    ).fetchone()
    return None if row is None else _rows(row, dimension)


def block_entries(
    db: sqlite3.Connection, model: int, dimension: int, low: int, high: int
) -> "list[NDArray[np.int64]]":
    """The entries of each such block, without reading its vectors."""
    found = db.execute(
        f"SELECT entries FROM vector_block WHERE model = ? AND high >= ? AND low <= ? AND {_WHOLE}",
        (model, low, high, dimension),
    )
    return [np.frombuffer(row[0], dtype="<i8") for row in found]


def block_spans(db: sqlite3.Connection) -> "Iterator[tuple[int, NDArray[np.int64]]]":
    """Every block's number and entries; not of damaged ones."""
    query = f"SELECT id, entries FROM vector_block WHERE {_WHOLE_OF_ITS_MODEL}"
    for number, entries in db.execute(query):
        yield number, np.frombuffer(entries, dtype="<i8")


def block_faults(db: sqlite3.Connection) -> list[int]:
    """Numbers of blocks whose content is not what was written, or whose model or entries are gone."""
    bad = []
    for number, checksum, *parts in db.execute(
        f"SELECT id, checksum, {_COLUMNS} FROM vector_block WHERE {_WHOLE_OF_ITS_MODEL}"
    ):
        if _checksum(parts) != checksum:
            bad.append(number)
    stray = (
        "SELECT id FROM vector_block WHERE model NOT IN (SELECT id FROM model)"
        f" OR NOT ({_WHOLE_OF_ITS_MODEL})"
    )
    return sorted({*bad, *(row[0] for row in db.execute(stray))})


_WHOLE = (
    "typeof(entries) || typeof(chunks) || typeof(scales) || typeof(vals) = 'blobblobblobblob'"
    " AND length(entries) > 0 AND length(entries) % 8 = 0 AND length(chunks) * 2 = length(entries)"
    " AND length(scales) * 2 = length(entries) AND length(vals) * 8 = length(entries) * ?"
)
_WHOLE_OF_ITS_MODEL = _WHOLE.replace("?", "(SELECT dimension FROM model m WHERE m.id = model)")


def _rows(parts: Sequence[bytes], dimension: int) -> Rows:
    return Rows(
        np.frombuffer(parts[0], dtype="<i8"),
        np.frombuffer(parts[1], dtype="<i4"),
        np.frombuffer(parts[2], dtype="<f4"),
        np.frombuffer(parts[3], dtype=np.int8).reshape(-1, dimension),
    )


def _checksum(parts: Sequence[bytes]) -> int:
    found = 0
    for part in parts:
        found = zlib.crc32(part, found)
    return found
