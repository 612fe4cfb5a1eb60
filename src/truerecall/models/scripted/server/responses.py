"""OpenAI's Responses, as ``POST /v1/responses`` has them."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from truerecall.models.scripted.lines import ToolUse
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

_INCOMPLETE = {"length": "max_output_tokens", "content_filter": "content_filter"}
_Send = Callable[..., bytes]


def read(data: Mapping[str, Any]) -> Asked:
    """The question.

    Raises:
        BadRequest: no model, no input, one of another form, or one that goes on from an earlier call.
    """
    model = a_text(data.get("model"), "model")
    for name in ("previous_response_id", "conversation"):
        if data.get(name) is not None:
            raise BadRequest(f"{name}: nothing is kept between calls here; send the whole input")
    instructions = data.get("instructions")
    texts = [a_text(instructions, "instructions")] if instructions else []
    given = data.get("input")
    said = [("user", given)] if isinstance(given, str) else list(_messages(a_list(given, "input")))
    texts.extend(text for _, text in said)
    tools = a_list(data.get("tools") or [], "tools")
    offered = list(_offered(tools, ""))
    return Asked(
        model=model,
        texts=tuple(texts),
        tools=tuple(tool.name for tool in offered),
        tools_told=json_bytes(tools).decode("utf-8") if tools else "",
        stream=a_switch(data, "stream"),
        conversation=a_key(data) or said_first(said),
        free_tools=frozenset(tool.name for tool in offered if tool.free),
        namespaces={tool.name: tool.namespace for tool in reversed(offered) if tool.namespace},
    )


@dataclass(frozen=True, slots=True)
class _Offered:
    name: str
    free: bool
    namespace: str


def _offered(tools: list[Any], namespace: str) -> Iterator[_Offered]:
    """Each tool, those of a namespace one by one; one that the provider brings, such as ``web_search``, by its type."""
    for number, given in enumerate(tools):
        tool = an_object(given, f"tools[{number}]")
        name = a_text(tool.get("name") or tool.get("type"), "the name of a tool")
        if tool.get("type") == "namespace":
            yield from _offered(a_list(tool.get("tools"), f"tools[{number}].tools"), name)
        else:
            yield _Offered(name, tool.get("type") == "custom", namespace)


def _messages(given: list[Any]) -> Iterator[tuple[str, str]]:
    """Role and text of each message, and what tools gave back, as of a ``tool``; nothing of the other kinds."""
    for number, one in enumerate(given):
        name = f"input[{number}]"
        item = an_object(one, name)
        if "role" in item:
            yield str(item["role"]), "\n\n".join(texts_of(item.get("content"), f"{name}.content"))
        elif "output" in item:
            yield "tool", "\n\n".join(texts_of(item["output"], f"{name}.output"))


def whole(turn: Turn) -> dict[str, Any]:
    """The answer in one piece."""
    return _response(turn, _ended(turn), [_item(turn, index, done=True) for index in range(_items(turn))])


def stream(turn: Turn) -> Iterator[bytes]:
    """The answer as events."""
    number = -1

    def send(name: str, **data: Any) -> bytes:
        nonlocal number
        number += 1
        return event({"type": name, "sequence_number": number, **data}, name)

    begun = _response(turn, "in_progress", [])
    yield send("response.created", response=begun)
    yield send("response.in_progress", response=begun)
    for index in range(_items(turn)):
        yield send("response.output_item.added", output_index=index, item=_item(turn, index, done=False))
        tool = _tool(turn, index)
        yield from _text(turn, index, send) if tool is None else _call(turn, index, tool, send)
        yield send("response.output_item.done", output_index=index, item=_item(turn, index, done=True))
    ended = whole(turn)
    yield send(f"response.{ended['status']}", response=ended)


def _text(turn: Turn, index: int, send: _Send) -> Iterator[bytes]:
    where = {"item_id": _id(turn, index, "msg"), "output_index": index, "content_index": 0}
    yield send("response.content_part.added", **where, part=_part(""))
    for piece in pieces(turn.answer.text):
        yield send("response.output_text.delta", **where, delta=piece, logprobs=[])
    yield send("response.output_text.done", **where, text=turn.answer.text, logprobs=[])
    yield send("response.content_part.done", **where, part=_part(turn.answer.text))


def _call(turn: Turn, index: int, tool: ToolUse, send: _Send) -> Iterator[bytes]:
    if tool.name in turn.asked.free_tools:
        where = {"item_id": _id(turn, index, "ctc"), "output_index": index}
        kind, name, told = "response.custom_tool_call_input", "input", _free_input(tool)
    else:
        where = {"item_id": _id(turn, index, "fc"), "output_index": index}
        kind, name, told = "response.function_call_arguments", "arguments", tool.arguments
    for piece in pieces(told, words=False):
        yield send(f"{kind}.delta", **where, delta=piece)
    yield send(f"{kind}.done", **where, **{name: told})


def _says(turn: Turn) -> bool:
    """Whether there is a message: always, but for an answer that only calls tools."""
    return bool(turn.answer.text) or not turn.answer.tools


def _items(turn: Turn) -> int:
    return _says(turn) + len(turn.answer.tools)


def _tool(turn: Turn, index: int) -> ToolUse | None:
    """The call that an item of the output is; None where it is the message."""
    at = index - _says(turn)
    return turn.answer.tools[at] if at >= 0 else None


def _item(turn: Turn, index: int, *, done: bool) -> dict[str, Any]:
    tool = _tool(turn, index)
    status = _ended(turn) if done else "in_progress"
    if tool is None:
        content = [_part(turn.answer.text)] if done else []
        name = _id(turn, index, "msg")
        return {"id": name, "type": "message", "status": status, "role": "assistant", "content": content}
    call = {"call_id": _id(turn, index, "call"), "name": tool.name}
    if namespace := tool.namespace or turn.asked.namespaces.get(tool.name):
        call["namespace"] = namespace
    if tool.name in turn.asked.free_tools:
        told = _free_input(tool) if done else ""
        name = _id(turn, index, "ctc")
        return {"id": name, "type": "custom_tool_call", "status": status, **call, "input": told}
    told = tool.arguments if done else ""
    name = _id(turn, index, "fc")
    return {"id": name, "type": "function_call", "status": status, **call, "arguments": told}


def _free_input(tool: ToolUse) -> str:
    """What a tool gets that takes a text: its argument ``input``, or else all arguments as JSON."""
    given = json.loads(tool.arguments).get("input")
    return given if isinstance(given, str) else tool.arguments


def _part(text: str) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def _id(turn: Turn, index: int, kind: str) -> str:
    return f"{kind}_{turn.number:06d}_{index}"


def _ended(turn: Turn) -> str:
    return "incomplete" if turn.answer.finish_reason in _INCOMPLETE else "completed"


def _response(turn: Turn, status: str, output: list[dict[str, Any]]) -> dict[str, Any]:
    why = _INCOMPLETE.get(turn.answer.finish_reason) if status == "incomplete" else None
    return {
        "id": f"resp_{turn.number:06d}",
        "object": "response",
        "created_at": turn.created,
        "status": status,
        "background": False,
        "error": None,
        "incomplete_details": {"reason": why} if why else None,
        "instructions": None,
        "max_output_tokens": None,
        "model": turn.asked.model,
        "output": output,
        "parallel_tool_calls": True,
        "previous_response_id": None,
        "reasoning": {"effort": None, "summary": None},
        "service_tier": "default",
        "store": False,
        "temperature": 1.0,
        "text": {"format": {"type": "text"}},
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "truncation": "disabled",
        "usage": None if status == "in_progress" else _usage(turn),
        "user": None,
        "metadata": {},
    }


def _usage(turn: Turn) -> dict[str, Any]:
    answer = turn.answer
    return {
        "input_tokens": answer.tokens_in,
        "input_tokens_details": {
            "cached_tokens": answer.tokens_cached or 0,
            "cache_write_tokens": answer.tokens_written or 0,
        },
        "output_tokens": answer.tokens_out,
        "output_tokens_details": {"reasoning_tokens": answer.tokens_reasoning or 0},
        "total_tokens": answer.tokens_in + answer.tokens_out,
    }
