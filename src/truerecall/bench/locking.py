"""One process at a time in the folder of a run."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from truerecall.errors import RunError

if sys.platform != "win32":
    import fcntl


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other processes out of a run; the system lets go of the lock when a process ends, however it ends.

    Raises:
        RunError: another process works in the folder.
    """
    if sys.platform == "win32":  # it has no flock
        yield
        return
    # The folder itself carries the lock: a lock file would be left behind, or be removed under its next owner.
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RunError(
                "another process is working on this run",
                where=folder.name,
                remedy="Wait for it, or give this run another name.",
            ) from None
        yield
    finally:
        os.close(descriptor)
