"""The code of a question as it was at its commits, read out of git's objects: no checkout, no hook, no filter."""

import os
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from truerecall.errors import StudyError
from truerecall.study.planned import PlannedQuestion
from truerecall.study.workspace import GIT_ENVIRONMENT

Sources = Callable[[str], Path | None]
"""The folder of a repository by its name in the study, where git finds the commit; None where it is not at hand."""

_SECONDS = 60.0
_NUMBER = re.compile(r"\d{1,9}")
# What a repository sets for itself has no say in what is found.
_SETTINGS = (
    "safe.directory=*",
    "core.quotePath=false",
    "core.fsmonitor=false",
    "color.ui=false",
    "submodule.recurse=false",
)
_OPTIONS = ("--no-replace-objects", *(part for setting in _SETTINGS for part in ("-c", setting)))


@dataclass(frozen=True, slots=True)
class CodeFile:
    """A file of a repository at its commit."""

    repository: str
    path: str
    """Below the top of the repository, with slashes."""


class Code:
    """The repositories of a question; one whose folder or commit is not there has no files."""

    def __init__(self, question: PlannedQuestion, sources: Sources) -> None:
        self._checkouts = {one.repository: one.commit for one in question.checkouts}
        self._folders = {name: sources(name) for name in self._checkouts}
        self._known: dict[CodeFile, tuple[str, ...]] = {}

    @cached_property
    def files(self) -> tuple[CodeFile, ...]:
        """All of them, by repository and path."""
        found = []
        for repository, commit in self._checkouts.items():
            listed = self._git(repository, "ls-tree", "-r", "-z", "--name-only", "--full-tree", commit)
            found += [CodeFile(repository, path) for path in listed.split("\0") if path]
        return tuple(found)

    def lines(self, file: CodeFile) -> tuple[str, ...]:
        """Its lines; none of a file that is no text."""
        if file not in self._known:
            text = self._git(
                file.repository, "cat-file", "blob", f"{self._checkouts[file.repository]}:{file.path}"
            )
            lines = [] if "\0" in text else text.removesuffix("\n").split("\n")
            self._known[file] = tuple(line.removesuffix("\r") for line in lines)
        return self._known[file]

    def with_word(self, word: str) -> list[tuple[CodeFile, int]]:
        """Where a word stands: the file and the line, from 1; of each file the first one."""
        found: dict[CodeFile, int] = {}
        for repository, commit in self._checkouts.items():
            asked = ("grep", "-n", "-z", "-I", "-F", "-w", "--full-name", "-e", word, commit)
            for hit in self._git(repository, *asked).split("\n"):
                place, _, rest = hit.partition("\0")
                if number := _NUMBER.match(rest):
                    file = CodeFile(repository, place.removeprefix(f"{commit}:"))
                    found.setdefault(file, int(number.group()))
        return list(found.items())

    def _git(self, repository: str, *arguments: str) -> str:
        """What git prints; nothing where it fails."""
        folder = self._folders[repository]
        if folder is None or not folder.is_dir():
            return ""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        try:
            done = subprocess.run(
                ["git", "-C", os.fspath(folder), *_OPTIONS, *arguments],
                env={**kept, **GIT_ENVIRONMENT, "LC_ALL": "C"},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise StudyError(
                f"git cannot be asked for the code: {type(error).__name__}",
                where=repository,
                remedy="Install git, and check that the repository can be read.",
            ) from None
        return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""
