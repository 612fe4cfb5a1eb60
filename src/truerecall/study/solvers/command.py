"""Any program as a solver: it reads a prompt from standard input and prints what came of it, a JSON object a line.

It is started anew for each prompt, where the solver works, with the variables of the run and these besides:

=================================  =================================================================
``TRUERECALL_STUDY_SESSION``       empty at first, then the id that it gave its conversation
``TRUERECALL_STUDY_PLUGIN``        the folder of the side's plugin for Claude Code, or empty
``TRUERECALL_STUDY_MCP``           the side's file of MCP servers, or empty
``TRUERECALL_STUDY_MODEL``         the model that the study names
``TRUERECALL_STUDY_MAX_TURNS``     how many rounds of the model one prompt may take
``TRUERECALL_STUDY_LIMIT``         with ``--max-cost`` alone: US dollars that the study has left
=================================  =================================================================

It prints, each on one line and in any order::

    {"type": "session", "id": "…"}
    {"type": "call", "id": "…", "model": "…", "input": 0, "output": 0,
     "cache_read": 0, "cache_write_5m": 0, "cache_write_1h": 0}
    {"type": "tool", "id": "…", "name": "Read", "input": {…}, "outcome": "ok", "output": "…"}
    {"type": "injected", "event": "UserPromptSubmit", "text": "…"}
    {"type": "answer", "text": "…"}

The answer stands once. A ``call`` is one call of the model: its id is unique in the conversation, and counts once
however often it is printed, the last line of a prompt for all. Caches, ``input`` and ``output`` of a tool may be left
out; the outcome is ``ok``, ``failed``, ``denied`` or ``unknown``. Anything else makes the exchange a failed one, as do
an exit code other than 0 and no answer; the calls that were told are counted all the same.

What it prints is read while it runs. With a limit of costs it is ended where a tool was used after the last call, so
that one more is about to follow, and that one would not be within the limit. A program that prints its calls at its end
can look at the variable instead, and fail.

Nothing confines such a program: the audit of the uses that it tells is all that finds a read outside the workspace.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, JsonValue, TypeAdapter, ValidationError

from truerecall.bench.manifest import Record
from truerecall.errors import StudyError
from truerecall.study.design import SolverChoice
from truerecall.study.records import Call, Ended, Exchange, ExchangeKind, Injected, ToolUse, UseOutcome
from truerecall.study.solvers.programs import Program, Ran, whole_command
from truerecall.study.solvers.protocol import Conversation, Equipment, Limit, Seat
from truerecall.study.solvers.secrets import Masking

OUTPUT = 4_000
"""Characters that are kept of what came of a tool."""
_Name = Annotated[str, Field(min_length=1, max_length=200)]
_Tokens = Annotated[int, Field(ge=0, lt=1 << 53, strict=True)]


class _Session(Record):
    type: Literal["session"]
    id: _Name


class _Call(Record):
    type: Literal["call"]
    id: _Name
    model: _Name
    input: _Tokens
    output: _Tokens
    cache_read: _Tokens = 0
    cache_write_5m: _Tokens = 0
    cache_write_1h: _Tokens = 0


class _Tool(Record):
    type: Literal["tool"]
    id: _Name
    name: _Name
    input: dict[str, JsonValue] = Field(default_factory=dict)
    outcome: UseOutcome
    output: str = ""


class _Injected(Record):
    type: Literal["injected"]
    event: _Name
    text: str


class _Answer(Record):
    type: Literal["answer"]
    text: str


_Line = _Session | _Call | _Tool | _Injected | _Answer
_LINE: TypeAdapter[_Line] = TypeAdapter(Annotated[_Line, Field(discriminator="type")])


@dataclass(slots=True)
class Printed:
    """What a command told of one exchange."""

    calls: dict[str, Call] = field(default_factory=dict)
    uses: dict[str, ToolUse] = field(default_factory=dict)
    injected: list[Injected] = field(default_factory=list)
    session: str = ""
    answers: list[str] = field(default_factory=list)
    problem: str = ""
    """What is wrong with the first line that is."""
    using: bool = False
    """Whether a tool was used since the last call."""


def read_printed(out: bytes, masking: Masking) -> Printed:
    """Read what was printed; lines behind one that is wrong are read as well, so that no call is lost."""
    told = Printed()
    for number, raw in enumerate(out.split(b"\n"), 1):
        if not raw.strip():
            continue
        try:
            line = _LINE.validate_python(masking.value(json.loads(raw.decode("utf-8"))))
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False, include_context=False)[0]
            place = ".".join(str(part) for part in first["loc"][-2:])
            told.problem = told.problem or f"line {number} of what it printed: {place}: {first['msg']}"
        except (ValueError, RecursionError):
            told.problem = told.problem or f"line {number} of what it printed is no JSON in UTF-8"
        else:
            _take(line, told)
    return told


class CommandSolver:
    """The solver of a study's own command."""

    def __init__(self, choice: SolverChoice, environment: Mapping[str, str]) -> None:
        self._choice = choice
        self._environment = environment

    def version(self) -> str:
        """Its name: nothing is known of it but that."""
        return f"command {Path(self._choice.command[0]).name}" if self._choice.command else "command"

    def arguments(self) -> tuple[str, ...]:
        """The command with names in place of whole paths."""
        return tuple(Path(part).name if Path(part).is_absolute() else part for part in self._choice.command)

    def check(self) -> None:
        """Whether the program is there; it is not confined by anything."""
        self._whole_command()

    def left_in(self, home: Path) -> tuple[Call, ...]:
        """None: what such a program keeps in a home is its own affair."""
        del home
        return ()

    def begin(self, seat: Seat, equipment: Equipment) -> Conversation:
        """See ``Solver.begin``."""
        command = self._whole_command()
        name = self._choice.key_variable
        key = self._environment.get(name) if name else None
        return _Conversation(self._choice, command, seat, equipment, {name: key} if key else {})

    def _whole_command(self) -> tuple[str, ...]:
        command = self._choice.command
        if not command:
            raise StudyError(
                "the solver has no command", where="command", remedy="Name its argument list in study.toml."
            )
        found = whole_command(command, self._environment)
        if found is None:
            raise StudyError(
                "the solver's program is not there",
                where=command[0],
                remedy="Give its whole path, or the name of a program on PATH.",
            )
        return found


class _Conversation:
    def __init__(
        self,
        choice: SolverChoice,
        command: tuple[str, ...],
        seat: Seat,
        equipment: Equipment,
        key: Mapping[str, str],
    ) -> None:
        self._choice, self._command, self._seat = choice, command, seat
        self._masking = Masking(next(iter(key.values()), None), choice.environment, equipment.environment)
        self._environment = {
            **seat.environment,
            **choice.environment,
            **equipment.environment,
            **key,
            "TRUERECALL_STUDY_PLUGIN": str(equipment.plugin_dir or ""),
            "TRUERECALL_STUDY_MCP": str(equipment.mcp_config or ""),
            "TRUERECALL_STUDY_MODEL": choice.model,
            "TRUERECALL_STUDY_MAX_TURNS": str(choice.max_turns),
        }
        self._program = Program()
        self._session = ""
        self._asked = 0
        self._told: set[tuple[str, str]] = set()

    def ask(self, prompt: str, kind: ExchangeKind, limit: Limit | None = None) -> Exchange:
        """See ``Conversation.ask``."""
        told_limit = {} if limit is None else {"TRUERECALL_STUDY_LIMIT": f"{limit.dollars:.6f}"}
        ran = self._program.run(
            self._command,
            environment={**self._environment, "TRUERECALL_STUDY_SESSION": self._session, **told_limit},
            cwd=self._seat.cwd,
            stdin=prompt,
            timeout=self._choice.timeout,
            stop=None if limit is None else lambda out: self._passes(limit, out),
        )
        told = read_printed(ran.out, self._masking)
        self._session = told.session or self._session
        self._keep(ran.out)
        ended, problem = _ending(ran, told, self._choice.timeout)
        uses = [use for key, use in told.uses.items() if self._new("use", key)]
        return Exchange(
            kind=kind,
            prompt=prompt,
            answer=told.answers[0] if ended == "answered" else "",
            ended=ended,
            problem=self._masking.text(problem)[:1_000],
            calls=[call for key, call in told.calls.items() if self._new("call", key)],
            uses=uses,
            injected=told.injected,
            denied=[use.id for use in uses if use.outcome == "denied"],
            seconds=ran.seconds,
            session=self._session,
        )

    def close(self) -> None:
        """See ``Conversation.close``."""
        self._program.close()

    def _passes(self, limit: Limit, out: bytes) -> bool:
        told = read_printed(out, self._masking)
        calls = [call for key, call in told.calls.items() if ("call", key) not in self._told]
        return bool(calls) and told.using and not limit.allows(calls)

    def _new(self, kind: str, key: str) -> bool:
        known = (kind, key) in self._told
        self._told.add((kind, key))
        return not known

    def _keep(self, out: bytes) -> None:
        self._masking.keep(out, self._seat.outputs / f"printed-{self._asked}.jsonl")
        self._asked += 1


def _take(line: _Line, told: Printed) -> None:
    match line:
        case _Session():
            told.session = line.id
        case _Call():
            told.using = False
            told.calls[line.id] = Call.model_validate(line.model_dump(exclude={"type"}))
        case _Tool():
            facts = {**line.model_dump(exclude={"type"}), "output": line.output[:OUTPUT]}
            told.using = True
            told.uses[line.id] = ToolUse.model_validate(facts)
        case _Injected():
            told.injected.append(Injected(event=line.event, text=line.text))
        case _Answer():
            told.answers.append(line.text)


def _ending(ran: Ran, told: Printed, timeout: float) -> tuple[Ended, str]:
    if ran.late:
        return "timeout", f"it did not end within {timeout:g} seconds"
    if ran.code:
        said = f": {ran.last_words}" if ran.last_words else ""
        return "failed", f"it ended with code {ran.code}{said}"
    if told.problem:
        return "failed", told.problem
    if len(told.answers) != 1:
        return "failed", f"it printed {len(told.answers) or 'no'} answer{'s' if told.answers else ''}"
    return "answered", ""
