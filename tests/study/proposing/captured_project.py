"""A project in which agents worked: real transcripts, captured into a real memory by the code that captures."""

import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from truerecall.agents.capture import Capture
from truerecall.agents.places import Places
from truerecall.agents.settings import AgentSettings, MemorySettings
from truerecall.agents.transcripts.reading import Transcript
from truerecall.core.clock import ManualClock, parse_instant
from truerecall.core.entry import Entry
from truerecall.memory.memory import Memory
from truerecall.memory.store.protocol import Filter

SPACE = "git.example/team/uploads"
ORIGIN = "https://git.example/team/uploads.git"
RETRIES = "11111111-0000-4000-8000-000000000001"
SCHEMA = "11111111-0000-4000-8000-000000000002"
AGAIN = "11111111-0000-4000-8000-000000000003"
SCHEMA_AGAIN = "11111111-0000-4000-8000-000000000004"
LICENCE = "11111111-0000-4000-8000-000000000005"
LEANING = "11111111-0000-4000-8000-000000000006"
Said = Sequence[tuple[str, str]]
SESSIONS: Sequence[tuple[str, str, Said]] = (
    (
        RETRIES,
        "2024-03-01T09:00:00Z",
        (
            ("user", "The upload client gives up at the first network error. Add retries with a backoff."),
            ("assistant", "The upload client now retries five times with a backoff of two seconds."),
            ("user", "ok, go on"),
        ),
    ),
    (
        SCHEMA,
        "2024-03-05T09:00:00Z",
        (
            ("user", "Write a migration that splits the customer table into customer and address."),
            ("assistant", "The migration moves street and city of each customer row into address."),
        ),
    ),
    (
        AGAIN,
        "2024-04-02T09:00:00Z",
        (
            ("user", "How often does the upload client retry after a network error, and with which backoff?"),
            ("assistant", "Five times, two seconds apart."),
            ("user", "How often does the upload client retry after a network error?"),
        ),
    ),
    (
        SCHEMA_AGAIN,
        "2024-04-03T09:00:00Z",
        (
            ("user", "Which columns did the migration of the customer table move into address?"),
            ("assistant", "Street and city."),
        ),
    ),
    (
        LICENCE,
        "2024-04-04T09:00:00Z",
        (
            ("user", "Choose a permissive licence and put its text beside the readme."),
            ("assistant", "MIT it is."),
        ),
    ),
    (
        LEANING,
        "2024-04-05T09:00:00Z",
        (("user", "it still retries the upload client after a network error with a backoff"),),
    ),
)


@dataclass(frozen=True)
class Project:
    """Where it is."""

    home: Path
    cwd: Path
    places: Places
    commits: tuple[str, str]
    """Of 1 February and of 3 April, the first moment of each."""

    def memory(self) -> Memory:
        return Memory.open(self.places.store, user="ada", space=SPACE, embedder="none")

    def entries(self) -> tuple[Entry, ...]:
        with self.memory() as memory:
            return memory.list(Filter(newest=100_000))


def captured_project(above: Path, noted: bool = True) -> Project:
    """A clone in which agents worked, captured as each session ended; or, unless ``noted``, a year later.

    What is captured later knows no commit: what git says then is no news of that day.
    """
    home, cwd = above / "home", above / "uploads"
    home.mkdir()
    cwd.mkdir()
    _git(cwd, "init", "--quiet", "-b", "main")
    _git(cwd, "remote", "add", "origin", ORIGIN)
    commits = [_commit(cwd, day) for day in ("2024-02-01", "2024-04-03")]
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin", "LOGNAME": "ada"}
    places = Places.of(environment)
    clock = ManualClock(parse_instant("2024-03-01T09:00:00Z"))
    with Capture(AgentSettings(memory=MemorySettings(user="ada")), places, environment, clock) as capture:
        for session, began, said in SESSIONS:
            path, end = _written(home, cwd, session, parse_instant(began), said)
            clock.now = end + timedelta(minutes=1 if noted else 525_600)
            capture.transcript(Transcript("claude-code", path, session, clock.now))
    return Project(home, cwd, places, (commits[0], commits[1]))


def _git(folder: Path, *call: str, day: str = "2024-02-01") -> str:
    at = f"{day}T00:00:00Z"
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    environment |= {"GIT_COMMITTER_DATE": at, "GIT_AUTHOR_DATE": at}
    named = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    done = subprocess.run(
        ["git", *named, "-C", str(folder), *call], capture_output=True, check=True, text=True, env=environment
    )
    return done.stdout.strip()


def _commit(folder: Path, day: str) -> str:
    (folder / "upload.py").write_text(f"# of {day}\nRETRIES = 5\n", encoding="utf-8")
    _git(folder, "add", "-A")
    _git(folder, "commit", "--quiet", "-m", "change", day=day)
    return _git(folder, "rev-parse", "HEAD")


def _written(home: Path, cwd: Path, session: str, at: datetime, said: Said) -> tuple[Path, datetime]:
    path = home / ".claude" / "projects" / "-w" / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = []
    for number, (role, text) in enumerate(said):
        at += timedelta(seconds=30)
        message: dict[str, object] = {"role": role, "content": text}
        if role == "assistant":
            usage = {"input_tokens": 5, "output_tokens": 7}
            message |= {"id": f"m{number}", "type": "message", "model": "claude-sonnet-5-5", "usage": usage}
            message |= {"content": [{"type": "text", "text": text}], "stop_reason": "end_turn"}
        lines.append(
            json.dumps(
                {
                    "parentUuid": None,
                    "isSidechain": False,
                    "uuid": f"{session}-{number}",
                    "timestamp": at.isoformat().replace("+00:00", "Z"),
                    "cwd": os.fspath(cwd),
                    "sessionId": session,
                    "version": "2.1.332",
                    "gitBranch": "main",
                    "type": role,
                    "message": message,
                }
            )
        )
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path, at
