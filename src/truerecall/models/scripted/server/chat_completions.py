"""OpenAI's chat completions, as ``POST /v1/chat/completions`` has them."""

from collections.abc import Iterator, Mapping
from typing import Any

from truerecall.models.scripted.server.asked import (
    Asked,
    BadRequest,
    Turn,
    a_key,
    a_list,
    a_switch,
    a_text,
    an_object,
    pieces,
    said_first,
    texts_of,
)
from truerecall.models.scripted.server.wire import event, json_bytes

DONE = b"data: [DONE]\n\n"


def read(data: Mapping[str, Any]) -> Asked:
    """The question.

    Raises:
        BadRequest: no model, no messages, or one of another form.
    """
    model = a_text(data.get("model"), "model")
    messages = a_list(data.get("messages"), "messages")
    if not messages:
        raise BadRequest("messages must hold at least one message")
    texts, roles = [], []
    for number, given in enumerate(messages):
        message = an_object(given, f"messages[{number}]")
        roles.append(a_text(message.get("role"), f"messages[{number}].role"))
        texts.append("\n\n".join(texts_of(message.get("content"), f"messages[{number}].content")))
    if data.get("n") not in (None, 1):
        raise BadRequest("n must be 1: a script gives one reply")
    tools = a_list(data.get("tools") or [], "tools")
    names = []
    for number, tool in enumerate(tools):
        function = an_object(tool, f"tools[{number}]").get("function")
        name = an_object(function, f"tools[{number}].function").get("name")
        names.append(a_text(name, f"tools[{number}].function.name"))
    options = an_object(data.get("stream_options") or {}, "stream_options")
    return Asked(
        model=model,
        texts=tuple(texts),
        tools=tuple(names),
        tools_told=json_bytes(tools).decode("utf-8") if tools else "",
        stream=a_switch(data, "stream"),
        conversation=a_key(data) or said_first(zip(roles, texts, strict=True)),
        usage_wanted=a_switch(options, "include_usage"),
    )


def whole(turn: Turn) -> dict[str, Any]:
    """The answer in one piece."""
    answer = turn.answer
    message: dict[str, Any] = {
        "role": "assistant",
        "content": answer.text if answer.text or not answer.tools else None,
        "refusal": None,
    }
    if answer.tools:
        message["tool_calls"] = [
            {
                "id": _call_id(turn, index),
                "type": "function",
                "function": {"name": tool.name, "arguments": tool.arguments},
            }
            for index, tool in enumerate(answer.tools)
        ]
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": answer.finish_reason}
    return {**_head(turn, "chat.completion"), "choices": [choice], "usage": _usage(turn)}


def stream(turn: Turn) -> Iterator[bytes]:
    """The answer as events."""
    answer = turn.answer
    says = bool(answer.text) or not answer.tools
    yield _chunk(turn, {"role": "assistant", "content": "" if says else None, "refusal": None})
    for piece in pieces(answer.text):
        yield _chunk(turn, {"content": piece})
    for index, tool in enumerate(answer.tools):
        opening = {"name": tool.name, "arguments": ""}
        call = {"index": index, "id": _call_id(turn, index), "type": "function", "function": opening}
        yield _chunk(turn, {"tool_calls": [call]})
        for piece in pieces(tool.arguments, words=False):
            yield _chunk(turn, {"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield _chunk(turn, {}, answer.finish_reason)
    if turn.asked.usage_wanted:
        yield event({**_head(turn, "chat.completion.chunk"), "choices": [], "usage": _usage(turn)})
    yield DONE


def _chunk(turn: Turn, delta: Mapping[str, Any], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    data = {**_head(turn, "chat.completion.chunk"), "choices": [choice]}
    if turn.asked.usage_wanted:
        data["usage"] = None
    return event(data)


def _head(turn: Turn, kind: str) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{turn.number:06d}",
        "object": kind,
        "created": turn.created,
        "model": turn.asked.model,
        "service_tier": "default",
        "system_fingerprint": None,
    }


def _call_id(turn: Turn, index: int) -> str:
    return f"call_{turn.number:06d}_{index}"


def _usage(turn: Turn) -> dict[str, Any]:
    answer = turn.answer
    return {
        "prompt_tokens": answer.tokens_in,
        "completion_tokens": answer.tokens_out,
        "total_tokens": answer.tokens_in + answer.tokens_out,
        "prompt_tokens_details": {
            "cached_tokens": answer.tokens_cached or 0,
            "audio_tokens": 0,
            **({} if answer.tokens_written is None else {"cache_write_tokens": answer.tokens_written}),
        },
        "completion_tokens_details": {
            "reasoning_tokens": answer.tokens_reasoning or 0,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    }
