"""The SQLite file: made whole or not at all, opened only if it is ours, and its errors in our words."""

import contextlib
import glob
import os
import secrets
import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from truerecall.core.config import StoreSettings
from truerecall.errors import InvalidInput, NotAStore, StoreError
from truerecall.memory.store.faults import translated
from truerecall.memory.store.identity import APPLICATION_ID
from truerecall.memory.store.pool import ReaderPool

IN_MEMORY = ":memory:"

_READERS = 8  # at once in a process: each may hold 2 MB of pages; further threads wait
_STALE = 600.0  # seconds: a draft is finished in a fraction of one
_WAL_LIMIT = 16 << 20  # a busy phase grows the -wal to 125 MB (measured); it is cut back to this


class _Present(threading.local):
    """The transaction in which the present thread is."""

    connection: sqlite3.Connection | None = None
    writing = False


class Database:
    """One connection that writes, used by one thread at a time, and a few that read; transactions are explicit."""

    def __init__(self, path: str, writer: sqlite3.Connection, readers: ReaderPool | None) -> None:
        self.path = path
        self._writer = writer
        self._readers = readers
        """None in memory, where a second connection would be another store."""
        self._process = os.getpid()
        self._lock = threading.RLock()
        self._present = _Present()

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """One snapshot: what others write meanwhile does not show. Nests, also inside ``writing``."""
        self._refuse_fork()
        with translated(self.path):
            if self._present.connection is not None:
                yield self._present.connection
            elif self._readers is None:
                with self._lock, self._transaction(self._writer, "BEGIN") as connection:
                    yield connection
            else:
                with self._readers.lent() as reader, self._transaction(reader, "BEGIN") as connection:
                    yield connection

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Hold the write lock from the start, so that no upgrade can fail half-way. All or nothing."""
        self._refuse_fork()
        with translated(self.path):
            if self._present.connection is None:
                with self._lock, self._transaction(self._writer, "BEGIN IMMEDIATE") as connection:
                    yield connection
            elif self._present.writing:
                yield self._present.connection
            else:
                # What it read may be gone when it writes, and in memory the write would end with the read.
                raise StoreError(
                    "a write began inside a read", where=self.path, remedy="Finish the read first."
                )

    @contextlib.contextmanager
    def _transaction(self, connection: sqlite3.Connection, begin: str) -> Iterator[sqlite3.Connection]:
        connection.execute(begin)
        self._present.connection, self._present.writing = connection, begin != "BEGIN"
        try:
            yield connection
            connection.execute("COMMIT")
        except BaseException:
            # A full disk makes SQLite roll back by itself.
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        finally:
            self._present.connection, self._present.writing = None, False

    @contextlib.contextmanager
    def outside(self) -> Iterator[sqlite3.Connection]:
        """The bare writing connection, for statements that refuse to run in a transaction (checkpoints, VACUUM)."""
        self._refuse_fork()
        with self._lock, translated(self.path):
            yield self._writer

    def _refuse_fork(self) -> None:
        # SQLite's locks belong to the process that took them: a child that used them would corrupt the file.
        if os.getpid() != self._process:
            raise StoreError(
                "the memory was opened before this process was forked",
                where=self.path,
                remedy="Open it again in this process.",
            )

    def close(self) -> None:
        """Release the file; closing twice is no error. A thread that still reads may finish."""
        with self._lock:
            if self._readers is not None:
                self._readers.close()
            self._writer.close()


def open_database(
    path: str | Path, settings: StoreSettings, create: Callable[[sqlite3.Connection], None]
) -> Database:
    """Open the store at ``path``; where there is none, make one with ``create``, whole or not at all."""
    if str(path) == IN_MEMORY:
        database = Database(IN_MEMORY, _connect(IN_MEMORY, settings), None)
        with database.outside() as connection:
            create(connection)
        return database
    file = Path(path)
    if "\x00" in str(file):
        raise InvalidInput("the store's path holds a NUL", remedy="Name a file without it.")
    if not file.parent.is_dir():
        raise StoreError(
            "the store's folder does not exist",
            where=str(file.parent),
            remedy="Make it, or name another path.",
        )
    if file.is_dir():
        raise NotAStore(
            "this is a folder, not a store", where=str(file), remedy="Name a file, such as memory.db in it."
        )
    if not file.exists():
        _make(file, settings, create)
    _inspect(file)
    with translated(str(file)):
        place = file.absolute()  # the working folder may be another when a reader is made
        writer = _connect(str(place), settings)
        return Database(str(file), writer, ReaderPool(_reader_of(place, settings), _READERS))


def _make(file: Path, settings: StoreSettings, create: Callable[[sqlite3.Connection], None]) -> None:
    """Build the store beside its place, then link it there: a crash or a race leaves no half-made store."""
    draft = file.with_name(f".{file.name}.{secrets.token_hex(6)}.new")
    with translated(str(file)):
        try:
            descriptor = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_RDWR, settings.mode)
            os.fchmod(descriptor, settings.mode)  # the umask may have taken bits away
            os.close(descriptor)
            connection = _connect(str(draft), settings)
            try:
                create(connection)
                # Closing would do it too, but keeps silent where the disk has no room for it.
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            finally:
                connection.close()
            _place(draft, file)
            _clear_stale_drafts(file)
        finally:
            for suffix in ("", "-wal", "-shm", "-journal"):
                draft.with_name(draft.name + suffix).unlink(missing_ok=True)


def _clear_stale_drafts(file: Path) -> None:
    """Remove what was left of the drafts of processes that were killed while they made this store."""
    made = file.stat().st_mtime
    for path in file.parent.glob(f".{glob.escape(file.name)}.*.new*"):
        with contextlib.suppress(OSError):
            if path.stat().st_mtime < made - _STALE:
                path.unlink()


def _place(draft: Path, file: Path) -> None:
    try:
        os.link(draft, file)
    except FileExistsError:  # another process was first: use its store
        return
    except OSError:  # a file system without hard links
        if not file.exists():
            draft.rename(file)


def _connect(path: str, settings: StoreSettings) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, timeout=settings.busy_timeout, isolation_level=None, check_same_thread=False
    )
    try:
        # Deleted content is overwritten with zeros on every connection, or a purge would leave bytes behind.
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(f"PRAGMA journal_size_limit = {_WAL_LIMIT}")
    except BaseException:
        connection.close()
        raise
    return connection


def _reader_of(file: Path, settings: StoreSettings) -> Callable[[], sqlite3.Connection]:
    """Makes connections that read the file which is there now, and no other that comes into its place."""

    def identity() -> tuple[int, int]:
        found = file.stat()
        return found.st_dev, found.st_ino

    opened = identity()

    def connect() -> sqlite3.Connection:
        if identity() != opened:
            raise StoreError(
                "another file has taken the place of the store",
                where=str(file),
                remedy="Close the memory and open it again.",
            )
        connection = _connect(str(file), settings)
        connection.execute("PRAGMA query_only = ON")
        return connection

    return connect


def _inspect(file: Path) -> None:
    """Refuse what is no store of ours, and change nothing in it.

    Through SQLite alone: closing a descriptor of our own would drop every lock that this process holds on the file
    (POSIX), also those of another memory that is open on it, and writes would be lost.
    """
    if not file.stat().st_size:
        raise NotAStore(
            "the file is empty",
            where=str(file),
            remedy="Restore it from a copy, or remove it to start a new store.",
        )
    # Immutable: no lock is taken, no -wal or -shm made. The header of a store of ours is in the file from the first.
    address = f"{file.resolve().as_uri()}?mode=ro&immutable=1"
    with translated(str(file)), contextlib.closing(sqlite3.connect(address, uri=True)) as connection:
        # Without this a file that is growing under another's checkpoint would be taken for a damaged one.
        connection.execute("PRAGMA writable_schema = ON")
        application = connection.execute("PRAGMA application_id").fetchone()[0]
    if application != APPLICATION_ID:
        raise NotAStore(
            "the file is an SQLite file of another program",
            where=str(file),
            remedy="Name a store that truerecall made; nothing was changed in this one.",
        )
