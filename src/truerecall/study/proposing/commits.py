"""Which commit was the last one before a moment, as far as a clone here tells."""

import os
import re
import subprocess
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from truerecall.study.workspace import GIT_ENVIRONMENT

_SECONDS = 30.0


def last_commit(folder: Path, branch: str, at: datetime, environment: Mapping[str, str] | None = None) -> str:
    """The last commit of a branch before a moment, by the committers' clocks; empty where none is found.

    A branch that is gone by now is taken for HEAD. It is a guess: what was checked out that day nobody noted.
    """
    base = os.environ if environment is None else environment
    clean = {name: value for name, value in base.items() if not name.startswith("GIT_")}
    before = f"--before={at:%Y-%m-%dT%H:%M:%SZ}"
    for name in dict.fromkeys(one for one in (branch, "HEAD") if one and not one.startswith("-")):
        try:
            done = subprocess.run(
                ["git", "-c", "safe.directory=*", "-C", str(folder), "rev-list", "-1", before, name, "--"],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                env={**clean, **GIT_ENVIRONMENT, "LC_ALL": "C"},
                timeout=_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return ""
        found = done.stdout.decode("ascii", "replace").strip()
        if re.fullmatch(r"[0-9a-f]{40}", found):
            return found
    return ""
