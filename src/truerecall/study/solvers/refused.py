"""Agents that are not let into a study, because what they can read was measured and is more than the workspace."""

from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

from truerecall.errors import StudyError
from truerecall.study.design import SolverChoice
from truerecall.study.records import Call
from truerecall.study.solvers.protocol import Conversation, Equipment, Seat

_REMEDY = (
    'Use name = "claude-code", or "codex" where it can be confined; or wrap the agent in a container of your own, and '
    'use name = "command" for that. What was tried stands in docs/design/confinement.md.'
)
_REASONS = {
    "opencode": "OpenCode cannot be confined to a workspace: with git allowed, `git diff --no-index`, "
    "`git blame --contents`, a redirection and a symbolic link pass its rules, and its Read and Grep follow links out",
}


class Refused:
    """A solver that only says why it is none."""

    def __init__(self, choice: SolverChoice, environment: Mapping[str, str]) -> None:
        self._choice = choice
        del environment

    def version(self) -> str:
        """It is not started."""
        return "refused"

    def arguments(self) -> tuple[str, ...]:
        """There are none."""
        return ()

    def check(self) -> None:
        """Always raises ``StudyError``, with the reason."""
        self._refuse()

    def begin(self, seat: Seat, equipment: Equipment) -> Conversation:
        """Always raises ``StudyError``, with the reason."""
        del seat, equipment
        self._refuse()

    def left_in(self, home: Path) -> tuple[Call, ...]:
        """It was never started."""
        del home
        return ()

    def _refuse(self) -> NoReturn:
        where = self._choice.where or f"solver {self._choice.name}"
        raise StudyError(_REASONS[self._choice.name], where=where, remedy=_REMEDY)
