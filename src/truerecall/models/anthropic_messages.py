"""Chat models of Anthropic's Messages API, over the official SDK (the extra ``qa``).

What is contacted and what is sent is told in ``asking``. The API takes no temperature: none is ever sent.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

from truerecall.models.answers import count, encodable, part, reply_of
from truerecall.models.asking import Sdk, ServedChat
from truerecall.models.protocols import ChatMessage, ChatReply

_VERSION = "2026-10-21"  # of the API: the form that is written and read here
_FINISHES = {"end_turn": "stop", "max_tokens": "length"}
_READ = "cache_read_input_tokens"


def _client(sdk: Any, key: str, **line: Any) -> Any:
    # With a key given, even a placeholder, the SDK looks for no credentials in the environment or in files.
    return sdk.Anthropic(api_key=key or "none", webhook_key="", open_telemetry=False, **line)


def _headers(key: str) -> dict[str, str]:
    # As the SDK itself sends it with this version of the API.
    keyed = {"Authorization": f"Bearer {key}"} if key else {}
    return {"anthropic-version": _VERSION, **keyed}


class AnthropicChat(ServedChat):
    """A model called ``anthropic:MODEL``; its ``base_url`` is given up to ``/v1/messages``.

    The temperature is not sent. Arguments and errors are those of ``ServedChat``.
    """

    sdk = Sdk("anthropic", "AnthropicError", "/v1/messages", _client, _headers)
    home = "https://api.anthropic.com"

    @staticmethod
    def _root(base_url: str) -> str:
        return base_url.rstrip("/").removesuffix("/v1")  # which most settings have, and the path too

    def reply(self, messages: Sequence[ChatMessage]) -> ChatReply:
        """See ``ServedChat``; ``tokens_in`` are those read, written to and taken past the cache together."""
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
        return self._counted(partial(self._read, answered.body, sent), answered.tries)

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
