"""Files of repositories as they were at a commit, read out of git's objects: no checkout, no hook, no filter."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from truerecall.errors import StudyError
from truerecall.study.workspace import GIT_ENVIRONMENT

# What a repository sets for itself has no say in what is found.
_SETTINGS = (
    "safe.directory=*",
    "core.quotePath=false",
    "core.fsmonitor=false",
    "color.ui=false",
    "submodule.recurse=false",
)
_OPTIONS = ("--no-replace-objects", *(part for setting in _SETTINGS for part in ("-c", setting)))


class GitObjects:
    """Asks git, which finds neither the machine's configuration nor another repository than the one it is sent to.

    Args:
        environment: Of git; by default our own.
        seconds: That an answer may take.
    """

    def __init__(self, environment: Mapping[str, str] | None = None, seconds: float = 60.0) -> None:
        given = os.environ if environment is None else environment
        # A git hook's own variables would make git speak of another repository.
        kept = {name: value for name, value in given.items() if not name.startswith("GIT_")}
        self._environment = {**kept, **GIT_ENVIRONMENT, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
        self._seconds = seconds

    def ask(self, folder: Path, *arguments: str) -> "subprocess.CompletedProcess[bytes]":
        """What comes of a command of git in a folder; one that fails is no error.

        Raises:
            StudyError: git is not there, or gives no answer in its time.
        """
        try:
            return subprocess.run(
                ["git", "-C", os.fspath(folder), *_OPTIONS, *arguments],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                env=self._environment,
                timeout=self._seconds,
                check=False,
            )
        except OSError as error:
            raise StudyError(
                f"git cannot be run: {error.strerror}", where="git", remedy="Install git, and put it on PATH."
            ) from None
        except subprocess.TimeoutExpired:
            raise StudyError(
                f"git gave no answer in {self._seconds:.0f} s",
                where=str(folder),
                remedy="See whether the repository can be read; one at an address, clone by hand and name its folder.",
            ) from None

    def file(self, folder: Path, commit: str, path: str) -> bytes | None:
        """A file at a commit, its path from the top of the repository; None where there is none.

        Raises:
            StudyError: as ``ask`` says.
        """
        done = self.ask(folder, "cat-file", "blob", f"{commit}:{path}")
        return None if done.returncode else done.stdout


def lines_of(text: str) -> tuple[str, ...]:
    """The lines of a file without their ends; none of an empty one."""
    lines = text.removesuffix("\n").split("\n") if text else []
    return tuple(line.removesuffix("\r") for line in lines)
