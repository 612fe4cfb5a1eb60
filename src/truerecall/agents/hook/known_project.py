"""Which project a folder belongs to, without asking git at each prompt: two processes of it take a tenth of the time.

What git said is kept by folder, with what it was read from: the repository's configuration and the user's own. It holds
as long as these files are the same. Only an origin is kept; what hangs on commits, includes or worktrees is asked anew.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from truerecall.agents.hook.kept_file import keep, read_kept, stamp
from truerecall.agents.places import Places
from truerecall.agents.project import Project, project_of

_MOST = 200
"""Folders that are kept; of more it begins again."""
_NOT_KEPT = ("root:", "folder:")
_ELSEWHERE = (b"include", b"worktreeconfig")
"""Words in a configuration that say that more of it stands in other files."""


def known_project(cwd: str, environment: Mapping[str, str], places: Places) -> Project:
    """As ``project_of``, but without the branch and the commit where it is known already."""
    files = _read_from(cwd, environment)
    if files is None:
        return project_of(cwd, environment)
    seen = [stamp(path) for path in files]
    path = places.state / "projects.json"
    kept = read_kept(path)
    row = kept.get(cwd)
    if (
        isinstance(row, list)
        and len(row) == 5
        and row[:1] == [seen]
        and all(isinstance(x, str) for x in row[1:])
    ):
        return Project(row[1], row[2], Path(row[3]), email=row[4] or None)
    found = project_of(cwd, environment)
    if (
        found.space.startswith(_NOT_KEPT)
        or found.root != files[0].parent.parent.resolve()
        or _elsewhere(files)
    ):
        return found
    if [stamp(path) for path in files] == seen:
        rows = kept if len(kept) < _MOST else {}
        keep(path, {**rows, cwd: [seen, found.space, found.name, os.fspath(found.root), found.email or ""]})
    return found


def _read_from(cwd: str, environment: Mapping[str, str]) -> list[Path] | None:
    """The files of configuration, the repository's own first; None where it is no plain repository."""
    folder = Path(cwd)
    if any(name.startswith("GIT_CONFIG") for name in environment) or not folder.is_absolute():
        return None
    own = next((each / ".git" for each in (folder, *folder.parents) if os.path.lexists(each / ".git")), None)
    if own is None or own.is_symlink() or not own.is_dir():
        return None  # of a worktree or a submodule the configuration is elsewhere
    home = Path(environment.get("HOME") or "/")
    settings = Path(environment.get("XDG_CONFIG_HOME") or home / ".config")
    return [own / "config", home / ".gitconfig", settings / "git" / "config", Path("/etc/gitconfig")]


def _elsewhere(files: Sequence[Path]) -> bool:
    for path in files:
        try:
            text = path.read_bytes().lower()
        except OSError:
            continue
        if any(word in text for word in _ELSEWHERE):
            return True
    return False
