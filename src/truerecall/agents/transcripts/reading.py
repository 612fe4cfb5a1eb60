"""What a reader of transcripts is, and what it gives.

A reader is pure but for the files that it reads: the same files and cursor give the same turns. It goes on where its
cursor stands, survives a half-written last line, and counts what it does not know.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Protocol

from truerecall.agents.records import ToolName, Turn, Usage


@dataclass(frozen=True, slots=True)
class Transcript:
    """One session of one agent, or one subagent of it."""

    tool: ToolName
    path: Path
    """The file that holds it."""
    session: str
    """The agent's own id of the session; of a subagent ``SESSION/AGENT``."""
    changed: datetime
    """When it last grew, UTC."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far a transcript was read; kept between processes, opaque to everyone but its reader."""

    offset: int = 0
    """Bytes, rows or milliseconds, as the reader wants it."""
    position: int = 0
    """Of the next turn."""
    head: str = ""
    """What tells that it is still the same file (a digest of its beginning); another file is read from the start."""
    carry: str = ""
    """JSON of what earlier lines said that later ones need: open tool calls, the folder, the last message id."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What was new in a transcript."""

    turns: tuple[Turn, ...]
    """In their order."""
    usages: tuple[Usage, ...]
    """Each message once, also over several readings."""
    cursor: Cursor
    """Where the next reading begins."""
    more: bool = False
    """Whether the reading ended at its limit, and the next goes on at once."""
    skipped: Mapping[str, int] = field(default_factory=dict)
    """Lines that were passed over on purpose, by type."""
    unknown: Mapping[str, int] = field(default_factory=dict)
    """Lines of a type that this reader has never seen, by type."""
    faults: tuple[str, ...] = ()
    """Lines that could not be read, with their place; a half-written last line is none."""
    version: str | None = None
    """Of the agent that wrote it, where it says so."""


class TranscriptReader(Protocol):
    """Reads the sessions of one agent."""

    tool: ToolName

    def find(self, homes: Mapping[str, str], since: datetime | None = None) -> Iterator[Transcript]:
        """The transcripts of this machine that changed since then, the oldest change first.

        ``homes`` is the environment: ``HOME`` and the agent's own variables (``CLAUDE_CONFIG_DIR``, ``CODEX_HOME``,
        ``XDG_DATA_HOME``) say where to look. A folder that is not there holds none.
        """
        ...

    def read(self, transcript: Transcript, cursor: Cursor | None = None, most: int = 4 << 20) -> Reading:
        """What is new since the cursor, at most about ``most`` bytes of it.

        Raises:
            TranscriptError: The file is there but cannot be read at all.
        """
        ...
