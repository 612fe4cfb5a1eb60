"""What a solver must be able to do: hold one conversation in one workspace, and tell all that it used and saw."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from truerecall.study.records import Call, Exchange, ExchangeKind


@dataclass(frozen=True, slots=True)
class Equipment:
    """What a side adds to the solver; the same solver does without it on the others."""

    plugin_dir: Path | None = None
    """A plugin for Claude Code: its hooks run at the events of the conversation. Codex takes the hooks alone."""
    mcp_config: Path | None = None
    """A file of MCP servers, as Claude Code reads them."""
    allowed_tools: tuple[str, ...] = ()
    """Tools of that server which may be called."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Further variables."""


@dataclass(frozen=True, slots=True)
class Seat:
    """Where one run takes place; nothing in it tells the side."""

    home: Path
    """HOME, fresh: nobody's settings, memory or login."""
    workspace: Path
    """Holds the repositories, and nothing else."""
    cwd: Path
    """The first repository, where the solver is started."""
    beside: tuple[Path, ...]
    """The other repositories."""
    environment: Mapping[str, str]
    """All variables of the solver, HOME, PATH and TMPDIR among them; the equipment adds its own."""
    outputs: Path
    """Where raw transcripts are put."""


class Limit(Protocol):
    """What one prompt may spend of what the study has left."""

    @property
    def dollars(self) -> float:
        """US dollars that are left when it begins."""
        ...

    def allows(self, calls: Sequence[Call]) -> bool:
        """Whether one call of the model more may follow those which the prompt has made so far."""
        ...


class Conversation(Protocol):
    """One conversation."""

    def ask(self, prompt: str, kind: ExchangeKind, limit: Limit | None = None) -> Exchange:
        """Say one prompt and wait for the end of the answer; what goes wrong stands in the exchange.

        The usage is that of this exchange alone, and each call of the model is in it once. A prompt that the limit
        ends has failed; a solver that cannot be watched may pass it.

        Raises:
            StudyError: nothing can be asked at all: no program, no credential.
        """
        ...

    def close(self) -> None:
        """End what may still run."""
        ...


class Solver(Protocol):
    """A coding agent, or what stands in for one."""

    def version(self) -> str:
        """What it calls itself."""
        ...

    def arguments(self) -> Sequence[str]:
        """The command line without what a side adds, and without paths of this machine."""
        ...

    def check(self) -> None:
        """Whether it can be used here, and be confined to a workspace.

        Raises:
            StudyError: it cannot; the reason, and what to do.
        """
        ...

    def begin(self, seat: Seat, equipment: Equipment) -> Conversation:
        """A new conversation."""
        ...

    def left_in(self, home: Path) -> Sequence[Call]:
        """The calls of the model that are told in a home which a killed process left; none where nothing tells them."""
        ...
