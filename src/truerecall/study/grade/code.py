"""The code of a question as it was at its commits."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from truerecall.study.git_objects import GitObjects, lines_of
from truerecall.study.planned import PlannedQuestion

Sources = Callable[[str], Path | None]
"""The folder of a repository by its name in the study, where git finds the commit; None where it is not at hand."""

_NUMBER = re.compile(r"\d{1,9}")


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
        self._git = GitObjects()
        found = {name: sources(name) for name in self._checkouts}
        self._folders = {
            name: folder if folder and folder.is_dir() else None for name, folder in found.items()
        }
        self._known: dict[CodeFile, tuple[str, ...]] = {}

    @cached_property
    def files(self) -> tuple[CodeFile, ...]:
        """All of them, by repository and path."""
        found = []
        for repository, commit in self._checkouts.items():
            listed = self._said(repository, "ls-tree", "-r", "-z", "--name-only", "--full-tree", commit)
            found += [CodeFile(repository, path) for path in listed.split("\0") if path]
        return tuple(found)

    def lines(self, file: CodeFile) -> tuple[str, ...]:
        """Its lines; none of a file that is no text."""
        if file not in self._known:
            folder, commit = self._folders[file.repository], self._checkouts[file.repository]
            raw = None if folder is None else self._git.file(folder, commit, file.path)
            text = "" if raw is None or b"\0" in raw else raw.decode("utf-8", "replace")
            self._known[file] = lines_of(text)
        return self._known[file]

    def with_word(self, word: str) -> list[tuple[CodeFile, int]]:
        """Where a word stands: the file and the line, from 1; of each file the first one."""
        found: dict[CodeFile, int] = {}
        for repository, commit in self._checkouts.items():
            asked = ("grep", "-n", "-z", "-I", "-F", "-w", "--full-name", "-e", word, commit)
            for hit in self._said(repository, *asked).split("\n"):
                place, _, rest = hit.partition("\0")
                if number := _NUMBER.match(rest):
                    file = CodeFile(repository, place.removeprefix(f"{commit}:"))
                    found.setdefault(file, int(number.group()))
        return list(found.items())

    def _said(self, repository: str, *arguments: str) -> str:
        """What git prints; nothing where it fails."""
        folder = self._folders[repository]
        done = None if folder is None else self._git.ask(folder, *arguments)
        return done.stdout.decode("utf-8", "replace") if done and done.returncode == 0 else ""
