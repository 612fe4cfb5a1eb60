"""The files that agents keep below a folder."""

import os
import stat
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path, PurePath


def files_below(root: Path, *patterns: str) -> Iterator[Path]:
    """Files below the folder whose relative path matches, in the order of their names; no symbolic link is followed.

    The root itself may be a link: a person may keep it elsewhere. What cannot be listed holds nothing. ``**`` is one
    or more folders, or none.
    """
    shapes = [pattern.split("/") for pattern in patterns]
    for folder, folders, files in os.walk(root, followlinks=False):
        folders.sort()
        for one in sorted(files):
            path = Path(folder) / one
            parts = path.relative_to(root).parts
            if any(_fits(parts, shape) for shape in shapes):
                yield path


def _fits(parts: tuple[str, ...], shape: list[str]) -> bool:
    if not shape:
        return not parts
    if shape[0] == "**":
        return any(_fits(parts[skip:], shape[1:]) for skip in range(len(parts)))
    return bool(parts) and PurePath(parts[0]).match(shape[0]) and _fits(parts[1:], shape[1:])


def grown(path: Path, since: datetime | None) -> datetime | None:
    """When a regular file changed, UTC; None where it did not since then, or is none (a link is none)."""
    try:
        told = path.lstat()
    except OSError:
        return None
    if not stat.S_ISREG(told.st_mode):
        return None
    changed = datetime.fromtimestamp(told.st_mtime, UTC)
    return changed if since is None or changed >= since else None
