"""The two text indexes, derived from entries: words (stemmed), and bigrams of scripts without spaces."""

import sqlite3
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from truerecall.core.entry import Entry
from truerecall.memory.analysis import index_text, segment
from truerecall.memory.store.matching import match_query

if TYPE_CHECKING:
    from numpy.typing import NDArray


def searched_text(entry: Entry) -> str:
    """What the lanes see of an entry: who said it and what."""
    return f"{entry.source.speaker}: {entry.text}" if entry.source.speaker else entry.text


def index_entries(db: sqlite3.Connection, rowids: Sequence[int], entries: Sequence[Entry]) -> list[int]:
    """Put entries into the text indexes; the length of each in words (for BM25)."""
    texts = [searched_text(entry) for entry in entries]
    words, pairs = [index_text(text) for text in texts], [segment(text) for text in texts]
    db.executemany("INSERT INTO lexical (rowid, text) VALUES (?, ?)", zip(rowids, words, strict=True))
    db.executemany(
        "INSERT INTO bigram (rowid, text) VALUES (?, ?)",
        [(row, text) for row, text in zip(rowids, pairs, strict=True) if text],
    )
    return [indexed_length(*both) for both in zip(words, pairs, strict=True)]


def indexed_length(words: str, pairs: str) -> int:
    """Words in the text index, for BM25."""
    return len(words.split()) + (len(pairs.split()) if pairs else 0)


def postings(db: sqlite3.Connection, term: str, low: int, high: int) -> "NDArray[np.int64]":
    """Rows of a range that hold a term: a word, a bigram, or one character with a ``*`` after it. Ascending."""
    table, query = match_query(term)
    # As one text: handing rows to Python one by one takes four times as long (0.48 µs a row), and holds the GIL.
    (found,) = db.execute(
        f"SELECT group_concat(rowid - ?) FROM {table} WHERE {table} MATCH ? AND rowid BETWEEN ? AND ?",
        (low, query, low, high),
    ).fetchone()
    return low + np.fromstring(found or "", dtype=np.int64, sep=",")


def remove_from_index(db: sqlite3.Connection, rowids: Iterable[int]) -> None:
    """Take rows out of both indexes; the terms leave the file with ``optimize_index``."""
    for rowid in rowids:
        db.execute("DELETE FROM lexical WHERE rowid = ?", (rowid,))
        db.execute("DELETE FROM bigram WHERE rowid = ?", (rowid,))


def optimize_index(db: sqlite3.Connection) -> None:
    """Merge each index into one segment, which drops the terms of deleted rows (1 s at 100k rows)."""
    for table in ("lexical", "bigram"):
        db.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")


def clear_index(db: sqlite3.Connection) -> None:
    """Make both indexes anew, empty. A damaged one cannot be emptied row by row, nor always be dropped."""
    for table, tokenizer in (("lexical", "porter unicode61"), ("bigram", "ascii")):
        try:
            db.execute(f"DROP TABLE IF EXISTS {table}")
        except sqlite3.Error:
            _drop_parts(db, table)
        db.execute(f"CREATE VIRTUAL TABLE {table} USING fts5 (text, tokenize = '{tokenizer}')")


def _drop_parts(db: sqlite3.Connection, table: str) -> None:
    """Take an index out that FTS5 refuses to open: its own row of the schema, then its ordinary tables."""
    db.execute("PRAGMA writable_schema = ON")
    db.execute("DELETE FROM sqlite_master WHERE name = ?", (table,))
    db.execute("PRAGMA writable_schema = RESET")
    for part in ("data", "idx", "content", "docsize", "config"):
        db.execute(f"DROP TABLE IF EXISTS {table}_{part}")


def index_faults(db: sqlite3.Connection) -> list[str]:
    """What SQLite's own check finds wrong in the indexes; ``integrity_check`` does not look into them."""
    faults = []
    for table in ("lexical", "bigram"):
        try:
            db.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('integrity-check', 1)")
        except sqlite3.DatabaseError as error:
            if "readonly" not in str(
                error
            ):  # of a file that cannot be written, this one check cannot be made
                faults.append(f"text index {table}: {error}")
    return faults
