"""What the server does about one request: the script's answer, an embedding, or a refusal, and the record of it."""

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from truerecall.core.clock import Clock
from truerecall.errors import ModelError
from truerecall.models.protocols import Embedder
from truerecall.models.scripted.answering import Answer, answer_of, tokens_of
from truerecall.models.scripted.choosing import Chooser, Chosen
from truerecall.models.scripted.lines import Endpoint, Line
from truerecall.models.scripted.server import chat_completions
from truerecall.models.scripted.server.asked import Asked, BadRequest, Turn, an_object
from truerecall.models.scripted.server.metering import Call, Meter
from truerecall.models.scripted.server.refusing import refusal
from truerecall.models.scripted.server.wire import json_bytes

_SPEAKING: Mapping[Endpoint, Any] = {"chat": chat_completions}
_AGAIN = (429, 500, 503, 529)
_SOON = 0.01  # seconds: a client that is told to come again shall not make a test wait
_NOT_JSON = "<html><body>502 Bad Gateway</body></html>"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What goes back over the wire."""

    status: int
    """0: nothing, the connection is closed."""
    body: bytes = b""
    events: tuple[bytes, ...] | None = None
    """Instead of a body, where the answer is streamed."""
    headers: Mapping[str, str] = field(default_factory=dict)
    broken: bool = False
    """Only the first half is sent."""
    held: bool = False
    held_for: float | None = None
    """Seconds, where it is held back; None is until it is released."""


class Player:
    """Answers the requests of one server."""

    def __init__(self, chooser: Chooser, embedder: Embedder | None, clock: Clock, meter: Meter) -> None:
        self._chooser = chooser
        self._embedder = embedder
        self._embedding = threading.Lock()  # a model of one's own need not stand several threads
        self._clock = clock
        self._meter = meter

    def refuse(self, endpoint: str, status: int, message: str = "") -> Outcome:
        """Refuse a request that was not, or could not be, read."""
        number = self._meter.begin()
        self._meter.add(_call(number, endpoint, status))
        return Outcome(status, json_bytes(refusal(endpoint, status, message, number)))

    def answer(self, endpoint: Endpoint, body: bytes) -> Outcome:
        """Answer a request for ``endpoint``."""
        number = self._meter.begin()
        try:
            data = an_object(_parsed(body), "the body")
            asked = _SPEAKING[endpoint].read(data)
        except BadRequest as error:
            self._meter.add(_call(number, endpoint, 400))
            return Outcome(400, json_bytes(refusal(endpoint, 400, str(error), number)))
        return self._spoken(endpoint, asked, number)

    def _spoken(self, endpoint: Endpoint, asked: Asked, number: int) -> Outcome:
        try:
            chosen = self._chooser.choose(asked.said, asked.model, endpoint)
        except ModelError as error:
            self._meter.add(_call(number, endpoint, 400, asked))
            return Outcome(400, json_bytes(refusal(endpoint, 400, str(error), number)))
        assert chosen is not None  # only a call for embeddings may go without a line
        failed = self._failed(endpoint, asked, number, chosen)
        if failed is not None:
            return failed
        answer = answer_of(chosen, tokens_of(asked.said) + tokens_of(asked.tools_told))
        self._meter.add(_call(number, endpoint, 200, asked, line=chosen.line, answer=answer))
        turn = Turn(asked, answer, number, int(self._clock().timestamp()))
        api = _SPEAKING[endpoint]
        return Outcome(
            200,
            b"" if asked.stream else json_bytes(api.whole(turn)),
            tuple(api.stream(turn)) if asked.stream else None,
            {"x-request-id": f"req_{number:06d}"},
            broken=chosen.line.fail == "break",
            held=chosen.line.fail == "slow",
            held_for=chosen.line.after,
        )

    def _failed(self, endpoint: str, asked: Asked, number: int, chosen: Chosen) -> Outcome | None:
        """What a line does instead of answering; None where it answers."""
        fail, after = chosen.line.fail, chosen.line.after
        if fail is not None and fail.isdigit():
            status = int(fail)
            self._meter.add(_call(number, endpoint, status, asked, line=chosen.line))
            headers = _again(_SOON if after is None else after) if status in _AGAIN else {}
            return Outcome(
                status, json_bytes(refusal(endpoint, status, chosen.text, number)), headers=headers
            )
        if fail == "drop":
            self._meter.add(_call(number, endpoint, 0, asked, line=chosen.line))
            return Outcome(0)
        if fail == "malformed":
            self._meter.add(_call(number, endpoint, 200, asked, line=chosen.line))
            said = (chosen.text or _NOT_JSON).encode("utf-8", "replace")
            return Outcome(200, said, (b"data: " + said + b"\n\n",) if asked.stream else None)
        return None


def _call(
    number: int,
    endpoint: str,
    status: int,
    asked: Asked | None = None,
    *,
    line: Line | None = None,
    answer: Answer | None = None,
) -> Call:
    return Call(
        number=number,
        endpoint=endpoint,
        model=asked.model if asked else "",
        status=status,
        stream=asked.stream if asked else False,
        tools=asked.tools if asked else (),
        tokens_in=answer.tokens_in if answer else 0,
        tokens_out=answer.tokens_out if answer else 0,
        tokens_cached=(answer.tokens_cached or 0) if answer else 0,
        fail=line.fail if line else None,
        line=line.where if line else "",
        said=asked.said if asked else "",
    )


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError):
        raise BadRequest("the body is not JSON in UTF-8") from None


def _again(seconds: float) -> Mapping[str, str]:
    """When to come again: in whole seconds as HTTP has it, and exactly as the official clients read it first."""
    return {"retry-after": f"{-(-seconds // 1):.0f}", "retry-after-ms": f"{seconds * 1000:g}"}
