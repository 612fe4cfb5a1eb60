"""Connections that only read, lent to one thread at a time: each has a snapshot of its own, so readers never queue."""

import contextlib
import sqlite3
import threading
from collections.abc import Callable, Iterator


class ReaderPool:
    """At most so many connections at once, made when they are needed; further threads wait for one."""

    def __init__(self, connect: Callable[[], sqlite3.Connection], most: int) -> None:
        self._connect = connect
        self._slots = threading.BoundedSemaphore(most)
        self._idle: list[sqlite3.Connection] = []
        self._closed = threading.Event()

    @contextlib.contextmanager
    def lent(self) -> Iterator[sqlite3.Connection]:
        """A connection outside any transaction, for as long as the ``with`` lasts."""
        with self._slots:
            if self._closed.is_set():
                raise sqlite3.ProgrammingError("the pool is closed")
            try:
                connection = self._idle.pop()
            except IndexError:
                connection = self._connect()
            try:
                yield connection
            finally:
                # One that is still in a transaction would keep old pages alive for good.
                if connection.in_transaction:
                    connection.close()
                else:
                    self._idle.append(connection)
                if self._closed.is_set():
                    self._close_idle()

    def close(self) -> None:
        """Close what is idle now, and what is lent as soon as it comes back."""
        self._closed.set()
        self._close_idle()

    def _close_idle(self) -> None:
        while self._idle:
            with contextlib.suppress(IndexError):  # another thread took the last one
                self._idle.pop().close()
