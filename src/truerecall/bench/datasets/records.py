"""A data set that was read: conversations, questions with their gold, and what was left out."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Turn:
    """One message."""

    ref: str
    """The gold's name for it (``D8:6``). Never shown to a system."""
    speaker: str
    text: str
    """Verbatim; an image stands at its end as ``[image: caption]``."""
    position: int
    """Its place in the session, from 0."""


@dataclass(frozen=True, slots=True)
class Session:
    """Messages of one sitting."""

    ref: str
    """The gold's name for it (``D8``, ``answer_280352e9``). Never shown to a system."""
    at: datetime
    """When it took place, aware; data sets name no time zone, so it is read as UTC."""
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its gold."""

    id: str
    text: str
    asked_at: datetime
    """The clock of the benchmark while it is asked."""
    type: str
    """For reporting only; a system never sees it."""
    answer: str
    """The gold answer as text (integers are written out)."""
    gold_turns: frozenset[str]
    """Refs of the turns that hold the evidence; empty where the data set does not name turns."""
    gold_sessions: frozenset[str]
    """Refs of the sessions that hold the evidence."""
    abstention: bool = False
    """Whether the right answer is that it cannot be known."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A history and the questions asked of it: it has a store of its own."""

    id: str
    sessions: tuple[Session, ...]
    """In the order in which they took place."""
    questions: tuple[Question, ...]
    """Those that are asked: what is left out stands in the data set's exclusions."""
    without_gold: tuple[Question, ...] = ()
    """Left out of retrieval for their empty gold (each is an exclusion too): for accuracy only."""


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Something of the file that is not used as it stands there."""

    item: str
    """A question id or a place in the file."""
    reason: str
    """One of a few fixed words, so that it can be counted: ``adversarial``, ``empty gold``, …"""
    detail: str
    drops_question: bool
    """Whether the whole question is left out, or only a part of its evidence or history."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """A file that was read."""

    name: str
    """``locomo`` or ``longmemeval``."""
    variant: str
    """``dev``, ``_s``, ``oracle``, …, or ``unrecognised``."""
    file: str
    """Its path below the data folder."""
    sha256: str
    recognised: bool
    """Whether the hash is one that this project knows."""
    conversations: tuple[Conversation, ...]
    exclusions: tuple[Exclusion, ...]
    planned: int
    """Questions in the file: those asked and those left out."""
    note: str = ""
    """What must be said beside every figure on it (``fixture: wiring proof, not a result``)."""
    split: str = "all"
    """Which part of the file was read: ``dev``, ``held-out`` or ``all``."""
