"""Commands that a study names: a script that is not there is told while the study is read, and not by a run."""

import os
import re
from collections.abc import Sequence
from pathlib import Path

from truerecall.study.files.tables import Table

_SCRIPT = re.compile(r"[^\s:]+\.(?:py|sh|js|mjs|cjs|ts|rb|pl)")
_INTERPRETER = re.compile(r"(?:python|pypy|node|bun|deno|tsx|ruby|perl|uv|sh|bash|zsh|dash)[0-9.]*")
_NO_SCRIPT = ("-m", "-c", "-e")
"""After these an interpreter runs no file."""


def words_of(table: Table, key: str, folder: Path) -> tuple[str, ...]:
    """The words of a command.

    Raises:
        StudyError: It runs a script that is not there: a word that begins with ``./`` or ``../``, or the script that an
            interpreter is given, is looked up from the folder of the study.
    """
    command = table.texts(key)
    for place in _scripts(command):
        if not (folder / command[place]).exists():
            raise table.refuse(
                f"there is no file {command[place]}", "Name it from the folder of the study.", key, place
            )
    return command


def whole_paths(command: Sequence[str], folder: Path) -> list[str]:
    """A command with whole paths for the files of a study that it names, since it runs elsewhere.

    Those are words that begin with ``./``, and arguments, or a program with a slash, that name a file there.
    """
    above = folder.resolve()
    return [
        str(above / word)
        if word.startswith("./") or ((place or "/" in word) and _is_file(above / word))
        else word
        for place, word in enumerate(command)
    ]


def _is_file(path: Path) -> bool:
    return os.path.isfile(path)  # noqa: PTH113 - an argument may be a whole program, too long for a path's own test


def _scripts(command: Sequence[str]) -> list[int]:
    """The places of words that can be nothing but files: a package may have a slash, an image files of its own."""
    found = [place for place, word in enumerate(command) if word.startswith(("./", "../"))]
    if command and _INTERPRETER.fullmatch(Path(command[0]).name):
        for place, word in enumerate(command[1:], start=1):
            if word in _NO_SCRIPT:
                break
            if _SCRIPT.fullmatch(word):
                return sorted({*found, place})
    return found
