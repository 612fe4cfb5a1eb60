"""Chat models of Anthropic's Messages API, over the official SDK (the extra ``qa``).

What is contacted and what is sent is told in ``asking``. The API takes no temperature: none is ever sent.
"""

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from truerecall.models.answers import count, encodable, part, reply_of
from truerecall.models.asking import RETRIES, Line, Sdk
from truerecall.models.protocols import ChatMessage, ChatParameters, ChatReply

ANTHROPIC = "https://api.anthropic.com"
"""Where a model is looked for that no base URL is given for."""

_VERSION = "2026-10-21"  # of the API: the form that is written and read here
_FINISHES = {"end_turn": "stop", "max_tokens": "length"}
_READ = "cache_read_input_tokens"


def _client(sdk: Any, key: str, **line: Any) -> Any:
    # With a key given, even a placeholder, the SDK looks for no credentials in the environment or in files.
    return sdk.Anthropic(api_key=key or "none", webhook_key="", open_telemetry=False, **line)


def _headers(key: str) -> dict[str, str]:
    # The SDK of this version sends the key so; older servers of this API read the other header.
    keyed = {"Authorization": f"Bearer {key}"} if key else {}
    return {"anthropic-version": _VERSION, **keyed}


_SDK = Sdk("anthropic", "AnthropicError", "/v1/messages", _client, _headers)


class AnthropicChat:
    """A model called ``anthropic:MODEL``, at ``base_url`` or, without one, at Anthropic's own address.

    Args:
        model: As the server calls it.
        key: What the server lets in; None sends none, as for a server of one's own.
        base_url: The address before ``/v1/messages``.
        parameters: What every call is made with; the temperature is not sent.
        retries: How often one call is tried again.
        key_name: Where the key came from, for what messages advise.

    Raises:
        ModelMissing: the extra ``qa`` is not installed.
        ModelError: an address or a key that cannot be one.
    """

    free = False

    def __init__(
        self,
        model: str,
        key: str | None,
        *,
        base_url: str = "",
        parameters: ChatParameters | None = None,
        retries: int = RETRIES,
        key_name: str = "the key",
    ) -> None:
        self.name = f"anthropic:{model}"
        self.parameters = parameters or ChatParameters()
        self._model = model
        self._line = Line(
            _SDK,
            self.name,
            (base_url or ANTHROPIC).rstrip("/").removesuffix("/v1"),
            key,
            key_name=key_name,
            timeout=self.parameters.timeout,
            retries=retries,
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._model!r} at {self._line.address})"

    @property
    def identity(self) -> str:
        """Of the model's name and the address."""
        return sha256(f"{self.name}\n{self._line.address}".encode()).hexdigest()

    def reply(self, messages: Sequence[ChatMessage]) -> ChatReply:
        """The answer of the server; its ``tokens_in`` are those read, written to and taken past the cache together.

        Raises:
            ChatRefused: the key, the model or the address is not taken, nor would it be for another question.
            ChatFailed: no answer, a refusal, or one that is none; with what to do next.
        """
        sent: dict[str, str | int | float] = {"max_tokens": self.parameters.max_tokens}
        system = "\n\n".join(encodable(m.content) for m in messages if m.role == "system")
        request: dict[str, Any] = {
            "model": self._model,
            "messages": [
                {"role": m.role, "content": encodable(m.content)} for m in messages if m.role != "system"
            ],
            **({"system": system} if system else {}),
            **sent,
        }
        answered = self._line.ask(request)
        if answered.failure is not None:
            raise answered.failure
        return self._read(answered.body, sent)

    def _read(self, body: str, sent: dict[str, str | int | float]) -> ChatReply:
        data = self._line.data(body, "content")
        usage = part(data, "usage", dict)
        finish = part(data, "stop_reason", str) or "unknown"
        return reply_of(
            ChatReply(
                text="".join(_text(block) for block in data["content"]),
                finish_reason=_FINISHES.get(finish, finish),
                model=part(data, "model", str) or self._model,
                tokens_in=_taken(usage),
                tokens_out=count(usage, "output_tokens"),
                tokens_cached=count(usage, _READ),
                tokens_reasoning=count(part(usage, "output_tokens_details", dict), "thinking_tokens"),
                sent=sent,
            ),
            self._line.failed,
        )


def _text(block: Any) -> str:
    """What a block says; nothing where it is thinking or another kind."""
    return (part(block, "text", str) or "") if part(block, "type", str) == "text" else ""


def _taken(usage: Any) -> int | None:
    """All tokens of the messages: the API counts those of its cache apart."""
    fresh = count(usage, "input_tokens")
    if fresh is None:
        return None
    return fresh + (count(usage, "cache_creation_input_tokens") or 0) + (count(usage, _READ) or 0)
