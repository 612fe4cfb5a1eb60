"""Recorded exchanges with Claude Code, given to the solver as if its program had just printed and written them."""

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import replayed_claude

from truerecall.study.design import SolverChoice
from truerecall.study.records import Call, Exchange
from truerecall.study.solvers.protocol import Equipment, Seat
from truerecall.study.solvers.table import solver

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
KEY = "sk-study-0123456789"
MODEL = "claude-sonnet-5-5"


def transcript(name: str, first: int = 0, end: int | None = None) -> str:
    """Lines of a recorded transcript."""
    path = FIXTURES / "agents" / "claude" / f"{name}.jsonl"
    return "".join(path.read_text("utf-8").splitlines(keepends=True)[first:end])


def result(name: str) -> dict[str, Any]:
    """A recorded result."""
    found: dict[str, Any] = json.loads((FIXTURES / "study" / "claude_results" / f"{name}.json").read_bytes())
    return found


def seat_in(folder: Path) -> Seat:
    """A place to work in, with one repository and one beside it."""
    home, workspace = folder / "1" / "home", folder / "1" / "ws"
    for path in (home / "tmp", workspace / "app", workspace / "lib"):
        path.mkdir(parents=True, exist_ok=True)
    environment = {"HOME": str(home), "TMPDIR": str(home / "tmp"), "PATH": os.environ["PATH"]}
    return Seat(home, workspace, workspace / "app", (), environment, folder / "outputs")


class Recorded:
    """A Claude Code whose calls are prepared."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "prepared"
        self.folder.mkdir()
        self.seat = seat_in(folder)
        program = (sys.executable, "-S", replayed_claude.__file__, str(self.folder))
        self.choice = SolverChoice(command=program, timeout=60.0)
        self._steps = 0

    def step(
        self,
        lines: str = "",
        told: dict[str, Any] | bytes | None = None,
        *,
        session: str = "",
        side: str = "",
        err: str = "",
        code: int = 0,
        hang: bool = False,
    ) -> "Recorded":
        """Prepare the next call: what its transcript holds then, and what it prints."""
        step = self.folder / str(self._steps)
        self._steps += 1
        if isinstance(told, dict):
            session = session or told.get("session_id", "")
            told = json.dumps(told).encode()
        session = session or "SESSION"
        written = {
            f"home/projects/-ws/{session}.jsonl": lines.encode(),
            f"home/projects/-ws/{session}/subagents/agent-a1.jsonl": side.encode(),
            "out": told or b"",
            "err": err.encode(),
            "code": str(code).encode(),
            "hang": b"yes" if hang else b"",
        }
        for name, data in written.items():
            if data:
                path = step / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
        return self

    def ask(
        self,
        prompts: int = 1,
        equipment: Equipment | None = None,
        choice: SolverChoice | None = None,
        seat: Seat | None = None,
    ) -> list[Exchange]:
        """What comes of so many prompts in one conversation."""
        asked = solver(choice or self.choice, {"PATH": os.environ["PATH"], "ANTHROPIC_API_KEY": KEY})
        conversation = asked.begin(seat or self.seat, equipment or Equipment())
        first = conversation.ask("Does login work?", "question")
        later = [conversation.ask("Keep investigating.", "follow-up") for _ in range(prompts - 1)]
        conversation.close()
        return [first, *later]

    def calls(self) -> list[dict[str, Any]]:
        """How it was called."""
        return [json.loads(line) for line in (self.folder / "calls.jsonl").read_text("utf-8").splitlines()]

    def with_timeout(self, seconds: float) -> SolverChoice:
        """The choice with another limit."""
        return replace(self.choice, timeout=seconds)


def tokens(calls: Sequence[Call]) -> tuple[int, int, int, int, int]:
    """Sums of input, output, cache reads and cache writes of calls."""
    kinds = ("input", "output", "cache_read", "cache_write_5m", "cache_write_1h")
    sums = [sum(getattr(call, kind) for call in calls) for kind in kinds]
    return sums[0], sums[1], sums[2], sums[3], sums[4]
