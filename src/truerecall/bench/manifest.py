"""The manifest of a retrieval run: every figure, with all that is needed to check or repeat it.

Written as JSON; Markdown, HTML, the terminal table and the documentation are made from it by code.
"""

import json
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from truerecall.bench.systems.protocol import Setting, Tuning
from truerecall.errors import RunError

SCHEMA = 1
ALL = "all"
"""The type of a cell over all questions."""
GridLevel = Literal["turn", "session"]


class Record(BaseModel):
    """Base: immutable, strict about unknown fields, and without NaN or infinity."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Interval(Record):
    """A two-sided 95 % interval."""

    low: float
    high: float


class Cell(Record):
    """One figure: a metric over the questions of one type."""

    level: GridLevel | None = Field(description="None for metrics of the block, such as evidence-carry.")
    metric: str = Field(
        description="any@10, all@limit, mrr, ndcg@10, carry@500, answer_carry_shuffled@500, tokens@500, ms."
    )
    type: str = Field(description=f"A question type, or {ALL!r}.")
    n: int
    mean: float | None = Field(description="None where n is 0.")
    by_question: Interval | None = Field(description="Questions taken as independent.")
    by_conversation: Interval | None = Field(
        description="Clustered by conversation; None with fewer than two."
    )
    clusters: int
    conversations: dict[str, float] = Field(
        default_factory=dict, description="Each conversation's own value (type 'all')."
    )
    chance: float | None = Field(
        default=None,
        description="The expected value of a random order; of a block metric, the value of a shuffled block.",
    )


class Latency(Record):
    """Milliseconds of one recall, as measured on this machine."""

    p50: float
    p95: float
    recalls: int


class LaneCount(Record):
    """What a lane really did."""

    lane: str
    questions_with_candidates: int
    candidates_mean: float


class StepFound(Record):
    """Where one step of the search ranked the gold: a lane, ``fused``, ``reranked``, or ``recalled`` (the answer)."""

    step: str
    questions: int = Field(description="Those with named gold.")
    any_at_10: float = Field(description="Share of questions with a gold item among its first 10.")
    all_at_10: float = Field(description="Share of questions with every gold item among its first 10.")
    gold: int = Field(description="Gold items over all questions.")
    within: dict[int, float] = Field(description="Share of the gold items among its first k, by k.")
    only: float | None = Field(
        default=None, description="Of a lane: share of the gold that no other lane has among its first 200."
    )
    gained: int | None = Field(
        default=None, description="After 'fused': questions with gold among the first 10 here, but not there."
    )
    lost: int | None = Field(default=None, description="The other way round.")


class CurvePoint(Record):
    """A cut-off, and the mean over all questions with its interval by conversation."""

    k: int
    mean: float
    interval: Interval | None


class Curve(Record):
    """One family of metrics over all cut-offs up to the length of the list."""

    level: GridLevel
    family: Literal["any", "fractional", "all"]
    points: list[CurvePoint]


class SizeLatency(Record):
    """The recalls over stores of about one size: one conversation, or some where there are many."""

    entries: int = Field(description="In the store: the median of the conversations.")
    p50: float = Field(description="Milliseconds.")
    recalls: int


class SystemResult(Record):
    """One system over one data set."""

    name: str
    configuration: dict[str, Setting]
    stored: int
    embedded: int | None
    masked: int
    refused: int
    gold_refused: list[str] = Field(description="Gold references that the system refused: misses, listed.")
    lanes: list[LaneCount]
    latency: Latency
    ingest_seconds: float
    ingest_cached: bool = Field(description="Whether any conversation's ingestion came from the cache.")
    vectors_cached: int = Field(
        default=0, description="Vectors that were looked up: an ingestion that computed them takes longer."
    )
    earlier_runs: list[str] = Field(
        default_factory=list,
        description="Start and commit of earlier runs of this name that measured some of its conversations.",
    )
    store_bytes: int | None = Field(
        default=None,
        description="Of the closed stores of all conversations; None where they are not kept as files.",
    )
    cells: list[Cell]
    tuning: Tuning = Field(default=Tuning(), description="As the system declares it.")
    steps: list[StepFound] = Field(
        default_factory=list, description="What each step contributed, where the system says."
    )
    curves: list[Curve] = Field(default_factory=list)
    sizes: list[SizeLatency] = Field(default_factory=list, description="By size, smallest first.")


class ExclusionRow(Record):
    """One thing that was left out."""

    item: str
    reason: str
    detail: str
    drops_question: bool


class DatasetResult(Record):
    """Every system over one data set."""

    name: str
    variant: str
    file: str
    sha256: str
    recognised: bool
    note: str
    split: str = Field(default="all", description="Which part of the file was read: dev, held-out or all.")
    conversations: int
    sessions: int
    turns: int
    planned: int
    asked: int
    no_turn_gold: int = Field(
        description="Asked questions without named gold turns: scored at session level only."
    )
    exclusions: list[ExclusionRow]
    pool_mean: float = Field(description="Mean number of items that a question ranks.")
    systems: list[SystemResult]


class Provenance(Record):
    """Where and how the run was made."""

    harness: str
    created: str
    commit: str | None
    dirty: bool | None
    python: str
    sqlite: str
    packages: dict[str, str]
    machine: dict[str, Setting]
    seed: int
    granularity: Literal["turn", "session"]
    counter: str = Field(description="The token counter of the blocks.")
    command: str


class RetrievalManifest(Record):
    """A whole run."""

    schema_version: int = SCHEMA
    kind: Literal["retrieval"] = "retrieval"
    wiring_proof: bool = Field(
        description="Fixtures or toy models: a proof that the wiring works, not a result."
    )
    provenance: Provenance
    rows_sha256: str = Field(
        default="", description="Of rows.jsonl beside it, from which the figures were made."
    )
    datasets: list[DatasetResult]


def manifest_json(manifest: Record) -> str:
    """The manifest with sorted keys: the same run gives the same bytes.

    Raises:
        RunError: a figure is not a finite number.
    """
    try:
        text = json.dumps(
            manifest.model_dump(mode="json"), sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False
        )
    except ValueError as error:
        raise RunError(
            "a figure of the manifest is not a finite number",
            remedy="Leave out what was not measured (None) instead of writing NaN or infinity.",
        ) from error
    return text + "\n"


class QuestionRow(Record):
    """One line of the per-question JSONL: one system's outcome on one question."""

    dataset: str
    conversation: str
    question: str
    type: str
    system: str
    pool: int
    ranks_turn: list[int | None] | None = Field(
        description="Rank of each gold turn, from 1; None if not in the list."
    )
    ranks_session: list[int | None] = Field(description="Rank of each gold session among distinct sessions.")
    scores: dict[str, float] = Field(
        description="By '<level>:<metric>' for the grid, '<metric>' for the block."
    )
    ms: float
    lanes: dict[str, int]
    steps: dict[str, list[int | None]] = Field(
        default_factory=dict,
        description="By step of the search: its rank of each named gold item, in the order of the ranks above.",
    )
