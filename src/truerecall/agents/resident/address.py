"""Where the resident process listens: a Unix socket in a folder that only its user can enter."""

import os
import socket
import stat
import struct
from collections.abc import Mapping
from pathlib import Path

from truerecall.agents.places import Places
from truerecall.errors import InvalidSettings

_LONGEST = 100
"""Bytes of a path: the system's limit is 104 or 108, with the zero at its end."""


def socket_path(places: Places, environment: Mapping[str, str]) -> Path:
    """The socket's place: in the folder of the agents' state, or where that is too long, below XDG_RUNTIME_DIR.

    Raises:
        InvalidSettings: Both are too long, or there is no XDG_RUNTIME_DIR.
    """
    path = places.state / "resident.sock"
    if len(os.fsencode(path)) <= _LONGEST:
        return path
    runtime = environment.get("XDG_RUNTIME_DIR", "")
    if runtime.startswith("/"):
        import hashlib  # on first use: most paths are short

        digest = hashlib.sha256(os.fsencode(places.state)).hexdigest()
        path = Path(runtime) / f"truerecall-{digest[:16]}.sock"
        if len(os.fsencode(path)) <= _LONGEST:
            return path
    raise InvalidSettings(
        f"the path of the resident process's socket is longer than {_LONGEST} bytes",
        where=str(places.state),
        remedy="Set XDG_RUNTIME_DIR or a shorter XDG_STATE_HOME, or leave hook.resident off.",
    )


def lock_path(places: Places) -> Path:
    """A file that the one process holds locked; it is touched when that starts."""
    return places.state / "resident.lock"


def entered_by_its_user_alone(folder: Path) -> bool:
    """Whether a folder is this user's, and nobody else can enter it; False also where it cannot be looked at."""
    try:
        found = folder.stat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077


def ours(path: Path) -> bool:
    """Whether what lies there is a socket of this user, in a folder of its own.

    Raises:
        FileNotFoundError: Nothing is there.
    """
    found = path.lstat()
    own = stat.S_ISSOCK(found.st_mode) and found.st_uid == os.geteuid()
    return own and entered_by_its_user_alone(path.parent)


def same_user(connection: socket.socket) -> bool:
    """Whether this user is at the other end, where the system tells; the folder keeps others out everywhere."""
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return True
    said = connection.getsockopt(socket.SOL_SOCKET, option, struct.calcsize("3i"))
    _, user, _ = struct.unpack("3i", said)
    return bool(user == os.geteuid())
