"""The hook as agents call it: a process of its own, in a home of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from truerecall.agents.journal import Note, read_notes
from truerecall.agents.places import Places
from truerecall.agents.project import project_of
from truerecall.core.clock import ManualClock
from truerecall.core.entry import Draft, EventTime, Source, Statement
from truerecall.memory.memory import Memory

THEN = datetime(2026, 11, 20, 9, 5, tzinfo=UTC)

_PROGRAM = """import os, sys
sys.executable = os.environ.pop("TEST_CAPTURE", sys.executable)  # what is started as the capture
from truerecall.agents.hook.main import run
run()"""


@dataclass(frozen=True, slots=True)
class Printed:
    """What an agent sees of its hook."""

    code: int
    out: bytes
    err: bytes

    @property
    def silent(self) -> bool:
        """Whether the agent sees nothing of it at all."""
        return (self.code, self.out, self.err) == (0, b"", b"")

    @property
    def text(self) -> str:
        """What is put before the model, whichever tool it is."""
        assert (self.code, self.err) == (0, b"")
        said = json.loads(self.out)
        said = said.get("hookSpecificOutput", said)
        return said.get("additionalContext") or said["additional_context"]


@dataclass(frozen=True, slots=True)
class Home:
    """A user's home with one project folder in it, and nothing else."""

    path: Path
    folder: Path
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def places(self) -> Places:
        return Places.of(self.environment)

    @property
    def space(self) -> str:
        return project_of(self.folder, self.environment).space

    def command(self, *arguments: str) -> list[str]:
        """The console script, without the file that an installation makes of it."""
        return [sys.executable, "-c", _PROGRAM, *arguments]

    def call(
        self, tool: str, told: bytes | Mapping[str, Any], extra: Mapping[str, str] | None = None
    ) -> Printed:
        """Call the hook with an agent's JSON on standard input."""
        data = told if isinstance(told, bytes) else json.dumps({"cwd": str(self.folder), **told}).encode()
        done = subprocess.run(
            self.command(tool),
            input=data,
            capture_output=True,
            env={**self.environment, **(extra or {})},
            cwd=self.path,
            timeout=60,
            check=False,
        )
        return Printed(done.returncode, done.stdout, done.stderr)

    def prompt(
        self, tool: str, prompt: str, extra: Mapping[str, str] | None = None, session: str = "s-now"
    ) -> Printed:
        """Submit a prompt, as the tool tells it."""
        event = "beforeSubmitPrompt" if tool == "cursor" else "UserPromptSubmit"
        named = "conversation_id" if tool == "cursor" else "session_id"
        return self.call(tool, {named: session, "hook_event_name": event, "prompt": prompt}, extra)

    @staticmethod
    def turn(text: str, session: str = "s-old", tool: str = "codex", **details: Any) -> Draft:
        """What an agent said in an earlier session."""
        source = Source(speaker="assistant", channel="answer", session=session, position=3, tool=tool)
        return Draft(text, source=source, happened_at=EventTime(THEN), **details)

    @staticmethod
    def fact(text: str, predicate: str, value: str, at: datetime = THEN) -> Draft:
        """What was learned in an earlier session."""
        return Draft(
            text,
            kind="fact",
            statement=Statement("api", predicate, value),
            source=Source(channel="fact", session="s-old", tool="codex"),
            happened_at=EventTime(at),
        )

    def notes(self) -> tuple[Note, ...]:
        return read_notes(self.places).notes

    def settings(self, text: str) -> None:
        self.places.settings.parent.mkdir(parents=True, exist_ok=True)
        self.places.settings.write_text(text, encoding="utf-8")

    def remember(self, *drafts: Draft, user: str = "grace") -> list[str]:
        """Put entries of this project into the store, as a teammate; their ids."""
        self.places.store.parent.mkdir(parents=True, exist_ok=True)
        with Memory.open(
            self.places.store, user=user, space=self.space, embedder="none", clock=ManualClock(THEN)
        ) as memory:
            return [result.id or "" for result in memory.remember(drafts)]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    (tmp_path / "home").mkdir()
    (tmp_path / "api").mkdir()
    environment = {
        "HOME": str(tmp_path / "home"),
        "PATH": os.environ["PATH"],
        "LOGNAME": "ada",
        "PYTHONPATH": str(Path(__file__).resolve().parents[3] / "src"),
        "GIT_CEILING_DIRECTORIES": str(tmp_path),
    }
    return Home(tmp_path / "home", tmp_path / "api", environment)
