"""Which project a folder belongs to: its space in the memory, the same from every clone and worktree."""

import hashlib
import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_SECONDS = 2.0  # git answers in a few milliseconds; one that hangs must not hold a prompt up
_CASE_BLIND = ("github.com", "gitlab.com", "bitbucket.org")
_SCP = re.compile(r"(?:[^@/\s]+@)?([^:/\s]+):(?!//)(.+)")
_URL = re.compile(r"[a-z+]+://(?:[^@/]*@)?([^:/]+)(?::\d+)?/(.+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Project:
    """What a folder belongs to."""

    space: str
    """``github.com/org/name`` of its origin; else ``root:`` and its first commit, or ``folder:`` and its name."""
    name: str
    """For people."""
    root: Path
    """The folder itself, or the top of its working tree."""
    branch: str | None = None
    commit: str | None = None
    email: str | None = None
    """Who git says works here."""


def project_of(cwd: str | Path, environment: Mapping[str, str] | None = None) -> Project:
    """The project of a folder; one that is gone, or no repository, is a project by its path."""
    folder = Path(cwd)
    environment = os.environ if environment is None else environment
    config = _git(folder, environment, "config", "--null", "--get-regexp", r"^(user\.email|remote\..*\.url)$")
    told = _told(config or "")
    top = _git(folder, environment, "rev-parse", "--show-toplevel")
    if not top:
        return _of_path(folder, told.get("user.email"))
    root = Path(top.rstrip("\n"))
    head = _git(folder, environment, "rev-parse", "HEAD", "--abbrev-ref", "HEAD")
    commit, branch = (*(head or "").split("\n"), "", "")[:2]
    origin = _origin(told)
    if origin is not None:
        space = origin
    elif first := _first_commit(folder, environment) if commit else None:
        space = f"root:{first}"
    else:
        space = _of_path(root, None).space
    named = space.rsplit("/", 1)[-1] if origin else root.name
    return Project(space, named, root, branch or None, commit or None, told.get("user.email"))


def space_of_origin(url: str) -> str | None:
    """``host/path`` of a remote's address, without user, password, port and ``.git``; None for a local path."""
    match = _URL.fullmatch(url.strip()) or _SCP.fullmatch(url.strip())
    if match is None or url.startswith("file:"):
        return None
    host, path = match.group(1).lower(), match.group(2).strip("/").removesuffix(".git").rstrip("/")
    if not path:
        return None
    return f"{host}/{path.lower() if host in _CASE_BLIND else path}"


def _origin(told: Mapping[str, str]) -> str | None:
    """Of the remote called origin, else of the only one."""
    remotes = {key: url for key, url in told.items() if key.startswith("remote.")}
    chosen = remotes.get("remote.origin.url") or (next(iter(remotes.values())) if len(remotes) == 1 else None)
    return None if chosen is None else space_of_origin(chosen)


def _told(config: str) -> dict[str, str]:
    pairs = (item.partition("\n") for item in config.split("\0") if item)
    return {key: value for key, _, value in pairs if value}


def _first_commit(folder: Path, environment: Mapping[str, str]) -> str | None:
    """The oldest of the commits without a parent: of a history that was joined, all of them would do."""
    found = (_git(folder, environment, "rev-list", "--max-parents=0", "HEAD") or "").split()
    return found[-1] if found else None


def _of_path(folder: Path, email: str | None) -> Project:
    path = os.path.realpath(folder)
    digest = hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    name = re.sub(r"[\x00-\x1f\x7f*%?\ud800-\udfff]", "_", Path(path).name) or "root"
    return Project(f"folder:{name}:{digest}", name, Path(path), email=email)


def _git(folder: Path, environment: Mapping[str, str], *arguments: str) -> str | None:
    """What git prints; None where it fails, is not there or takes too long."""
    # A git hook's own variables would make git speak of another repository than the folder's.
    clean = {key: value for key, value in environment.items() if not key.startswith("GIT_")}
    try:
        done = subprocess.run(
            ["git", "-C", os.fspath(folder), *arguments],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            env={**clean, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"},
            timeout=_SECONDS,
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None
