"""Sessions of Claude Code, written line by line as it writes them; and what a test needs to capture them."""

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from truerecall.agents.places import Places
from truerecall.agents.transcripts.reading import Transcript
from truerecall.core.entry import Entry
from truerecall.memory.memory import Memory
from truerecall.memory.store.protocol import Filter

NOON = datetime(2024, 5, 7, 12, tzinfo=UTC)
SESSION = "11111111-2222-3333-4444-555555555555"


@dataclass
class Written:
    """A transcript that grows."""

    home: Path
    cwd: Path
    session: str = SESSION
    at: datetime = NOON - timedelta(minutes=10)
    lines: int = 0
    prefix: str = "u"
    usages: dict[str, Any] = field(default_factory=dict)

    @property
    def path(self) -> Path:
        return self.home / ".claude" / "projects" / "-w" / f"{self.session}.jsonl"

    @property
    def transcript(self) -> Transcript:
        changed = datetime.fromtimestamp(self.path.stat().st_mtime, UTC)
        return Transcript("claude-code", self.path, self.session, changed)

    def line(self, **data: Any) -> "Written":
        self.lines += 1
        self.at += timedelta(seconds=1)
        whole = {
            "parentUuid": None,
            "isSidechain": False,
            "uuid": f"{self.prefix}{self.lines}",
            "timestamp": self.at.isoformat().replace("+00:00", "Z"),
            "cwd": str(self.cwd),
            "sessionId": self.session,
            "version": "2.1.332",
            "gitBranch": "main",
            **data,
        }
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(whole) + "\n")
        return self

    def user(self, text: str) -> "Written":
        return self.line(type="user", message={"role": "user", "content": text})

    def answer(self, text: str, tokens: int = 7) -> "Written":
        return self._assistant({"type": "text", "text": text}, tokens)

    def call(self, name: str, given: dict[str, Any], output: str, failed: bool = False) -> "Written":
        key = f"toolu_{self.prefix}{self.lines}"
        self._assistant({"type": "tool_use", "id": key, "name": name, "input": given}, 3)
        result = {"tool_use_id": key, "type": "tool_result", "content": output, "is_error": failed}
        return self.line(type="user", message={"role": "user", "content": [result]})

    def ran(self, command: str, output: str, failed: bool = False) -> "Written":
        return self.call("Bash", {"command": command}, output, failed)

    def read(self, file: str, output: str) -> "Written":
        return self.call("Read", {"file_path": file}, output)

    def _assistant(self, block: dict[str, Any], tokens: int) -> "Written":
        usage = {"input_tokens": 5, "output_tokens": tokens, "cache_read_input_tokens": 100}
        return self.line(
            type="assistant",
            message={
                "id": f"msg_{self.prefix}{self.lines}",
                "type": "message",
                "role": "assistant",
                "model": "claude-sonnet-5-5",
                "content": [block],
                "stop_reason": "end_turn",
                "usage": usage,
            },
        )


@dataclass(frozen=True)
class Place:
    """A fresh home with a project in it."""

    home: Path
    cwd: Path
    environment: dict[str, str]
    places: Places

    def session(self, **options: Any) -> Written:
        return Written(self.home, options.pop("cwd", self.cwd), **options)

    def memory(self, space: str, **options: Any) -> Memory:
        return Memory.open(self.places.store, user="ada", space=space, **{"embedder": "none", **options})

    def entries(self, space: str, ended: bool = False) -> list[Entry]:
        """All of a space, the first learned first."""
        with self.memory(space) as memory:
            found = memory.list(Filter(ended=ended, newest=100_000))
        return sorted(found, key=lambda e: (e.source.session or "", e.source.position or 0, e.kind, e.text))

    def texts(self, space: str) -> list[str]:
        return [entry.text for entry in self.entries(space) if entry.kind == "turn"]


def place_in(folder: Path) -> Place:
    """A home below a folder."""
    home = folder / "home"
    cwd = folder / "work"
    home.mkdir()
    cwd.mkdir()
    environment = {
        "HOME": str(home),
        "PATH": "/usr/bin:/bin",
        "LOGNAME": "ada",
        "GIT_CEILING_DIRECTORIES": str(folder),
    }
    return Place(home, cwd, environment, Places.of(environment))
