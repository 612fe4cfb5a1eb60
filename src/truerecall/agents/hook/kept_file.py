"""What a hook found out is kept in a file of the state folder, with what the files looked like that say it."""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

_MOST_BYTES = 1 << 18


def stamp(path: Path) -> Sequence[int]:
    """What changes whenever a file does; empty where there is none."""
    try:
        told = path.stat()
    except OSError:
        return []
    return [told.st_ino, told.st_size, told.st_mtime_ns, told.st_ctime_ns]


def read_kept(path: Path) -> dict[str, object]:
    """What is kept; nothing where it cannot be read."""
    try:
        with path.open("rb") as file:
            found = json.loads(file.read(_MOST_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def keep(path: Path, rows: Mapping[str, object]) -> None:
    """Keep this instead; where that cannot be done, it is found out again."""
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(json.dumps(rows).encode("ascii"))
        draft.replace(path)
    except OSError:
        return
