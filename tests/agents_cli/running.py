"""What a run of a real command line needs, whichever it is: an environment of its own, and what came of it."""

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from truerecall.models.scripted import ScriptedServer

SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of one call of a command line."""

    code: int
    out: str
    err: str
    said: tuple[str, ...]
    """The texts that the model was sent, one a request of this call: instructions, context, messages, outputs."""


def clean_environment(home: Path, *, path: tuple[Path, ...] = ()) -> dict[str, str]:
    """The variables of a user who has nothing but a home folder; folders of ``path`` come first on PATH."""
    (home / "tmp").mkdir(parents=True, exist_ok=True)
    return {
        "HOME": str(home),
        "TMPDIR": str(home / "tmp"),
        "PATH": os.pathsep.join([*map(str, path), os.environ["PATH"]]),
        "LANG": "C.UTF-8",
        "NO_PROXY": "*",
    }


def run(
    command: list[str | Path],
    *,
    environment: Mapping[str, str],
    cwd: Path,
    server: ScriptedServer | None = None,
    stdin: str = "",
    timeout: float = SECONDS,
) -> Ran:
    """Run one command line to its end."""
    before = len(server.calls) if server else 0
    done = subprocess.run(
        [str(part) for part in command],
        env=dict(environment),
        cwd=cwd,
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        timeout=timeout,
        check=False,
    )
    calls = server.calls[before:] if server else ()
    return Ran(done.returncode, done.stdout, done.stderr, tuple(call.said for call in calls))


def repository(folder: Path, origin: str = "https://git.example/team/app.git") -> Path:
    """A git repository with one commit and an origin, as a project to work in."""
    folder.mkdir(parents=True)
    (folder / "README.md").write_text("# An app\n", encoding="utf-8")
    settings = {"user.name": "Dev", "user.email": "dev@team.example"}
    named = [f"{key}={value}" for key, value in settings.items()]
    options = [item for pair in named for item in ("-c", pair)]
    for command in (
        ["init", "-q", "-b", "main"],
        ["remote", "add", "origin", origin],
        ["add", "README.md"],
        ["commit", "-q", "-m", "Begin"],
    ):
        subprocess.run(["git", *options, *command], cwd=folder, check=True, capture_output=True)
    return folder
