"""What a study is, as its files say it: nothing here has been run yet."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Literal

SideKind = Literal[
    "memory",  # the agent with a memory of the day of the question
    "none",  # the agent alone
    "redo",  # the agent alone, which first gets the original request, then the question in the same conversation
    "placebo",  # as many tokens of neutral text, put where the recall would stand
    "grep",  # the agent alone, with the old sessions as files in its workspace
]
SolverName = Literal["claude-code", "codex", "opencode", "command"]
KeyKind = Literal[
    "session",  # what the original discussion concluded
    "truth",  # what is so at the commit: this one alone decides what is correct
]


@dataclass(frozen=True, slots=True)
class FilePlace:
    """Lines of a file at the commit of the question."""

    repository: str
    path: str
    """Below the top of the repository, with slashes."""
    first: int
    last: int
    """Counted from 1, both included."""

    def __str__(self) -> str:
        lines = str(self.first) if self.first == self.last else f"{self.first}-{self.last}"
        return f"{self.repository}: {self.path}:{lines}"


@dataclass(frozen=True, slots=True)
class SessionPlace:
    """The session where a decision was made."""

    session: str

    def __str__(self) -> str:
        return f"session {self.session}"


Place = FilePlace | SessionPlace


@dataclass(frozen=True, slots=True)
class KeyFact:
    """One checkable fact of a key."""

    number: int
    """From 1, within its key."""
    text: str
    place: Place
    """Where it was verified."""
    wrong: bool = False
    """Of a session key only: the session concluded it, and it is not so."""
    line: int = 0
    """Where it stands in ``keys.md``."""


@dataclass(frozen=True, slots=True)
class Approval:
    """Who vouches for the keys of a question, and for which bytes."""

    by: str
    at: datetime
    sha256: str
    """Of what was approved: see ``keys.approving``."""


@dataclass(frozen=True, slots=True)
class Checkout:
    """One repository as it was when the question was asked."""

    repository: str
    """Its name in the study."""
    commit: str
    """All 40 hexadecimal digits."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question that somebody really asked, or a control."""

    id: str
    """The name of its folder: lower-case letters, digits and hyphens."""
    text: str
    """What every solver is asked, to the byte."""
    request: str
    """What was asked in the original session: the first prompt of the redo side; empty of a control."""
    asked_at: datetime
    """What the memory learned before is in its cut, and nothing else."""
    checkouts: tuple[Checkout, ...]
    """The first one is where the solver works; the others lie beside it."""
    control: bool = False
    """Whether memory holds nothing relevant: it prices the ordinary prompt, and has no session key."""
    sessions: tuple[str, ...] = ()
    """The original sessions, as the memory calls them."""
    session_key: tuple[KeyFact, ...] = ()
    truth_key: tuple[KeyFact, ...] = ()
    approval: Approval | None = None


@dataclass(frozen=True, slots=True)
class Side:
    """One way to give the solver a memory, or none."""

    name: str
    """Lower-case letters, digits and hyphens."""
    kind: SideKind
    """What the solver gets."""
    plugin_dir: str = ""
    """Memory only: the folder of a plugin for Claude Code; empty for our own, unless mcp or command is given."""
    mcp: tuple[str, ...] = ()
    """Memory only: the command of an MCP server, in place of a plugin."""
    command: tuple[str, ...] = ()
    """Memory only: a command that gets the prompt's hook event on standard input and prints what is to be injected."""
    load: tuple[str, ...] = ()
    """Memory only: run before each run, to fill a memory of another kind."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables for the solver and for ``load``."""
    marker: str = ""
    """What stands in everything this side injects, so that admission knows it; empty: any injected text counts."""


@dataclass(frozen=True, slots=True)
class Repository:
    """Where a repository is fetched from."""

    name: str
    """Lower-case letters, digits and hyphens; also its folder in the workspace."""
    source: str
    """A folder, relative to the study, or an address that git can fetch from."""
    origin: str = ""
    """What ``origin`` is set to in the workspace; empty: what it is in ``source``. Memories scope by it."""


@dataclass(frozen=True, slots=True)
class SolverChoice:
    """Which solver, the same on every side."""

    name: SolverName = "claude-code"
    """Codex is let in where this machine confines it to a workspace; OpenCode is refused, for none does."""
    model: str = "claude-sonnet-5-5"
    """As its provider calls it."""
    command: tuple[str, ...] = ()
    """Of the command solver: its argument list; of the others the program, if it is not the one on PATH."""
    max_turns: int = 40
    """Rounds of the model that one prompt may take."""
    timeout: float = 1800.0
    """Seconds that one prompt may take."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Further variables, such as ANTHROPIC_BASE_URL, or OPENAI_BASE_URL for Codex; never a key."""
    key_variable: str = "ANTHROPIC_API_KEY"
    """The variable of our own environment whose value the solver gets; the value never stands in a file."""
    where: str = field(default="", compare=False)
    """Not a setting: the file and line where it is chosen, for what is said of it."""


@dataclass(frozen=True, slots=True)
class GraderChoice:
    """The models that grade, as ``models.specs`` reads them: ``anthropic:NAME``, ``scripted:FILE``."""

    rewriter: str = "anthropic:claude-haiku-5-5"
    """Takes out where an answer came from; ``rules`` uses the rules alone, without a model."""
    judge: str = "anthropic:claude-opus-5-5"
    """Marks the facts of the keys, and lists claims that may be wrong."""
    checker: str = ""
    """Holds suspected claims against the code; empty: the judge."""


@dataclass(frozen=True, slots=True)
class MemoryChoice:
    """The frozen memory."""

    exports: tuple[str, ...] = ()
    """Folders written by ``truerecall export``, relative to the study, one a space."""
    extraction_cost: float | None = None
    """US dollars that extracting its facts cost, where that is known: a line of its own in the report."""


@dataclass(frozen=True, slots=True)
class Study:
    """All of a study."""

    folder: Path
    name: str
    """Lower-case letters, digits and hyphens; also the folder below ``runs`` that it is run in."""
    solver: SolverChoice
    graders: GraderChoice
    memory: MemoryChoice
    repositories: tuple[Repository, ...]
    sides: tuple[Side, ...]
    questions: tuple[Question, ...]
    repeats: int = 3
    """Runs of every question on every side."""
    followups: int = 3
    """Neutral follow-ups at most, until an answer is correct."""
    again: int = 2
    """How often a run that was thrown out is done again, at most."""
    seed: int = 0
    """Of the order in which the runs take place."""
