"""Anthropic's Messages, as ``POST /v1/messages`` has them."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from truerecall.models.scripted.server.asked import (
    Asked,
    BadRequest,
    Turn,
    a_list,
    a_switch,
    a_text,
    an_object,
    pieces,
    said_first,
    texts_of,
)
from truerecall.models.scripted.server.wire import event, json_bytes

_STOPS = {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use", "content_filter": "refusal"}
"""Why it ended, by the words of chat completions; a script may also use the words of this API."""


def read(data: Mapping[str, Any]) -> Asked:
    """The question.

    Raises:
        BadRequest: no model, no messages, no max_tokens, or one of another form.
    """
    asked = read_uncounted(data)
    limit = data.get("max_tokens")
    if type(limit) is not int or limit < 1:
        raise BadRequest("max_tokens must be a whole number of at least 1")
    return asked


def read_uncounted(data: Mapping[str, Any]) -> Asked:
    """The question of a call that only counts tokens: as ``read``, without max_tokens."""
    model = a_text(data.get("model"), "model")
    messages = a_list(data.get("messages"), "messages")
    if not messages:
        raise BadRequest("messages must hold at least one message")
    system = "\n\n".join(texts_of(data.get("system"), "system"))
    texts, roles = ([system], ["system"]) if system else ([], [])
    for number, given in enumerate(messages):
        message = an_object(given, f"messages[{number}]")
        roles.append(a_text(message.get("role"), f"messages[{number}].role"))
        texts.append("\n\n".join(_said(message.get("content"), f"messages[{number}].content")))
    tools = a_list(data.get("tools") or [], "tools")
    names = (an_object(tool, f"tools[{n}]").get("name") for n, tool in enumerate(tools))
    return Asked(
        model=model,
        texts=tuple(texts),
        tools=tuple(a_text(name, f"tools[{number}].name") for number, name in enumerate(names)),
        tools_told=json_bytes(tools).decode("utf-8") if tools else "",
        stream=a_switch(data, "stream"),
        conversation=said_first(zip(roles, texts, strict=True)),
    )


def _said(content: Any, name: str) -> Iterable[str]:
    """The texts of a message, with those that tools gave back."""
    if not isinstance(content, list):
        yield from texts_of(content, name)
        return
    for number, block in enumerate(content):
        if an_object(block, f"{name}[{number}]").get("type") == "tool_result":
            yield from texts_of(block.get("content"), f"{name}[{number}].content")
        else:
            yield from texts_of([block], name)


def whole(turn: Turn) -> dict[str, Any]:
    """The answer in one piece."""
    answer = turn.answer
    content: list[dict[str, Any]] = [{"type": "text", "text": answer.text}] if answer.text else []
    for index, tool in enumerate(answer.tools):
        content.append({**_tool(turn, index), "input": json.loads(tool.arguments)})
    return {**_head(turn, content, _stop(turn)), "usage": _usage(turn, answer.tokens_out)}


def stream(turn: Turn) -> Iterator[bytes]:
    """The answer as events."""
    answer = turn.answer
    begun = {**_head(turn, [], None), "usage": _usage(turn, min(answer.tokens_out, 1))}
    yield _event("message_start", message=begun)
    yield _event("ping")
    at = 0
    if answer.text:
        yield _event("content_block_start", index=at, content_block={"type": "text", "text": ""})
        for piece in pieces(answer.text):
            yield _event("content_block_delta", index=at, delta={"type": "text_delta", "text": piece})
        yield _event("content_block_stop", index=at)
        at += 1
    for number, tool in enumerate(answer.tools):
        yield _event("content_block_start", index=at, content_block={**_tool(turn, number), "input": {}})
        for piece in ("", *pieces(tool.arguments, words=False)):
            delta = {"type": "input_json_delta", "partial_json": piece}
            yield _event("content_block_delta", index=at, delta=delta)
        yield _event("content_block_stop", index=at)
        at += 1
    ended = {"stop_reason": _stop(turn), "stop_sequence": None}
    yield _event("message_delta", delta=ended, usage=_usage(turn, answer.tokens_out))
    yield _event("message_stop")


def _event(name: str, **data: Any) -> bytes:
    return event({"type": name, **data}, name)


def _head(turn: Turn, content: list[dict[str, Any]], stop: str | None) -> dict[str, Any]:
    return {
        "id": f"msg_{turn.number:06d}",
        "type": "message",
        "role": "assistant",
        "model": turn.asked.model,
        "content": content,
        "stop_reason": stop,
        "stop_sequence": None,
    }


def _tool(turn: Turn, index: int) -> dict[str, Any]:
    name = turn.answer.tools[index].name
    return {"type": "tool_use", "id": f"toolu_{turn.number:06d}_{index}", "name": name}


def _stop(turn: Turn) -> str:
    finish = turn.answer.finish_reason
    return _STOPS.get(finish, finish)


def _usage(turn: Turn, tokens_out: int) -> dict[str, Any]:
    """Here the tokens that were read from the cache, or written to it, are not among ``input_tokens``."""
    answer = turn.answer
    cached, written, thought = answer.tokens_cached or 0, answer.tokens_written, answer.tokens_reasoning
    split = {"ephemeral_5m_input_tokens": written, "ephemeral_1h_input_tokens": 0}
    return {
        "input_tokens": answer.tokens_in - cached - (written or 0),
        "cache_creation_input_tokens": written or 0,
        "cache_read_input_tokens": cached,
        **({} if written is None else {"cache_creation": split}),
        "output_tokens": tokens_out,
        **({} if thought is None else {"output_tokens_details": {"thinking_tokens": thought}}),
    }
