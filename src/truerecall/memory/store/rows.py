"""Entries and events as rows and back; the only place that knows the columns' order."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from truerecall.core.clock import from_micros, to_micros
from truerecall.core.entry import Entry, Event, EventTime, Precision, Scope, Source, Statement, Trust
from truerecall.core.ids import id_text

PARTITION_BITS = 32
ROW_MASK = (1 << PARTITION_BITS) - 1
LOOKUP = 500  # values bound in one IN (...): below the 999 of older builds

_ENTRY = (
    "e.rowid, e.id, p.tenant, p.space, p.owner, e.author, e.text, e.kind, e.decay_class, e.trust, e.speaker,"
    " e.channel, e.session, e.position, e.tool, e.repository, e.commit_id, e.branch, e.cwd, e.happened_at,"
    " e.happened_precision, e.recorded_at, e.replayed, e.valid_from, e.valid_to, e.proof_count, e.confidence,"
    " e.pinned, e.masked, s.ends_at, e.subject, e.predicate, e.object, e.trait"
)
_FROM = "FROM entry e JOIN standing s USING (rowid) JOIN partition p ON p.id = e.rowid >> 32"
_COLUMNS = (
    "rowid, id, author, text, kind, decay_class, trust, speaker, channel, session, position, tool, repository,"
    " commit_id, branch, cwd, happened_at, happened_precision, recorded_at, replayed, valid_from, valid_to,"
    " proof_count, confidence, pinned, masked, digest, subject, predicate, object, trait"
)
INSERT_ENTRY = f"INSERT INTO entry ({_COLUMNS}) VALUES ({', '.join('?' * 31)})"


def digest_of(entry: Entry) -> bytes:
    """What two entries of one partition share if the second is a duplicate: session, position and text."""
    import hashlib  # on first use: who only reads needs none

    source = entry.source
    told = f"{source.session!r}\x00{source.position!r}\x00{entry.text}"
    return hashlib.blake2b(told.encode(), digest_size=16).digest()


def entry_row(rowid: int, entry: Entry, digest: bytes) -> tuple[Any, ...]:
    """The values of ``INSERT_ENTRY``."""
    source, happened, says = entry.source, entry.happened_at, entry.statement
    return (
        rowid, _known_id(entry.id), entry.scope.user, entry.text, entry.kind, entry.decay_class, int(entry.trust),
        source.speaker, source.channel, source.session, source.position, source.tool, source.repository,
        source.commit, source.branch, source.cwd,
        None if happened is None else to_micros(happened.instant),
        None if happened is None else happened.precision,
        to_micros(entry.recorded_at), int(entry.replayed), micros(entry.valid_from), micros(entry.valid_to),
        entry.proof_count, entry.confidence, int(entry.pinned), entry.masked, digest,
        *((None, None, None) if says is None else (says.subject, says.predicate, says.object)), entry.trait,
    )  # fmt: skip


def _known_id(entry_id: str) -> bytes:
    """As ``id_bytes``, of an id that was made here or has passed it: in a third of the time."""
    return bytes.fromhex(entry_id.replace("-", ""))


def read_entries(db: sqlite3.Connection, rowids: Sequence[int]) -> dict[int, Entry]:
    """The entries of these rows, by row."""
    found: dict[int, Entry] = {}
    for start in range(0, len(rowids), LOOKUP):
        part = rowids[start : start + LOOKUP]
        marks = ", ".join("?" * len(part))
        rows = db.execute(f"SELECT {_ENTRY} {_FROM} WHERE e.rowid IN ({marks})", part).fetchall()
        sources = _sources(db, f"entry IN ({marks})", part)
        found.update((row[0], _entry(row, sources)) for row in rows)
    return found


def read_ids(db: sqlite3.Connection, rowids: Sequence[int]) -> list[tuple[int, bytes]]:
    """The ids of these rows, each with its row."""
    found: list[tuple[int, bytes]] = []
    for start in range(0, len(rowids), LOOKUP):
        part = rowids[start : start + LOOKUP]
        marks = ", ".join("?" * len(part))
        found += db.execute(f"SELECT rowid, id FROM entry WHERE rowid IN ({marks})", part).fetchall()
    return found


def read_tie_keys(db: sqlite3.Connection, rowids: Sequence[int]) -> dict[int, tuple[str, int, bytes]]:
    """Session, position and id of these rows, as ``recall.order`` compares them."""
    found: dict[int, tuple[str, int, bytes]] = {}
    for start in range(0, len(rowids), LOOKUP):
        part = rowids[start : start + LOOKUP]
        for rowid, session, position, entry_id in db.execute(
            "SELECT rowid, coalesce(session, ''), coalesce(position, -1), id FROM entry"
            f" WHERE rowid IN ({', '.join('?' * len(part))})",
            part,
        ):
            found[rowid] = (session, position, entry_id)
    return found


def taken_back(db: sqlite3.Connection, rowids: Sequence[int]) -> set[int]:
    """Those of these rows that were forgotten or corrected: no time makes them recalled again."""
    found: set[int] = set()
    for start in range(0, len(rowids), LOOKUP):
        part = rowids[start : start + LOOKUP]
        found.update(
            row
            for (row,) in db.execute(
                "SELECT entry FROM event WHERE (kind = 'retired' OR kind = 'superseded' AND detail = '')"
                f" AND entry IN ({', '.join('?' * len(part))})",
                part,
            )
        )
    return found


def scan_entries(
    db: sqlite3.Connection, low: int, high: int, batch: int = 1000
) -> Iterable[tuple[int, Entry]]:
    """All entries of a range of rows, in order, without holding them all."""
    after = low - 1
    while True:
        rows = db.execute(
            f"SELECT {_ENTRY} {_FROM} WHERE e.rowid > ? AND e.rowid <= ? ORDER BY e.rowid LIMIT ?",
            (after, high, batch),
        ).fetchall()
        if not rows:
            return
        sources = _sources(db, "entry BETWEEN ? AND ?", (rows[0][0], rows[-1][0]))
        for row in rows:
            yield row[0], _entry(row, sources)
        after = rows[-1][0]


def read_events(db: sqlite3.Connection, low: int, high: int) -> list[Event]:
    """The events of a range of entry rows, in the order in which they were written."""
    rows = db.execute(
        "SELECT v.id, v.at, v.kind, e.id, v.other, v.effective, v.detail FROM event v JOIN entry e ON e.rowid = v.entry"
        " WHERE v.entry BETWEEN ? AND ? ORDER BY v.sequence",
        (low, high),
    )
    return [
        Event(
            id_text(i),
            from_micros(at),
            kind,
            id_text(entry),
            None if other is None else id_text(other),
            _instant(effective),
            detail,
        )
        for i, at, kind, entry, other, effective, detail in rows
    ]


def partition_range(partition: int) -> tuple[int, int]:
    """The first and last row that a partition can have."""
    return partition << PARTITION_BITS, partition << PARTITION_BITS | ROW_MASK


def micros(value: Any) -> int | None:
    """Microseconds of a time that may be absent."""
    return None if value is None else to_micros(value)


# Few different ones stand in many rows, and making one checks it anew.
@lru_cache(maxsize=1024)
def _scope(tenant: str, space: str, author: str) -> Scope:
    return Scope(tenant, space, author)


@lru_cache(maxsize=4096)
def _event_time(at: int, precision: Precision) -> EventTime:
    return EventTime(from_micros(at), precision)


def _sources(db: sqlite3.Connection, where: str, values: Sequence[int]) -> Mapping[int, tuple[str, ...]]:
    found: dict[int, tuple[str, ...]] = {}
    for entry, source in db.execute(
        f"SELECT entry, source FROM derivation WHERE {where} ORDER BY entry, place", values
    ):
        found[entry] = (*found.get(entry, ()), id_text(source))
    return found


def _entry(row: tuple[Any, ...], sources: Mapping[int, tuple[str, ...]]) -> Entry:
    (
        rowid, entry_id, tenant, space, owner, author, text, kind, decay_class, trust, speaker, channel, session,
        position, tool, repository, commit, branch, cwd, happened_at, precision, recorded_at, replayed, valid_from,
        valid_to, proof_count, confidence, pinned, masked, ends_at, subject, predicate, object_, trait,
    ) = row  # fmt: skip
    return Entry(  # by place, in half the time: 19 names have to be matched
        id_text(entry_id), _scope(tenant, space, author), "private" if owner else "shared", text, kind, decay_class,
        Trust(trust), Source(speaker, channel, session, position, tool, repository, commit, branch, cwd),
        sources.get(rowid, ()), None if happened_at is None else _event_time(happened_at, precision),
        from_micros(recorded_at), bool(replayed), _instant(valid_from), _instant(valid_to), _instant(ends_at),
        proof_count, confidence, bool(pinned), masked,
        None if subject is None else Statement(subject, predicate, object_), trait,
    )  # fmt: skip


def _instant(value: int | None) -> datetime | None:
    return None if value is None else from_micros(value)
