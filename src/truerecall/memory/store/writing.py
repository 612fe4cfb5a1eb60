"""Rows of one entry, written together: entry, derivations, standing, text index, vectors."""

import sqlite3
from dataclasses import dataclass
from datetime import datetime

from truerecall.core.clock import to_micros
from truerecall.core.entry import Entry, Event, Scope, Visibility
from truerecall.core.ids import id_bytes
from truerecall.memory.store.rows import (
    INSERT_ENTRY,
    PARTITION_BITS,
    digest_of,
    entry_row,
    micros,
    partition_range,
)
from truerecall.memory.store.standing import session_number
from truerecall.memory.store.textindex import index_entry
from truerecall.memory.store.vectors import TextVectors, insert_vectors


@dataclass(frozen=True, slots=True)
class Prepared:
    """An entry that is ready to be stored."""

    entry: Entry
    vectors: TextVectors | None
    """None where no model embedded it (yet)."""


def partition_number(db: sqlite3.Connection, scope: Scope, visibility: Visibility) -> int | None:
    """The partition that holds a scope's shared or the user's private rows, or None if nothing was written yet."""
    owner = scope.user if visibility == "private" else ""
    row = db.execute(
        "SELECT id FROM partition WHERE tenant = ? AND space = ? AND owner = ?",
        (scope.tenant, scope.space, owner),
    ).fetchone()
    return None if row is None else int(row[0])


def readable_partitions(db: sqlite3.Connection, scope: Scope) -> list[int]:
    """The partitions that a reader sees, and no others: the space's shared rows, then the reader's own.

    Every read, write, export and purge gets its rows from here; there is no other scope condition in the code.
    """
    numbers = (partition_number(db, scope, "shared"), partition_number(db, scope, "private"))
    # Ascending, as rows are: the view's arrays are searched by halving.
    return sorted(number for number in numbers if number is not None)


def next_row(db: sqlite3.Connection, entry: Entry) -> int:
    """A new row in the entry's partition, which is made on first use."""
    number = partition_number(db, entry.scope, entry.visibility)
    if number is None:
        owner = entry.scope.user if entry.visibility == "private" else ""
        cursor = db.execute(
            "INSERT INTO partition (tenant, space, owner) VALUES (?, ?, ?)",
            (entry.scope.tenant, entry.scope.space, owner),
        )
        number = int(cursor.lastrowid or 0)
    db.execute("UPDATE partition SET sequence = sequence + 1 WHERE id = ?", (number,))
    sequence = db.execute("SELECT sequence FROM partition WHERE id = ?", (number,)).fetchone()[0]
    return number << PARTITION_BITS | int(sequence)


def find_duplicate(db: sqlite3.Connection, entry: Entry, now: datetime) -> bytes | None:
    """The id of a living entry with the same partition, session, position and text."""
    number = partition_number(db, entry.scope, entry.visibility)
    if number is None:
        return None
    row = db.execute(
        "SELECT e.id FROM entry e JOIN standing s USING (rowid) WHERE e.digest = ? AND e.rowid BETWEEN ? AND ?"
        " AND e.text = ? AND (s.ends_at IS NULL OR s.ends_at > ?)",
        (digest_of(entry), *partition_range(number), entry.text, to_micros(now)),
    ).fetchone()
    return None if row is None else bytes(row[0])


def insert(db: sqlite3.Connection, item: Prepared, model: int | None) -> int:
    """Write all rows of an entry; its row."""
    entry = item.entry
    rowid = next_row(db, entry)
    db.execute(INSERT_ENTRY, entry_row(rowid, entry, digest_of(entry)))
    for place, source in enumerate(entry.source_ids):
        db.execute(
            "INSERT INTO derivation (entry, source, place) VALUES (?, ?, ?)", (rowid, id_bytes(source), place)
        )
    length = index_entry(db, rowid, entry)
    session = entry.source.session
    db.execute(
        "INSERT INTO standing (rowid, trust, starts_at, ends_at, happened_at, length, session, position)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            rowid,
            int(entry.trust),
            micros(entry.valid_from),
            micros(entry.valid_to),
            None if entry.happened_at is None else to_micros(entry.happened_at.instant),
            length,
            None if session is None else session_number(db, rowid >> PARTITION_BITS, session),
            entry.source.position,
        ),
    )
    if item.vectors is not None and model is not None:
        insert_vectors(db, model, rowid, item.vectors)
    return rowid


def insert_event(db: sqlite3.Connection, rowid: int, event: Event) -> None:
    """Write an event of an entry and what follows from it."""
    db.execute(
        "INSERT INTO event (id, at, kind, entry, other) VALUES (?, ?, ?, ?, ?)",
        (
            id_bytes(event.id),
            to_micros(event.at),
            event.kind,
            rowid,
            None if event.other_id is None else id_bytes(event.other_id),
        ),
    )
    at = to_micros(event.at)
    db.execute("UPDATE standing SET ends_at = min(coalesce(ends_at, ?), ?) WHERE rowid = ?", (at, at, rowid))
    stale(db, rowid)


def stale(db: sqlite3.Connection, rowid: int) -> None:
    """Tell readers' caches that rows of this partition changed by more than an append."""
    db.execute("UPDATE partition SET epoch = epoch + 1 WHERE id = ?", (rowid >> PARTITION_BITS,))
