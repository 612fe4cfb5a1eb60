"""Reads what a server or a library answered, totally: nothing that stands in an answer can raise anything here."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from truerecall.errors import ChatFailed
from truerecall.models.protocols import ChatReply

OPTION = "(under [chat], or as an option after the model's name)"
"""Where a reader of a message sets what it names: in the settings file, or in the model that a command is given."""


def parsed(body: str) -> Any:
    """What the JSON in a body says; None where it is none."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def part(data: Any, name: str, kind: Callable[..., Any]) -> Any:
    """``data[name]`` if it is there and of that type; None otherwise."""
    value = data.get(name) if isinstance(data, dict) else None
    return value if type(value) is kind else None


def count(usage: Any, name: str) -> int | None:
    """A number of tokens; None where none is told, or one that cannot be one."""
    value: int | None = part(usage, name, int)
    return value if value is not None and value >= 0 else None


def message_of(data: Any) -> str:
    """What an error says, as servers mostly write it; nothing where it is of another form."""
    error = data.get("error") if isinstance(data, dict) else None
    said = (
        part(error, "message", str)
        or (error if isinstance(error, str) else None)
        or part(data, "message", str)
    )
    return said or ""


def encodable(text: str) -> str:
    """The text with half a surrogate pair as a question mark, so that it can be sent."""
    return text.encode("utf-8", "replace").decode("utf-8")


def completion(
    data: Any, model: str, sent: Mapping[str, str | int | float], fail: Callable[[str, str], ChatFailed]
) -> ChatReply:
    """The reply in a chat completion.

    Args:
        data: As it was parsed.
        model: What it is called where the answer does not say.
        sent: The parameters that it was asked with.
        fail: Makes the error of a problem and its remedy.

    Raises:
        ChatFailed: it holds no text.
    """
    choices = part(data, "choices", list)
    choice = choices[0] if choices else None
    usage = part(data, "usage", dict)
    return reply_of(
        ChatReply(
            text=part(part(choice, "message", dict), "content", str) or "",
            finish_reason=part(choice, "finish_reason", str) or "unknown",
            model=part(data, "model", str) or model,
            tokens_in=count(usage, "prompt_tokens"),
            tokens_out=count(usage, "completion_tokens"),
            tokens_cached=count(part(usage, "prompt_tokens_details", dict), "cached_tokens"),
            tokens_reasoning=count(part(usage, "completion_tokens_details", dict), "reasoning_tokens"),
            sent=dict(sent),
        ),
        fail,
    )


def reply_of(reply: ChatReply, fail: Callable[[str, str], ChatFailed]) -> ChatReply:
    """The reply, which must hold a text.

    Raises:
        ChatFailed: it holds none, as where the limit was used up by reasoning that is not shown.
    """
    if reply.text.strip():
        return reply
    error = fail(
        f"the answer holds no text (finish reason {reply.finish_reason})",
        "Ask in another way, or another model.",
    )
    if reply.cut:
        error = fail("the limit of tokens was used up before the answer began", f"Raise max_tokens {OPTION}.")
    # It is paid for all the same.
    error.tokens_in, error.tokens_out = reply.tokens_in, reply.tokens_out
    error.tokens_cached, error.tokens_reasoning = reply.tokens_cached, reply.tokens_reasoning
    raise error
