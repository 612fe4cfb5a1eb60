"""The frozen memory of a study: exports of a real one, checked before anything is built on them."""

import hashlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from truerecall.core.entry import Scope
from truerecall.errors import ArchiveError, StudyError
from truerecall.memory.archive import Archive, read_archive
from truerecall.study.design import Study


@dataclass(frozen=True, slots=True)
class FrozenExport:
    """One export: what a user saw of one space."""

    name: str
    """The name of its folder."""
    path: Path
    sha256: str
    """Over all of its files."""
    scope: Scope
    entries: int
    events: int


@dataclass(frozen=True, slots=True)
class Frozen:
    """All exports of a study, of one tenant and one user; none, where no side has a memory."""

    exports: tuple[FrozenExport, ...]

    @property
    def entries(self) -> int:
        """Of all exports."""
        return sum(export.entries for export in self.exports)

    @property
    def events(self) -> int:
        """Of all exports."""
        return sum(export.events for export in self.exports)


def read_frozen(study: Study) -> Frozen:
    """The exports that a study names, each checked against the hashes of its manifest.

    Raises:
        StudyError: One is missing or damaged, two have one name or one space, or they are not of one tenant and user.
    """
    exports = tuple(_read(study.folder / given) for given in study.memory.exports)
    _refuse_twice("name", [export.name for export in exports], "Rename the folder of one of them.")
    spaces = [export.scope.space for export in exports]
    _refuse_twice("space", spaces, "Name one export a space: the newest holds all that the older ones do.")
    owners = {(export.scope.tenant, export.scope.user) for export in exports}
    if len(owners) > 1:
        told = ", ".join(f"{tenant}/{user}" for tenant, user in sorted(owners))
        raise StudyError(
            f"the exports are of several tenants or users: {told}",
            where="study.toml: memory.exports",
            remedy="Export every space as the same user, for the agents have one.",
        )
    return Frozen(exports)


def open_export(folder: Path) -> Archive:
    """An export whose files are what its manifest says; ``StudyError`` for any other."""
    try:
        return read_archive(folder)
    except ArchiveError as error:
        raise damaged(error) from None


def damaged(error: ArchiveError) -> StudyError:
    """The same, said of a study."""
    return StudyError(f"the frozen memory: {error.problem}", where=error.where, remedy=error.remedy)


def _read(path: Path) -> FrozenExport:
    archive = open_export(path)
    counts = archive.counts
    name = path.resolve().name
    return FrozenExport(name, path, _sha256(path), archive.scope, counts["entries"], counts["events"])


def _sha256(folder: Path) -> str:
    """Of the manifest, which has the hashes of the other files, that were just compared."""
    return hashlib.sha256((folder / "manifest.json").read_bytes()).hexdigest()


def _refuse_twice(what: str, values: list[str], remedy: str) -> None:
    for value, times in Counter(values).items():
        if times > 1:
            raise StudyError(
                f"{times} exports have the {what} {value!r}",
                where="study.toml: memory.exports",
                remedy=remedy,
            )
