"""The tools of the sample's coding agent: they read files, search them and ask git, within one folder."""

import os
import re
import shlex
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

LOOSE = "TRUERECALL_SAMPLE_LOOSE"
"""Set to 1: nothing is denied. For tests of what finds a read outside the workspace."""
_GIT = ("log", "show", "grep", "diff", "blame", "status")
_COMMANDS = ("git", "cat", "ls", "head", "wc")
_FORBIDDEN = re.compile(r"[;&<>`$\n\\]|\|\|")
_REACHING = ("--no-index", "--output", "--git-dir", "--work-tree", "--exec-path", "-C", "-c")
"""Options by which git reads or writes elsewhere, or runs something."""
_SECONDS = 20.0
_MOST = 20_000  # characters of an output


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a use of a tool."""

    outcome: Literal["ok", "failed", "denied"]
    output: str


class Denied(Exception):
    """A use that would read outside the folder."""


def described() -> list[dict[str, object]]:
    """The tools as the Messages API is told of them."""
    fields = {
        "Read": ("file_path",),
        "Grep": ("pattern", "path"),
        "Glob": ("pattern",),
        "Bash": ("command",),
    }
    return [
        {
            "name": name,
            "description": f"{name} within the working folder.",
            "input_schema": {"type": "object", "properties": {one: {"type": "string"} for one in names}},
        }
        for name, names in fields.items()
    ]


def use(name: str, given: Mapping[str, Any], folder: Path, environment: Mapping[str, str]) -> Done:
    """Use a tool; whatever goes wrong is told, and nothing is raised."""
    loose = environment.get(LOOSE) == "1"
    tools: dict[str, Callable[[], str]] = {
        "Read": lambda: _read(_within(str(given.get("file_path", "")), folder, loose)),
        "Grep": lambda: _grep(str(given.get("pattern", "")), str(given.get("path", ".")), folder, loose),
        "Glob": lambda: _glob(str(given.get("pattern", "")), folder, loose),
        "Bash": lambda: _bash(str(given.get("command", "")), folder, environment, loose),
    }
    if name not in tools:
        return Done("failed", f"there is no tool {name}")
    try:
        return Done("ok", tools[name]()[:_MOST])
    except Denied as error:
        return Done("denied", f"denied: {error}")
    except (OSError, ValueError, re.error, subprocess.SubprocessError) as error:
        return Done("failed", f"{type(error).__name__}: {error}")


def _within(path: str, folder: Path, loose: bool) -> Path:
    """The file of a path, wherever a link in it leads."""
    found = Path(os.path.realpath(folder / path))
    if not loose and not found.is_relative_to(folder.resolve()):
        raise Denied(f"{path} is outside the working folder")
    return found


def _read(path: Path) -> str:
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    return "\n".join(f"{number}\t{line}" for number, line in enumerate(lines, 1))


def _files(folder: Path, below: Path) -> Iterator[Path]:
    """All files but git's own; links are left alone."""
    for path in [below] if below.is_file() else sorted(below.rglob("*")):
        if path.is_file() and not path.is_symlink() and ".git" not in path.relative_to(folder).parts:
            yield path


def _grep(pattern: str, below: str, folder: Path, loose: bool) -> str:
    wanted, top = re.compile(pattern), folder.resolve()
    start = _within(below, folder, loose)
    found = [
        f"{path.relative_to(top)}:{number}:{line}"
        for path in _files(top, start)
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1)
        if wanted.search(line)
    ]
    return "\n".join(found) or "No matches found"


def _glob(pattern: str, folder: Path, loose: bool) -> str:
    if not loose and (pattern.startswith("/") or ".." in Path(pattern).parts):
        raise Denied(f"{pattern} leads outside the working folder")
    return (
        "\n".join(sorted(str(path.relative_to(folder)) for path in folder.glob(pattern))) or "No files found"
    )


def _bash(command: str, folder: Path, environment: Mapping[str, str], loose: bool) -> str:
    """A few commands that read, one behind the other; with nothing denied it is the shell."""
    if not loose:
        if _FORBIDDEN.search(command):
            raise Denied("only plain commands that read are run")
        for one in command.split("|"):
            _check(shlex.split(one), folder)
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env={**environment, "GIT_OPTIONAL_LOCKS": "0", "GIT_PAGER": "cat"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=_SECONDS,
        check=False,
    )
    said = (done.stdout + done.stderr).decode("utf-8", "replace")
    if done.returncode:
        raise ValueError(f"exit code {done.returncode}: {said[:2_000]}")
    return said


def _check(words: list[str], folder: Path) -> None:
    """Whether a command may be run: it only reads, and only here."""
    if not words or words[0] not in _COMMANDS:
        raise Denied(f"{' '.join(words[:1]) or 'nothing'} is not run here")
    if words[0] == "git" and (len(words) < 2 or words[1] not in _GIT):
        raise Denied("of git, only what reads the history is run")
    for word in words[1:]:
        if word.startswith(_REACHING) or (word.startswith("-") and "/" in word):
            raise Denied(f"{word} reaches elsewhere")
        _within(word.partition(":")[2] or word, folder, loose=False)
