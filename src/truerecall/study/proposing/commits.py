"""Which commit was the last one before a moment, as far as a clone here tells."""

import re
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from truerecall.errors import StudyError
from truerecall.study.git_objects import GitObjects

_SECONDS = 30.0


def last_commit(folder: Path, branch: str, at: datetime, environment: Mapping[str, str] | None = None) -> str:
    """The last commit of a branch before a moment, by the committers' clocks; empty where none is found.

    A branch that is gone by now is taken for HEAD. It is a guess: what was checked out that day nobody noted.
    """
    git = GitObjects(environment, _SECONDS)
    before = f"--before={at:%Y-%m-%dT%H:%M:%SZ}"
    for name in dict.fromkeys(one for one in (branch, "HEAD") if one and not one.startswith("-")):
        try:
            done = git.ask(folder, "rev-list", "-1", before, name, "--")
        except StudyError:  # no git, or none that answers
            return ""
        found = done.stdout.decode("ascii", "replace").strip()
        if re.fullmatch(r"[0-9a-f]{40}", found):
            return found
    return ""
