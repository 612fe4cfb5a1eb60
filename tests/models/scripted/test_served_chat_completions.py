"""Chat completions as the official client reads them, and as they stand on the wire."""

import json
from typing import Any

import pytest
from openai.types.chat import ChatCompletion
from pydantic import BaseModel

WEATHER = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}
ASKED: Any = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Weather in Zürich?"}]
LINES = (
    {"when": "12 degrees", "reply": "It is 12 degrees."},
    {
        "when": r"Weather in (\w+)",
        "reply": r"Let me look at \1.",
        "tools": [{"name": "look", "arguments": {"city": "Zürich", "days": 3}}, {"name": "stop"}],
    },
)


def test_a_reply_is_a_whole_completion(serve: Any) -> None:
    bench = serve(
        {"reply": "Zürich.", "usage": {"tokens_in": 30, "tokens_cached": 20, "tokens_reasoning": 4}}
    )
    raw = bench.post("/v1/chat/completions", {"model": "m", "messages": ASKED})
    assert raw.data == {
        "id": "chatcmpl-000001",
        "object": "chat.completion",
        "created": 1715083200,
        "model": "m",
        "service_tier": "default",
        "system_fingerprint": None,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "Zürich.", "refusal": None},
                "logprobs": None,
                "finish_reason": "stop",
            }
        ],
        "usage": {
            "prompt_tokens": 30,
            "completion_tokens": 4,
            "total_tokens": 34,
            "prompt_tokens_details": {"cached_tokens": 20, "audio_tokens": 0},
            "completion_tokens_details": {
                "reasoning_tokens": 4,
                "audio_tokens": 0,
                "accepted_prediction_tokens": 0,
                "rejected_prediction_tokens": 0,
            },
        },
    }
    assert raw.headers == {
        "Content-Type": "application/json",
        "Content-Length": str(len(raw.body)),
        "x-request-id": "req_000001",
        "Connection": "close",
    }


def chunk(delta: str, finish: str = "null", choices: str = "", usage: str = "null") -> str:
    given = choices or f'[{{"index":0,"delta":{delta},"logprobs":null,"finish_reason":{finish}}}]'
    head = '"id":"chatcmpl-000001","object":"chat.completion.chunk","created":1715083200,"model":"m"'
    return f'data: {{{head},"service_tier":"default","system_fingerprint":null,"choices":{given},"usage":{usage}}}\n\n'


def test_a_stream_has_exactly_these_bytes(serve: Any) -> None:
    bench = serve({"reply": "Zürich, so", "tools": [{"name": "look", "arguments": {"n": 123456789}}]})
    raw = bench.post(
        "/v1/chat/completions",
        {"model": "m", "messages": ASKED, "stream": True, "stream_options": {"include_usage": True}},
    )
    details = (
        '"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":0},"completion_tokens_details":'
        '{"reasoning_tokens":0,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}'
    )
    call = '"id":"call_000001_0","type":"function","function":{"name":"look","arguments":""}'
    assert raw.body.decode("utf-8") == (
        chunk('{"role":"assistant","content":"","refusal":null}')
        + chunk('{"content":"Zürich, "}')
        + chunk('{"content":"so"}')
        + chunk(f'{{"tool_calls":[{{"index":0,{call}}}]}}')
        + chunk('{"tool_calls":[{"index":0,"function":{"arguments":"{\\"n\\":1234567"}}]}')
        + chunk('{"tool_calls":[{"index":0,"function":{"arguments":"89}"}}]}')
        + chunk("{}", '"tool_calls"')
        + chunk(
            "", choices="[]", usage=f'{{"prompt_tokens":8,"completion_tokens":8,"total_tokens":16,{details}}}'
        )
        + "data: [DONE]\n\n"
    )
    assert raw.headers == {
        "Content-Type": "text/event-stream; charset=utf-8",
        "Cache-Control": "no-cache",
        "Transfer-Encoding": "chunked",
        "x-request-id": "req_000001",
        "Connection": "close",
    }


def test_a_stream_without_usage_asked_for_has_none(serve: Any) -> None:
    raw = serve({"reply": "a"}).post(
        "/v1/chat/completions", {"model": "m", "messages": ASKED, "stream": True}
    )
    assert b"usage" not in raw.body
    assert raw.body.endswith(b'"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n')


def finished(bench: Any, streamed: bool, messages: Any) -> ChatCompletion:
    options = {"model": "m", "messages": messages, "tools": [WEATHER]}
    if not streamed:
        made: ChatCompletion = bench.openai.chat.completions.create(**options)
        return made
    with bench.openai.chat.completions.stream(**options, stream_options={"include_usage": True}) as stream:
        for _ in stream:
            pass
        return stream.get_final_completion()


@pytest.mark.parametrize("streamed", [False, True])
def test_a_tool_is_called_gives_its_result_and_the_last_text_follows(serve: Any, streamed: bool) -> None:
    bench = serve(*LINES)
    first = finished(bench, streamed, ASKED).choices[0]
    calls = first.message.tool_calls or []
    assert (first.finish_reason, first.message.content) == ("tool_calls", "Let me look at Zürich.")
    assert [(call.id, call.function.name, json.loads(call.function.arguments)) for call in calls] == [
        ("call_000001_0", "look", {"city": "Zürich", "days": 3}),
        ("call_000001_1", "stop", {}),
    ]
    told = [{"role": "tool", "tool_call_id": call.id, "content": "12 degrees"} for call in calls]
    said = {"role": "assistant", "content": None, "tool_calls": [call.to_dict() for call in calls]}
    last = finished(bench, streamed, [*ASKED, said, *told])
    assert (last.choices[0].finish_reason, last.choices[0].message.content) == ("stop", "It is 12 degrees.")
    assert last.choices[0].message.tool_calls is None
    assert last.usage is not None
    assert (last.usage.prompt_tokens, last.usage.completion_tokens, last.usage.total_tokens) == (34, 5, 39)
    assert [call.tools for call in bench.server.calls] == [("look",), ("look",)]


def test_an_answer_that_only_calls_a_tool_has_no_content(serve: Any) -> None:
    bench = serve({"tools": [{"name": "look"}], "times": 2})
    assert finished(bench, False, ASKED).choices[0].message.content is None
    assert finished(bench, True, ASKED).choices[0].message.content is None


def test_patterns_see_the_parts_of_a_message_and_results_of_tools_but_no_calls(serve: Any) -> None:
    bench = serve({"reply": "a"})
    messages = [
        {
            "role": "user",
            "content": [{"type": "text", "text": "one"}, {"type": "image_url", "image_url": {}}],
        },
        {"role": "assistant", "tool_calls": [{"function": {"name": "unseen", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c", "content": [{"type": "text", "text": "two"}]},
    ]
    assert bench.post("/v1/chat/completions", {"model": "m", "messages": messages}).status == 200
    assert bench.server.calls[0].said == "one\n\n\n\ntwo"


class Verdict(BaseModel):
    """What a judge says."""

    correct: bool


def test_a_wanted_form_is_answered_with_the_scripts_text_as_it_is(serve: Any) -> None:
    bench = serve({"reply": '{"correct": true}'}, {"reply": "no object"})
    parsed = bench.openai.chat.completions.parse(model="m", messages=ASKED, response_format=Verdict)
    assert parsed.choices[0].message.parsed == Verdict(correct=True)
    plain = bench.openai.chat.completions.create(
        model="m", messages=ASKED, response_format={"type": "json_object"}
    )
    assert plain.choices[0].message.content == "no object"


def test_a_text_streamed_in_pieces_is_the_text(serve: Any) -> None:
    text = "  two\n\n blanks \u2028 日本語 🙂🏽 ends with blanks  \n"
    bench = serve({"reply": text})
    chunks = bench.openai.chat.completions.create(model="m", messages=ASKED, stream=True)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == text


def test_half_of_a_surrogate_pair_does_not_break_the_answer(serve: Any) -> None:
    raw = serve({"reply": "a\ud800b"}).post("/v1/chat/completions", {"model": "m", "messages": ASKED})
    assert raw.data["choices"][0]["message"]["content"] == "a?b"
