"""The hook's side: one question, and an answer within a quarter of a second or none. Loads little."""

import socket
from pathlib import Path
from time import monotonic

from truerecall.agents.resident.address import ours, same_user
from truerecall.agents.resident.protocol import MOST_BYTES, Question, Reply, line_of, reply_in

SECONDS = 0.25
"""In all, from the first step to the last byte."""


def ask(path: Path, question: Question, seconds: float = SECONDS) -> Reply:
    """What the process that listens at ``path`` answers; a reply with a reason where it does not."""
    deadline = monotonic() + seconds
    try:
        if not ours(path):
            return Reply("not ours")
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(seconds)
            connection.connect(str(path))
            if not same_user(connection):
                return Reply("not ours")
            connection.sendall(line_of(question))
            line = _line(connection, deadline)
    except (FileNotFoundError, ConnectionRefusedError):
        return Reply("not running")
    except OSError:  # also what is killed while it answers
        return Reply("late")
    return (None if line is None else reply_in(line)) or Reply("late")


def listening(path: Path) -> bool:
    """Whether a process of ours takes questions there; it is asked none."""
    try:
        if not ours(path):
            return False
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(SECONDS)
            connection.connect(str(path))
    except OSError:
        return False
    return True


def _line(connection: socket.socket, deadline: float) -> bytes | None:
    """A whole line; None where it does not come in time, or is too long."""
    data = b""
    while not data.endswith(b"\n"):
        left = deadline - monotonic()
        if left <= 0 or len(data) > MOST_BYTES:
            return None
        connection.settimeout(left)
        piece = connection.recv(1 << 16)
        if not piece:
            return None
        data += piece
    return data
