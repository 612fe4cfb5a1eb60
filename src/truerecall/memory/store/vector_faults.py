"""How many entries have vectors, and what is wrong with those that are there; all of them can be made anew."""

import sqlite3
from dataclasses import dataclass

import numpy as np

from truerecall.memory.store.blocks import block_faults, block_spans, blocks, tail_rows
from truerecall.memory.store.tokens import token_faults
from truerecall.memory.store.vectors import OpenModels, changed, embedded

_BAD_ROW = (
    "typeof(value) <> 'blob' OR entry NOT IN (SELECT rowid FROM entry) OR model NOT IN (SELECT id FROM model)"
    " OR length(value) <> (SELECT dimension FROM model m WHERE m.id = vector.model)"
    " OR kept <> (SELECT count(*) FROM vector w WHERE w.model = vector.model AND w.entry = vector.entry)"
)


@dataclass(frozen=True, slots=True)
class VectorFaults:
    """Vectors that are damaged, incomplete, or without their entry or model."""

    rows: int
    """Single ones."""
    blocks: tuple[int, ...]
    """Numbers of blocks that hold one."""
    tokens: tuple[int, ...]
    """Numbers of rows of token vectors."""

    @property
    def sentences(self) -> list[str]:
        """One for each kind that there is."""
        found = [
            (self.rows, "vectors are damaged, incomplete or without an entry"),
            (len(self.blocks), "blocks of vectors are damaged or hold one without an entry"),
            (len(self.tokens), "entries' token vectors are damaged or without an entry"),
        ]
        return [f"{number} {what}" for number, what in found if number]


def find_faults(db: sqlite3.Connection) -> VectorFaults:
    """Look every vector over."""
    rows = db.execute(f"SELECT count(*) FROM vector WHERE {_BAD_ROW}").fetchone()[0]
    entries = np.fromiter((row[0] for row in db.execute("SELECT rowid FROM entry")), dtype=np.int64)
    bad = set(block_faults(db))
    stray = {
        number for number, block in block_spans(db) if number not in bad and not np.isin(block, entries).all()
    }
    return VectorFaults(rows, tuple(sorted(bad | stray)), tuple(token_faults(db)))


def remove_faults(db: sqlite3.Connection) -> list[str]:
    """Remove what is wrong, so that it counts as missing and is embedded anew; one sentence a kind."""
    faults = find_faults(db)
    # Until nothing is bad: a text that lost one piece is embedded anew as a whole.
    while db.execute(f"DELETE FROM vector WHERE {_BAD_ROW}").rowcount:
        pass
    db.executemany("DELETE FROM vector_block WHERE id = ?", [(number,) for number in faults.blocks])
    db.executemany("DELETE FROM token_vector WHERE id = ?", [(number,) for number in faults.tokens])
    if faults.sentences:
        changed(db)
    return [f"removed what was wrong: {sentence}" for sentence in faults.sentences]


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of a store one model has embedded."""

    held: int
    """Entries with a vector."""
    partly: int
    """Of these, entries of whose pieces not all have one."""
    matched: int | None
    """Entries with token vectors; None where the model makes none."""


def coverage(db: sqlite3.Connection, open_: OpenModels) -> Coverage:
    """Count what the open model has embedded."""
    span = (open_.dense, open_.dimension, 0, 2**63 - 1)
    partly = 0
    for rows in (*(rows for _, rows in blocks(db, *span)), tail_rows(db, *span)):
        _, first, size = np.unique(rows.entries, return_index=True, return_counts=True)
        partly += int(np.sum(size < rows.chunks[first]))
    matched = None
    if open_.token_identity is not None:
        query = "SELECT count(*) FROM token_vector WHERE model = ?"
        matched = db.execute(query, (open_.tokens,)).fetchone()[0]
    return Coverage(len(embedded(db, open_, 0, 2**63 - 1)), partly, matched)
