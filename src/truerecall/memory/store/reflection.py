"""Which groups of entries were reflected on, so that a reflection that was broken off goes on."""

import sqlite3
from collections.abc import Collection, Sequence
from datetime import datetime

from truerecall.core.clock import to_micros
from truerecall.core.entry import Scope
from truerecall.memory.store.partitions import partition_number
from truerecall.memory.store.rows import LOOKUP


def reflected(db: sqlite3.Connection, digests: Collection[bytes]) -> set[bytes]:
    """Those of these digests that were noted."""
    asked = list(digests)
    found: set[bytes] = set()
    for start in range(0, len(asked), LOOKUP):
        part = asked[start : start + LOOKUP]
        marks = ", ".join("?" * len(part))
        found.update(
            digest
            for (digest,) in db.execute(f"SELECT digest FROM reflection WHERE digest IN ({marks})", part)
        )
    return found


def note_reflected(
    db: sqlite3.Connection, scope: Scope, private: bool, digests: Sequence[bytes], at: datetime
) -> None:
    """Note digests of a scope's shared or private entries; what was noted stays as it was."""
    partition = partition_number(db, scope, "private" if private else "shared")
    if partition is None:
        return  # nothing was ever written there, so there is nothing to pass over
    db.executemany(
        "INSERT OR IGNORE INTO reflection (digest, partition, at) VALUES (?, ?, ?)",
        [(digest, partition, to_micros(at)) for digest in digests],
    )
