"""What happened in a session of a coding agent, whichever agent it was."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

ToolName = Literal["claude-code", "codex", "opencode", "cursor"]

Role = Literal[
    "user",  # what a person typed
    "assistant",  # what the agent wrote for the person to read; never its thinking
    "tool",  # one tool call and what came of it
]

ActionKind = Literal[
    "command",  # something was run in a shell
    "read",  # a file was read
    "edit",  # a file was written, changed or removed
    "search",  # files or their contents were searched
    "web",  # something was fetched from outside
    "agent",  # another agent was sent off
    "mcp",  # a tool of an MCP server
    "other",
]

Outcome = Literal[
    "ok",
    "failed",  # it ran and failed: a non-zero exit code, an error
    "denied",  # it was not allowed to run
    "unknown",  # the transcript does not say (yet)
]


@dataclass(frozen=True, slots=True)
class Action:
    """One tool call and what came of it."""

    name: str
    """As the agent calls the tool: ``Bash``, ``shell``, ``mcp__memo__recall``."""
    kind: ActionKind
    outcome: Outcome
    command: str | None = None
    """What was run, of a command."""
    files: tuple[str, ...] = ()
    """Paths that it was about, as they were given."""
    exit_code: int | None = None
    output: str = ""
    """What the model saw of it; the reader cuts it (``transcripts.cutting``)."""


@dataclass(frozen=True, slots=True)
class Where:
    """Where a turn was taken, as far as the transcript says; the project is found from it (``project``)."""

    cwd: str | None = None
    branch: str | None = None
    commit: str | None = None
    origin: str | None = None
    """The address of the repository's origin, as the transcript has it."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One thing that was said or done."""

    uid: str
    """What the transcript itself calls it; the same again in a copy of the session (a fork, a resumed file)."""
    position: int
    """Its place in the session: grows, has gaps, and hangs on nothing but what stands before it in the transcript."""
    role: Role
    text: str
    """What was said; empty of a tool call."""
    at: datetime | None
    """UTC; None where the transcript does not say."""
    where: Where
    action: Action | None = None
    """Of a tool call."""
    model: str | None = None
    """The model that wrote it, of the assistant's."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What one message of the model cost, counted once however many lines repeat it."""

    message_id: str
    model: str
    tokens_in: int
    """Not from the cache."""
    tokens_out: int
    tokens_cache_read: int = 0
    tokens_cache_written: int = 0
