"""Removing entries for good: no byte of them stays in any file of the store (docs/design/purge.md)."""

import secrets
import sqlite3
from collections.abc import Sequence

from truerecall.core.entry import Scope
from truerecall.core.ids import id_text
from truerecall.memory.store.database import Database
from truerecall.memory.store.entities import remove_drawn
from truerecall.memory.store.migrations import kept_copies
from truerecall.memory.store.numbering import forget_unused
from truerecall.memory.store.partitions import readable_partitions
from truerecall.memory.store.rows import PARTITION_BITS, partition_range
from truerecall.memory.store.standing import seal
from truerecall.memory.store.textindex import optimize_index, remove_from_index
from truerecall.memory.store.vectors import remove_vectors
from truerecall.memory.store.writing import stale

_PENDING = "purge_pending"


def remove(
    db: sqlite3.Connection, scope: Scope, rowids: Sequence[int]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Delete these rows and all that was derived from them; (ids that the reader saw, exports that still hold them)."""
    seen = [partition_range(number) for number in readable_partitions(db, scope)]
    doomed = _with_derived(db, rowids)
    exports = _exports(db, doomed)
    ids = []
    for rowid in doomed:
        entry_id = db.execute("SELECT id FROM entry WHERE rowid = ?", (rowid,)).fetchone()[0]
        # What another user derived in private goes too, but its id is not told.
        if any(low <= rowid <= high for low, high in seen):
            ids.append(id_text(entry_id))
        for table, column in (
            ("derivation", "entry"),
            ("event", "entry"),
            ("standing", "rowid"),
        ):
            db.execute(f"DELETE FROM {table} WHERE {column} = ?", (rowid,))
        db.execute("UPDATE event SET other = NULL WHERE other = ?", (entry_id,))
        db.execute("DELETE FROM derivation WHERE source = ?", (entry_id,))
    remove_vectors(db, doomed)
    remove_drawn(db, doomed)
    remove_from_index(db, doomed)
    for rowid in doomed:
        db.execute("DELETE FROM entry WHERE rowid = ?", (rowid,))
        stale(db, rowid)
    forget_unused(db, doomed)
    seal(db, doomed)
    optimize_index(db)
    # Its own mark: another purge, finishing meanwhile, must not take this one's away.
    db.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (_PENDING, secrets.token_hex(8)))
    return tuple(ids), exports


def finish(database: Database) -> bool:
    """Empty the write-ahead log and drop kept copies after a purge; False while an open reader prevents it."""
    with database.outside() as connection:
        mark = pending(connection)
        if mark is None:
            return True
        busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        if busy:
            return False
        for copy in kept_copies(database.path):
            copy.unlink(missing_ok=True)
        connection.execute("DELETE FROM meta WHERE key = ? AND value = ?", (_PENDING, mark))
        return True


def pending(db: sqlite3.Connection) -> str | None:
    """The mark of a purge that waits for a reader to close, or None."""
    row = db.execute("SELECT value FROM meta WHERE key = ?", (_PENDING,)).fetchone()
    return None if row is None else str(row[0])


def _with_derived(db: sqlite3.Connection, rowids: Sequence[int]) -> list[int]:
    found = dict.fromkeys(rowids)
    queue = list(rowids)
    while queue:
        row = db.execute("SELECT id FROM entry WHERE rowid = ?", (queue.pop(),)).fetchone()
        for (derived,) in db.execute("SELECT entry FROM derivation WHERE source = ?", row).fetchall():
            if derived not in found:
                found[derived] = None
                queue.append(derived)
    return list(found)


def _exports(db: sqlite3.Connection, rowids: Sequence[int]) -> tuple[str, ...]:
    """Exports of these rows' partitions: each may hold them, and no store can reach into it."""
    paths: dict[str, None] = {}
    for number in sorted({rowid >> PARTITION_BITS for rowid in rowids}):
        for (path,) in db.execute("SELECT path FROM export WHERE partition = ? ORDER BY at, path", (number,)):
            paths[path] = None
    return tuple(paths)
