"""What a session was given: it is before its model already, and is not put there again.

A file a session, an id a line; of no use to anybody after a week. Where it cannot be read or written nothing is known,
and an entry comes twice.
"""

import os
import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path

from truerecall.agents.hook.events import Asked
from truerecall.agents.places import Places

_FOLDER = "given"
_KEPT = timedelta(days=7)
_MOST = 1 << 18
"""Bytes of a file; about seven thousand ids."""
_ID = r"[0-9a-f-]{36}"
_NAME = re.compile(r"[A-Za-z0-9_-]{1,100}")
_COMPACTED = "PreCompact"
_GONE = ("compact", "clear")
"""Sources of a session's begin after which its model sees nothing of what it saw."""


def given(places: Places, asked: Asked) -> frozenset[str]:
    """The ids of the entries that the session was given; none of a session without an id."""
    if not asked.session:
        return frozenset()
    try:
        file = os.open(_path(places, asked), os.O_RDONLY | _flags())
        try:
            data = os.read(file, _MOST)
        finally:
            os.close(file)
    except OSError:
        return frozenset()
    return frozenset(line for line in data.decode("ascii", "replace").split("\n") if re.fullmatch(_ID, line))


def give(places: Places, asked: Asked, ids: Iterable[str]) -> None:
    """Keep that the session was given these."""
    lines = "".join(f"{each}\n" for each in ids).encode("ascii")
    if not asked.session or not lines:
        return
    path = _path(places, asked)
    try:
        try:
            file = _opened(path)
        except FileNotFoundError:
            places.state.mkdir(parents=True, exist_ok=True, mode=0o700)
            path.parent.mkdir(exist_ok=True, mode=0o700)
            file = _opened(path)
        try:
            if os.fstat(file).st_size + len(lines) <= _MOST:
                os.write(file, lines)  # one write, at the end: lines of two prompts do not mix
        finally:
            os.close(file)
    except OSError:
        return


def forget_if_gone(places: Places, asked: Asked) -> None:
    """Forget what the session was given where its model no longer sees it: it is compacted, or was cleared."""
    if asked.session and (asked.event == _COMPACTED or (asked.purpose == "digest" and asked.source in _GONE)):
        try:
            _path(places, asked).unlink(missing_ok=True)
        except OSError:
            return


def remove_old(places: Places, now: datetime) -> None:
    """Remove the files of sessions that were given nothing for a week."""
    before = (now - _KEPT).timestamp()
    try:
        with os.scandir(places.state / _FOLDER) as files:
            old = [
                each.path
                for each in files
                if each.is_file(follow_symlinks=False) and each.stat(follow_symlinks=False).st_mtime < before
            ]
        for path in old:
            Path(path).unlink(missing_ok=True)
    except OSError:
        return


def _path(places: Places, asked: Asked) -> Path:
    name = asked.session
    if not _NAME.fullmatch(name):
        import hashlib  # on first use: it takes a prompt 5 ms, and the ids of sessions are names mostly

        name = f"{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()}.sha256"
    return places.state / _FOLDER / f"{asked.tool}.{name}"


def _opened(path: Path) -> int:
    return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _flags(), 0o600)


def _flags() -> int:
    """Through no link, and waiting for nobody; as far as the system knows it."""
    return sum(getattr(os, name, 0) for name in ("O_CLOEXEC", "O_NOFOLLOW", "O_NONBLOCK"))
