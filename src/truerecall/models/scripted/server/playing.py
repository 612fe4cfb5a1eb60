"""What the server does about one request: the script's answer, an embedding, or a refusal, and the record of it."""

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, cast

from truerecall.core.clock import Clock
from truerecall.errors import ModelError
from truerecall.models.protocols import Embedder
from truerecall.models.scripted.answering import Answer, answer_of, tokens_of
from truerecall.models.scripted.choosing import Chooser, Chosen
from truerecall.models.scripted.lines import Endpoint, Line
from truerecall.models.scripted.server import chat_completions, embeddings, messages, responses
from truerecall.models.scripted.server.asked import Asked, BadRequest, Turn, an_object
from truerecall.models.scripted.server.caching import PromptCache
from truerecall.models.scripted.server.listed import described, listed
from truerecall.models.scripted.server.metering import Call, Meter
from truerecall.models.scripted.server.refusing import refusal
from truerecall.models.scripted.server.wire import json_bytes

_SPEAKING: Mapping[str, Any] = {"chat": chat_completions, "messages": messages, "responses": responses}
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

    def __init__(
        self,
        chooser: Chooser,
        embedder: Embedder | None,
        clock: Clock,
        meter: Meter,
        cache: PromptCache | None = None,
    ) -> None:
        self._chooser = chooser
        self._cache = cache
        self._embedder = embedder
        self._embedding = threading.Lock()  # a model of one's own need not stand several threads
        self._clock = clock
        self._meter = meter

    def refuse(self, endpoint: str, status: int, message: str = "") -> Outcome:
        """Refuse a request that was not, or could not be, read."""
        return self._refused(_Asking(endpoint, self._meter.begin()), status, message)

    def models(self, name: str) -> Outcome:
        """The models, or the one called ``name``."""
        asking = _Asking("models", self._meter.begin())
        self._note(asking, 200)
        now = self._clock()
        return Outcome(200, json_bytes(described(name, now) if name else listed(self._embedder, now)))

    def answer(self, endpoint: str, body: bytes, session: str = "") -> Outcome:
        """Answer a request that was posted, in a conversation that its client may have given a name."""
        asking = _Asking(endpoint, self._meter.begin(), session)
        try:
            data = an_object(_parsed(body), "the body")
            if endpoint == "embeddings":
                return self._embed(asking, embeddings.read(data))
            if endpoint == "count_tokens":
                return self._count(asking, messages.read_uncounted(data))
            return self._say(replace(asking, asked=_SPEAKING[endpoint].read(data)))
        except BadRequest as error:
            return self._refused(asking, 400, str(error))

    def _say(self, asking: "_Asking") -> Outcome:
        chosen = self._chosen(asking)
        if isinstance(chosen, Outcome):
            return chosen
        assert chosen is not None  # only a call for embeddings may go without a line
        asked = asking.asked
        answer = answer_of(chosen, tokens_of(asked.said) + tokens_of(asked.tools_told))
        if self._cache is not None:
            answer = self._cache.counted(asked, asking.session, chosen.line.usage, answer)
        self._note(asking, 200, chosen.line, answer)
        turn = Turn(asked, answer, asking.number, int(self._clock().timestamp()))
        api = _SPEAKING[asking.endpoint]
        events = tuple(api.stream(turn)) if asked.stream else None
        body = b"" if asked.stream else json_bytes(api.whole(turn))
        return _as_told(Outcome(200, body, events, _named(asking)), chosen)

    def _count(self, asking: "_Asking", asked: Asked) -> Outcome:
        self._note(replace(asking, asked=asked), 200)
        tokens = tokens_of(asked.said) + tokens_of(asked.tools_told)
        return Outcome(200, json_bytes({"input_tokens": tokens}), headers=_named(asking))

    def _embed(self, asking: "_Asking", wanted: embeddings.Wanted) -> Outcome:
        asking = replace(asking, asked=wanted.asked)
        chosen = self._chosen(asking)
        if isinstance(chosen, Outcome):
            return chosen
        if self._embedder is None:
            return self._refused(asking, 400, "there is no embedder: start the server with one")
        try:
            with self._embedding:
                body = json_bytes(embeddings.whole(wanted, self._embedder))
        except ModelError as error:
            return self._refused(asking, 500, str(error))
        except BadRequest as error:
            return self._refused(asking, 400, str(error))
        answer = Answer("", (), "stop", embeddings.tokens_in(wanted), 0)
        self._note(asking, 200, chosen.line if chosen else None, answer)
        return _as_told(Outcome(200, body, headers=_named(asking)), chosen)

    def _chosen(self, asking: "_Asking") -> Chosen | Outcome | None:
        """The line for a call; what goes back at once where it is told to fail, or there is none."""
        try:
            chosen = self._chooser.choose(
                asking.asked.said, asking.asked.model, cast(Endpoint, asking.endpoint)
            )
        except ModelError as error:
            return self._refused(asking, 400, str(error))
        line = chosen.line if chosen else None
        if chosen is None or line is None or line.fail is None:
            return chosen
        if line.fail.isdigit():
            status = int(line.fail)
            headers = _again(_SOON if line.after is None else line.after) if status in _AGAIN else {}
            return self._refused(asking, status, chosen.text, line, headers)
        if line.fail == "drop":
            self._note(asking, 0, line)
            return Outcome(0)
        if line.fail == "malformed":
            self._note(asking, 200, line)
            said = (chosen.text or _NOT_JSON).encode("utf-8", "replace")
            return Outcome(200, said, (b"data: " + said + b"\n\n",) if asking.asked.stream else None)
        return chosen

    def _refused(
        self,
        asking: "_Asking",
        status: int,
        message: str,
        line: Line | None = None,
        headers: Mapping[str, str] = MappingProxyType({}),
    ) -> Outcome:
        self._note(asking, status, line)
        body = refusal(asking.endpoint, status, message, asking.number)
        return Outcome(status, json_bytes(body), headers={**_named(asking), **headers})

    def _note(
        self, asking: "_Asking", status: int, line: Line | None = None, answer: Answer | None = None
    ) -> None:
        asked = asking.asked
        self._meter.add(
            Call(
                number=asking.number,
                endpoint=asking.endpoint,
                model=asked.model,
                status=status,
                stream=asked.stream,
                tools=asked.tools,
                tokens_in=answer.tokens_in if answer else 0,
                tokens_out=answer.tokens_out if answer else 0,
                tokens_cached=(answer.tokens_cached or 0) if answer else 0,
                tokens_written=(answer.tokens_written or 0) if answer else 0,
                fail=line.fail if line else None,
                line=line.where if line else "",
                said=asked.said,
            )
        )


_NOTHING = Asked(model="", texts=(), tools=(), tools_told="", stream=False)


@dataclass(frozen=True, slots=True)
class _Asking:
    """A request on its way: what it asks is empty until it could be read."""

    endpoint: str
    number: int
    session: str = ""
    asked: Asked = _NOTHING


def _as_told(outcome: Outcome, chosen: Chosen | None) -> Outcome:
    """An answer that its line breaks off or holds back."""
    line = chosen.line if chosen else None
    if line is None or line.fail is None:
        return outcome
    return replace(outcome, broken=line.fail == "break", held=line.fail == "slow", held_for=line.after)


def _named(asking: _Asking) -> Mapping[str, str]:
    """The number of the call, under the name that the clients of each provider look for."""
    anthropic = asking.endpoint in ("messages", "count_tokens")
    return {"request-id" if anthropic else "x-request-id": f"req_{asking.number:06d}"}


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError):
        raise BadRequest("the body is not JSON in UTF-8") from None


def _again(seconds: float) -> Mapping[str, str]:
    """When to come again: in whole seconds as HTTP has it, and exactly as the official clients read it first."""
    return {"retry-after": f"{-(-seconds // 1):.0f}", "retry-after-ms": f"{seconds * 1000:g}"}
