"""Which partitions a scope's rows are in, and which of them a reader sees."""

import sqlite3

from truerecall.core.entry import Scope, Visibility


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
