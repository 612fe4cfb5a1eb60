"""What each stage leaves behind: the records of the stage store, and the rows made of them.

ingest, recall, answer, judge: each result is kept under the digest of all that decided it. So a killed run goes on, a
judge is exchanged at the price of judging, and every table is made anew without a call.
"""

import json
from hashlib import sha256
from typing import Literal

from pydantic import Field

from truerecall.bench.manifest import Record
from truerecall.bench.systems.protocol import Setting

Stage = Literal[
    "recall",  # a memory was asked; the result is a Context
    "answer",  # the answering model was asked; the result is a Called
    "judge",  # a judge was asked about an answer; the result is a Called
    "calibrate",  # a judge was asked about an answer whose verdict is known; the result is a Called
    "rewrite",  # of a study: an answer was to lose where it came from; the result is a Called
    "check",  # of a study: a claim was held against the code; the result is a Called
    "draft",  # of a study: the facts of a key were drafted; the result is a Called
]

Verdict = Literal[
    "correct",
    "wrong",
    "invalid",  # the judge answered, but gave no verdict that can be read: never guessed
    "failed",  # there is nothing to judge, or the judge's call failed
]


class Message(Record):
    """One message of a request."""

    role: str
    content: str


class Request(Record):
    """All that decides what a model answers; its digest is the key of its result."""

    stage: Stage
    model: str = Field(description="provider:model.")
    identity: str = Field(description="``ChatModel.identity``: address, weights or script.")
    parameters: dict[str, Setting] = Field(
        description="As requested; what was sent stands in the result. A time-out decides no answer and is left out."
    )
    messages: list[Message]

    @property
    def key(self) -> str:
        """Sha256 over all of it: byte-identical requests share a result."""
        text = json.dumps(self.model_dump(mode="json"), sort_keys=True, separators=(",", ":"))
        return sha256(text.encode("ascii")).hexdigest()


class Called(Record):
    """What came of one call of a model, verbatim."""

    text: str = ""
    failure: str | None = Field(default=None, description="Why there is no reply; never holds a key.")
    finish_reason: str = Field(
        default="", description="In the provider's word; ``length`` where the limit cut it."
    )
    model: str = Field(default="", description="As the provider named it.")
    sent: dict[str, Setting] = Field(default_factory=dict, description="Parameters that were really sent.")
    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_cached: int | None = Field(default=None, description="Of tokens_in.")
    tokens_reasoning: int | None = Field(default=None, description="Of tokens_out.")
    ms: float = Field(default=0.0, description="The call, with the provider's own tries.")
    tries: int = Field(
        default=1, description="Requests that may have been paid; the tokens are those of the last."
    )
    again: int = Field(default=0, description="Failed calls that stood here before, and were asked again.")

    @property
    def cut(self) -> bool:
        """Whether the limit of tokens ended it."""
        return self.finish_reason == "length"


class Context(Record):
    """What a memory gave for one question: the block that goes before the answering model."""

    text: str
    tokens: int = Field(description="By the counter of the run.")
    handles: int = Field(description="Entries in the block.")
    ms: float = Field(description="One recall.")
    gold_recalled: bool | None = Field(
        default=None, description="Whether every gold turn is in the block; None where none is named."
    )


class Judged(Record):
    """One judge's verdict on one answer."""

    verdict: Verdict
    key: str = Field(
        default="", description="Of the judge's call in the stage store; empty where there was none."
    )
    ms: float | None = None


class QaRow(Record):
    """One line of the per-question JSONL: one system's answer to one question, and what the judges said."""

    dataset: str
    conversation: str
    question: str
    type: str
    abstention: bool
    system: str
    outcome: Literal[
        "answered",
        "failed",  # the answering call failed or was empty: no judge is asked
    ]
    cut: bool = Field(default=False, description="The limit of tokens ended the answer.")
    answer: str = ""
    answer_key: str = Field(description="Of the answer in the stage store: the same for identical prompts.")
    context_sha256: str
    context_tokens: int
    gold_recalled: bool | None = None
    verdicts: dict[str, Judged] = Field(default_factory=dict, description="By the judge's name.")
    errata: bool = Field(default=False, description="Its gold is known to be wrong (see the overlay).")
    errata_verdicts: dict[str, Judged] = Field(
        default_factory=dict, description="By judge, against the corrected gold; only where errata is true."
    )
    ms_recall: float
    ms_answer: float | None = None
    tokens_in: int | None = Field(default=None, description="Of the answering call.")
    tokens_out: int | None = None
