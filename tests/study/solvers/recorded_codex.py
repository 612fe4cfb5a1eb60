"""Recorded exchanges with Codex, given to the solver as if its program had just printed and written them."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import replayed_codex
from recorded import FIXTURES, KEY, seat_in

from truerecall.study.design import SolverChoice
from truerecall.study.records import Exchange
from truerecall.study.solvers.codex import Codex
from truerecall.study.solvers.protocol import Equipment, Limit

RECORDED = FIXTURES / "study" / "codex"
FIRST = 38
"""Lines of the rollout before the follow-up."""
MODEL = "gpt-5.1"

_PROGRAM = """\
#!/bin/sh
case "$1" in
  --version) echo codex-cli 0.171.0; exit ;;
  exec) exec "{python}" -S "{replayed}" "{folder}" "$@" ;;
esac
for script; do :; done
case "$(cat "{folder}/wall")$script" in
  whole*outside*|whole*link*|whole*-R*|whole*/proc/*|whole*config.toml*|whole*written*|whole*127.0.0.1*|broken*)
    echo no such file >&2; exit 1 ;;
esac
exec sh -c "$script"
"""
"""Its sandbox is as ``wall`` says: ``whole`` runs nothing that names what is outside, ``broken`` nothing at all."""


def rollout(first: int = 0, end: int | None = None) -> str:
    """Lines of the recorded rollout."""
    text = (RECORDED / "0.171.0_rollout.jsonl").read_text("utf-8")
    return "".join(text.splitlines(keepends=True)[first:end])


def events(name: str) -> bytes:
    """What was printed: of the ``question``, or of the ``followup``."""
    return (RECORDED / f"0.171.0_{name}.jsonl").read_bytes()


class RecordedCodex:
    """A Codex whose calls are prepared; what it is installed from is a package of npm, as its profile says."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "@openai"
        self.command = self.folder / "codex" / "codex"
        (self.folder / "codex-linux-x64").mkdir(parents=True)
        self.command.parent.mkdir()
        told = {"python": sys.executable, "replayed": replayed_codex.__file__, "folder": self.folder}
        self.command.write_text(_PROGRAM.format(**told), "utf-8")
        self.command.chmod(0o755)
        self.seat = seat_in(folder)
        self._steps = 0

    def choice(self, **changed: Any) -> SolverChoice:
        told: dict[str, Any] = {"timeout": 60.0, "key_variable": "OPENAI_API_KEY", **changed}
        return SolverChoice("codex", told.pop("model", MODEL), (str(self.command),), **told)

    def solver(self, **changed: Any) -> Codex:
        return Codex(self.choice(**changed), {"PATH": os.environ["PATH"], "OPENAI_API_KEY": KEY})

    def step(
        self, lines: str = "", out: bytes = b"", *, err: str = "", code: int = 0, hang: bool = False
    ) -> "RecordedCodex":
        """Prepare the next prompt: what its rollout holds then, and what it prints."""
        step = self.folder / str(self._steps)
        step.mkdir()
        self._steps += 1
        written = {
            "rollout": lines.encode(),
            "out": out,
            "err": err.encode(),
            "code": str(code).encode(),
            "hang": b"yes" if hang else b"",
        }
        for name, data in written.items():
            if data:
                (step / name).write_bytes(data)
        return self

    def ask(
        self, prompts: int = 1, equipment: Equipment | None = None, limit: Limit | None = None, **changed: Any
    ) -> list[Exchange]:
        """What comes of so many prompts in one conversation."""
        conversation = self.solver(**changed).begin(self.seat, equipment or Equipment())
        first = conversation.ask("Does login work?", "question", limit)
        later = [conversation.ask("Keep investigating.", "follow-up", limit) for _ in range(prompts - 1)]
        conversation.close()
        return [first, *later]

    def calls(self) -> list[dict[str, Any]]:
        """How it was called at each prompt."""
        return [json.loads(line) for line in (self.folder / "calls.jsonl").read_text("utf-8").splitlines()]
