"""Looking into an SQLite file that belongs to another program, which may be running and keeps its keys in it too."""

import sqlite3
from collections.abc import Callable, Collection, Mapping
from contextlib import closing
from pathlib import Path
from typing import TypeVar

Found = TypeVar("Found")
Columns = Mapping[str, Collection[str]]
"""By table the columns that may be read."""

_FUNCTIONS = ("max",)
_PATIENCE = 2.0  # seconds for a lock: readers of a WAL file wait for nobody but a recovery


def look_into(database: Path, columns: Columns, work: Callable[[sqlite3.Connection], Found]) -> Found:
    """What ``work`` finds in a database by SELECT in these columns; SQLite itself refuses it everything else.

    Without a WAL file nobody has it open: it is then read as a file that nobody changes, so that SQLite makes none
    beside it. Should its owner have come in meanwhile, it is read again as one that is in use.

    Raises:
        sqlite3.Error: It is no database, or not of that shape.
        OSError: It cannot be read.
    """
    wal = database.with_name(f"{database.name}-wal")
    if not wal.exists():
        before = _stamp(database)
        try:
            found = _worked(database, "&immutable=1", columns, work)
        except sqlite3.Error:
            if not wal.exists() and _stamp(database) == before:
                raise
        else:
            if not wal.exists() and _stamp(database) == before:
                return found
    return _worked(database, "", columns, work)


def _worked(
    database: Path, options: str, columns: Columns, work: Callable[[sqlite3.Connection], Found]
) -> Found:
    def allowed(action: int, first: str | None, second: str | None, *where: str | None) -> int:
        if action == sqlite3.SQLITE_SELECT:
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_READ and first is not None and first in columns:
            return sqlite3.SQLITE_OK if not second or second in columns[first] else sqlite3.SQLITE_DENY
        if action == sqlite3.SQLITE_FUNCTION and second in _FUNCTIONS:
            return sqlite3.SQLITE_OK
        return sqlite3.SQLITE_DENY

    address = f"{database.absolute().as_uri()}?mode=ro{options}"
    with closing(sqlite3.connect(address, uri=True, timeout=_PATIENCE)) as connection:
        connection.set_authorizer(allowed)
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        return work(connection)


def _stamp(database: Path) -> tuple[int, int]:
    status = database.stat()
    return status.st_mtime_ns, status.st_size
