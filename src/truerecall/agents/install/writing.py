"""Several files are written, or none: each as a whole, with its mode, where its symbolic link leads."""

import contextlib
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from truerecall.agents.install.records import Change
from truerecall.errors import InstallError

_SUFFIX = ".truerecall-new"
_ASIDE = ".truerecall-old"


def write_all(changes: Sequence[Change]) -> None:
    """Make the changes; where one fails, all are put back.

    What is new is on the disk before the first file is replaced, so that a full disk shows while nothing has changed.

    Raises:
        InstallError: nothing was changed.
    """
    _check_apart(changes)
    steps = [_Step(change, target_of(change.path)) for change in changes]
    current = steps[0] if steps else None
    try:
        for current in steps:
            current.stage()
        for current in steps:
            current.replace()
    except BaseException as error:
        for step in reversed(steps):
            step.put_back()
        if isinstance(error, OSError) and current is not None:
            raise InstallError(
                f"the file cannot be written, and nothing was changed: {error.strerror or error}",
                where=str(current.change.path),
                remedy="Check the folder's permissions and the disk, then run it again.",
            ) from None
        raise
    for step in steps:
        step.clear()


def clear_left(path: Path) -> None:
    """Remove what a run that was killed left beside a file."""
    target = target_of(path)
    for suffix in (_SUFFIX, _ASIDE):
        with contextlib.suppress(OSError):
            _beside(target, suffix).unlink(missing_ok=True)


def target_of(path: Path) -> Path:
    """The file itself behind a symbolic link, also one that leads to no file yet."""
    return Path(os.path.realpath(path))


def missing_folders(path: Path) -> tuple[Path, ...]:
    """The folders that writing this file will make, the innermost first."""
    target = target_of(path)
    return tuple(folder for folder in target.parents if not folder.exists())


def _check_apart(changes: Sequence[Change]) -> None:
    seen: dict[Path, Path] = {}
    for change in changes:
        target = target_of(change.path)
        if target in seen:
            raise InstallError(
                f"it is the same file as {seen[target]}",
                where=str(change.path),
                remedy="Install into the one, then into the other.",
            )
        seen[target] = change.path


@dataclass(slots=True)
class _Step:
    change: Change
    target: Path
    made: list[Path] = field(default_factory=list)
    done: bool = False

    @property
    def new(self) -> Path:
        return _beside(self.target, _SUFFIX)

    @property
    def aside(self) -> Path:
        return _beside(self.target, _ASIDE)

    def stage(self) -> None:
        """Write what is new beside the file, and keep the old one at hand."""
        for folder in reversed(missing_folders(self.target)):
            folder.mkdir()
            self.made.append(folder)
        self.clear()  # of a run that was killed
        old = self.target.stat() if self.target.exists() else None
        if old is not None:
            try:
                os.link(self.target, self.aside)
            except OSError:  # a file system without links
                _write(self.aside, self.target.read_bytes(), old, None)
        if self.change.after is not None:
            _write(self.new, self.change.after, old, self.change.mode)

    def replace(self) -> None:
        if self.change.after is None:
            self.target.unlink(missing_ok=True)
        else:
            self.new.replace(self.target)
        self.done = True

    def put_back(self) -> None:
        with contextlib.suppress(OSError):
            if self.done and self.change.before is not None:
                self.aside.replace(self.target)
            elif self.done:
                self.target.unlink(missing_ok=True)
        self.clear()
        for folder in reversed(self.made):
            with contextlib.suppress(OSError):
                folder.rmdir()

    def clear(self) -> None:
        clear_left(self.target)


def _beside(target: Path, suffix: str) -> Path:
    return target.with_name(f".{target.name}{suffix}")


def _write(path: Path, data: bytes, like: os.stat_result | None, mode: int | None) -> None:
    """A new file with the mode and, where we may, the owner of the one that it replaces."""
    wanted = stat.S_IMODE(like.st_mode) if like is not None else mode
    first = 0o666 if wanted is None else 0o600
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, first)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    if like is not None and hasattr(os, "chown"):
        with contextlib.suppress(OSError):
            os.chown(path, like.st_uid, like.st_gid)
    if wanted is not None:
        path.chmod(wanted)
