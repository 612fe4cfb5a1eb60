"""What the gate keeps of finished runs: figures by question and by run, and no word of any text."""

import json
from pathlib import Path
from typing import Literal

from pydantic import Field

from truerecall.bench.manifest import Record
from truerecall.bench.systems.protocol import Setting
from truerecall.errors import RunError

SCHEMA = 1
REPEATS = 3
"""Runs that a latency needs."""


class TakenFrom(Record):
    """A run that it was taken from."""

    name: str
    manifest_sha256: str
    created: str
    commit: str | None
    dirty: bool | None


class QuestionValues(Record):
    """One question's figures by row; a row that has none for it is left out."""

    conversation: str
    question: str
    values: dict[str, float] = Field(description="Each in 0..1: a higher one is better.")


class Retrieved(Record):
    """The named rows over one data set."""

    dataset: str
    split: str
    sha256: str
    questions: list[QuestionValues]
    unsteady: int = Field(description="Questions with other values in another repeat; the first is kept.")


class Ratio(Record):
    """One repeat: the system's percentiles as multiples of the control's in the same process."""

    p50: float
    p95: float
    control_p50: float = Field(description="Milliseconds, to be looked at and not compared.")
    recalls: int


class Timed(Record):
    """The latency of recall over one data set."""

    dataset: str
    repeats: list[Ratio]
    left_out: list[str] = Field(default_factory=list, description="Repeats that have none, with the reason.")


class Weighed(Record):
    """Amounts over one data set that do not vary from repeat to repeat: a lower one is better."""

    dataset: str
    amounts: dict[str, float]
    missing: dict[str, str] = Field(default_factory=dict, description="What was not measured, and why.")


class JudgedBy(Record):
    """One judge's verdicts over one data set."""

    judge: str
    identity: str
    sound: bool
    questions: list[QuestionValues] = Field(
        description="Row 'accuracy': 1 right, 0 wrong; without invalid ones."
    )


class Answered(Record):
    """An accuracy run over one data set."""

    dataset: str
    split: str
    sha256: str
    answer: str
    identity: str
    complete: bool
    asked: list[str] = Field(description="Conversation and question, in order.")
    answers_sha256: str = Field(
        description="Over the keys of all answers: equal where every prompt and model was."
    )
    judges: list[JudgedBy]


class GateRecord(Record):
    """What was taken from one state of the code, to be held against another's."""

    schema_version: int = SCHEMA
    kind: Literal["gate"] = "gate"
    wiring_proof: bool
    system: str
    control: str
    harness: str
    granularity: str
    counter: str
    machine: dict[str, Setting]
    runs: list[TakenFrom]
    retrieval: list[Retrieved]
    latency: list[Timed]
    cost: list[Weighed] = Field(description="Tokens of the recalled block, tokens and dollars of an answer.")
    size: list[Weighed]
    accuracy: list[Answered] = Field(default_factory=list)
    budget: int | None = Field(default=None, description="Of the accuracy run's block.")
    prompts: dict[str, str] = Field(default_factory=dict, description="Sha256 by name, of the accuracy run.")


def gate_json(record: GateRecord) -> str:
    """With sorted keys, each question in a line of its own."""
    whole = record.model_dump(mode="json")
    text = json.dumps(whole, sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # No string can hold these characters: within one, quotes are escaped.
    return text.replace('{"conversation":', '\n{"conversation":') + "\n"


def read_gate_record(path: Path) -> GateRecord:
    """The record in a file; ``RunError`` if there is none of this version."""
    try:
        record = GateRecord.model_validate_json(path.read_text(encoding="utf-8"))
        if record.schema_version != SCHEMA:
            raise ValueError("another version")
        return record
    except FileNotFoundError:
        raise RunError(
            "there is no such baseline", where=str(path), remedy="Make one: `truerecall bench gate take`."
        ) from None
    except (OSError, ValueError):  # not UTF-8, or not of this shape
        raise RunError(
            "the file is no baseline of this version",
            where=path.name,
            remedy="Take it anew from runs: `truerecall bench gate take`.",
        ) from None
