"""Codex without a terminal, behind the wall of its profile of permissions; see docs/design/confinement.md.

Usage is taken from the conversation's own rollouts and never from what is printed, whose sums are those of the whole
conversation. It knows no limit of rounds and none of costs: the rollouts are watched for both, several times a second.
"""

from collections.abc import Mapping
from pathlib import Path

from truerecall.errors import StudyError
from truerecall.study.design import SolverChoice
from truerecall.study.records import Call, Exchange, ExchangeKind
from truerecall.study.solvers.codex_printed import Result, read_events
from truerecall.study.solvers.codex_program import (
    HOOKS_RUN,
    address_of,
    fixed_arguments,
    folder,
    own_places,
    program,
    variables,
    write_settings,
)
from truerecall.study.solvers.codex_rollout import Added, Rollouts
from truerecall.study.solvers.codex_wall import prove_wall
from truerecall.study.solvers.programs import Program, printed
from truerecall.study.solvers.protocol import Conversation, Equipment, Limit, Seat
from truerecall.study.solvers.secrets import Masking, key_of

_NO_WALL = "its transcript does not say that its commands were confined to the workspace"
_UNKNOWN_USAGE = (
    "it answered, and its rollout does not tell what that used: this version of Codex is not known"
)


class Codex:
    """The solver of ``codex exec``."""

    def __init__(self, choice: SolverChoice, environment: Mapping[str, str]) -> None:
        self._choice = choice
        self._environment = environment

    def version(self) -> str:
        """What ``codex --version`` prints."""
        command = program(self._choice, self._environment)
        path = {name: value for name, value in self._environment.items() if name == "PATH"}
        said = printed((*command, "--version"), {**path, "LANG": "C.UTF-8"})
        if not said:
            raise StudyError(
                "Codex does not start: `codex --version` failed",
                where=command[0],
                remedy="Run it by hand and see what it says; or install it anew: npm install -g @openai/codex",
            )
        return said.splitlines()[-1][:100]

    def arguments(self) -> tuple[str, ...]:
        """See ``Solver.arguments``."""
        return ("codex", "exec", *fixed_arguments(self._choice))

    def check(self) -> None:
        """See ``Solver.check``: the wall is tried, without a model."""
        self._refuse_another_provider()
        key_of(self._choice, self._environment)
        self.version()
        prove_wall(self._choice, program(self._choice, self._environment), self._environment)

    def begin(self, seat: Seat, equipment: Equipment) -> Conversation:
        """See ``Solver.begin``."""
        key = key_of(self._choice, self._environment)
        return _Conversation(self._choice, program(self._choice, self._environment), seat, equipment, key)

    def left_in(self, home: Path) -> list[Call]:
        """See ``Solver.left_in``."""
        return Rollouts(folder(home), Masking(None)).added().calls

    def _refuse_another_provider(self) -> None:
        """What is not named in a study is Claude Code's: a key must not go to another provider."""
        for setting, value, wanted in (
            ("key_variable", self._choice.key_variable.upper().startswith("ANTHROPIC"), "OPENAI_API_KEY"),
            ("model", self._choice.model.startswith("claude"), "…"),
        ):
            if value:
                raise StudyError(
                    f"{setting} is that of another provider: {getattr(self._choice, setting)}",
                    where=self._choice.where or "solver codex",
                    remedy=f'Set {setting} = "{wanted}" under [solver] of study.toml.',
                )


class _Conversation:
    def __init__(
        self,
        choice: SolverChoice,
        command: tuple[str, ...],
        seat: Seat,
        equipment: Equipment,
        key: str | None,
    ) -> None:
        self._choice, self._command, self._seat = choice, command, seat
        self._hooks = (HOOKS_RUN,) if equipment.plugin_dir else ()
        self._environment = variables(choice, seat, equipment, key)
        self._masking = Masking(key, choice.environment, equipment.environment)
        seen = (seat.workspace, *own_places(command[0]))
        self._rollouts = Rollouts(folder(seat.home), self._masking, seen)
        self._program = Program()
        self._session = ""
        self._asked = 0
        self._at_last_round = False
        write_settings(seat.home, seat.workspace, command[0], address_of(choice), equipment)

    def ask(self, prompt: str, kind: ExchangeKind, limit: Limit | None = None) -> Exchange:
        """See ``Conversation.ask``."""
        if self._asked and not self._session:
            never = "it has no conversation to go on with: the first prompt began none"
            return Exchange(kind=kind, prompt=prompt, ended="failed", problem=never, seconds=0.0)
        self._at_last_round = False
        ran = self._program.run(
            (
                *self._command,
                "exec",
                *(("resume",) if self._asked else ()),
                *fixed_arguments(self._choice),
                *self._hooks,
                *((self._session,) if self._asked else ()),
                "-",
            ),
            environment=self._environment,
            cwd=self._seat.cwd,
            stdin=prompt,
            timeout=self._choice.timeout,
            stop=lambda _: self._is_over(limit),
        )
        added = self._rollouts.added()
        result = self._told(read_events(ran, self._choice.timeout), added)
        self._session = result.session or self._session
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
            denied=[use.id for use in added.uses if use.outcome == "denied"],
            walled=added.walled,
            seconds=ran.seconds,
            session=self._session,
        )

    def close(self) -> None:
        """See ``Conversation.close``."""
        self._program.close()

    def _is_over(self, limit: Limit | None) -> bool:
        """Whether no call of the model more may follow those which a prompt has made so far."""
        calls = self._rollouts.under_way()
        self._at_last_round = len(calls) >= self._choice.max_turns
        return self._at_last_round or (bool(calls) and limit is not None and not limit.allows(calls))

    def _told(self, result: Result, added: Added) -> Result:
        """The end, but for an answer that was not confined, or would count as one that cost nothing."""
        if self._at_last_round and result.ended == "failed":
            rounds = f"it was ended after {len(added.calls)} rounds of the model"
            return Result("turns", "", rounds, result.session)
        if result.ended != "answered" or (added.walled and added.calls):
            return result
        return Result("failed", "", _UNKNOWN_USAGE if added.walled else _NO_WALL, result.session)

    def _keep(self, out: bytes) -> None:
        self._masking.keep(out, self._seat.outputs / f"printed-{self._asked}.jsonl")
        self._rollouts.keep(self._seat.outputs)
        self._asked += 1
