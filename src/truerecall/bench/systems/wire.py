"""What goes over the line between the harness and a system in another process: one JSON object a line.

The same shapes are what the controls keep on disk. ``docs/adapters.md`` describes them for other languages.
"""

import json
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from truerecall.bench.systems.protocol import Answer, Block, Census, Item, Scheme, Setting, Tuning
from truerecall.core.clock import aware, isoformat
from truerecall.errors import SystemFailed

PROTOCOL = 1
"""Raised whenever a call or a field changes its meaning."""


class Message(BaseModel):
    """Base: immutable, and strict about types and unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class WireItem(Message):
    """An ``Item``."""

    text: str
    speaker: str
    session: str
    position: int
    at: AwareDatetime

    def item(self) -> Item:
        """The record inside the harness."""
        return Item(self.text, self.speaker, self.session, self.position, aware(self.at, "at"))


class WireBlock(Message):
    """A ``Block``."""

    text: str
    handles: tuple[str, ...]


class WireAnswer(Message):
    """An ``Answer``."""

    handles: tuple[str, ...]
    blocks: dict[int, WireBlock] = Field(default_factory=dict)
    lanes: dict[str, int] = Field(default_factory=dict)
    ranks: dict[str, dict[str, int]] = Field(default_factory=dict)

    def answer(self) -> Answer:
        """The record inside the harness."""
        blocks = {budget: Block(block.text, block.handles) for budget, block in self.blocks.items()}
        return Answer(self.handles, blocks, self.lanes, self.ranks)


class WireCensus(Message):
    """A ``Census``."""

    stored: int
    embedded: int | None = None
    masked: int = 0
    refused: int = 0

    def census(self) -> Census:
        """The record inside the harness."""
        return Census(self.stored, self.embedded, self.masked, self.refused)


class WireTuning(Message):
    """A ``Tuning``."""

    scheme: Scheme = "none"
    folds: int = Field(default=0, ge=0)
    configurations: int = Field(default=0, ge=0)
    tuned_on: str = ""

    def tuning(self) -> Tuning:
        """The record inside the harness."""
        return Tuning(self.scheme, self.folds, self.configurations, self.tuned_on)


class Hello(Message):
    """Who a system is: its answer to the handshake."""

    protocol: int
    name: str = Field(min_length=1, max_length=60)
    configuration: dict[str, Setting]
    reusable: bool = False
    tuning: WireTuning = WireTuning()


class HelloCall(Message):
    """The handshake, first on every line."""

    call: Literal["hello"]
    protocol: int


class OpenCall(Message):
    """``System.open``."""

    call: Literal["open"]
    folder: str
    tenant: str
    space: str
    user: str


class IngestCall(Message):
    """``System.ingest``."""

    call: Literal["ingest"]
    items: tuple[WireItem, ...]


class RecallCall(Message):
    """``System.recall``."""

    call: Literal["recall"]
    question: str
    date: AwareDatetime
    k: int
    budgets: tuple[int, ...]


class DeleteCall(Message):
    """``System.delete``."""

    call: Literal["delete"]
    handles: tuple[str, ...]


class CensusCall(Message):
    """``System.census``."""

    call: Literal["census"]


class CloseCall(Message):
    """``System.close``; the process ends when its standard input does."""

    call: Literal["close"]


Call = HelloCall | OpenCall | IngestCall | RecallCall | DeleteCall | CensusCall | CloseCall
_CALL: TypeAdapter[Call] = TypeAdapter(Annotated[Call, Field(discriminator="call")])


class HelloReply(Message):
    """Reply to ``hello``."""

    ok: Hello


class HandlesReply(Message):
    """Reply to ``ingest``."""

    ok: tuple[str | None, ...]


class AnswerReply(Message):
    """Reply to ``recall``."""

    ok: WireAnswer


class CensusReply(Message):
    """Reply to ``census``."""

    ok: WireCensus


class DoneReply(Message):
    """Reply to a call that returns nothing."""

    ok: None


class ErrorReply(Message):
    """Reply to any call that went wrong."""

    error: str


def parse_call(line: str) -> Call:
    """A request; ``SystemFailed`` if the line is none."""
    try:
        return _CALL.validate_json(line)
    except ValidationError as error:
        raise SystemFailed(
            f"the request is not understood: {first_problem(error)}",
            remedy=f"Send one JSON object a line, as protocol {PROTOCOL} describes.",
        ) from None


def wire_item(item: Item) -> dict[str, object]:
    """An item as it is written."""
    return {
        "text": whole(item.text),
        "speaker": whole(item.speaker),
        "session": item.session,
        "position": item.position,
        "at": isoformat(item.at),
    }


def wire_answer(answer: Answer) -> dict[str, object]:
    """An answer as it is written."""
    blocks = {
        str(budget): {"text": whole(block.text), "handles": list(block.handles)}
        for budget, block in answer.blocks.items()
    }
    ranks = {handle: dict(steps) for handle, steps in answer.ranks.items()}
    return {"handles": list(answer.handles), "blocks": blocks, "lanes": dict(answer.lanes), "ranks": ranks}


def wire_census(census: Census) -> dict[str, object]:
    """A census as it is written."""
    return {
        "stored": census.stored,
        "embedded": census.embedded,
        "masked": census.masked,
        "refused": census.refused,
    }


def line(message: Mapping[str, object]) -> str:
    """One line of ASCII JSON with its newline: no encoding and no line separator can tear it."""
    return json.dumps(message, ensure_ascii=True, separators=(",", ":")) + "\n"


def whole(text: str) -> str:
    """``text`` with halves of surrogate pairs replaced: many JSON parsers refuse them."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def first_problem(error: ValidationError) -> str:
    """The first thing that was wrong, and where, without the input (it may be long or private)."""
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"{place}: {first['msg']}" if place else str(first["msg"])
