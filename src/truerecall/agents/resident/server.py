"""The resident process at work: it answers who asks, fills in vectors when nobody does, and knows when to end."""

import os
import select
import socket
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from truerecall.agents.journal import told
from truerecall.agents.resident.address import entered_by_its_user_alone, same_user
from truerecall.agents.resident.answering import Answering
from truerecall.agents.resident.filling import Filling
from truerecall.agents.resident.protocol import MOST_BYTES, Reply, line_of, question_in
from truerecall.core.clock import Clock
from truerecall.errors import StoreReadOnly
from truerecall.models.protocols import Embedder

_BACKLOG = 16
_PATIENCE = 0.2  # seconds for a question to be there whole, and for its answer to be taken
_LOOK = 5.0  # seconds at most between two looks at whether the socket is still there


class Limits(NamedTuple):
    """How long the process waits."""

    idle: float
    """Seconds without a question after which it ends."""
    monotonic: Callable[[], float] = monotonic


class Listening(NamedTuple):
    """A socket, and which file it is."""

    socket: socket.socket
    device: int
    inode: int


def listen(path: Path) -> Listening:
    """Listen at ``path``; what was left there by a process that was killed is removed. Hold the lock first.

    Raises:
        StoreReadOnly: Others can enter the folder, or it is another's.
        OSError: As does the system.
    """
    if not entered_by_its_user_alone(path.parent):
        raise StoreReadOnly(
            "others can enter the folder of the resident process's socket",
            where=str(path.parent),
            remedy="Take their permissions away: chmod 700.",
        )
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        path.unlink(missing_ok=True)
        mask = os.umask(0o177)
        try:
            listener.bind(str(path))
        finally:
            os.umask(mask)
        listener.listen(_BACKLOG)
        listener.setblocking(False)
        found = path.lstat()
    except BaseException:
        listener.close()
        raise
    return Listening(listener, found.st_dev, found.st_ino)


class Server:
    """One listener, one thread. Whoever asks while vectors are made is answered between two texts."""

    def __init__(
        self,
        path: Path,
        embedder: Embedder,
        clock: Clock,
        limits: Limits,
        tell: Callable[[str], None],
    ) -> None:
        """Listen at ``path``; see ``listen`` for what it raises. ``tell`` is told what went wrong."""
        self._path, self._limits, self._tell = path, limits, tell
        self._listener, *own = listen(path)
        self._file = tuple(own)
        self._awake, self._wake = socket.socketpair()
        self._wake.setblocking(False)
        self._answering = Answering(embedder, clock)
        self._filling = Filling(embedder, clock, lambda: self.attend(0))
        self._asked = limits.monotonic()
        self._why = ""

    def run(self, store: Path | None = None) -> str:
        """Answer until it is time to end; why it is. ``store`` is filled first."""
        if store is not None:
            self._filling.want(store)
        look = min(_LOOK, self._limits.idle / 8)
        again = True
        while self.attend(0 if again and self._filling.waiting else look):
            try:
                again = self._filling.run() if self._filling.waiting else True
            except Exception as error:  # the outermost edge: what is missing stays missing
                self._tell(told(error))
        return self._why

    def stop(self, why: str) -> None:
        """End soon; may be called by a signal's handler."""
        self._why = self._why or why
        try:
            self._wake.send(b"\0")
        except OSError:
            return

    def close(self) -> None:
        """Remove the socket if it is still ours, and release everything."""
        if self._identity() == self._file:
            self._path.unlink(missing_ok=True)
        for each in (self._listener, self._awake, self._wake):
            each.close()
        self._answering.close()

    def attend(self, seconds: float) -> bool:
        """Wait so long for questions and answer all that are there; False where it is time to end."""
        while not self._over():
            left = self._limits.idle - (self._limits.monotonic() - self._asked)
            ready, _, _ = select.select([self._listener, self._awake], [], [], max(0, min(seconds, left)))
            if self._listener not in ready:
                break
            self._serve()
            seconds = 0
        return not self._over()

    def _over(self) -> bool:
        if not self._why:
            if self._identity() != self._file:
                self._why = "its socket is gone or another's"
            elif self._limits.monotonic() - self._asked >= self._limits.idle:
                self._why = f"nobody asked for {self._limits.idle / 60:g} minutes"
        return bool(self._why)

    def _identity(self) -> tuple[int, ...] | None:
        try:
            found = self._path.lstat()
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def _serve(self) -> None:
        try:
            connection, _ = self._listener.accept()
        except OSError:
            return  # it went away again
        with connection:
            try:
                if not same_user(connection):
                    return
                line = self._line(connection)
                if not line:
                    return  # somebody looked whether anybody is there
                self._asked = self._limits.monotonic()
                connection.settimeout(_PATIENCE)
                connection.sendall(line_of(self._reply(line)))
            except OSError:
                return  # it waits no longer

    def _line(self, connection: socket.socket) -> bytes:
        deadline = monotonic() + _PATIENCE
        data = b""
        while not data.endswith(b"\n") and len(data) <= MOST_BYTES:
            connection.settimeout(max(0.001, deadline - monotonic()))
            piece = connection.recv(1 << 16)
            if not piece:
                break
            data += piece
        return data

    def _reply(self, line: bytes) -> Reply:
        question = question_in(line)
        if question is None:
            return Reply("bad question")
        try:
            reply = self._answering.answer(question)
        except Exception as error:  # the outermost edge: the hook goes on without an answer
            self._tell(told(error))
            return Reply("failed")
        if reply.reason == "other version":
            self._why = "another version is installed"
        elif reply.reason == "no model" and not self._answering.open:
            self._why = "the store's vectors are of another model"
        elif not reply.reason:
            self._filling.want(Path(question.store))
        return reply
