"""Claude Code without a terminal, confined to the workspace; see docs/design/confinement.md.

Usage is taken from the session's own transcripts and never from the printed result, whose sums are cumulative in some
versions and nought where a limit ended the run.

A limit of costs is held by watching those transcripts while a prompt is under way. Its own ``--max-budget-usd`` is not
used: it tells the model at each turn what is left (version 2.1.332), so that no two runs would see the same bytes.
"""

from collections.abc import Mapping
from pathlib import Path
from uuid import uuid4

from truerecall.errors import StudyError
from truerecall.study.design import SolverChoice
from truerecall.study.records import Call, Exchange, ExchangeKind
from truerecall.study.solvers.claude_program import (
    fixed_arguments,
    own_arguments,
    program,
    settings,
    variables,
)
from truerecall.study.solvers.claude_result import read_result
from truerecall.study.solvers.claude_transcript import Transcripts
from truerecall.study.solvers.programs import Program, printed
from truerecall.study.solvers.protocol import Conversation, Equipment, Limit, Seat
from truerecall.study.solvers.secrets import Masking, key_of

_NEEDED = ("--restricted", "--strict-mcp-config", "--tools", "--plugin-dir", "--add-dir")
"""Options without which nothing is confined; a version that lacks one is too old."""


class ClaudeCode:
    """The solver of ``claude -p``."""

    def __init__(self, choice: SolverChoice, environment: Mapping[str, str]) -> None:
        self._choice = choice
        self._environment = environment

    def version(self) -> str:
        """What ``claude --version`` prints."""
        said = self._printed("--version").splitlines()
        return said[0][:100] if said else "unknown"

    def arguments(self) -> tuple[str, ...]:
        """See ``Solver.arguments``."""
        return ("claude", *fixed_arguments(self._choice))

    def check(self) -> None:
        """See ``Solver.check``."""
        key_of(self._choice, self._environment)
        told = self._printed("--help")
        missing = [option for option in _NEEDED if option not in told]
        if missing:
            raise StudyError(
                f"this Claude Code cannot be confined to a workspace: it has no {missing[0]}",
                where=program(self._choice, self._environment)[0],
                remedy="Install a newer one: pip install --upgrade 'truerecall[study]'",
            )

    def begin(self, seat: Seat, equipment: Equipment) -> Conversation:
        """See ``Solver.begin``."""
        key = key_of(self._choice, self._environment)
        return _Conversation(self._choice, program(self._choice, self._environment), seat, equipment, key)

    def left_in(self, home: Path) -> list[Call]:
        """See ``Solver.left_in``: those of all transcripts that lie there."""
        return Transcripts(settings(home), Masking(None)).all_calls()

    def _printed(self, option: str) -> str:
        command = program(self._choice, self._environment)
        path = {name: value for name, value in self._environment.items() if name == "PATH"}
        said = printed((*command, option), {**path, "LANG": "C.UTF-8"})
        if said is None:
            raise StudyError(
                f"Claude Code does not start: `claude {option}` failed",
                where=command[0],
                remedy="Run it by hand and see what it says; or install it anew: pip install 'truerecall[study]'",
            )
        return said


class _Conversation:
    def __init__(
        self,
        choice: SolverChoice,
        command: tuple[str, ...],
        seat: Seat,
        equipment: Equipment,
        key: str | None,
    ) -> None:
        self._choice, self._command, self._seat, self._equipment = choice, command, seat, equipment
        self._environment = variables(choice, seat, equipment, key)
        self._masking = Masking(key, choice.environment, equipment.environment)
        self._transcripts = Transcripts(settings(seat.home), self._masking)
        self._program = Program()
        # Named beforehand, so that it is known even where the first prompt is broken off.
        self._session = str(uuid4())
        self._asked = 0

    def ask(self, prompt: str, kind: ExchangeKind, limit: Limit | None = None) -> Exchange:
        """See ``Conversation.ask``."""
        if self._asked and not self._transcripts.files():
            never = "it has no conversation to go on with: the first prompt began none"
            return Exchange(kind=kind, prompt=prompt, ended="failed", problem=never, seconds=0.0)
        settings(self._seat.home).mkdir(parents=True, exist_ok=True)
        ran = self._program.run(
            (
                *self._command,
                *fixed_arguments(self._choice),
                *own_arguments(self._seat, self._equipment),
                "--resume" if self._asked else "--session-id",
                self._session,
            ),
            environment=self._environment,
            cwd=self._seat.cwd,
            stdin=prompt,
            timeout=self._choice.timeout,
            stop=None if limit is None else lambda _: self._passes(limit),
        )
        result = read_result(ran, self._choice.timeout)
        self._session = result.session or self._session
        added = self._transcripts.added(self._session, set(result.denied))
        self._keep(ran.out)
        return Exchange(
            kind=kind,
            prompt=prompt,
            answer=self._masking.text(result.answer),
            ended=result.ended,
            problem=self._masking.text(result.problem),
            calls=added.calls,
            uses=added.uses,
            injected=added.injected,
            denied=[use.id for use in added.uses if use.id in result.denied],
            seconds=ran.seconds,
            told_cost=result.cost,
            session=self._session,
        )

    def close(self) -> None:
        """See ``Conversation.close``."""
        self._program.close()

    def _passes(self, limit: Limit) -> bool:
        calls = self._transcripts.under_way(self._session)
        return bool(calls) and not limit.allows(calls)

    def _keep(self, out: bytes) -> None:
        self._masking.keep(out, self._seat.outputs / f"result-{self._asked}.json")
        self._transcripts.keep(self._seat.outputs)
        self._asked += 1
