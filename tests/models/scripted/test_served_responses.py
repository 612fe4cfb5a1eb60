"""OpenAI's Responses as the official client reads them, and as they stand on the wire."""

import json
from typing import Any

import pytest

TOOL: Any = {"type": "function", "name": "look", "parameters": {"type": "object"}, "strict": False}
PATCH: Any = {"type": "custom", "name": "patch"}
LINES = (
    {"when": "12 degrees", "reply": "It is 12 degrees."},
    {
        "when": r"Weather in (\w+)",
        "reply": r"Let me look at \1.",
        "tools": [{"name": "look", "arguments": {"city": "Zürich", "days": 3}}, {"name": "stop"}],
    },
)


def test_a_stream_names_and_numbers_its_events_and_ends_with_the_whole_answer(serve: Any) -> None:
    bench = serve({"reply": "Zürich, so", "tools": [{"name": "look", "arguments": {"n": 123456789}}]})
    raw = bench.post("/v1/responses", {"model": "m", "input": "Weather?", "stream": True})
    *frames, end = raw.body.decode("utf-8").split("\n\n")
    names, events = [], []
    for frame in frames:
        name, data = frame.split("\n")
        names.append(name.removeprefix("event: "))
        events.append(json.loads(data.removeprefix("data: ")))
    assert end == ""
    assert [event["type"] for event in events] == names
    assert [event["sequence_number"] for event in events] == list(range(len(events)))
    message = {"item_id": "msg_000001_0", "output_index": 0, "content_index": 0}
    call = {"item_id": "fc_000001_1", "output_index": 1}
    part = {"type": "output_text", "annotations": [], "logprobs": []}
    said = {"id": "msg_000001_0", "type": "message", "role": "assistant"}
    called = {"id": "fc_000001_1", "type": "function_call", "call_id": "call_000001_1", "name": "look"}
    done = [
        {**said, "status": "completed", "content": [{**part, "text": "Zürich, so"}]},
        {**called, "status": "completed", "arguments": '{"n":123456789}'},
    ]
    told = [{k: v for k, v in event.items() if k != "sequence_number"} for event in events]
    assert told[2:-1] == [
        {
            "type": "response.output_item.added",
            "output_index": 0,
            "item": {**said, "status": "in_progress", "content": []},
        },
        {"type": "response.content_part.added", **message, "part": {**part, "text": ""}},
        {"type": "response.output_text.delta", **message, "delta": "Zürich, ", "logprobs": []},
        {"type": "response.output_text.delta", **message, "delta": "so", "logprobs": []},
        {"type": "response.output_text.done", **message, "text": "Zürich, so", "logprobs": []},
        {"type": "response.content_part.done", **message, "part": {**part, "text": "Zürich, so"}},
        {"type": "response.output_item.done", "output_index": 0, "item": done[0]},
        {
            "type": "response.output_item.added",
            "output_index": 1,
            "item": {**called, "status": "in_progress", "arguments": ""},
        },
        {"type": "response.function_call_arguments.delta", **call, "delta": '{"n":1234567'},
        {"type": "response.function_call_arguments.delta", **call, "delta": "89}"},
        {"type": "response.function_call_arguments.done", **call, "arguments": '{"n":123456789}'},
        {"type": "response.output_item.done", "output_index": 1, "item": done[1]},
    ]
    begun = {
        "id": "resp_000001",
        "status": "in_progress",
        "output": [],
        "usage": None,
        "created_at": 1715083200,
    }
    assert names[:2] == ["response.created", "response.in_progress"]
    assert told[0]["response"] == told[1]["response"]
    assert begun.items() <= told[0]["response"].items()
    assert names[-1] == "response.completed"
    assert told[-1]["response"] == {
        **told[0]["response"],
        "status": "completed",
        "output": done,
        "usage": {
            "input_tokens": 2,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": 8,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 10,
        },
    }


def finished(bench: Any, streamed: bool, given: Any, tool: Any = TOOL) -> Any:
    options = {"model": "m", "input": given, "instructions": "Be brief.", "tools": [tool]}
    if not streamed:
        return bench.openai.responses.create(**options)
    with bench.openai.responses.stream(**options) as stream:
        for _ in stream:
            pass
        return stream.get_final_response()


@pytest.mark.parametrize("streamed", [False, True])
def test_a_tool_is_called_gives_its_result_and_the_last_text_follows(serve: Any, streamed: bool) -> None:
    bench = serve(*LINES)
    asked = {"role": "user", "content": [{"type": "input_text", "text": "Weather in Zürich?"}]}
    first = finished(bench, streamed, [asked])
    _, look, stop = first.output
    assert (first.status, first.output_text) == ("completed", "Let me look at Zürich.")
    assert (look.type, look.call_id, look.name) == ("function_call", "call_000001_1", "look")
    assert json.loads(look.arguments) == {"city": "Zürich", "days": 3}
    assert (stop.call_id, stop.name, stop.arguments) == ("call_000001_2", "stop", "{}")
    results = [
        {"type": "function_call_output", "call_id": look.call_id, "output": "12 degrees"},
        {
            "type": "function_call_output",
            "call_id": stop.call_id,
            "output": [{"type": "input_text", "text": "ok"}],
        },
    ]
    last = finished(bench, streamed, [asked, *(item.to_dict() for item in first.output), *results])
    assert (last.status, last.output_text, len(last.output)) == ("completed", "It is 12 degrees.", 1)
    assert (last.usage.input_tokens, last.usage.output_tokens, last.usage.total_tokens) == (39, 5, 44)
    assert bench.server.calls[1].said == (
        "Be brief.\n\nWeather in Zürich?\n\nLet me look at Zürich.\n\n12 degrees\n\nok"
    )


@pytest.mark.parametrize("streamed", [False, True])
def test_a_tool_that_takes_a_text_gets_its_input_as_it_is(serve: Any, streamed: bool) -> None:
    text = "*** Begin Patch\n+ü"
    bench = serve(
        {"tools": [{"name": "patch", "arguments": {"input": text}}]},
        {"tools": [{"name": "patch", "arguments": {"path": "a"}}]},
    )
    for given in (text, '{"path":"a"}'):
        (call,) = finished(bench, streamed, "Go.", PATCH).output
        assert (call.type, call.name, call.input) == ("custom_tool_call", "patch", given)


@pytest.mark.parametrize(
    ("finish", "why"), [("length", "max_output_tokens"), ("content_filter", "content_filter")]
)
def test_an_answer_that_was_ended_is_incomplete_and_says_why(serve: Any, finish: str, why: str) -> None:
    bench = serve({"reply": "a", "finish_reason": finish, "times": 2})
    whole = finished(bench, False, "Go.")
    (*_, last) = bench.openai.responses.create(model="m", input="Go.", stream=True)
    assert last.type == "response.incomplete"
    for response in (whole, last.response):
        assert (response.status, response.output_text) == ("incomplete", "a")
        assert response.incomplete_details.reason == why


@pytest.mark.parametrize("name", ["previous_response_id", "conversation"])
def test_a_call_that_goes_on_from_an_earlier_one_is_refused(serve: Any, name: str) -> None:
    raw = serve({"reply": "a"}).post("/v1/responses", {"model": "m", "input": "Go.", name: "resp_1"})
    assert raw.status == 400
    assert raw.data["error"]["message"] == f"{name}: nothing is kept between calls here; send the whole input"


def test_tools_of_the_provider_are_noted_by_their_type_and_reasoning_is_passed_over(serve: Any) -> None:
    bench = serve({"reply": "a"})
    given = [{"type": "reasoning", "summary": [], "content": None}, {"role": "user", "content": "Go."}]
    raw = bench.post(
        "/v1/responses", {"model": "m", "input": given, "tools": [{"type": "web_search"}, PATCH]}
    )
    assert raw.status == 200
    assert (bench.server.calls[0].tools, bench.server.calls[0].said) == (("web_search", "patch"), "Go.")


@pytest.mark.parametrize("streamed", [False, True])
def test_a_call_of_a_tool_in_a_namespace_names_the_namespace(serve: Any, streamed: bool) -> None:
    bench = serve({"tools": [{"name": "recall"}, {"name": "look"}]})
    inner: Any = [{**TOOL, "name": "recall"}, {**TOOL, "name": "look"}]
    options = {
        "model": "m",
        "input": "Go.",
        "stream": streamed,
        "tools": [{"type": "namespace", "name": "mcp__memory", "description": "", "tools": inner}],
    }
    made = bench.openai.responses.create(**options)
    response = list(made)[-1].response if streamed else made
    assert [(call.name, call.namespace) for call in response.output] == [
        ("recall", "mcp__memory"),
        ("look", "mcp__memory"),
    ]
    assert bench.server.calls[0].tools == ("recall", "look")


def test_a_line_may_name_the_namespace_of_a_tool_that_is_not_offered(serve: Any) -> None:
    bench = serve({"tools": [{"name": "recall", "namespace": "mcp__memory"}, {"name": "look"}]})
    response = bench.openai.responses.create(model="m", input="Go.")

    assert [(call.name, getattr(call, "namespace", None)) for call in response.output] == [
        ("recall", "mcp__memory"),
        ("look", None),
    ]
