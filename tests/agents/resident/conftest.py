"""A home with the resident process switched on, and the process itself: real, and gone when a test ends."""

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from truerecall import __version__
from truerecall.agents.journal import Note, read_notes
from truerecall.agents.places import Places
from truerecall.agents.project import project_of
from truerecall.agents.resident.address import socket_path
from truerecall.agents.resident.protocol import Question
from truerecall.core.clock import ManualClock
from truerecall.core.entry import Draft, EventTime, Source
from truerecall.memory.memory import Memory

THEN = datetime(2026, 11, 20, 9, 5, tzinfo=UTC)
WAIT = 60  # seconds until a test gives up, where it would hang else

_HOOK = """import os, sys
sys.executable = os.environ.pop("TEST_STARTED", sys.executable)
from truerecall.agents.hook.main import run
run()"""
_RESIDENT = """import os, sys
from truerecall.agents.resident import __main__ as resident, answering, filling, server
pipe = {pipe}
def says(word):
    os.write(pipe, word)
listen = server.listen
def listening(path):
    listener = listen(path)
    says(b"L")
    return listener
server.listen = listening
{more}
sys.argv = ["resident", "--embedder", "hashing"]
resident.main()"""


@dataclass(slots=True)
class Running:
    """A resident process, as the test that started it sees it."""

    process: subprocess.Popen[bytes]
    pipe: int

    def heard(self) -> bytes:
        """The next thing that it says; empty where it has ended."""
        ready, _, _ = select.select([self.pipe], [], [], WAIT)
        assert ready, "the resident process says nothing"
        return os.read(self.pipe, 1)

    def ended(self) -> int:
        """Its exit code; waits for it."""
        return self.process.wait(WAIT)


@dataclass(slots=True)
class Home:
    """A user's home with one project folder in it."""

    path: Path
    folder: Path
    environment: dict[str, str]
    running: list[Running] = field(default_factory=list)

    @property
    def places(self) -> Places:
        return Places.of(self.environment)

    @property
    def socket(self) -> Path:
        return socket_path(self.places, self.environment)

    @property
    def space(self) -> str:
        return project_of(self.folder, self.environment).space

    def settings(self, minutes: float = 10.0) -> None:
        self.places.settings.parent.mkdir(parents=True, exist_ok=True)
        self.places.settings.write_text(
            f"[hook]\nresident = true\nidle_minutes = {minutes}\n", encoding="utf-8"
        )

    def start(self, more: str = "", wait: bool = True) -> Running:
        """Start a process; ``more`` is done in it first."""
        read, write = os.pipe()
        program = _RESIDENT.format(pipe=write, more=more)
        process = subprocess.Popen(
            [sys.executable, "-c", program], env=self.environment, pass_fds=[write], cwd="/"
        )
        os.close(write)
        self.running.append(Running(process, read))
        if wait:
            assert self.running[-1].heard() == b"L"
        return self.running[-1]

    def question(self, query: str, **changed: Any) -> Question:
        asked = Question(
            __version__,
            str(self.places.store),
            "local",
            self.space,
            "ada",
            query,
            12,
            ("learned", "system"),
            "s-now",
        )
        return asked._replace(**changed)

    def remember(self, *texts: str, **details: Any) -> list[str]:
        """Put texts into the store, without vectors, each of a session of its own; their ids."""
        place = {"path": self.places.store, "space": self.space, "user": "grace", **details}
        path = Path(place.pop("path"))
        path.parent.mkdir(parents=True, exist_ok=True)
        drafts = [
            Draft(
                text,
                source=Source(
                    speaker="assistant", channel="answer", session=f"s-{number}", position=3, tool="codex"
                ),
                happened_at=EventTime(THEN),
            )
            for number, text in enumerate(texts)
        ]
        with Memory.open(path, embedder="none", clock=ManualClock(THEN), **place) as memory:
            return [result.id or "" for result in memory.remember(drafts)]

    def hook(self, event: dict[str, Any], started: Path | None = None) -> str:
        """Call the hook; what it puts before the model."""
        extra = {} if started is None else {"TEST_STARTED": str(started)}
        done = subprocess.run(
            [sys.executable, "-c", _HOOK, "codex"],
            input=json.dumps({"session_id": "s-now", "cwd": str(self.folder), **event}).encode(),
            capture_output=True,
            env={**self.environment, **extra},
            timeout=WAIT,
            check=True,
        )
        assert done.stderr == b""
        return json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"] if done.stdout else ""

    def prompt(self, prompt: str, started: Path | None = None) -> str:
        # As the session's first: it is given an entry once.
        shutil.rmtree(self.places.state / "given", ignore_errors=True)
        return self.hook({"hook_event_name": "UserPromptSubmit", "prompt": prompt}, started)

    def notes(self) -> tuple[Note, ...]:
        return read_notes(self.places).notes

    def told(self) -> list[tuple[str, str]]:
        """What the resident processes wrote into the journal."""
        return [(note.outcome, note.error) for note in self.notes() if note.tool == "resident"]


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    # A socket's path must be short, and that of a test is not.
    state = Path(tempfile.mkdtemp(prefix="tr-"))
    (tmp_path / "home").mkdir()
    (tmp_path / "api").mkdir()
    environment = {
        "HOME": str(tmp_path / "home"),
        "XDG_STATE_HOME": str(state),
        "PATH": os.environ["PATH"],
        "LOGNAME": "ada",
        "PYTHONPATH": str(Path(__file__).resolve().parents[3] / "src"),
        "GIT_CEILING_DIRECTORIES": str(tmp_path),
    }
    made = Home(tmp_path / "home", tmp_path / "api", environment)
    made.settings()
    try:
        yield made
        for each in made.running:
            if each.process.poll() is None:
                each.process.send_signal(signal.SIGTERM)
            each.ended()
        left = left_behind(state)
    finally:
        for each in made.running:
            each.process.kill()
            each.process.wait()
            os.close(each.pipe)
        shutil.rmtree(state)
    assert left == []


def left_behind(state: Path) -> list[int]:
    """Processes with this folder of state that do not end, where the system tells."""
    wanted = f"XDG_STATE_HOME={state}".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if wanted in (folder / "environ").read_bytes().split(b"\0") and not _ends(int(folder.name)):
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def _ends(process: int) -> bool:
    """Waits for a process of another's, such as one that the hook started."""
    descriptor = os.pidfd_open(process)
    try:
        return bool(select.select([descriptor], [], [], WAIT)[0])
    finally:
        os.close(descriptor)
