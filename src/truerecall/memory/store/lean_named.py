"""Entries by their ids for a process that cannot load numpy: those that the reader may recall, and no others."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from truerecall.core.clock import aware, to_micros
from truerecall.core.entry import Entry, Scope, Trust
from truerecall.core.ids import id_bytes
from truerecall.errors import InvalidInput
from truerecall.memory.store.lean import lean_store
from truerecall.memory.store.partitions import readable_partitions
from truerecall.memory.store.rows import LOOKUP, partition_range, read_entries


class Named(NamedTuple):
    """Which entries, and when they may be recalled."""

    ids: tuple[str, ...]
    """What is no id names nothing."""
    now: datetime
    """What is valid then is recalled."""
    trust: frozenset[Trust]
    session: str | None = None
    """Left out, with what is below it (``SESSION/…``)."""


def entries_named(path: Path, scope: Scope, wanted: Named, busy_timeout: float = 1.0) -> dict[str, Entry]:
    """By id those of these entries that this reader may recall.

    Raises:
        StoreError: The store is missing, damaged, locked, or of another version.
    """
    keys = _keys(wanted.ids)
    when = to_micros(aware(wanted.now, "now"))
    tiers = sorted(int(tier) for tier in wanted.trust)
    with lean_store(path, busy_timeout) as db:
        spans = [partition_range(number) for number in readable_partitions(db, scope)]
        rows: list[int] = []
        for start in range(0, len(keys), LOOKUP):
            part = keys[start : start + LOOKUP]
            found = db.execute(
                "SELECT s.rowid FROM entry e JOIN standing s USING (rowid)"
                f" WHERE e.id IN ({', '.join('?' * len(part))}) AND s.trust IN ({', '.join('?' * len(tiers))})"
                " AND (s.starts_at IS NULL OR s.starts_at <= ?) AND (s.ends_at IS NULL OR s.ends_at > ?)",
                (*part, *tiers, when, when),
            )
            rows += [row for (row,) in found if any(low <= row <= high for low, high in spans)]
        entries = read_entries(db, rows).values()
    return {entry.id: entry for entry in entries if not _below(entry.source.session, wanted.session)}


def _keys(ids: Sequence[str]) -> list[bytes]:
    keys = []
    for entry_id in dict.fromkeys(ids):
        try:
            keys.append(id_bytes(entry_id))
        except InvalidInput:
            continue
    return keys


def _below(session: str | None, named: str | None) -> bool:
    return session is not None and named is not None and (session == named or session.startswith(f"{named}/"))
