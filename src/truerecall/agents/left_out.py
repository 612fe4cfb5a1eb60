"""Sessions that went on while the memory was switched off: a later capture must not make up for it.

A line of JSON each time a hook is called, in a file that stays small: the tool, the session and the time, no text. A
session is off from a note that says so until one that says that it is on again, for an agent may be killed, and writes
its answer only after the hook was called.
"""

import json
import os
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from truerecall.agents.places import Places
from truerecall.core.records import dataclass, field

MOST_BYTES = 256 << 10
"""Past this size a line a session is left, of the newest ones."""
MOST_SESSIONS = 1000


@dataclass(frozen=True, slots=True)
class _Off:
    until: datetime
    still: bool


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What the file says."""

    sessions: dict[tuple[str, str], _Off] = field(default_factory=dict)
    """By tool and session, the one that was noted last at the end."""

    def holds(self, tool: str, session: str, at: datetime | None) -> bool:
        """Whether a turn of that time, of a session or one of its subagents, is to be left out.

        One without a time is where its session ever was off.
        """
        off = self.sessions.get((tool, _whole(session)))
        return off is not None and (off.still or at is None or at <= off.until)


def leave_out(places: Places, tool: str, session: str, now: datetime) -> None:
    """Note that a session goes on while the memory is off; where that cannot be done, nothing happens."""
    if session:
        _append(places, _line(tool, _whole(session), _Off(now, True)))


def take_in(places: Places, tool: str, session: str, now: datetime, begins: bool) -> None:
    """Note that the memory is on again for a session, if it was off; where that cannot be done, nothing happens.

    Args:
        places: Where the file is.
        tool: The agent.
        session: Its own id.
        now: UTC.
        begins: Whether a turn only begins: what came before is left out then, and else what came before the last note.
    """
    whole = _whole(session)
    try:
        data = _path(places).read_bytes() if session else b""
    except OSError:
        return
    if json.dumps(whole).encode("ascii") not in data:  # as nearly always: nothing is parsed for it
        return
    off = _parsed(data.split(b"\n")).get((tool, whole))
    if off is not None and off.still:
        _append(places, _line(tool, whole, _Off(max(now, off.until) if begins else off.until, False)))


def read_left_out(places: Places) -> LeftOut:
    """All that is noted; nothing where there is no file.

    Raises:
        OSError: The file is there and cannot be read: what must be left out is not known then.
    """
    try:
        data = _path(places).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return LeftOut()
    return LeftOut(_parsed(data.split(b"\n")))


def _path(places: Places) -> Path:
    return places.state / "left_out.jsonl"


def _whole(session: str) -> str:
    """A session with its subagents."""
    return session.partition("/")[0][:200]


def _line(tool: str, session: str, off: _Off) -> bytes:
    # The line is its own, also behind one that a full disk broke off.
    values = {"tool": tool, "session": session, "until": off.until.isoformat(), "off": off.still}
    return f"\n{json.dumps(values, separators=(',', ':'))}\n".encode("ascii")


def _parsed(lines: Iterable[bytes]) -> dict[tuple[str, str], _Off]:
    found: dict[tuple[str, str], _Off] = {}
    for line in lines:
        try:
            values = json.loads(line)
            key = (values["tool"], values["session"])
            until, still = datetime.fromisoformat(values["until"]), values["off"]
        except (ValueError, TypeError, KeyError, RecursionError):
            continue  # a line that a full disk broke off
        if until.utcoffset() is None or type(still) is not bool or not all(isinstance(k, str) for k in key):
            continue
        before = found.pop(key, None)
        found[key] = _Off(until if before is None else max(until, before.until), still)
    return found


def _append(places: Places, line: bytes) -> None:
    path = _path(places)
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = _opened(path)
        try:
            os.write(file, line)  # one write, at the end of the file: lines of two processes do not mix
            if os.fstat(file).st_size > MOST_BYTES:
                _compact(path)
        finally:
            os.close(file)
    except OSError:
        return


def _opened(path: Path) -> int:
    """The file, for this process alone: none may write into one that another replaces."""
    while True:
        file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
        try:
            from fcntl import LOCK_EX, flock
        except ImportError:  # Windows: there it is never replaced
            return file
        try:
            flock(file, LOCK_EX)  # let go of with the file
            if os.path.samestat(os.fstat(file), path.stat()):
                return file
        except FileNotFoundError:
            pass
        except OSError:
            os.close(file)
            raise
        os.close(file)


def _compact(path: Path) -> None:
    if os.name == "nt":  # a file that is open cannot be replaced there
        return
    sessions = list(_parsed(path.read_bytes().split(b"\n")).items())[-MOST_SESSIONS:]
    made = path.with_name(f"{path.name}.new")
    file = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_CLOEXEC", 0), 0o600)
    with os.fdopen(file, "wb") as new:
        new.write(b"".join(_line(*key, off) for key, off in sessions))
    made.replace(path)
