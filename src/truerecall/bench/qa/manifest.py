"""The manifest of an accuracy run: every figure, with all that is needed to check or repeat it.

Accuracy = correct / (answered - invalid). A failed answer is no wrong one: it makes the run incomplete, and both bounds
stand beside the figure (all failed and invalid ones wrong; all of them right). No figure is pooled over data sets.
"""

from typing import Literal

from pydantic import Field

from truerecall.bench.manifest import ExclusionRow, Interval, Latency, Provenance, Record
from truerecall.bench.systems.protocol import Setting, Tuning

SCHEMA = 1
LARGEST_SPREAD = 5.0
"""Points by which two judges may differ before a figure is unstable; compared in integers."""
LARGEST_INVALID = 0.02
"""Share of invalid verdicts above which a run is unsound."""

Relation = Literal[
    "independent",  # another provider than the answering model's
    "same provider",  # weaker: labelled
    "self-judged",  # the judge is the answering model: never a headline
]


class Role(Record):
    """A model in its role; nothing else of its settings can reach a report."""

    role: Literal["answer", "judge"]
    name: str = Field(description="provider:model; how rows and cells name it.")
    provider: str
    model: str
    identity: str = Field(description="Sha256 of its name and address, its weights or its script.")
    answered_as: list[str] = Field(
        default_factory=list, description="Model names that its provider gave back."
    )
    requested: dict[str, Setting] = Field(default_factory=dict)
    sent: dict[str, list[Setting]] = Field(
        default_factory=dict,
        description="By parameter: every value that was sent; what was refused is not there.",
    )
    not_sent: list[str] = Field(default_factory=list, description="Requested, but the provider refuses them.")


class Usage(Record):
    """Tokens and money of one role, over the results that a run stands on (asked now or reused)."""

    calls: int
    uncounted: int = Field(description="Calls whose provider told no tokens.")
    tokens_in: int
    tokens_cached: int
    tokens_out: int
    tokens_reasoning: int
    cost: float | None = Field(description="US dollars by the dated table; None where a price is not known.")
    priced: str = Field(
        description="Date of the price table and its row, ``free``, or why there is no price."
    )


class QaCell(Record):
    """One judge's figure over the questions of one type, or of all."""

    type: str
    n: int = Field(description="Questions planned: correct + wrong + invalid + failed.")
    correct: int
    wrong: int
    invalid: int
    failed: int
    accuracy: float | None = Field(description="correct / (correct + wrong); None where both are 0.")
    by_question: Interval | None = Field(description="Wilson, 95 %: questions taken as independent.")
    by_conversation: Interval | None = Field(description="Clustered; None with fewer than two conversations.")
    clusters: int
    conversations: dict[str, float] = Field(
        default_factory=dict, description="Each one's own value (type 'all')."
    )
    low: float = Field(description="All invalid and failed ones wrong, over n.")
    high: float = Field(description="All of them right.")
    left_out: int = Field(
        default=0,
        description="Of errata cells: questions without a right answer; n does not count them.",
    )


class JudgeResult(Record):
    """What one judge said of one arm."""

    judge: str
    relation: Relation
    cells: list[QaCell] = Field(description="One a type, and 'all'.")
    unsound: bool = Field(description=f"More than {LARGEST_INVALID:.0%} of its verdicts are invalid.")
    errata_cells: list[QaCell] = Field(
        default_factory=list, description="With the overlay's corrected gold; empty without an overlay."
    )


class Agreement(Record):
    """Two judges over the same stored answers, on questions that both judged validly."""

    a: str
    b: str
    type: str
    n: int
    correct_a: int
    correct_b: int
    disagreements: int
    only_a: int = Field(description="Right by a, wrong by b.")
    only_b: int
    spread: float | None = Field(description="|A - B| in points; None where n is 0.")
    stable: bool = Field(description="100 x |correct_a - correct_b| <= 5 x n, and n > 0.")
    raw: float | None = Field(description="Share of equal verdicts.")
    kappa: float | None = Field(description="Cohen's; None where a judge is constant.")
    kappa_interval: Interval | None = None
    p: float | None = Field(description="McNemar, exact.")
    one_question: float | None = Field(description="Points that a single question is worth at this n.")


class Arm(Record):
    """One system over one data set, with the same answering model and judges as every other."""

    system: str
    configuration: dict[str, Setting]
    tuning: Tuning = Tuning()
    control: bool
    asked: int = Field(description="Questions of this arm: answered + failed.")
    answered: int
    failed: int
    cut: int = Field(description="Answers that the limit of tokens ended.")
    failures: dict[str, int] = Field(default_factory=dict, description="By reason, of answers and of judges.")
    complete: bool = Field(description="Nothing failed.")
    judges: list[JudgeResult]
    agreements: list[Agreement] = Field(description="Every pair of judges, each type and 'all'.")
    types_stable: int = Field(description="Types of which every pair of judges agrees within the bound.")
    types: int
    context_tokens_mean: float | None
    gold_in_context: float | None = Field(
        description="Share of questions with named gold whose gold is all in it."
    )
    usage: dict[str, Usage] = Field(description="By role: 'answer', and each judge's name.")
    cost_per_question: float | None = Field(
        description="US dollars of the answering model, by question asked; judging is the harness's cost."
    )
    recall: Latency | None
    answer: Latency | None
    judge: dict[str, Latency] = Field(default_factory=dict)
    end_to_end: Latency | None = Field(description="Recall and answer of a question together.")


class Sample(Record):
    """Which questions were drawn, where not all are asked."""

    of: int
    drawn: int
    seed: int
    by_type: dict[str, int]
    questions: list[str] = Field(description="Their ids.")


class Pair(Record):
    """Two arms on the same questions by one judge: whether they may be called different."""

    a: str
    b: str
    judge: str
    n: int
    difference: float | None = Field(description="Accuracy of a less that of b, in points.")
    only_a: int
    only_b: int
    p: float | None = Field(description="McNemar, exact.")
    by_conversation: Interval | None = Field(description="Bootstrap over conversations, points.")
    smallest: float | None = Field(description="The smallest difference that this n can show, in points.")
    p_holm: float | None = Field(
        default=None, description="p, adjusted over the pairs of this data set by this judge (Holm)."
    )
    left_out: int = Field(
        default=0,
        description="Questions that the judge did not judge validly in both; n does not count them.",
    )
    same_questions: int = Field(default=0, description="Questions that both were asked: n + left_out.")
    identical_contexts: int = Field(
        description="Of same_questions: both gave the answering model the same block, to the byte."
    )
    shown: bool = Field(
        default=False, description="Every judge's tests support a difference in one direction."
    )
    sentence: str = Field(description="What may be said; no word of superiority unless a test supports it.")


class QaDataset(Record):
    """Every arm over one data set."""

    name: str
    variant: str
    file: str
    sha256: str
    recognised: bool
    note: str
    split: str
    conversations: int
    planned: int = Field(description="Questions in the file.")
    asked: int
    exclusions: list[ExclusionRow]
    sample: Sample | None
    arms: list[Arm]
    pairs: list[Pair] = Field(default_factory=list)
    not_measured: dict[str, str] = Field(
        default_factory=dict, description="Arms that were left out, with the reason."
    )


class Calibration(Record):
    """How a judge did on answers whose verdict is known."""

    judge: str
    items_sha256: str
    n: int
    right: int = Field(description="Answers that must be accepted.")
    false_rejects: int
    wrong: int = Field(description="Answers that must be refused.")
    false_accepts: int
    invalid: int
    failed: int
    by_kind: dict[str, dict[str, int]] = Field(
        description="Kind of answer, then accepted, refused, invalid, failed."
    )
    passed: bool = Field(description="At most 10 % of either, and at most 2 % invalid.")


class Calls(Record):
    """The account of a run's calls."""

    made: dict[str, int] = Field(description="By stage: asked by this process.")
    reused: dict[str, int] = Field(description="By stage: found in the stage store.")
    asked_again: int = Field(
        default=0,
        description="Failed calls that --retry-failed had asked again, now or before, of results the run stands on.",
    )
    lost: int = Field(
        default=0, description="Begun by an earlier process and never kept: they may have been paid."
    )


class QaManifest(Record):
    """A whole accuracy run."""

    schema_version: int = SCHEMA
    kind: Literal["qa"] = "qa"
    wiring_proof: bool = Field(description="Fixtures, toy models or uncalibrated judges: not a result.")
    stamps: list[str] = Field(
        description="What must stand on every page: uncalibrated, incomplete, unsound, …"
    )
    provenance: Provenance
    roles: list[Role]
    budget: int = Field(description="Tokens of the recalled block.")
    prompts: dict[str, str] = Field(description="Sha256 of each prompt and rubric, by its name.")
    calibrations: list[Calibration]
    errata_sha256: str = ""
    prices: str = Field(description="Date and sha256 of the price table.")
    calls: Calls
    ablated: str = Field(default="", description="The system whose switches the other systems flip, if any.")
    rows_sha256: str
    datasets: list[QaDataset]
