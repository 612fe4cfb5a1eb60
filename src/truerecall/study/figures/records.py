"""The figures of a study, each as the report prints it."""

from typing import Literal

from pydantic import Field

from truerecall.bench.manifest import Interval, Record
from truerecall.study.design import SideKind
from truerecall.study.planned import Cut

Measure = Literal[
    "tokens",  # all of them, cached and uncached alike
    "cost",  # US dollars by the dated price table
    "uncached_cost",  # as if no token had come from a cache or gone into one
    "seconds",  # wall time of the solver
]
MEASURES: tuple[Measure, ...] = ("tokens", "cost", "uncached_cost", "seconds")
Outcome = Literal["correct", "wrong", "invalid", "failed", "out"]


class Amounts(Record):
    """What was spent, by measure; a cost is None where a model's price is not known."""

    tokens: float
    cost: float | None
    uncached_cost: float | None
    seconds: float

    def of(self, measure: Measure) -> float | None:
        """The amount of one measure."""
        value: float | None = getattr(self, measure)
        return value


class SideName(Record):
    """A side, in the order of the plan."""

    side: str
    kind: SideKind


class Dot(Record):
    """One finished run: one dot in each picture."""

    repeat: int
    attempt: int
    outcome: Outcome
    problem: str
    correct_after: int | None = Field(
        description="Follow-ups before the first correct answer; None: never, or not known."
    )
    to_correct: Amounts | None = Field(
        description="From the beginning of the run to the first correct answer."
    )
    whole: Amounts = Field(description="All of the run.")
    answers: int = Field(description="Answers that were graded.")
    truth_hits: int | None = Field(description="Facts of the truth key in the last answer; None without one.")
    session_hits: int | None = Field(
        description="Facts of the session key in the first answer; None: not marked."
    )
    block_hits: int | None = Field(
        description="Facts of the session key in the injected block; None: no block, or no marks that hold."
    )
    block_unknown: bool = Field(default=False, description="There was a block, and no marks of it hold.")
    delivered: bool
    nothing_found: bool
    per_protocol: bool
    reason: str = Field(description="Why it is not per-protocol.")
    misled: bool = Field(description="An answer repeats what the session concluded and is not so.")
    suspects: int
    denied: int = Field(description="Reads outside that were tried and denied.")


class Median(Record):
    """The median to the first correct answer over the repeats of a side on a question.

    A run that never got there counts as infinity, so that the median is reached only if more than half of the runs
    were correct; of an even number of runs it is the mean of the two in the middle.
    """

    measure: Measure
    value: float | None
    state: Literal[
        "reached",
        "not reached",  # half of the runs or more never got there
        "no price",  # a model's price is not known
        "no runs",  # none that counts
    ]


class SideOnQuestion(Record):
    """One side on one question."""

    side: str
    kind: SideKind
    planned: int
    counted: int = Field(description="Finished runs whose outcome is known: correct, wrong or failed.")
    correct: int
    dots: list[Dot] = Field(description="All finished runs by repeat, those that do not count too.")
    medians: list[Median]


class Saving(Record):
    """What memory saved on one question by one measure, against the cheaper of none and redo."""

    question: str
    side: str
    measure: Measure
    memory: float | None = Field(description="Its median to the first correct answer.")
    against: str = Field(description="The cheaper other side; empty where there is none to compare with.")
    other: float | None = Field(description="The median of that side.")
    amount: float | None = Field(description="Other less memory, in the unit of the measure.")
    saved: float | None = Field(
        description="The amount as a share of the other; negative: memory was dearer."
    )
    reason: str = Field(default="", description="Why there is none.")


class SavingOverall(Record):
    """The savings of one side by one measure over all questions that are no controls."""

    side: str
    measure: Measure
    questions: int = Field(description="All of them.")
    n: int = Field(description="Those that can be compared: both medians are reached.")
    cheaper: int = Field(description="Of these, the ones on which memory took less.")
    median: float | None
    low: float | None = Field(description="The smallest saving of a question.")
    high: float | None = Field(description="The largest.")
    mean: float | None
    interval: Interval | None = Field(
        description="95 % interval of the mean, by resampling questions; None with fewer than six."
    )
    median_amount: float | None = Field(
        description="Median of the amounts saved, in the unit of the measure."
    )


class QuestionFigures(Record):
    """All of one question."""

    question: str
    text: str
    control: bool
    truth_facts: int
    session_facts: int
    wrong_facts: int = Field(description="Of the session key: those that are not so.")
    sides: list[SideOnQuestion]
    savings: list[Saving] = Field(description="Of each memory side and measure; empty of a control.")


class Success(Record):
    """How many runs of a side were correct after at most so many follow-ups, over questions that are no controls.

    The repeats of a question are not independent, so the interval is narrower than it should be.
    """

    side: str
    kind: SideKind
    followups: int
    correct: int
    n: int = Field(description="Runs whose outcome is known.")
    share: float | None = Field(description="None where n is 0.")
    interval: Interval | None = Field(description="Wilson, 95 %.")


class CostPerCorrect(Record):
    """What a correct answer cost with the failures counted: all spend of the runs that count, by the correct ones.

    Questions that are no controls. Runs without a known outcome and attempts that were discarded stand beside.
    """

    side: str
    kind: SideKind
    runs: int
    correct: int
    spent: Amounts
    per_correct: Amounts | None = Field(description="None: none was correct.")
    unknown_runs: int = Field(description="Finished without a known outcome: invalid or thrown out.")
    unknown_spent: Amounts = Field(description="What those spent; in neither figure before.")


class Contrast(Record):
    """Memory against placebo or grep on questions that are no controls; no saving, and in none."""

    side: str
    other: str
    other_kind: SideKind
    measure: Measure
    questions: int
    n: int = Field(description="Questions on which both medians are reached.")
    median: float | None = Field(description="Of the share by which memory was cheaper; negative: dearer.")
    low: float | None
    high: float | None


class View(Record):
    """The figures that depend on which runs are taken."""

    questions: list[QuestionFigures]
    savings: list[SavingOverall]
    success: list[Success] = Field(description="By side, then by 0 to all follow-ups.")
    cost_per_correct: list[CostPerCorrect]
    contrasts: list[Contrast]


class Delivery(Record):
    """Whether memory reached the model, by side, over all finished runs."""

    side: str
    kind: SideKind
    runs: int
    delivered: int
    nothing_found: int
    per_protocol: int
    tool_calls: int
    reasons: dict[str, int] = Field(description="Why runs are not per-protocol, and how many.")


class Blocks(Record):
    """Whether a frozen memory said the same in all repeats of a question."""

    question: str
    side: str
    runs: int = Field(description="Runs into which a block was injected.")
    different: int = Field(description="Different blocks by their bytes: 1 is as it must be.")


class Recalled(Record):
    """Facts of the keys, by side: runs that were correct or wrong, on questions that are no controls."""

    side: str
    kind: SideKind
    runs: int
    block_hits: int = Field(description="Facts of the session key in the injected block, over the runs.")
    block_facts: int = Field(description="All of the key in each run of a memory side, injected or not.")
    block_unknown: int = Field(description="Runs whose block has no marks that hold; in neither number.")
    answer_hits: int = Field(description="Facts of the session key in the first answer.")
    answer_facts: int
    answer_unknown: int = Field(description="Runs whose first answer has no marks that hold.")
    first_truth_hits: int = Field(description="Facts of the truth key in the first answer.")
    last_truth_hits: int = Field(description="In the last answer.")
    truth_facts: int
    misled: int = Field(description="Runs with an answer that repeats an error of the session.")
    misled_of: int = Field(description="Runs of questions whose session key has one.")


class Claims(Record):
    """Claims that the judge takes for wrong, by side."""

    side: str
    kind: SideKind
    suspects: int
    wrong: int = Field(description="A person says so.")
    not_wrong: int
    unconfirmed: int


class Grading(Record):
    """How far the grading can be relied on, by side."""

    side: str
    kind: SideKind
    answers: int
    blind_marked: int = Field(
        description="Answers whose rewriting did not pass its checks: judged by rules alone."
    )
    twice: int = Field(description="Answers that were marked twice.")
    marks: int = Field(description="Facts that were marked twice.")
    flips: int = Field(description="Facts that the two markings see differently.")


class Tax(Record):
    """What memory adds to an ordinary prompt: memory less none on controls, up to the first answer."""

    side: str
    measure: Measure
    questions: int = Field(description="Control questions.")
    n: int = Field(description="Those on which both sides answered.")
    memory: float | None = Field(description="Median over those questions of its median.")
    none: float | None
    tax: float | None = Field(description="Median of the differences; negative: memory was cheaper.")
    low: float | None
    high: float | None


class BreakEven(Record):
    """At which share of re-asked questions among all prompts memory pays: tax / (saving + tax)."""

    side: str
    measure: Measure
    saving: float | None = Field(description="Median amount saved on a re-asked question.")
    tax: float | None
    rate: float | None = Field(description="None: see words.")
    words: str


class Extraction(Record):
    """What making the memory cost: a line of its own, in no figure of a side."""

    cost: float | None
    questions: int = Field(description="Questions that are no controls.")
    per_question: float | None = Field(description="Over the questions of this study.")
    paid_back_after: dict[str, float] = Field(
        description="By memory side: re-asked questions whose savings pay for it; only if it saves."
    )


class Exclusions(Record):
    """Every planned run of a side, once; the counts add up to ``planned``."""

    side: str
    kind: SideKind
    planned: int
    correct: int
    wrong: int
    invalid: int
    failed: int
    out: int
    not_finished: int


class DiscardedSpend(Record):
    """Attempts that do not count, and what they spent."""

    side: str
    reason: Literal["outside", "interrupted", "failed"]
    attempts: int
    tokens: int
    cost: float | None
    uncached_cost: float | None


class Confinement(Record):
    """What the audits of the finished runs of a side show."""

    side: str
    kind: SideKind
    uses: int = Field(description="Uses of tools.")
    denied: int = Field(description="Attempts to read outside that were denied: nothing was read.")
    thrown_out: int = Field(description="Attempts that read outside.")


class Told(Record):
    """Our sum of the costs beside what the solver itself says."""

    runs: int = Field(description="Runs of which the solver told a cost and all prices are known.")
    differ: int = Field(description="Those where the two differ by more than a thousandth.")
    ours: float
    told: float
    largest: float = Field(description="The largest difference of a run, in US dollars.")


class Verdict(Record):
    """What may be said."""

    finding: Literal[
        "saves",  # memory cost less and was correct no less often, beyond what resampling explains
        "costs more",
        "cannot tell",
        "wiring",  # a scripted model played the solver
    ]
    sentence: str
    side: str = Field(description="The memory side that it is about; empty where there is none.")
    reasons: list[str] = Field(description="Why no more can be said.")


class Figures(Record):
    """All that a study found."""

    schema_version: int = 1
    name: str
    scripted: bool
    repeats: int
    followups: int
    sides: list[SideName]
    questions: int = Field(description="That are no controls.")
    controls: int
    planned: int
    finished: int
    verdict: Verdict
    headline: View = Field(description="Runs as they were.")
    per_protocol: View = Field(description="Only runs that were what their side says.")
    delivery: list[Delivery]
    blocks: list[Blocks]
    recalled: list[Recalled]
    claims: list[Claims]
    grading: list[Grading]
    taxes: list[Tax]
    break_even: list[BreakEven]
    extraction: Extraction
    exclusions: list[Exclusions]
    discarded: list[DiscardedSpend]
    confinement: list[Confinement]
    told: Told
    unpriced: list[str] = Field(description="Models that were asked and have no price.")
    cuts: list[Cut]
    notes: list[str] = Field(description="Sentences that belong under the figures.")
