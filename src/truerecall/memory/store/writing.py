"""Rows of entries, written together: entry, derivations, standing, text index, vectors."""

import itertools
import sqlite3
from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from truerecall.core.clock import to_micros
from truerecall.core.entry import ENDING, Entry, Event
from truerecall.core.ids import id_bytes, id_text
from truerecall.core.records import dataclass
from truerecall.memory.extract.records import Rules
from truerecall.memory.store.entities import index_drawn, note_unextracted
from truerecall.memory.store.extraction import drawn_from
from truerecall.memory.store.numbering import Numbered, number_of
from truerecall.memory.store.partitions import partition_number
from truerecall.memory.store.rows import (
    INSERT_ENTRY,
    LOOKUP,
    PARTITION_BITS,
    digest_of,
    entry_row,
    micros,
    partition_range,
)
from truerecall.memory.store.textindex import index_entries
from truerecall.memory.store.vectors import OpenModels, TextVectors, insert_vectors
from truerecall.memory.traits import traits_of


@dataclass(frozen=True, slots=True)
class Prepared:
    """An entry that is ready to be stored."""

    entry: Entry
    vectors: TextVectors | None
    """None where no model embedded it (yet)."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A prepared entry with what decides where it goes, and whether it does."""

    item: Prepared
    partition: int
    digest: bytes


def place(db: sqlite3.Connection, items: Sequence[Prepared]) -> list[Placed]:
    """Find the partition of each; one that nothing was written to yet is made."""
    numbers: dict[tuple[str, str, str], int] = {}
    placed = []
    scope = visibility = None
    number = 0
    for item in items:
        entry = item.entry
        if entry.scope is not scope or entry.visibility != visibility:  # the next is mostly as the one before
            scope, visibility = entry.scope, entry.visibility
            where = scope.tenant, scope.space, scope.user if visibility == "private" else ""
            if where not in numbers:
                numbers[where] = partition_number(db, scope, visibility) or _new_partition(db, where)
            number = numbers[where]
        placed.append(Placed(item, number, digest_of(entry)))
    return placed


def _new_partition(db: sqlite3.Connection, where: tuple[str, str, str]) -> int:
    cursor = db.execute("INSERT INTO partition (tenant, space, owner) VALUES (?, ?, ?)", where)
    return int(cursor.lastrowid or 0)


def duplicates(db: sqlite3.Connection, placed: Sequence[Placed], now: datetime) -> list[str | None]:
    """Of each the id of the living entry that it repeats, if there is one, in the store or before it here.

    That is one of the same partition, session, position, text and statement, and of no lower trust: or a page could
    keep out what its reader says himself. Without a session, the speaker and the time tell two of them apart.
    """
    at = to_micros(now)
    # Left alone, SQLite would rather read the whole partition than look up so many digests.
    query = (
        f"SELECT e.id, e.digest, e.text, e.trust, {', '.join(_TOLD_APART)}"
        " FROM entry e INDEXED BY entry_digest CROSS JOIN standing s USING (rowid)"
        " WHERE e.digest IN ({}) AND e.rowid BETWEEN ? AND ? AND (s.ends_at IS NULL OR s.ends_at > ?) ORDER BY e.rowid"
    )
    living: dict[tuple[object, ...], list[tuple[int, str]]] = {}
    for number in {one.partition for one in placed}:
        digests = list({one.digest for one in placed if one.partition == number})
        for start in range(0, len(digests), LOOKUP):
            part = digests[start : start + LOOKUP]
            marks = ", ".join("?" * len(part))
            for entry_id, digest, text, trust, *told in db.execute(
                query.format(marks), (*part, *partition_range(number), at)
            ):
                living.setdefault((number, digest, text, *told), []).append((trust, id_text(entry_id)))
    found = []
    for one in placed:
        entry = one.item.entry
        key = (one.partition, one.digest, entry.text, *_told_apart(entry))
        twins = living.setdefault(key, [])
        found.append(next((twin for trust, twin in twins if trust >= entry.trust), None))
        if found[-1] is None and (entry.valid_to is None or entry.valid_to > now):
            twins.append((int(entry.trust), entry.id))
    return found


_TOLD_APART = (
    "e.subject",
    "e.predicate",
    "e.object",
    "e.valid_from",
    "e.valid_to",
    "iif(e.session IS NULL, e.speaker, NULL)",
    "iif(e.session IS NULL, e.happened_at, NULL)",
    "iif(e.session IS NULL, e.happened_precision, NULL)",
)
"""What tells two entries of one session, position and text apart."""


_PLAIN = (None,) * 8
"""Those of a turn of a session."""


def _told_apart(entry: Entry) -> tuple[object, ...]:
    """The values of these columns."""
    says, happened = entry.statement, entry.happened_at
    if (
        says is None
        and entry.source.session is not None
        and entry.valid_from is None
        and entry.valid_to is None
    ):
        return _PLAIN
    stated = (None, None, None) if says is None else (says.subject, says.predicate, says.object)
    valid = (micros(entry.valid_from), micros(entry.valid_to))
    if entry.source.session is not None:
        return (*stated, *valid, None, None, None)
    told = (None, None) if happened is None else (to_micros(happened.instant), happened.precision)
    return (*stated, *valid, entry.source.speaker, *told)


def insert(
    db: sqlite3.Connection, placed: Sequence[Placed], models: OpenModels | None, rules: Rules
) -> list[int]:
    """Write all rows of these entries; the row of each."""
    entries = [one.item.entry for one in placed]
    rowids = _new_rows(db, [one.partition for one in placed])
    db.executemany(
        INSERT_ENTRY,
        (entry_row(row, entry, one.digest) for row, entry, one in zip(rowids, entries, placed, strict=True)),
    )
    db.executemany(
        "INSERT INTO derivation (entry, source, place) VALUES (?, ?, ?)",
        (
            (row, id_bytes(source), number)
            for row, entry in zip(rowids, entries, strict=True)
            for number, source in enumerate(entry.source_ids)
        ),
    )
    lengths = index_entries(db, rowids, entries)
    drawn = [drawn_from(entry, rules) for entry in entries]
    index_drawn(db, rowids, drawn)
    if entries and not rules.on:
        note_unextracted(db)
    sessions, speakers = _Numbers(db, "session"), _Numbers(db, "speaker")
    db.executemany(
        "INSERT INTO standing (rowid, trust, starts_at, ends_at, happened_at, length, session, position,"
        " speaker, traits, event_from, event_to) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (
                row,
                int(entry.trust),
                found.starts,
                micros(entry.valid_to),
                None if entry.happened_at is None else to_micros(entry.happened_at.instant),
                length,
                sessions[row >> PARTITION_BITS, entry.source.session],
                entry.source.position,
                speakers[row >> PARTITION_BITS, entry.source.speaker],
                traits_of(entry.text),
                found.event_from,
                found.event_to,
            )
            for row, entry, length, found in zip(rowids, entries, lengths, drawn, strict=True)
        ),
    )
    for row, one in zip(rowids, placed, strict=True):
        if one.item.vectors is not None and models is not None:
            insert_vectors(db, models, row, one.item.vectors)
    return rowids


class _Numbers(dict[tuple[int, str | None], int | None]):
    """The number of each name in its partition, looked up once; None of no name."""

    def __init__(self, db: sqlite3.Connection, table: Numbered) -> None:
        super().__init__()
        self._db, self._table = db, table

    def __missing__(self, key: tuple[int, str | None]) -> int | None:
        partition, name = key
        self[key] = None if name is None else number_of(self._db, self._table, partition, name)
        return self[key]


def _new_rows(db: sqlite3.Connection, partitions: Sequence[int]) -> list[int]:
    """A new row in each of these partitions, in this order."""
    following = {}
    for number, count in Counter(partitions).items():
        db.execute("UPDATE partition SET sequence = sequence + ? WHERE id = ?", (count, number))
        (last,) = db.execute("SELECT sequence FROM partition WHERE id = ?", (number,)).fetchone()
        following[number] = itertools.count(number << PARTITION_BITS | last - count + 1)
    return [next(following[number]) for number in partitions]


def insert_event(db: sqlite3.Connection, rowid: int, event: Event) -> None:
    """Write an event of an entry and what follows from it."""
    db.execute(
        "INSERT INTO event (id, at, kind, entry, other, effective, detail) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            id_bytes(event.id),
            to_micros(event.at),
            event.kind,
            rowid,
            None if event.other_id is None else id_bytes(event.other_id),
            micros(event.effective),
            event.detail,
        ),
    )
    if event.kind in ENDING:
        at = to_micros(event.effective or event.at)
        db.execute(
            "UPDATE standing SET ends_at = min(coalesce(ends_at, ?), ?) WHERE rowid = ?", (at, at, rowid)
        )
        stale(db, rowid)


def stale(db: sqlite3.Connection, rowid: int) -> None:
    """Tell readers' caches that rows of this partition changed by more than an append."""
    db.execute("UPDATE partition SET epoch = epoch + 1 WHERE id = ?", (rowid >> PARTITION_BITS,))
