"""What is fixed before the first run: the plan, and beside it where the study was run and how memories were cut."""

from typing import Literal

from pydantic import Field

from truerecall.bench.manifest import Record
from truerecall.study.design import SideKind, SolverName


class PlannedFact(Record):
    """A fact of a key, as it was approved."""

    number: int
    text: str
    place: str
    wrong: bool = False


class PlannedCheckout(Record):
    """A repository at its commit."""

    repository: str
    commit: str


class PlannedQuestion(Record):
    """A question, frozen."""

    id: str
    text: str
    request: str
    asked_at: str
    control: bool
    checkouts: list[PlannedCheckout]
    session_key: list[PlannedFact]
    truth_key: list[PlannedFact]
    approved_by: str
    approved_at: str
    approved_sha256: str


class PlannedSide(Record):
    """A side, frozen."""

    name: str
    kind: SideKind
    delivery: Literal["none", "plugin", "mcp", "command", "files"]
    marker: str = ""
    sha256: str = Field(default="", description="Over the plugin's files, or the commands, that make it.")


class PlannedSolver(Record):
    """The solver, frozen."""

    name: SolverName
    model: str
    version: str
    arguments: list[str] = Field(description="The same on every side, but for what the side adds.")
    max_turns: int
    timeout: float


class PlannedRun(Record):
    """One run, in its place in the order."""

    question: str
    side: str
    repeat: int


class PriceRow(Record):
    """US dollars for a million tokens."""

    input: float
    output: float
    cache_read: float
    cache_write_5m: float
    cache_write_1h: float


class Plan(Record):
    """All that decides a study: ``plan.json``; a run folder belongs to one plan."""

    schema_version: int = 1
    kind: Literal["study"] = "study"
    name: str
    scripted: bool = Field(description="A scripted model plays the solver: a proof of wiring, not a result.")
    elsewhere: list[str] = Field(
        default_factory=list,
        description="Of solver, rewriter, judge and checker: those asked at another address than their provider's own.",
    )
    solver: PlannedSolver
    rewriter: str
    judge: str
    checker: str
    repeats: int
    followups: int
    again: int
    seed: int
    questions: list[PlannedQuestion]
    sides: list[PlannedSide]
    runs: list[PlannedRun] = Field(description="In the order in which they are begun.")
    memory: dict[str, str] = Field(description="Sha256 of each export by its name.")
    extraction_cost: float | None
    prices_dated: str
    prices_sha256: str
    prices: dict[str, PriceRow] = Field(
        description="Of the models that may be asked, as far as they are known."
    )


class Environment(Record):
    """Where it was run: ``environment.json``; decides nothing, and says no name of a machine or a person."""

    created: str
    truerecall: str
    commit: str | None
    dirty: bool | None
    python: str
    system: str
    cores: int | None
    command: str


class Cut(Record):
    """The memory of the day of one question."""

    question: str
    sha256: str = Field(description="Of its canonical dump: equal cuts have equal ones.")
    file_sha256: str = Field(
        default="", description="Of the store's file; one that is damaged is built anew."
    )
    entries: int
    later_entries: int = Field(description="Entries of the frozen memory that came later, and are not in it.")
    later_events: int
