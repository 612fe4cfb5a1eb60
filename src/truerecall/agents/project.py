"""Which project a folder belongs to: its space in the memory, the same from every clone and worktree."""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from truerecall.core.records import dataclass

if TYPE_CHECKING:  # loaded where git is asked: a prompt's hook mostly knows what it would say
    import subprocess

_INSTEAD = ".insteadof"
_SECONDS = 2.0  # git answers in a few milliseconds; one that hangs must not hold a prompt up
_CASE_BLIND = ("github.com", "gitlab.com", "bitbucket.org")
# A host of one letter is a drive of Windows.
_SCP = r"(?:[^/\s]*@)?([^@:/\s]{2,}):(?!//)(.+)"
# Up to the last @ before the path: a password may hold one that nobody escaped.
_URL = r"[a-z][a-z0-9+.-]*://(?:[^/]*@)?(\[[0-9a-f:.]+\]|[^:/]+)(?::\d*)?/(.+)"
# ``hg::https://…``: taken for a host, it would bring the password behind it along.
_HELPER = r"^(?:[A-Za-z0-9][A-Za-z0-9+.-]*::)+"
_CONFIG = ("config", "--null", "--get-regexp", r"^(user\.email|remote\..*\.url|url\..*\.insteadof)$")
_NO_NAME = r"[\x00-\x1f\x7f*%?\ud800-\udfff]"  # compiled on first use: most prompts ask git nothing


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
    asked = ("rev-parse", "--show-toplevel", "HEAD", "--abbrev-ref", "HEAD")
    config, place = _git(folder, environment, _CONFIG, asked)
    told = _told(config.text) if config.done else {}
    # Without a commit it fails, once it has said where the top is.
    top, commit, branch = (*place.text.split("\n"), "", "", "")[:3]
    origin = _origin(told)
    if not top and origin is None:
        return _of_path(folder, told.get("user.email"))
    root = Path(top) if top else Path(os.path.realpath(folder))  # a bare repository has no top
    if not place.done:
        commit = branch = ""
    if origin is not None:
        space = origin
    elif first := _first_commit(folder, environment) if commit else None:
        space = f"root:{first}"
    else:
        space = _of_path(root, None).space
    named = re.sub(_NO_NAME, "_", space.rsplit("/", 1)[-1] if origin else root.name)
    # HEAD: so git says of a commit that was checked out by itself.
    branch = "" if branch == "HEAD" else branch.encode("utf-8", "replace").decode("utf-8")
    return Project(space, named, root, branch or None, commit or None, told.get("user.email"))


def space_of_origin(url: str) -> str | None:
    """``host/path`` of a remote's address, without user, password, port and ``.git``; None for a local path."""
    url = re.sub(_HELPER, "", url.strip())
    match = re.fullmatch(_URL, url, re.IGNORECASE) or re.fullmatch(_SCP, url)
    if match is None or url.lower().startswith("file:"):
        return None
    host, path = match.group(1).lower(), match.group(2)
    if "://" in url:
        path = re.split("[?#]", path, maxsplit=1)[0]  # where some put a token
    path = path.strip("/").removesuffix(".git").rstrip("/")
    if not path:
        return None
    return re.sub(_NO_NAME, "_", f"{host}/{path.lower() if host in _CASE_BLIND else path}")


def _origin(told: Mapping[str, str]) -> str | None:
    """Of the remote called origin, else of the only one."""
    remotes = {key: url for key, url in told.items() if key.startswith("remote.")}
    chosen = remotes.get("remote.origin.url") or (next(iter(remotes.values())) if len(remotes) == 1 else None)
    return None if chosen is None else space_of_origin(_spelt_out(chosen, told))


def _spelt_out(url: str, told: Mapping[str, str]) -> str:
    """An address with the beginning that git itself puts in the place of a shorthand: the longest that is one."""
    longest, instead = "", ""
    for key, beginnings in told.items():
        if key.startswith("url.") and key.endswith(_INSTEAD):
            for beginning in beginnings.split("\n"):
                if url.startswith(beginning) and len(beginning) > len(longest):
                    longest, instead = beginning, key[len("url.") : -len(_INSTEAD)]
    return f"{instead}{url[len(longest) :]}" if longest else url


def _told(config: str) -> dict[str, str]:
    """What git is told, the last word of each key; of a shorthand, which may stand for several, all, a line each."""
    told: dict[str, str] = {}
    for item in filter(None, config.split("\0")):
        key, _, value = item.partition("\n")
        if value:
            told[key] = f"{told[key]}\n{value}" if key.endswith(_INSTEAD) and key in told else value
    return told


def _first_commit(folder: Path, environment: Mapping[str, str]) -> str | None:
    """The oldest of the commits without a parent: of a history that was joined, all of them would do."""
    (found,) = _git(folder, environment, ("rev-list", "--max-parents=0", "HEAD"))
    return found.text.split()[-1] if found.done and found.text.strip() else None


def _of_path(folder: Path, email: str | None) -> Project:
    import hashlib  # on first use: most folders belong to a repository

    path = os.path.realpath(folder)
    digest = hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    name = re.sub(_NO_NAME, "_", Path(path).name) or "root"
    return Project(f"folder:{name}:{digest}", name, Path(path), email=email)


@dataclass(frozen=True, slots=True)
class _Said:
    """What a call of git printed; nothing where there is no git, or it takes too long."""

    text: str = ""
    done: bool = False


def _git(folder: Path, environment: Mapping[str, str], *calls: Sequence[str]) -> list[_Said]:
    """What git prints in a folder, of several calls at the same time."""
    import subprocess

    # A git hook's own variables would make git speak of another repository than the folder's.
    clean = {key: value for key, value in environment.items() if not key.startswith("GIT_")}
    clean |= {"GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    running: list[subprocess.Popen[bytes] | None] = []
    for call in calls:
        try:
            running.append(
                subprocess.Popen(
                    ["git", "-C", os.fspath(folder), *call],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env=clean,
                )
            )
        except (OSError, ValueError):
            running.append(None)
    try:
        return [_Said() if process is None else _said(process) for process in running]
    finally:
        # Also where the clock of a hook calls off: who left a git that hangs would wait for its end.
        for process in filter(None, running):
            process.kill()
            with process:
                pass


def _said(process: "subprocess.Popen[bytes]") -> _Said:
    import subprocess

    try:
        printed, _ = process.communicate(timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        return _Said()
    return _Said(printed.decode("utf-8", "surrogateescape"), process.returncode == 0)
