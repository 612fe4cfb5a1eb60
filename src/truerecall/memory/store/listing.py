"""Looking entries up without ranking them: the newest, by a part of their id, and how many there are."""

import sqlite3
from datetime import datetime

from truerecall.core.clock import to_micros
from truerecall.core.entry import Entry, Scope
from truerecall.core.ids import id_text
from truerecall.memory.store.partitions import readable_partitions
from truerecall.memory.store.protocol import Counts, Filter
from truerecall.memory.store.rows import partition_range, read_entries
from truerecall.memory.store.vectors import OpenModels, count_texts


def by_suffix(db: sqlite3.Connection, scope: Scope, suffix: str) -> list[str]:
    """Ids that the reader sees and that end so; no more than two of shared and two of private rows."""
    return [
        id_text(row[0])
        for number in readable_partitions(db, scope)
        for row in db.execute(
            "SELECT id FROM entry WHERE rowid BETWEEN ? AND ? AND substr(hex(id), ?) = ? LIMIT 2",
            (*partition_range(number), -len(suffix), suffix.upper()),
        )
    ]


def newest(db: sqlite3.Connection, scope: Scope, wanted: Filter, now: datetime) -> list[Entry]:
    """Entries that the reader sees, the last learned first."""
    conditions = ["e.rowid BETWEEN ? AND ?"]
    values: list[str | int] = []
    if wanted.kind is not None:
        conditions.append("e.kind = ?")
        values.append(wanted.kind)
    if wanted.session is not None:
        conditions.append("e.session = ?")
        values.append(wanted.session)
    if not wanted.ended:
        conditions.append("(s.ends_at IS NULL OR s.ends_at > ?)")
        values.append(to_micros(now))
    query = (
        f"SELECT e.rowid FROM entry e JOIN standing s USING (rowid) WHERE {' AND '.join(conditions)}"
        " ORDER BY e.recorded_at DESC, e.id DESC LIMIT ?"
    )
    rows = [
        row[0]
        for number in readable_partitions(db, scope)
        for row in db.execute(query, (*partition_range(number), *values, wanted.newest))
    ]
    entries = read_entries(db, rows).values()
    return sorted(entries, key=lambda e: (e.recorded_at, e.id), reverse=True)[: wanted.newest]


def counts(db: sqlite3.Connection, scope: Scope, now: datetime, models: OpenModels | None) -> Counts:
    """Rows that the reader sees."""
    total = [0, 0, 0, 0, 0]
    for number in readable_partitions(db, scope):
        low, high = partition_range(number)
        for place, query, values in (
            (0, "SELECT count(*) FROM standing WHERE rowid BETWEEN ? AND ?", (low, high)),
            (
                1,
                "SELECT count(*) FROM standing WHERE rowid BETWEEN ? AND ? AND ends_at <= ?",
                (low, high, to_micros(now)),
            ),
            (2, "SELECT count(*) FROM event WHERE entry BETWEEN ? AND ?", (low, high)),
            (4, "SELECT coalesce(sum(masked), 0) FROM entry WHERE rowid BETWEEN ? AND ?", (low, high)),
        ):
            total[place] += db.execute(query, values).fetchone()[0]
        total[3] += 0 if models is None else count_texts(db, models.dense, low, high)
    entries, ended, events, embedded, masked = total
    return Counts(entries, ended, events, None if models is None else embedded, masked)
