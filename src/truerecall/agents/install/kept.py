"""What installing keeps for putting back: each file as it was before, and what was written in its place."""

import contextlib
import hashlib
import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from truerecall.agents.install.records import bytes_of
from truerecall.errors import InstallError

if sys.platform != "win32":
    import fcntl

_VERSION = 1


@dataclass(frozen=True, slots=True)
class KeptFile:
    """One file of an installation."""

    path: Path
    before: str | None
    """SHA-256 of what it is put back to, kept under that name; None where there was no file."""
    after: str | None
    """SHA-256 of what was written."""
    folders: tuple[Path, ...] = ()
    """Folders that were made for it, the innermost first."""


def digest(data: bytes | None) -> str | None:
    """SHA-256 in hex; None of no file."""
    return None if data is None else hashlib.sha256(data).hexdigest()


@dataclass(frozen=True, slots=True)
class Kept:
    """The folder of backups and records; only its owner can read it, as settings may hold keys."""

    folder: Path

    def files(self, name: str) -> dict[Path, KeptFile]:
        """What is installed under a name (a tool's), by path; empty where nothing is, or the record is damaged.

        Where a run was killed between its files and its record, what it had staged counts for the files it wrote.
        """
        staged = _read(self._staged(name))
        written = {path: file for path, file in staged.items() if digest(bytes_of(path)) == file.after}
        return _read(self._record(name)) | written

    def touched(self, name: str) -> dict[Path, KeptFile]:
        """Every file that was installed or was about to be, written or not."""
        return _read(self._record(name)) | _read(self._staged(name))

    def names(self) -> tuple[str, ...]:
        """Under which names something is installed."""
        return tuple(
            sorted({path.stem for kind in ("json", "next") for path in self.folder.glob(f"*.{kind}")})
        )

    def backup(self, sha: str) -> bytes | None:
        """What is kept under a hash; None where it is gone or is not what its name says."""
        data = bytes_of(self.folder / "files" / sha)
        return data if digest(data) == sha else None

    def keep(self, data: bytes | None) -> str | None:
        """Keep the bytes of a file, and say under which hash."""
        sha = digest(data)
        if data is not None and sha is not None and self.backup(sha) is None:
            _write(self.folder / "files" / sha, data)
        return sha

    def stage(self, name: str, files: dict[Path, KeptFile]) -> None:
        """Write what is about to be installed under a name beside its record."""
        items = [
            {
                "path": str(file.path),
                "before": file.before,
                "after": file.after,
                "folders": [str(folder) for folder in file.folders],
            }
            for file in files.values()
        ]
        text = json.dumps({"version": _VERSION, "files": items}, indent=2)
        _write(self._staged(name), text.encode())

    def settle(self, name: str, installed: bool) -> None:
        """Make what was staged the record, or drop it; neither takes any room on the disk."""
        staged = self._staged(name)
        with contextlib.suppress(FileNotFoundError):
            if installed:
                staged.replace(self._record(name))
            else:
                staged.unlink()

    def forget(self, name: str) -> None:
        """Nothing is installed under a name any more."""
        for path in (self._record(name), self._staged(name)):
            path.unlink(missing_ok=True)

    def sweep(self) -> None:
        """Remove what no record needs any more, and with the last record the folders that were made for it."""
        records = (path for name in self.names() for path in (self._record(name), self._staged(name)))
        needed = {file.before for record in records for file in _read(record).values()}
        for path in (self.folder / "files").glob("*"):
            if path.name not in needed:
                path.unlink(missing_ok=True)
        for path in self.folder.glob("*.part"):  # of a run that was killed
            path.unlink(missing_ok=True)
        if self.names():
            return
        made = (bytes_of(self._made) or b"").decode("utf-8", "surrogateescape").splitlines()
        self._made.unlink(missing_ok=True)
        self._remove_folders([Path(line) for line in made])

    def _remove_folders(self, above: Sequence[Path]) -> None:
        for folder in (self.folder / "files", self.folder, *above):
            with contextlib.suppress(OSError):  # what else is in it stays
                folder.rmdir()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """While this runs, no other process installs or removes."""
        made = [folder for folder in self.folder.parents if not folder.exists()]
        try:
            # Apart: a mode is given to the last folder only, and the one above holds more than this.
            self.folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self.folder.mkdir(exist_ok=True, mode=0o700)
            (self.folder / "files").mkdir(exist_ok=True, mode=0o700)
            if made:
                _write(self._made, "\n".join(map(str, made)).encode("utf-8", "surrogateescape"))
        except InstallError:
            self._remove_folders(made)
            raise
        except OSError as error:
            self._remove_folders(made)
            raise InstallError(
                f"the folder of backups cannot be made: {error.strerror}",
                where=str(self.folder),
                remedy="Make its parent writable, or name another with XDG_STATE_HOME.",
            ) from None
        if sys.platform == "win32":
            yield
            return
        descriptor = os.open(self.folder, os.O_RDONLY)
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise InstallError(
                    "another process is installing", where=str(self.folder), remedy="Wait for it to end."
                ) from None
            yield
        finally:
            os.close(descriptor)

    @property
    def _made(self) -> Path:
        """The folders above this one that were made for it, the innermost first."""
        return self.folder / "made"

    def _record(self, name: str) -> Path:
        return self.folder / f"{name}.json"

    def _staged(self, name: str) -> Path:
        return self.folder / f"{name}.next"


def _read(path: Path) -> dict[Path, KeptFile]:
    """The files of a record; none where there is none, or it is damaged."""
    data = bytes_of(path)
    if data is None:
        return {}
    try:
        record = json.loads(data)
        if record["version"] != _VERSION:
            return {}
        files = [_file(item) for item in record["files"]]
    except (ValueError, KeyError, TypeError):
        # Without a record, uninstalling takes our pieces out instead of putting the old file back.
        return {}
    return {file.path: file for file in files}


def _file(item: Any) -> KeptFile:
    return KeptFile(
        Path(item["path"]),
        item["before"],
        item["after"],
        tuple(Path(folder) for folder in item["folders"]),
    )


def _write(path: Path, data: bytes) -> None:
    """Only for its owner, and whole or not at all."""
    part = path.with_name(f"{path.name}.part")
    try:
        part.unlink(missing_ok=True)
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise InstallError(
            f"the backup cannot be written, and nothing was changed: {error.strerror}",
            where=str(path),
            remedy="Check the disk, then run it again.",
        ) from None
