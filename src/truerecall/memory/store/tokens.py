"""Token vectors: a row an entry, read only for the few that are compared token by token.

A row and not a block: recall reads some two hundred of them, scattered over the store.
"""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from truerecall.memory.store.rows import LOOKUP
from truerecall.models.quantised import Int8Rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

# What a row must be to be read; another counts as missing.
_WHOLE = (
    "typeof(scales) || typeof(vals) = 'blobblob' AND length(scales) % 4 = 0"
    " AND length(vals) * 4 = length(scales) * m.dimension"
)


@dataclass(frozen=True, slots=True)
class TokenVectors:
    """The token vectors of several entries, one after another."""

    values: "NDArray[np.int8]"
    """Shape (tokens, dimension); times its scale, a row has length 1."""
    scales: "NDArray[np.float32]"
    """Shape (tokens,)."""
    offsets: "NDArray[np.intp]"
    """Shape (entries + 1,): entry ``i`` has the rows from ``offsets[i]`` to ``offsets[i + 1]``."""


def insert_tokens(db: sqlite3.Connection, model: int, rowid: int, tokens: Int8Rows) -> None:
    """Store an entry's token vectors, in place of those that it has."""
    db.execute(
        "INSERT OR REPLACE INTO token_vector (entry, model, scales, vals) VALUES (?, ?, ?, ?)",
        (rowid, model, tokens.scales.astype("<f4").tobytes(), tokens.values.tobytes()),
    )


def text_tokens(db: sqlite3.Connection, model: int, rowids: Sequence[int]) -> dict[int, Int8Rows]:
    """The token vectors of those of these entries that have them, by entry."""
    made = {}
    for rowid, (scales, values) in _read(db, model, rowids).items():
        numbers = np.frombuffer(scales, dtype="<f4")
        size = len(values) // len(numbers) if len(numbers) else 0
        made[rowid] = Int8Rows(np.frombuffer(values, dtype=np.int8).reshape(len(numbers), size), numbers)
    return made


def read_tokens(db: sqlite3.Connection, model: int, dimension: int, rowids: Sequence[int]) -> TokenVectors:
    """The token vectors of these entries, in this order."""
    found = _read(db, model, rowids)
    pairs = [found.get(rowid, (b"", b"")) for rowid in rowids]
    offsets = np.zeros(len(rowids) + 1, dtype=np.intp)
    np.cumsum([len(scales) // 4 for scales, _ in pairs], out=offsets[1:])
    return TokenVectors(
        np.frombuffer(b"".join(values for _, values in pairs), dtype=np.int8).reshape(-1, dimension),
        np.frombuffer(b"".join(scales for scales, _ in pairs), dtype="<f4"),
        offsets,
    )


def token_faults(db: sqlite3.Connection) -> list[int]:
    """Rows of the table that are damaged, or whose model or entry is gone."""
    return [
        row[0]
        for row in db.execute(
            "SELECT t.id FROM token_vector t LEFT JOIN model m ON m.id = t.model"
            f" WHERE m.id IS NULL OR t.entry NOT IN (SELECT rowid FROM entry) OR NOT ({_WHOLE})"
        )
    ]


def _read(db: sqlite3.Connection, model: int, rowids: Sequence[int]) -> dict[int, tuple[bytes, bytes]]:
    found: dict[int, tuple[bytes, bytes]] = {}
    for start in range(0, len(rowids), LOOKUP):
        part = rowids[start : start + LOOKUP]
        rows = db.execute(
            "SELECT t.entry, t.scales, t.vals FROM token_vector t JOIN model m ON m.id = t.model"
            f" WHERE t.entry IN ({', '.join('?' * len(part))}) AND t.model = ? AND {_WHOLE}",
            (*part, model),
        )
        found.update((entry, (scales, values)) for entry, scales, values in rows)
    return found
