"""What the hooks did: a line of JSON each, in a file that stays small. Never a prompt, never a recalled text."""

import json
import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, get_args

from truerecall.agents.places import Places
from truerecall.core.records import dataclass

NoteOutcome = Literal[
    "injected",  # something was put into the prompt or the session
    "nothing",  # nothing was relevant, or nothing is known
    "captured",  # new turns were stored
    "started",  # a capture was started, and goes on by itself
    "off",  # it was switched off here; `error` says by what
    "failed",  # `error` says how
]

MOST_BYTES = 1 << 20
"""Past this size the file becomes the older one, of which there is one."""
_LONGEST = {"event": 40, "session": 200, "space": 300, "tool": 40, "error": 300}  # characters


@dataclass(frozen=True, slots=True)
class Note:
    """What one hook, or one capture that a hook started, did."""

    at: datetime
    """UTC."""
    tool: str
    event: str
    """As the agent calls it; ``capture`` and ``sweep`` of what goes on by itself."""
    outcome: NoteOutcome
    session: str = ""
    space: str = ""
    entries: int = 0
    """Put into the prompt, or stored."""
    tokens: int = 0
    """Of what was put into the prompt."""
    milliseconds: int = 0
    error: str = ""
    """Without secrets; see ``told``."""


@dataclass(frozen=True, slots=True)
class Notes:
    """What the file says."""

    notes: tuple[Note, ...]
    """The oldest first."""
    bad: int = 0
    """Lines that are none, such as one that a full disk broke off."""


def told(error: BaseException) -> str:
    """An error for ``Note.error``: its type and what it says, without secrets, on one line."""
    from truerecall.memory.write.mask import mask  # on first use: hooks seldom fail

    # Masked before it is cut: half a secret is no longer recognised.
    said = mask(" ".join(str(error)[:4000].split())).text
    return f"{type(error).__name__}: {said}"[: _LONGEST["error"]]


def note(places: Places, what: Note) -> None:
    """Append a note; where that cannot be done, nothing happens, for a hook must not fail for its diary."""
    values: dict[str, object] = {"at": what.at.isoformat(timespec="milliseconds").replace("+00:00", "Z")}
    for name in Note.__match_args__[1:]:
        value = getattr(what, name)
        if value not in ("", 0):
            longest = _LONGEST.get(name)
            values[name] = value if longest is None else value[:longest]
    line = f"{json.dumps(values, separators=(',', ':'))}\n".encode("ascii")
    path = places.journal
    try:
        try:
            file = _opened(path)
        except FileNotFoundError:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            file = _opened(path)
        try:
            os.write(file, line)  # one write, at the end of the file: lines of two processes do not mix
            if os.fstat(file).st_size > MOST_BYTES:
                _turn_over(path, file)
        finally:
            os.close(file)
    except OSError:
        return


def read_notes(places: Places, newest: int = 10_000) -> Notes:
    """The newest notes, at most so many; none where there is no file."""
    notes: list[Note] = []
    bad = 0
    for path in (_older(places.journal), places.journal):
        try:
            data = path.read_bytes()
        except OSError:
            continue
        for line in data.split(b"\n"):
            if line.strip():
                found = _parsed(line)
                if found is None:
                    bad += 1
                else:
                    notes.append(found)
    return Notes(tuple(notes[-newest:] if newest > 0 else ()), bad)


def _opened(path: Path) -> int:
    return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)


def _older(path: Path) -> Path:
    return path.with_name(f"{path.name}.1")


def _turn_over(path: Path, file: int) -> None:
    """Make the file the older one, once, however many processes see that it is due."""
    try:
        from fcntl import LOCK_EX, LOCK_NB, flock
    except ImportError:  # Windows: there the file cannot be renamed while another has it open, either
        return
    flock(file, LOCK_EX | LOCK_NB)  # let go of with the file; who does not get it leaves it to who has it
    if os.path.samestat(os.fstat(file), path.stat()):
        path.replace(_older(path))


def _parsed(line: bytes) -> Note | None:
    try:
        values = json.loads(line)
        at = datetime.fromisoformat(values.pop("at"))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    if at.utcoffset() is None or not _fits(values):
        return None
    told = {name: value for name, value in values.items() if name in Note.__match_args__}
    return Note(at=at, **{"tool": "", "event": "", **told})  # what is empty was not written


def _fits(values: Mapping[str, Any]) -> bool:
    """Whether each value is of its kind; a later version's additional ones are left out."""
    for name in Note.__match_args__[1:]:
        kind = int if Note.__annotations__[name] is int else str
        if type(values.get(name, kind())) is not kind:
            return False
    return values.get("outcome") in get_args(NoteOutcome)
