"""SQLite's errors, and the system's, in our words."""

import contextlib
import sqlite3
from collections.abc import Iterator

from truerecall.errors import NotAStore, StoreError, StoreFull, StoreLocked, StoreReadOnly, TruerecallError


@contextlib.contextmanager
def translated(path: str) -> Iterator[None]:
    """Turn SQLite's and the system's errors into ours."""
    try:
        yield
    except sqlite3.Error as error:
        raise _explain(error, path) from error
    except PermissionError as error:
        raise _read_only(path) from error
    except OSError as error:
        if error.errno == 28:  # ENOSPC
            raise _full(path) from error
        if error.errno == 30:  # EROFS
            raise _read_only(path) from error
        raise StoreError(
            f"the store cannot be used: {error.strerror}", where=path, remedy="Check the disk and the path."
        ) from error


def _explain(error: sqlite3.Error, path: str) -> TruerecallError:
    name = getattr(error, "sqlite_errorname", "") or ""
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return StoreLocked(
            "another process is writing to the store",
            where=path,
            remedy="Try again, or raise store.busy_timeout; nothing was written.",
        )
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")):
        return _read_only(path)
    if name in ("SQLITE_FULL", "SQLITE_IOERR_SHMSIZE"):  # the second: no room for the -shm
        return _full(path)
    if name.startswith("SQLITE_NOTADB"):
        return NotAStore(
            "the file is not an SQLite file", where=path, remedy="Name a store that truerecall made."
        )
    if name.startswith("SQLITE_CORRUPT"):
        return NotAStore(
            f"the store is damaged or truncated ({error})",
            where=path,
            remedy="Run `truerecall doctor`; restore a copy or an export.",
        )
    if name.startswith("SQLITE_CONSTRAINT") and ".id" in str(error):
        return StoreError(
            "an id is taken: a memory with this seed and this time has written here before",
            where=path,
            remedy="Give another seed, or none; nothing of this batch was written.",
        )
    if isinstance(error, sqlite3.ProgrammingError) and "closed" in str(error):
        return StoreError("the memory is closed", where=path, remedy="Open it again with Memory.open.")
    return StoreError(f"SQLite says: {error}", where=path, remedy="Run `truerecall doctor` on the store.")


def _read_only(path: str) -> StoreReadOnly:
    return StoreReadOnly(
        "the store or its folder cannot be written",
        where=path,
        remedy="Let yourself write both (SQLite keeps its log beside the file), or use a copy elsewhere.",
    )


def _full(path: str) -> StoreFull:
    return StoreFull(
        "the disk is full",
        where=path,
        remedy="Free some space and try again; nothing of this batch was written.",
    )
