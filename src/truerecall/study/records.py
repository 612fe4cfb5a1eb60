"""What a run leaves behind: the records of the run folder. Everything that is reported is made from these."""

from typing import Literal

from pydantic import Field, JsonValue

from truerecall.bench.manifest import Record
from truerecall.study.design import KeyKind, SideKind

ExchangeKind = Literal[
    "request",  # redo: the original request, before the question; its answer is not graded
    "question",
    "follow-up",
]
Ended = Literal[
    "answered",
    "turns",  # the limit of model rounds ended it
    "timeout",  # the limit of seconds did
    "failed",  # the solver or its provider did; ``problem`` says how
]
UseOutcome = Literal[
    "ok",
    "failed",  # it ran, and failed
    "denied",  # it was not allowed to run: nothing was read
    "unknown",  # the transcript does not say
]


class Call(Record):
    """What one call of the solver's model used, counted once however many lines of a transcript repeat it."""

    id: str = Field(description="The provider's id of the message.")
    model: str
    input: int = Field(description="Tokens past the cache.")
    output: int
    cache_read: int = 0
    cache_write_5m: int = Field(default=0, description="Written to the cache for five minutes.")
    cache_write_1h: int = Field(default=0, description="Written to the cache for an hour.")


class ToolUse(Record):
    """One call of a tool by the solver."""

    id: str
    name: str = Field(description="As the solver calls it: Read, Grep, Glob, Bash.")
    input: dict[str, JsonValue] = Field(default_factory=dict)
    outcome: UseOutcome
    output: str = Field(default="", description="The beginning of what came of it.")


class Injected(Record):
    """A text that a hook put before the model, as the solver's own transcript has it."""

    event: str = Field(description="SessionStart, UserPromptSubmit.")
    text: str


class HookRun(Record):
    """One run of a hook, as the solver tells it; what it put before the model stands in ``Injected``."""

    event: str = Field(description="SessionStart, UserPromptSubmit.")
    outcome: Literal[
        "ok",
        "failed",  # it ended with an error, or was ended
    ]
    errors: str = Field(default="", description="The beginning of what it wrote to standard error.")


class Exchange(Record):
    """One prompt and all that came of it."""

    kind: ExchangeKind
    prompt: str
    answer: str = ""
    ended: Ended
    problem: str = ""
    calls: list[Call] = Field(default_factory=list)
    uses: list[ToolUse] = Field(default_factory=list)
    injected: list[Injected] = Field(default_factory=list)
    hooks: list[HookRun] = Field(
        default_factory=list,
        description="All that ran, as far as the solver tells; also those that said nothing.",
    )
    denied: list[str] = Field(
        default_factory=list, description="Ids of the uses that the solver itself says it denied."
    )
    seconds: float = Field(description="Wall time.")
    told_cost: float | None = Field(
        default=None,
        description="What the solver says this session cost so far: cumulative, shown beside ours, never summed.",
    )
    walled: bool = Field(
        default=False,
        description="The system hid all but the workspace from the commands: its transcript says so of each turn.",
    )
    session: str = Field(default="", description="The solver's own name of the conversation.")


class Finding(Record):
    """A read outside the workspace that succeeded, or one of which that cannot be excluded."""

    exchange: int = Field(description="From 0.")
    use: str = Field(description="Id of the use of a tool.")
    tool: str
    what: str = Field(description="The path or the command, cut.")
    why: str


class Audit(Record):
    """What the transcript of a run shows of its confinement."""

    uses: int = Field(description="Uses of tools that were looked at.")
    denied: int = Field(description="Attempts that were denied: they read nothing, and are counted.")
    walled: bool = Field(
        default=False,
        description="All of it ran behind a wall of the system: what cannot be told of a command is no finding then.",
    )
    outside: list[Finding] = Field(default_factory=list, description="Any of these throws the run out.")


class Admission(Record):
    """Whether a run was what its side says."""

    delivered: bool = Field(description="Whether a text of a memory reached the model, by the transcript.")
    nothing_found: bool = Field(default=False, description="The memory answered, and had nothing to say.")
    tool_calls: int = Field(default=0, description="Calls of a memory's own tools.")
    block: str = Field(default="", description="What was injected at the question, whole.")
    block_sha256: str = Field(default="", description="Of it; equal in all repeats of a frozen memory.")
    per_protocol: bool
    reason: str = Field(default="", description="Why not.")


class Blinded(Record):
    """An answer with nothing in it that says where it came from."""

    text: str
    state: Literal[
        "clean",  # every check held
        "marked",  # a check still failed after the last try: what is judged is the text that the rules alone made
    ]
    tries: int = 1
    problems: list[str] = Field(
        default_factory=list, description="What the checks said of the last failed try."
    )
    calls: list[str] = Field(
        default_factory=list, description="Keys of the rewriter's calls in the stage store."
    )


class Mark(Record):
    """Whether one fact of a key is in a text."""

    fact: int = Field(description="Its number in the key.")
    hit: bool
    quote: str = Field(default="", description="The sentence that says it; verified to stand in the text.")


class Marking(Record):
    """A judge's marks of one text against one key."""

    key: KeyKind
    state: Literal[
        "valid",
        "invalid",  # no marks that hold after the last try: the run is invalid, and never "no"
    ]
    marks: list[Mark] = Field(default_factory=list)
    tries: int = 1
    problem: str = ""
    calls: list[str] = Field(
        default_factory=list, description="Keys of the judge's calls in the stage store."
    )

    @property
    def hits(self) -> int:
        """Facts that are in the text."""
        return sum(mark.hit for mark in self.marks)


class Suspect(Record):
    """A claim that the judge takes for wrong; a person decides."""

    quote: str = Field(description="Verified to stand in the answer.")
    why: str
    checker: Literal["wrong", "right", "cannot tell", "not checked"] = "not checked"
    shown: str = Field(default="", description="The code that the checker was shown: place and lines.")
    calls: list[str] = Field(
        default_factory=list, description="Keys of the checker's calls in the stage store."
    )


class Graded(Record):
    """What grading said of one answer."""

    exchange: int = Field(description="Which exchange gave the answer, from 0.")
    followups: int = Field(description="Follow-ups that had been sent before it: 0 to 3.")
    blinded: Blinded
    truth: Marking
    session: Marking | None = Field(default=None, description="None where the question has no session key.")
    second: Marking | None = Field(
        default=None, description="The truth key marked a second time, for a fifth of the answers."
    )
    suspects: list[Suspect] = Field(default_factory=list)
    dropped_suspects: int = Field(
        default=0, description="Suspects whose quote does not stand in the answer, or that cannot be read."
    )

    @property
    def correct(self) -> bool:
        """Whether every fact of the truth key is in it."""
        return self.truth.state == "valid" and all(mark.hit for mark in self.truth.marks)

    @property
    def flips(self) -> int:
        """Facts that the two markings see differently."""
        if self.second is None or self.second.state != "valid":
            return 0
        again = {mark.fact: mark.hit for mark in self.second.marks}
        return sum(again.get(mark.fact, mark.hit) != mark.hit for mark in self.truth.marks)


class Spent(Record):
    """Tokens and money; of a run, from its beginning up to here."""

    calls: int = 0
    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write_5m: int = 0
    cache_write_1h: int = 0
    cost: float | None = Field(
        default=0.0, description="US dollars; None where a model's price is not known."
    )
    uncached_cost: float | None = Field(
        default=0.0, description="As if no token had come from a cache or gone into one."
    )
    unpriced: list[str] = Field(default_factory=list, description="Models whose price is not known.")

    @property
    def tokens(self) -> int:
        """All of them, cached and uncached alike."""
        return self.input + self.output + self.cache_read + self.cache_write_5m + self.cache_write_1h


class AnswerRow(Record):
    """One answer of a run, and what the run had spent by then."""

    followups: int
    correct: bool
    truth_hits: int
    session_hits: int | None
    misled: bool = Field(description="It says a fact that the session concluded and that is not so.")
    blind: Literal["clean", "marked"]
    suspects: int
    flips: int | None = Field(description="None where it was marked once.")
    spent: Spent
    seconds: float = Field(description="Wall time of the solver up to here.")


class RunRow(Record):
    """The ledger row of one finished run."""

    question: str
    side: str
    kind: SideKind
    repeat: int = Field(description="From 1.")
    attempt: int = Field(description="From 1; those before it were thrown out or broken off.")
    position: int = Field(description="Its place in the order of all runs, from 0.")
    outcome: Literal[
        "correct",
        "wrong",  # every follow-up was used up
        "invalid",  # the judge gave no marks that hold
        "failed",  # the solver did not answer
        "out",  # thrown out each time it was tried
    ]
    problem: str = ""
    answers: list[AnswerRow] = Field(default_factory=list)
    admission: Admission
    audit: Audit
    block: Marking | None = Field(
        default=None, description="The session key on the injected block; None where there was none."
    )
    spent: Spent = Field(description="All of the run.")
    seconds: float
    files: dict[str, str] = Field(
        default_factory=dict,
        description="Sha256 of each file of the attempt, transcripts too, by its path below the attempt's folder.",
    )
    told_cost: float | None = Field(
        default=None, description="The last cumulative cost that the solver told, beside ours."
    )

    @property
    def correct_after(self) -> int | None:
        """Follow-ups before the first correct answer; None where there is none."""
        return next((answer.followups for answer in self.answers if answer.correct), None)

    @property
    def to_correct(self) -> AnswerRow | None:
        """The first correct answer, with what the run had spent by then."""
        return next((answer for answer in self.answers if answer.correct), None)


class Discarded(Record):
    """An attempt that does not count, and what it spent all the same."""

    question: str
    side: str
    repeat: int
    attempt: int
    reason: Literal[
        "outside",  # it read outside its workspace
        "interrupted",  # the study was broken off within it: calls under way then may have been paid besides
        "failed",  # the solver failed for a reason of the machine or the provider
    ]
    detail: str = ""
    spent: Spent
    audit: Audit | None = None


class Confirmed(Record):
    """What a person said of a suspected claim."""

    question: str
    side: str
    repeat: int
    followups: int
    quote: str
    verdict: Literal["wrong", "not wrong", "unconfirmed"]
