"""Which project a folder belongs to, without asking git at each prompt: two processes of it take a tenth of the time.

What git said is kept by folder, with what it was read from: the repository's configuration and the user's own. It holds
as long as these files are the same. Only an origin is kept; what hangs on commits, includes or worktrees is asked anew.
"""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from truerecall.agents.places import Places
from truerecall.agents.project import Project, project_of

_MOST = 200
"""Folders that are kept; of more it begins again."""
_MOST_BYTES = 1 << 18
_NOT_KEPT = ("root:", "folder:")
_ELSEWHERE = (b"include", b"worktreeconfig")
"""Words in a configuration that say that more of it stands in other files."""


def known_project(cwd: str, environment: Mapping[str, str], places: Places) -> Project:
    """As ``project_of``, but without the branch and the commit where it is known already."""
    files = _read_from(cwd, environment)
    if files is None:
        return project_of(cwd, environment)
    seen = [_seen(path) for path in files]
    path = places.state / "projects.json"
    kept = _kept(path)
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
    if [_seen(path) for path in files] == seen:
        rows = kept if len(kept) < _MOST else {}
        _keep(path, {**rows, cwd: [seen, found.space, found.name, os.fspath(found.root), found.email or ""]})
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


def _seen(path: Path) -> Sequence[int]:
    try:
        told = path.stat()
    except OSError:
        return []
    return [told.st_ino, told.st_size, told.st_mtime_ns, told.st_ctime_ns]


def _elsewhere(files: Sequence[Path]) -> bool:
    for path in files:
        try:
            text = path.read_bytes().lower()
        except OSError:
            continue
        if any(word in text for word in _ELSEWHERE):
            return True
    return False


def _kept(path: Path) -> dict[str, object]:
    try:
        with path.open("rb") as file:
            found = json.loads(file.read(_MOST_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _keep(path: Path, rows: Mapping[str, object]) -> None:
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(json.dumps(rows).encode("ascii"))
        draft.replace(path)
    except OSError:
        return  # git is asked again
