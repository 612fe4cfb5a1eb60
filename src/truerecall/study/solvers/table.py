"""The solvers by their names."""

from collections.abc import Callable, Mapping

from truerecall.study.design import SolverChoice, SolverName
from truerecall.study.solvers.claude_code import ClaudeCode
from truerecall.study.solvers.codex import Codex
from truerecall.study.solvers.command import CommandSolver
from truerecall.study.solvers.protocol import Solver
from truerecall.study.solvers.refused import Refused

_SOLVERS: Mapping[SolverName, Callable[[SolverChoice, Mapping[str, str]], Solver]] = {
    "claude-code": ClaudeCode,
    "codex": Codex,
    "opencode": Refused,
    "command": CommandSolver,
}


def solver(choice: SolverChoice, environment: Mapping[str, str]) -> Solver:
    """The solver that a study chose; ``environment`` is ours, of which PATH and the named key alone are used."""
    return _SOLVERS[choice.name](choice, environment)
