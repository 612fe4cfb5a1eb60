"""Installing and uninstalling as plans: looked at first, then carried out as a whole."""

import contextlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from truerecall.agents.install.kept import Kept, KeptFile, digest
from truerecall.agents.install.records import Change, Setup, ToolInstall, bytes_of
from truerecall.agents.install.writing import clear_left, missing_folders, write_all
from truerecall.errors import InstallError

SETTINGS = "settings"
"""The name under which a change to our own settings file is kept, beside the tools' names."""


@dataclass(frozen=True, slots=True)
class Part:
    """What is done for one tool."""

    name: str
    changes: tuple[Change, ...]
    bases: Mapping[Path, bytes | None]
    """By path, what uninstalling puts back."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What an installation, or its removal, is going to do."""

    parts: tuple[Part, ...]
    removes: bool = False

    @property
    def changes(self) -> tuple[Change, ...]:
        """All changes to files."""
        return tuple(change for part in self.parts for change in part.changes)


def plan_install(setup: Setup, tools: Mapping[str, ToolInstall], settings: Iterable[Change] = ()) -> Plan:
    """What installing into these tools does, and writing these changes of our own settings; nothing is written."""
    kept = Kept(setup.places.backups)
    parts = []
    for name, tool in tools.items():
        changes = _real(tool.changes(setup))
        bare = {change.path: change.after for change in tool.removed(setup)} if changes else {}
        parts.append(_part(kept, name, changes, bare))
    parts.append(_part(kept, SETTINGS, _real(settings), {}))
    return Plan(tuple(parts))


def plan_removal(setup: Setup, tools: Mapping[str, ToolInstall]) -> Plan:
    """What takes us out of these tools: files that nobody changed since become what they were, to the byte.

    From the others our pieces are taken out. When no tool is left, our settings are put back as well.
    """
    kept = Kept(setup.places.backups)
    parts = []
    for name, tool in tools.items():
        files = kept.files(name)
        changes, touched = _put_back(kept, files)
        for change in tool.removed(setup):
            if change.path not in touched:
                changes.append(_emptied(change, files))
        parts.append(Part(name, _real(changes), {}))
    if not set(kept.names()) - set(tools) - {SETTINGS}:
        changes, _ = _put_back(kept, kept.files(SETTINGS))
        parts.append(Part(SETTINGS, _real(changes), {}))
    return Plan(tuple(parts), removes=True)


def carry_out(setup: Setup, plan: Plan) -> None:
    """Make the changes of a plan, all or none.

    Raises:
        InstallError: nothing was changed: a file is not what it was when the plan was made, one cannot be written,
            or another process installs at this moment.
    """
    kept = Kept(setup.places.backups)
    with kept.alone():
        for change in plan.changes:
            if bytes_of(change.path) != change.before:
                raise InstallError(
                    "the file was changed meanwhile, and nothing was written",
                    where=str(change.path),
                    remedy="Run it again, and look at the new diff.",
                )
        old = {part.name: kept.files(part.name) for part in plan.parts}
        touched = {part.name: kept.touched(part.name) for part in plan.parts}
        for path in {path for files in touched.values() for path in files}:
            clear_left(path)
        if plan.removes:
            write_all(plan.changes)
            for part in plan.parts:
                kept.forget(part.name)
                _remove_folders(touched[part.name].values())
            kept.sweep()
            return
        done = False
        try:
            for part in plan.parts:
                if part.changes:
                    kept.stage(part.name, old[part.name] | _kept_files(kept, part, touched[part.name]))
            write_all(plan.changes)
            done = True
        finally:
            for part in plan.parts:
                kept.settle(part.name, done)
            kept.sweep()


def _real(changes: Iterable[Change]) -> tuple[Change, ...]:
    return tuple(change for change in changes if change.before != change.after)


def _part(kept: Kept, name: str, changes: tuple[Change, ...], bare: Mapping[Path, bytes | None]) -> Part:
    """With what each file is put back to: what it was before us, or else what it is now without our pieces."""
    files = kept.files(name)
    bases: dict[Path, bytes | None] = {}
    for change in changes:
        file = files.get(change.path)
        if file is not None and file.after == digest(change.before):
            base = None if file.before is None else kept.backup(file.before)
            if file.before is None or base is not None:
                bases[change.path] = base
                continue
        bases[change.path] = bare.get(change.path, change.before)
    return Part(name, changes, bases)


def _kept_files(kept: Kept, part: Part, old: Mapping[Path, KeptFile]) -> dict[Path, KeptFile]:
    files = {}
    for change in part.changes:
        before = old.get(change.path)
        folders = missing_folders(change.path) or (before.folders if before else ())
        base = kept.keep(part.bases[change.path])
        files[change.path] = KeptFile(change.path, base, digest(change.after), folders)
    return files


def _put_back(kept: Kept, files: Mapping[Path, KeptFile]) -> tuple[list[Change], set[Path]]:
    """The changes that put back what nobody changed since, and the paths that these are about."""
    changes, touched = [], set()
    for file in files.values():
        now = bytes_of(file.path)
        base = None if file.before is None else kept.backup(file.before)
        if digest(now) == file.after and (file.before is None or base is not None):
            changes.append(Change(file.path, now, base))
            touched.add(file.path)
    return changes, touched


def _emptied(change: Change, files: Mapping[Path, KeptFile]) -> Change:
    """A file that we made and that holds nothing more is removed."""
    file = files.get(change.path)
    ours = file is not None and file.before is None
    if ours and change.after is not None and change.after.strip() in (b"", b"{}"):
        return replace(change, after=None)
    return change


def _remove_folders(files: Iterable[KeptFile]) -> None:
    folders = {folder for file in files for folder in file.folders}
    for folder in sorted(folders, key=lambda path: len(path.parts), reverse=True):
        with contextlib.suppress(OSError):  # somebody else's file is in it
            folder.rmdir()
