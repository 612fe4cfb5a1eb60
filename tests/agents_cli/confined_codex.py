"""Whether this machine confines Codex, and how its shell is called."""

import os
from functools import cache
from pathlib import Path
from typing import Any

from truerecall.errors import StudyError
from truerecall.study.design import SolverChoice
from truerecall.study.solvers.codex import Codex

KEY = "sk-study-0123456789"


@cache
def refusal(command: Path) -> str:
    """Why this machine does not confine it; empty where it does. The same for each test."""
    choice = SolverChoice("codex", "scripted", (str(command),), key_variable="")
    try:
        Codex(choice, {"PATH": os.environ["PATH"]}).check()
    except StudyError as refused:
        return str(refused)
    return ""


def shell(command: str, **more: str) -> dict[str, Any]:
    """A call of its shell."""
    return {"name": "exec_command", "arguments": {"cmd": command, **more}}
