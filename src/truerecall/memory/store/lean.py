"""An existing store, opened to read it once: never made, never migrated, never written to.

For a process that lives for a tenth of a second and so cannot load numpy (docs/design/hook-recall.md).
"""

import contextlib
import sqlite3
from collections.abc import Collection, Iterator
from pathlib import Path

from truerecall.core.entry import DEFAULT_TRUST, Entry, Scope
from truerecall.errors import NotAStore, StoreError, StoreTooNew
from truerecall.memory.analysis import ANALYSIS_VERSION
from truerecall.memory.store.faults import translated
from truerecall.memory.store.identity import APPLICATION_ID, SCHEMA
from truerecall.memory.store.partitions import readable_partitions
from truerecall.memory.store.rows import partition_range, read_entries


@contextlib.contextmanager
def lean_store(path: Path, busy_timeout: float) -> Iterator[sqlite3.Connection]:
    """One snapshot of the store at ``path``, and the file as it was afterwards.

    Raises:
        StoreError: Where there is none, or one that this version cannot read as it is; ``NotAStore``, ``StoreTooNew``,
            ``StoreLocked`` say which.
    """
    where = str(path)
    with translated(where):
        if not path.exists():
            raise StoreError(
                "there is no store", where=where, remedy="It is made when something is remembered first."
            )
        if path.is_dir():
            raise NotAStore(
                "this is a folder, not a store", where=where, remedy="Name a file, such as memory.db in it."
            )
        address = f"{path.absolute().as_uri()}?mode=ro"
        with contextlib.closing(
            sqlite3.connect(address, uri=True, timeout=busy_timeout, isolation_level=None)
        ) as db:
            db.execute("PRAGMA query_only = ON")
            db.execute("BEGIN")
            _refuse_others(db, where)
            yield db


def _refuse_others(db: sqlite3.Connection, where: str) -> None:
    (application,) = db.execute("PRAGMA application_id").fetchone()
    if application != APPLICATION_ID:
        raise NotAStore(
            "the file is empty, or of another program",
            where=where,
            remedy="Name a store that truerecall made; nothing was changed in this one.",
        )
    (schema,) = db.execute("PRAGMA user_version").fetchone()
    if schema > SCHEMA:
        raise StoreTooNew(
            f"the store has schema {schema}, this version of truerecall knows up to {SCHEMA}",
            where=where,
            remedy="Upgrade truerecall; nothing was changed.",
        )
    made = db.execute("SELECT value FROM meta WHERE key = 'analysis_version'").fetchone()
    if schema < SCHEMA or made != (str(ANALYSIS_VERSION),):
        raise StoreError(
            "the store was written by an older version of truerecall",
            where=where,
            remedy="Open it once with `truerecall list`, which brings it forward; nothing was changed.",
        )


def stated_lately(
    db: sqlite3.Connection, scope: Scope, predicates: Collection[str], when: int, limit: int
) -> list[Entry]:
    """The facts of these predicates that hold and are trusted, those told last first.

    Args:
        db: Of ``lean_store``.
        scope: Of the reader.
        predicates: As entries name them.
        when: Microseconds: what is valid then.
        limit: At most so many.
    """
    from truerecall.memory.predicates import canonical  # on first use: a prompt asks for none

    names = sorted({canonical(predicate) for predicate in predicates})
    tiers = sorted(int(tier) for tier in DEFAULT_TRUST)
    query = (
        "SELECT t.entry, coalesce(s.happened_at, e.recorded_at) AS told, e.id FROM triple t"
        " JOIN standing s ON s.rowid = t.entry JOIN entry e ON e.rowid = t.entry"
        f" WHERE t.entry BETWEEN ? AND ? AND t.predicate IN ({_marks(names)}) AND e.kind = 'fact'"
        f" AND s.trust IN ({_marks(tiers)}) AND (s.starts_at IS NULL OR s.starts_at <= ?)"
        " AND (s.ends_at IS NULL OR s.ends_at > ?) ORDER BY told DESC, e.id DESC LIMIT ?"
    )
    found: list[tuple[int, bytes, int]] = []
    for number in readable_partitions(db, scope):
        rows = db.execute(query, (*partition_range(number), *names, *tiers, when, when, limit))
        found += ((told, entry_id, row) for row, told, entry_id in rows)
    newest = [row for _, _, row in sorted(found, reverse=True)][:limit]
    entries = read_entries(db, newest)
    return [entries[row] for row in newest]


def _marks(values: Collection[object]) -> str:
    return ", ".join("?" * len(values))
