"""A study of one repository and one memory, cut at its question; and a run's stage in a fresh seat."""

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from truerecall.core.clock import ManualClock
from truerecall.core.entry import Draft, EventTime, Source, Statement
from truerecall.memory.memory import Memory
from truerecall.study.cut import cut
from truerecall.study.design import (
    Checkout,
    GraderChoice,
    MemoryChoice,
    Question,
    Repository,
    SolverChoice,
    Study,
)
from truerecall.study.frozen import read_frozen
from truerecall.study.seats import Seats
from truerecall.study.sides.stage import Stage
from truerecall.study.solvers.protocol import Equipment, Seat

BEFORE = datetime(2026, 11, 20, 9, 5, tzinfo=UTC)
ASKED = BEFORE + timedelta(days=2)
EARLY = "Retries of the upload queue end after five tries, since the gateway drops the sixth."
UNTIL = "The upload queue keeps its retries in Redis until the move."
GIVEN = {"PATH": os.environ["PATH"], "HOME": "/home/ada", "ANTHROPIC_API_KEY": "sk-the-key"}
Staged = Callable[..., AbstractContextManager[Stage]]
Fired = Callable[..., dict[str, str]]


def git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com")
    environment = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", "-C", str(folder), *who, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout.strip()


def turn(
    text: str, position: int, session: str = "s-old", speaker: str = "assistant", **more: object
) -> Draft:
    source = Source(speaker=speaker, channel="answer", session=session, position=position, tool="claude-code")
    return Draft(text, source=source, happened_at=EventTime(BEFORE), **more)  # type: ignore[arg-type]


@pytest.fixture
def study(tmp_path: Path) -> Study:
    folder = tmp_path / "study"
    app = folder / "app"
    app.mkdir(parents=True)
    git(app, "init", "-q")
    git(app, "remote", "add", "origin", "https://github.com/acme/app.git")
    (app / "retry.py").write_text("LIMIT = 5\n", encoding="utf-8")
    git(app, "add", "-A")
    git(app, "commit", "-q", "-m", "first")
    _remember(folder)
    memory = MemoryChoice(("memory/app",))
    repositories = (Repository("app", "app"),)
    return Study(folder, "s", SolverChoice(), GraderChoice(), memory, repositories, (), ())


def _remember(folder: Path) -> None:
    """What was known before the question, and what became of it after."""
    clock = ManualClock(BEFORE)
    path = folder / "memory.db"
    with Memory.open(
        path, user="ada", space="github.com/acme/app", embedder="none", clock=clock, seed=7
    ) as memory:
        limit = memory.remember(
            [
                turn(EARLY, 1),
                turn("How many retries does the upload queue make?", 0, speaker="user"),
                turn(UNTIL, 2, valid_to=ASKED + timedelta(days=2)),
                turn("Snapshots of parser tests are renewed with make snapshots.", 0, "s-other"),
                Draft(
                    "The colour of headers is set in the theme file.",
                    kind="fact",
                    statement=Statement("app", "decided", "theme file"),
                    source=Source(channel="fact", session="s-other", tool="claude-code"),
                    happened_at=EventTime(BEFORE),
                ),
            ]
        )[0].id
        clock.now = ASKED + timedelta(days=1)
        memory.feedback(memory.recall("How many retries?"), cited=[limit or ""], failed=True)
        memory.correct(limit or "", "Retries of the upload queue end after nine heronlike tries.")
        memory.remember([turn("Retries of the upload queue are kingfisherlike now.", 0, "s-later")])
        memory.export(folder / "memory" / "app")


@pytest.fixture
def question(study: Study) -> Question:
    commit = git(study.folder / "app", "rev-parse", "HEAD")
    text = "How many retries does the upload queue make, and why?"
    return Question("retries", text, "", ASKED, (Checkout("app", commit),))


@pytest.fixture
def cut_path(study: Study, question: Question, tmp_path: Path) -> Path:
    path = tmp_path / "cuts" / "retries.db"
    cut(read_frozen(study), question, path)
    return path


@pytest.fixture
def seats(tmp_path: Path) -> Seats:
    return Seats(tmp_path / "work", GIVEN)


@pytest.fixture
def staged(study: Study, question: Question, cut_path: Path, seats: Seats, tmp_path: Path) -> Staged:
    """A stage in a fresh seat."""

    @contextmanager
    def stage(placebo: str = "", slot: int = 1) -> Iterator[Stage]:
        with seats.seat(slot, study, question, tmp_path / "out") as seat:
            yield Stage(study, question, seat, cut_path, placebo)

    return stage


@pytest.fixture
def fired() -> Fired:
    """Runs a plugin's hooks of the prompt, each a process; what each adds for the model, by the number of the hook."""

    def fire(
        seat: Seat, equipment: Equipment, prompt: str = "How many?", session: str = "s-1"
    ) -> dict[str, str]:
        assert equipment.plugin_dir is not None
        hooks = json.loads((equipment.plugin_dir / "hooks/hooks.json").read_text(encoding="utf-8"))["hooks"]
        told = {
            "session_id": session,
            "cwd": str(seat.cwd),
            "hook_event_name": "UserPromptSubmit",
            "prompt": prompt,
        }
        root = {"CLAUDE_PLUGIN_ROOT": str(equipment.plugin_dir)}
        texts = {}
        for number, group in enumerate(hooks["UserPromptSubmit"], start=1):
            done = subprocess.run(
                ["sh", "-c", group["hooks"][0]["command"]],
                input=json.dumps(told).encode(),
                env={**seat.environment, **equipment.environment, **root},
                cwd=seat.cwd,
                capture_output=True,
                check=True,
            )
            said = json.loads(done.stdout)["hookSpecificOutput"] if done.stdout else {}
            texts[str(number)] = said.get("additionalContext", "")
        return texts

    return fire
