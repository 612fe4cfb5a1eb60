"""A fact of a session, and what it is taken from."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from truerecall.agents.records import Turn
from truerecall.core.entry import Trust

FactKind = Literal[
    "decision",  # what was settled, and why
    "cause",  # why something was so: the cause found
    "command",  # a command that worked
    "fix",  # an error and what mended it
    "version",  # which version of something is in use
    "path",  # where something lives
    "convention",  # how things are done here
    "open_end",  # what was left to do, or not known
]


@dataclass(frozen=True, slots=True)
class Kept:
    """A turn as the memory holds it."""

    turn: Turn
    entry_id: str
    text: str
    """Masked, and without what recall had injected or the user had marked as private."""
    trust: Trust


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that was learned."""

    kind: FactKind
    text: str
    """A sentence that can be read by itself, in the words of its source."""
    subject: str
    """What it is about: a package, a path, an error; or the project's name."""
    value: str
    """What is said of it."""
    sources: tuple[str, ...]
    """Ids of the entries that it was taken from or quotes; its trust is the lowest of theirs."""
    position: int
    """Of the turn that it was taken from."""
    at: datetime | None
    """The latest time of its sources."""


PREDICATES: Mapping[FactKind, str] = {
    "decision": "decided",
    "cause": "caused_by",
    "command": "works_with",
    "fix": "fixed_by",
    "version": "version",
    "path": "stands_in",
    "convention": "convention",
    "open_end": "open_end",
}
"""What the statement of a fact is called in the memory; of these only ``version`` holds one value at a time."""
