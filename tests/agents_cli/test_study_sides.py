"""The real Claude Code in the seats of a study: what each side puts before the model, and nothing on the others."""

import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from truerecall.core.clock import ManualClock
from truerecall.core.entry import Draft, EventTime, Source
from truerecall.memory.memory import Memory
from truerecall.models.scripted import Scenario, ScriptedServer
from truerecall.study.cut import cut
from truerecall.study.design import (
    Checkout,
    GraderChoice,
    MemoryChoice,
    Question,
    Repository,
    Side,
    SolverChoice,
    Study,
)
from truerecall.study.frozen import read_frozen
from truerecall.study.records import Exchange
from truerecall.study.seats import Seats
from truerecall.study.sides.placebo import neutral_text
from truerecall.study.sides.preview import preview
from truerecall.study.sides.table import Stage, equip
from truerecall.study.solvers.table import solver

pytestmark = pytest.mark.agents
BEFORE = datetime(2026, 11, 20, 9, 5, tzinfo=UTC)
EARLY = "Retries of the upload queue end after five tries, since the gateway drops the sixth."
MEMORY = Side("memory", "memory")
SERVER = """
from mcp.server.mcpserver import MCPServer
server = MCPServer("other")

@server.tool()
def recall(query: str) -> str:
    "Look up what is known."
    return "The osprey fact of " + query

server.run()
"""


def git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com")
    environment = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", "-C", str(folder), *who, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout.strip()


class Lab:
    """A study of one question, whose model is played by a scripted server."""

    def __init__(self, folder: Path, command: Path) -> None:
        self.folder, self.command = folder, command
        app = folder / "study" / "app"
        app.mkdir(parents=True)
        git(app, "init", "-q")
        git(app, "remote", "add", "origin", "https://github.com/acme/app.git")
        (app / "retry.py").write_text("LIMIT = 5\n", encoding="utf-8")
        git(app, "add", "-A")
        git(app, "commit", "-q", "-m", "first")
        self._remember(folder / "study")
        checkout = Checkout("app", git(app, "rev-parse", "HEAD"))
        text = "How many retries does the upload queue make, and why?"
        self.question = Question("retries", text, "", BEFORE + timedelta(days=2), (checkout,))
        self.cut = folder / "cuts" / "retries.db"
        cut(read_frozen(self.study("http://127.0.0.1:9")), self.question, self.cut)
        self.seats = Seats(folder / "work", {"PATH": os.environ["PATH"], "ANTHROPIC_API_KEY": "dummy"})

    @staticmethod
    def _remember(folder: Path) -> None:
        clock = ManualClock(BEFORE)
        with Memory.open(
            folder / "memory.db", user="ada", space="github.com/acme/app", embedder="none", clock=clock
        ) as memory:
            source = Source(speaker="assistant", channel="answer", session="s-old", position=1)
            memory.remember(Draft(EARLY, source=source, happened_at=EventTime(BEFORE)))
            clock.advance(timedelta(days=4))
            later = Source(speaker="assistant", channel="answer", session="s-later", position=1)
            memory.remember(Draft("Retries of the upload queue are heronlike now.", source=later))
            memory.export(folder / "memory" / "app")

    def study(self, address: str) -> Study:
        choice = SolverChoice(
            command=(str(self.command),),
            timeout=120.0,
            environment={"ANTHROPIC_BASE_URL": address, "CLAUDE_CODE_MAX_RETRIES": "0"},
        )
        folder = self.folder / "study"
        repositories = (Repository("app", "app"),)
        return Study(folder, "s", choice, GraderChoice(), MemoryChoice(("memory/app",)), repositories, (), ())

    def ask(self, side: Side, placebo: str = "", lines: list[dict[str, Any]] | None = None) -> Exchange:
        """The question, asked on a side."""
        scenario = Scenario.of(*(lines or [{"reply": "Five."}]))
        with ScriptedServer(scenario) as server:
            study = self.study(server.root)
            environment = {"PATH": os.environ["PATH"], "ANTHROPIC_API_KEY": "dummy"}
            with self.seats.seat(1, study, self.question, self.folder / "out") as seat:
                equipment = equip(side, Stage(study, self.question, seat, self.cut, placebo))
                conversation = solver(study.solver, environment).begin(seat, equipment)
                try:
                    return conversation.ask(self.question.text, "question")
                finally:
                    conversation.close()


@pytest.fixture
def lab(tmp_path: Path, commands: Any) -> Lab:
    return Lab(tmp_path, commands["claude"])


def injected(exchange: Exchange) -> list[str]:
    assert (exchange.ended, exchange.problem, exchange.answer) == ("answered", "", "Five.")
    return [one.text for one in exchange.injected if one.event == "UserPromptSubmit"]


def test_our_memory_puts_the_previewed_block_before_the_model_in_every_repeat(lab: Lab) -> None:
    expected = preview(lab.study("http://127.0.0.1:9"), lab.question, MEMORY, lab.cut, lab.seats).block

    seen = [injected(lab.ask(MEMORY)) for _ in range(2)]

    assert EARLY in expected
    assert "heronlike" not in expected
    assert seen == [[expected], [expected]]


@pytest.mark.parametrize("kind", ["none", "redo", "grep"])
def test_the_others_put_nothing_there(kind: Any, lab: Lab) -> None:
    assert lab.ask(Side("other", kind)).injected == []


def test_the_placebo_is_there_to_the_byte(lab: Lab) -> None:
    text = neutral_text(400)

    assert injected(lab.ask(Side("placebo", "placebo"), text)) == [text]


def test_a_wrapped_command_is_a_memory(lab: Lab) -> None:
    program = "import json, sys; print('KNOWN of', json.load(sys.stdin)['prompt'])"
    side = Side("other", "memory", command=(sys.executable, "-c", program))

    assert injected(lab.ask(side)) == [f"KNOWN of {lab.question.text}"]


def test_an_mcp_server_of_a_side_can_be_asked(lab: Lab) -> None:
    (lab.folder / "study" / "server.py").write_text(SERVER, encoding="utf-8")
    call = {"name": "mcp__memory__recall", "arguments": {"query": "retries"}}
    side = Side("other", "memory", mcp=(sys.executable, "./server.py"))

    exchange = lab.ask(side, lines=[{"reply": "Looking.", "tools": [call]}, {"reply": "Five."}])

    (use,) = exchange.uses
    assert (use.name, use.outcome) == ("mcp__memory__recall", "ok")
    assert "The osprey fact of retries" in use.output


def test_old_sessions_are_found_by_the_solvers_own_search(lab: Lab) -> None:
    calls = [
        {"name": "Grep", "arguments": {"pattern": "upload queue", "output_mode": "content"}},
        {"name": "Bash", "arguments": {"command": "git status --porcelain", "description": "x"}},
    ]

    exchange = lab.ask(Side("grep", "grep"), lines=[{"reply": "", "tools": calls}, {"reply": "Five."}])

    found, status = exchange.uses
    assert EARLY in found.output
    assert "heronlike" not in found.output
    assert "old-sessions" not in status.output
