"""Anthropic's Messages as the official client reads them, and as they stand on the wire."""

from typing import Any

import pytest

ASKED: Any = [{"role": "user", "content": "Weather in Zürich?"}]
TOOL = {"name": "look", "input_schema": {"type": "object"}}
LINES = (
    {"when": "12 degrees", "reply": "It is 12 degrees."},
    {
        "when": r"Weather in (\w+)",
        "reply": r"Let me look at \1.",
        "tools": [{"name": "look", "arguments": {"city": "Zürich", "days": 3}}, {"name": "stop"}],
    },
)


def body(**more: Any) -> dict[str, Any]:
    return {"model": "m", "max_tokens": 9, "messages": ASKED, **more}


def test_a_reply_is_a_whole_message_whose_input_leaves_out_what_was_cached(serve: Any) -> None:
    raw = serve(
        {"reply": "Zürich.", "usage": {"tokens_in": 30, "tokens_cached": 20, "tokens_reasoning": 1}}
    ).post("/v1/messages", body())
    assert raw.data == {
        "id": "msg_000001",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [{"type": "text", "text": "Zürich."}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": 10,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 20,
            "output_tokens": 2,
            "output_tokens_details": {"thinking_tokens": 1},
        },
    }
    assert raw.headers["request-id"] == "req_000001"


WIRE = """\
event: message_start
data: {"type":"message_start","message":{"id":"msg_000001","type":"message","role":"assistant","model":"m",\
"content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":5,"cache_creation_input_tokens":0,\
"cache_read_input_tokens":0,"output_tokens":1}}}

event: ping
data: {"type":"ping"}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Zürich, "}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"so"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_000001_0","name":"look",\
"input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\\"n\\":1234567"}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"89}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"input_tokens":5,\
"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":8}}

event: message_stop
data: {"type":"message_stop"}

"""


def test_a_stream_has_exactly_these_bytes(serve: Any) -> None:
    bench = serve({"reply": "Zürich, so", "tools": [{"name": "look", "arguments": {"n": 123456789}}]})
    raw = bench.post("/v1/messages?beta=true", body(stream=True))
    assert raw.body.decode("utf-8") == WIRE
    assert raw.headers["Content-Type"] == "text/event-stream; charset=utf-8"


def finished(bench: Any, streamed: bool, messages: Any) -> Any:
    options = {"model": "m", "max_tokens": 99, "messages": messages, "tools": [TOOL], "system": "Be brief."}
    if not streamed:
        return bench.anthropic.messages.create(**options)
    with bench.anthropic.messages.stream(**options) as stream:
        return stream.get_final_message()


@pytest.mark.parametrize("streamed", [False, True])
def test_a_tool_is_called_gives_its_result_and_the_last_text_follows(serve: Any, streamed: bool) -> None:
    bench = serve(*LINES)
    first = finished(bench, streamed, ASKED)
    assert first.stop_reason == "tool_use"
    text, look, stop = first.content
    assert (text.type, text.text) == ("text", "Let me look at Zürich.")
    assert (look.id, look.name, look.input) == ("toolu_000001_0", "look", {"city": "Zürich", "days": 3})
    assert (stop.id, stop.name, stop.input) == ("toolu_000001_1", "stop", {})
    results = [
        {"type": "tool_result", "tool_use_id": look.id, "content": "12 degrees"},
        {"type": "tool_result", "tool_use_id": stop.id, "content": [{"type": "text", "text": "fine"}]},
    ]
    said = {"role": "assistant", "content": [block.to_dict() for block in first.content]}
    last = finished(bench, streamed, [*ASKED, said, {"role": "user", "content": results}])
    assert (last.stop_reason, [block.text for block in last.content]) == ("end_turn", ["It is 12 degrees."])
    assert (last.usage.input_tokens, last.usage.output_tokens) == (32, 5)
    assert [call.tools for call in bench.server.calls] == [("look",), ("look",)]
    assert bench.server.calls[1].said == (
        "Be brief.\n\nWeather in Zürich?\n\nLet me look at Zürich.\n\n12 degrees\n\nfine"
    )


@pytest.mark.parametrize(
    ("finish", "stop"),
    [
        ("stop", "end_turn"),
        ("length", "max_tokens"),
        ("content_filter", "refusal"),
        ("pause_turn", "pause_turn"),
    ],
)
def test_why_it_ended_is_told_in_the_words_of_this_api(serve: Any, finish: str, stop: str) -> None:
    assert (
        serve({"reply": "a", "finish_reason": finish}).post("/v1/messages", body()).data["stop_reason"]
        == stop
    )


def test_tokens_are_counted_as_a_call_would_cost_without_using_a_line(serve: Any) -> None:
    bench = serve({"reply": "a"})
    options = {
        "model": "m",
        "messages": ASKED,
        "system": [{"type": "text", "text": "Be brief."}],
        "tools": [TOOL],
    }
    counted = bench.anthropic.messages.count_tokens(**options)
    answered = bench.anthropic.messages.create(max_tokens=9, **options)
    assert counted.input_tokens == answered.usage.input_tokens == 21
    assert [(call.endpoint, call.tokens_in) for call in bench.server.calls] == [
        ("count_tokens", 0),
        ("messages", 21),
    ]


@pytest.mark.parametrize("streamed", [False, True])
def test_an_empty_answer_is_a_message_without_content(serve: Any, streamed: bool) -> None:
    message = finished(serve({"fail": "empty"}), streamed, ASKED)
    assert (message.content, message.stop_reason, message.usage.output_tokens) == ([], "end_turn", 0)
