"""Every way to fail, as the official clients see it and as our own model does."""

import http.client
import json
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import anthropic
import httpx2
import openai
import pytest

from truerecall.errors import ChatFailed
from truerecall.models.openai_compatible import OpenAIChat
from truerecall.models.protocols import ChatMessage, ChatParameters, ChatReply
from truerecall.models.scripted import Scenario, ScriptedServer

SAID: Any = [{"role": "user", "content": "?"}]
STATUSES = ("400", "401", "403", "404", "429", "500", "503", "529")


def chat(bench: Any, **more: Any) -> Any:
    return bench.openai.chat.completions.create(model="m", messages=SAID, **more)


def messages(bench: Any, **more: Any) -> Any:
    return bench.anthropic.messages.create(model="m", max_tokens=9, messages=SAID, **more)


def responses(bench: Any, **more: Any) -> Any:
    return bench.openai.responses.create(model="m", input="?", **more)


CALLS = pytest.mark.parametrize("call", [chat, messages, responses])
STREAMED = pytest.mark.parametrize("streamed", [False, True])
Call = Callable[..., Any]


def ours(bench: Any, *, retries: int = 0, timeout: float = 10.0) -> ChatReply:
    model = OpenAIChat(
        "m", None, base_url=bench.server.base_url, retries=retries, parameters=ChatParameters(timeout=timeout)
    )
    return model.reply([ChatMessage("user", "?")])


@CALLS
@STREAMED
@pytest.mark.parametrize("status", STATUSES)
def test_a_status_is_what_the_official_clients_raise_with_its_message(
    serve: Any, call: Call, streamed: bool, status: str
) -> None:
    bench = serve({"fail": status, "reply": "not now"})
    with pytest.raises((openai.APIStatusError, anthropic.APIStatusError)) as raised:
        call(bench, stream=streamed)
    assert raised.value.status_code == int(status)
    assert "not now" in raised.value.message
    assert (bench.server.calls[0].status, bench.server.calls[0].fail) == (int(status), status)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        ("400", "invalid_request_error"),
        ("401", "authentication_error"),
        ("403", "permission_error"),
        ("404", "not_found_error"),
        ("429", "rate_limit_error"),
        ("500", "api_error"),
        ("529", "overloaded_error"),
    ],
)
def test_a_refusal_of_messages_is_typed_as_anthropic_types_it(serve: Any, status: str, kind: str) -> None:
    raw = serve({"fail": status}).post("/v1/messages", {"model": "m", "max_tokens": 9, "messages": SAID})
    assert (raw.data["type"], raw.data["error"]["type"], raw.data["request_id"]) == (
        "error",
        kind,
        "req_000001",
    )


def test_a_refusal_of_chat_completions_has_the_form_of_openai(serve: Any) -> None:
    raw = serve({"fail": "429"}).post("/v1/chat/completions", {"model": "m", "messages": SAID})
    assert raw.data == {
        "error": {
            "message": "too many requests",
            "type": "rate_limit_error",
            "param": None,
            "code": "rate_limit_exceeded",
        }
    }


@pytest.mark.parametrize(
    ("line", "whole", "exact"),
    [
        ({"fail": "429"}, "1", "10"),
        ({"fail": "503", "after": 2.5}, "3", "2500"),
        ({"fail": "529", "after": 0}, "0", "0"),
    ],
)
def test_a_status_that_may_be_tried_again_says_when(serve: Any, line: Any, whole: str, exact: str) -> None:
    raw = serve(line).post("/v1/chat/completions", {"model": "m", "messages": SAID})
    assert (raw.headers["retry-after"], raw.headers["retry-after-ms"]) == (whole, exact)


def test_a_status_that_may_not_be_tried_again_does_not_say_when(serve: Any) -> None:
    raw = serve({"fail": "401"}).post("/v1/chat/completions", {"model": "m", "messages": SAID})
    assert "retry-after" not in raw.headers


@pytest.mark.parametrize("fail", ["429", "500", "503", "529"])
def test_the_official_clients_try_again_and_get_the_answer_that_follows(serve: Any, fail: str) -> None:
    bench = serve({"fail": fail, "times": 2}, {"reply": "at last"}, {"fail": fail}, {"reply": "again"})
    said = bench.openai.with_options(max_retries=2).chat.completions.create(model="m", messages=SAID)
    told = bench.anthropic.with_options(max_retries=1).messages.create(model="m", max_tokens=9, messages=SAID)
    assert (said.choices[0].message.content, told.content[0].text) == ("at last", "again")
    status = int(fail)
    assert [call.status for call in bench.server.calls] == [status, status, 200, status, 200]


def test_the_official_client_tries_again_after_a_dropped_connection(serve: Any) -> None:
    bench = serve({"fail": "drop"}, {"reply": "at last"})
    said = bench.openai.with_options(max_retries=1).chat.completions.create(model="m", messages=SAID)
    assert said.choices[0].message.content == "at last"
    assert [call.status for call in bench.server.calls] == [0, 200]


@CALLS
@STREAMED
def test_a_dropped_connection_is_a_connection_error(serve: Any, call: Call, streamed: bool) -> None:
    bench = serve({"fail": "drop"})
    with pytest.raises((openai.APIConnectionError, anthropic.APIConnectionError)):
        call(bench, stream=streamed)
    assert bench.server.usage.tokens_in == 0


@CALLS
def test_a_stream_that_breaks_gives_its_first_half_and_then_an_error(serve: Any, call: Call) -> None:
    bench = serve({"fail": "break", "reply": "one two three four five six seven eight"})
    broken = httpx2.RemoteProtocolError if call is messages else openai.APIConnectionError
    stream = call(bench, stream=True)
    got = []
    with pytest.raises(broken):
        for event in stream:
            got.append(event)
    assert len(got) == {chat: 6, messages: 6, responses: 8}[call]
    assert bench.server.calls[0].fail == "break"


@CALLS
def test_a_body_that_breaks_is_a_connection_error(serve: Any, call: Call) -> None:
    with pytest.raises((openai.APIConnectionError, anthropic.APIConnectionError)):
        call(serve({"fail": "break", "reply": "one two"}))


def test_a_stream_that_breaks_holds_whole_events_only(serve: Any) -> None:
    bench = serve({"fail": "break", "reply": "one two three"})
    host = bench.server.root.removeprefix("http://")
    connection = http.client.HTTPConnection(host, timeout=10)
    connection.request(
        "POST", "/v1/chat/completions", json.dumps({"model": "m", "messages": SAID, "stream": True})
    )
    with pytest.raises(http.client.IncompleteRead) as raised:
        connection.getresponse().read()
    connection.close()
    assert [
        json.loads(line[6:])["choices"][0]["delta"] for line in raised.value.partial.split(b"\n\n")[:-1]
    ] == [
        {"role": "assistant", "content": "", "refusal": None},
        {"content": "one "},
        {"content": "two "},
    ]


def test_a_cut_reply_is_half_of_it_with_the_limit_as_the_reason(serve: Any) -> None:
    bench = serve({"fail": "cut", "reply": "CORRECT.", "times": 3})
    choice = chat(bench).choices[0]
    message = messages(bench)
    response = responses(bench)
    assert (choice.message.content, choice.finish_reason) == ("CORR", "length")
    assert (message.content[0].text, message.stop_reason) == ("CORR", "max_tokens")
    assert (response.output_text, response.status) == ("CORR", "incomplete")


def test_an_empty_answer_is_whole_but_says_nothing(serve: Any) -> None:
    bench = serve({"fail": "empty", "times": 3})
    assert (chat(bench).choices[0].message.content, chat(bench).usage.completion_tokens) == ("", 0)
    assert responses(bench).output_text == ""


def test_a_malformed_answer_is_not_json_whether_streamed_or_not(serve: Any) -> None:
    bench = serve({"fail": "malformed", "times": 2}, {"fail": "malformed", "reply": '{"choices": ['})
    body = {"model": "m", "messages": SAID}
    assert bench.post("/v1/chat/completions", body).body == b"<html><body>502 Bad Gateway</body></html>"
    streamed = bench.post("/v1/chat/completions", {**body, "stream": True})
    assert streamed.body == b"data: <html><body>502 Bad Gateway</body></html>\n\n"
    assert bench.post("/v1/chat/completions", body).body == b'{"choices": ['


def test_a_slow_answer_is_held_until_the_test_lets_it_go(serve: Any) -> None:
    bench = serve({"fail": "slow", "reply": "at last", "times": 2})
    with ThreadPoolExecutor(2) as pool:
        held = [pool.submit(chat, bench), pool.submit(messages, bench)]
        assert bench.server.wait_for_held(2)
        assert [future.done() for future in held] == [False, False]
        bench.server.release()
        assert held[0].result(10).choices[0].message.content == "at last"
        assert held[1].result(10).content[0].text == "at last"
    assert bench.server.wait_for_held(1, timeout=0.0) is False


def test_a_slow_answer_may_come_by_itself_after_its_seconds(serve: Any) -> None:
    assert chat(serve({"fail": "slow", "reply": "a", "after": 0.01})).choices[0].message.content == "a"


def test_a_server_that_ends_cuts_off_what_it_holds_and_leaves_no_thread() -> None:
    before = set(threading.enumerate())
    with ThreadPoolExecutor(1) as pool:
        with ScriptedServer(Scenario.of({"fail": "slow", "reply": "never"})) as server:
            client = openai.OpenAI(base_url=server.base_url, api_key="none", max_retries=0, timeout=10)
            held = pool.submit(client.chat.completions.create, model="m", messages=SAID)
            assert server.wait_for_held()
        with pytest.raises(openai.APIConnectionError), client:
            held.result(10)
    assert set(threading.enumerate()) <= before


OURS = (
    ({"fail": "400", "reply": "too long"}, "the server refused the request (400): too long"),
    ({"fail": "401"}, "the server wants a key (401)"),
    ({"fail": "404"}, "no such model or address (404): there is no such model"),
    ({"fail": "429"}, "too many requests, or no credit left (429), tried once: too many requests"),
    ({"fail": "500"}, "the server failed (500), tried once: the server failed"),
    ({"fail": "529"}, "the server failed (529), tried once: the server has too much to do"),
    ({"fail": "drop"}, "the server cannot be reached: Server disconnected without sending a response."),
    ({"fail": "break", "reply": "one two"}, "the server cannot be reached: peer closed connection"),
    ({"fail": "empty"}, "the answer holds no text (finish reason stop)"),
    ({"fail": "malformed"}, "the answer is not JSON: <html><body>502 Bad Gateway</body></html>"),
    ({"tools": [{"name": "look"}]}, "the answer holds no text (finish reason tool_calls)"),
    (
        {"reply": "", "finish_reason": "length", "usage": {"tokens_out": 1024, "tokens_reasoning": 1024}},
        "the limit of tokens was used up before the answer began",
    ),
)


@pytest.mark.parametrize(("line", "problem"), OURS, ids=lambda given: str(given)[:20])
def test_our_own_model_fails_as_told_with_one_call(serve: Any, line: Any, problem: str) -> None:
    bench = serve(line, {"reply": "never asked for"})
    with pytest.raises(ChatFailed) as raised:
        ours(bench)
    assert raised.value.problem.startswith(problem)
    assert len(bench.server.calls) == 1


def test_our_own_model_gives_up_on_a_slow_answer(serve: Any) -> None:
    with pytest.raises(ChatFailed, match=r"no answer within 0\.2 seconds, tried once"):
        ours(serve({"fail": "slow", "reply": "late"}), timeout=0.2)


def test_our_own_model_tries_again_and_counts_what_the_server_counted(serve: Any) -> None:
    bench = serve({"fail": "429"}, {"fail": "500"}, {"reply": "Zürich."})
    reply = ours(bench, retries=2)
    assert (reply.text, reply.tokens_in, reply.tokens_out) == ("Zürich.", 1, 2)
    assert [call.status for call in bench.server.calls] == [429, 500, 200]


def test_our_own_model_tells_a_cut_reply(serve: Any) -> None:
    reply = ours(serve({"fail": "cut", "reply": "CORRECT."}))
    assert (reply.text, reply.cut) == ("CORR", True)


def test_a_script_that_is_over_is_a_refusal_that_is_not_tried_again(serve: Any) -> None:
    bench = serve({"reply": "only"}, {"when": "tea", "reply": "tea"})
    assert ours(bench).text == "only"
    with pytest.raises(ChatFailed, match="the script of 1 replies and 1 rules is over"):
        ours(bench, retries=2)
    assert [call.status for call in bench.server.calls] == [200, 400]


def test_rules_answer_eight_threads_alike_and_every_call_is_counted_once(serve: Any) -> None:
    bench = serve(
        {"when": "fragile", "fail": "429", "times": 40}, {"when": r"question (\d+)", "reply": r"answer \1"}
    )
    model = OpenAIChat("m", None, base_url=bench.server.base_url, retries=0)

    def call(number: int) -> str:
        try:
            return model.reply([ChatMessage("user", f"{'fragile ' * (number % 2)}question {number}")]).text
        except ChatFailed:
            return "failed"

    with ThreadPoolExecutor(8) as pool:
        said = list(pool.map(call, range(120)))
    assert said[::2] == [f"answer {number}" for number in range(0, 120, 2)]
    assert said.count("failed") == 40
    assert (bench.server.usage.calls, bench.server.usage.failed) == (120, 40)
    assert [call.number for call in bench.server.calls] == list(range(1, 121))
