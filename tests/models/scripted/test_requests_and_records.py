"""Requests that cannot be read, what is recorded of each, and that the server stays on this machine."""

import json
import socket
import threading
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from truerecall.errors import InvalidSettings
from truerecall.models.hashing import HashingEmbedder
from truerecall.models.scripted import Scenario, ScriptedServer
from truerecall.models.scripted.server import Call, Metered

KEY = "sk-test-" + "Qw7eRt2yUi9oPa4sDf6gHj1k"
SAID: Any = [{"role": "user", "content": "?"}]
CHAT, MESSAGES, RESPONSES = "/v1/chat/completions", "/v1/messages", "/v1/responses"


@pytest.mark.parametrize(
    ("path", "body", "message"),
    [
        (CHAT, b"{", "the body is not JSON in UTF-8"),
        (CHAT, b"\xff", "the body is not JSON in UTF-8"),
        (CHAT, b"[" * 100_000, "the body is not JSON in UTF-8"),
        (CHAT, [], "the body must be an object"),
        (CHAT, {"messages": SAID}, "model must be a text"),
        (CHAT, {"model": "", "messages": SAID}, "model must be a text"),
        (CHAT, {"model": "m"}, "messages must be a list"),
        (CHAT, {"model": "m", "messages": []}, "messages must hold at least one message"),
        (CHAT, {"model": "m", "messages": ["?"]}, "messages[0] must be an object"),
        (CHAT, {"model": "m", "messages": [{"content": "?"}]}, "messages[0].role must be a text"),
        (CHAT, {"model": "m", "messages": [{"role": "user", "content": 4}]}, "messages[0].content must be a list"),
        (CHAT, {"model": "m", "messages": SAID, "stream": 1}, "stream must be true or false"),
        (CHAT, {"model": "m", "messages": SAID, "n": 2}, "n must be 1: a script gives one reply"),
        (CHAT, {"model": "m", "messages": SAID, "tools": [{}]}, "tools[0].function must be an object"),
        (MESSAGES, {"model": "m", "messages": SAID}, "max_tokens must be a whole number of at least 1"),
        (MESSAGES, {"model": "m", "messages": SAID, "max_tokens": 0}, "max_tokens must be a whole number of at least"),
        (MESSAGES, {"model": "m", "max_tokens": 9, "messages": {}}, "messages must be a list"),
        (MESSAGES, {"model": "m", "max_tokens": 9, "messages": SAID, "system": 4}, "system must be a list"),
        (MESSAGES, {"model": "m", "max_tokens": 9, "messages": SAID, "tools": [{}]}, "tools[0].name must be a text"),
        (f"{MESSAGES}/count_tokens", {"model": "m"}, "messages must be a list"),
        (RESPONSES, {"model": "m"}, "input must be a list"),
        (RESPONSES, {"model": "m", "input": [4]}, "input[0] must be an object"),
        (RESPONSES, {"model": "m", "input": "?", "instructions": 4}, "instructions must be a text"),
        (RESPONSES, {"model": "m", "input": "?", "tools": [{}]}, "the name of a tool must be a text"),
    ],
)  # fmt: skip
def test_a_bad_request_is_refused_in_words_and_uses_up_no_line(
    serve: Any, path: str, body: Any, message: str
) -> None:
    bench = serve({"reply": "kept"})
    raw = bench.post(path, body)
    assert (raw.status, raw.data["error"]["message"][: len(message)]) == (400, message)
    assert bench.post(CHAT, {"model": "m", "messages": SAID}).status == 200
    assert [call.status for call in bench.server.calls] == [400, 200]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "model",
                    "messages",
                    "input",
                    "content",
                    "role",
                    "tools",
                    "type",
                    "output",
                    "system",
                    "stream",
                ]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=15,
)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    path=st.sampled_from([CHAT, MESSAGES, f"{MESSAGES}/count_tokens", RESPONSES, "/v1/embeddings"]), body=JSON
)
def test_any_body_is_answered_or_refused(always: Any, path: str, body: Any) -> None:
    raw = always.post(path, {"model": "m", "max_tokens": 1, **body} if isinstance(body, dict) else body)
    assert raw.status in (200, 400)
    assert raw.body


@pytest.fixture
def always(serve: Any) -> Any:
    return serve({"when": "", "reply": "a"}, embedder=HashingEmbedder(8))


def test_unknown_addresses_and_methods_say_what_there_is(serve: Any) -> None:
    bench = serve({"reply": "a"})
    known = (
        "no such address: there is POST /v1/chat/completions, /v1/messages, /v1/messages/count_tokens, /v1/responses,"
        " /v1/embeddings, GET /v1/models"
    )
    unknown = bench.post("/chat/completions", {})
    assert unknown.status == 404
    assert unknown.data == {
        "error": {"message": known, "type": "invalid_request_error", "param": None, "code": None}
    }
    got = bench.send("GET", CHAT)
    assert (got.status, got.data["error"]["message"]) == (405, "this address takes POST")
    posted = bench.post("/v1/models", {})
    assert (posted.status, posted.data["error"]["message"]) == (405, "this address takes GET")
    socket = bench.send("GET", RESPONSES, Upgrade="websocket")
    assert (socket.status, socket.data["error"]["message"]) == (426, "this address takes POST")
    assert [call.endpoint for call in bench.server.calls] == ["unknown", "chat", "models", "responses"]


def test_a_body_may_come_in_chunks(serve: Any) -> None:
    bench = serve({"reply": "a"})
    body = json.dumps({"model": "m", "messages": SAID}).encode()
    chunks = b"".join(b"%x;x=1\r\n%b\r\n" % (len(part), part) for part in (body[:7], body[7:])) + b"0\r\n\r\n"
    assert bench.send("POST", CHAT, chunks, Transfer_Encoding="chunked").status == 200


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b"", {"Content_Length": "99999999999"}, 413),
        (b"", {"Content_Length": "-1"}, 400),
        (b"x\r\n", {"Transfer_Encoding": "chunked"}, 400),
        (b"fffffffff\r\n", {"Transfer_Encoding": "chunked"}, 413),
        (b"{}", {"Content_Encoding": "gzip"}, 415),
    ],
)
def test_a_body_that_cannot_be_read_is_refused(serve: Any, body: bytes, headers: Any, status: int) -> None:
    bench = serve({"reply": "a"})
    raw = bench.send("POST", CHAT, body, **headers)
    assert (raw.status, bench.server.calls[0].status) == (status, status)
    assert raw.data["error"]["type"] == "invalid_request_error"


@pytest.mark.parametrize("host", ["127.0.0.1:9", "localhost", "[::1]:9", "LOCALHOST:80"])
def test_a_name_of_loopback_is_answered(serve: Any, host: str) -> None:
    assert serve().send("GET", "/v1/models", Host=host).status == 200


@pytest.mark.parametrize(
    "host", ["example.test", "10.0.0.1:80", "127.0.0.1.example.test", "localhost.example:1"]
)
def test_another_name_is_refused_so_that_no_page_of_the_web_reaches_the_server(serve: Any, host: str) -> None:
    raw = serve().send("GET", "/v1/models", Host=host)
    assert raw.status == 403
    assert raw.data["error"]["message"] == "this server answers to names of loopback only"


@pytest.mark.parametrize("host", ["0.0.0.0", "", "192.168.0.1", "example.test", "::"])
def test_a_host_that_is_not_loopback_is_refused_before_anything_listens(host: str) -> None:
    with pytest.raises(InvalidSettings, match="is not loopback"):
        ScriptedServer(Scenario.of(), host=host)


def test_a_port_that_is_taken_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InvalidSettings, match=f"port {port} of 127.0.0.1 cannot be had"):
            ScriptedServer(Scenario.of(), port=port).__enter__()


def test_a_client_that_says_nothing_or_goes_away_does_not_keep_the_server() -> None:
    before = set(threading.enumerate())
    with ExitStack() as stack:
        server = ScriptedServer(Scenario.of({"when": "", "reply": "a" * 5_000_000})).__enter__()
        port = int(server.root.rpartition(":")[2])
        silent = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=10))
        gone = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=10))
        body = json.dumps({"model": "m", "messages": SAID, "stream": True}).encode()
        gone.sendall(b"POST %b HTTP/1.1\r\nContent-Length: %d\r\n\r\n%b" % (CHAT.encode(), len(body), body))
        gone.recv(10)
        gone.close()
        server.__exit__(None, None, None)
        assert silent.recv(10) == b""
    assert set(threading.enumerate()) <= before
    assert len(server.calls) == 1


def test_each_call_is_a_record_of_what_was_asked_and_used(serve: Any) -> None:
    tool = {"name": "look", "input_schema": {}}
    bench = serve({"reply": "Zürich.", "usage": {"tokens_in": 30, "tokens_cached": 20}}, {"fail": "429"})
    bench.post(MESSAGES, {"model": "m", "max_tokens": 9, "messages": SAID, "tools": [tool], "stream": True})
    bench.post(CHAT, {"model": "n", "messages": SAID})
    assert bench.server.calls == (
        Call(1, "messages", "m", 200, True, ("look",), 30, 2, 20, 0, None, "scripted:1", "?"),
        Call(2, "chat", "n", 429, False, (), 0, 0, 0, 0, "429", "scripted:2", "?"),
    )
    assert bench.server.usage == Metered(
        calls=2, failed=1, tokens_in=30, tokens_out=2, tokens_cached=20, tokens_written=0
    )


def test_the_meters_file_gains_a_line_a_call_and_keeps_what_it_held(serve: Any, tmp_path: Path) -> None:
    meter = tmp_path / "meter.jsonl"
    meter.write_text('{"before": true}\n', encoding="utf-8")
    bench = serve({"reply": "Zürich."}, meter=meter)
    bench.post(CHAT, {"model": "m", "messages": [{"role": "user", "content": "a private question"}]})
    before, line = map(json.loads, meter.read_text(encoding="utf-8").splitlines())
    assert before == {"before": True}
    assert line == {
        "number": 1,
        "endpoint": "chat",
        "model": "m",
        "status": 200,
        "stream": False,
        "tools": [],
        "tokens_in": 5,
        "tokens_out": 2,
        "tokens_cached": 0,
        "tokens_written": 0,
        "fail": None,
        "line": "scripted:1",
    }


def test_no_key_reaches_a_record_the_file_an_answer_or_the_screen(
    serve: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    meter = tmp_path / "meter.jsonl"
    bench = serve({"when": "", "reply": "a"}, meter=meter)
    keys = {"Authorization": f"Bearer {KEY}", "X_Api_Key": KEY, "Cookie": KEY, "X_Other": KEY}
    answers = [
        bench.post(CHAT, {"model": "m", "messages": SAID, "api_key": KEY}, **keys),
        bench.post(
            MESSAGES, {"model": "m", "max_tokens": 9, "messages": SAID, "metadata": {"k": KEY}}, **keys
        ),
        bench.post(f"{RESPONSES}?key={KEY}", {"model": "m", "input": "?"}, **keys),
        bench.post(CHAT, {"model": "m"}, **keys),
        bench.send("GET", f"/v1/{KEY}", **keys),
        bench.send("BREW", f"/v1/{KEY}", **keys),
    ]
    assert [raw.status for raw in answers] == [200, 200, 200, 400, 404, 501]
    seen = [
        *(str(raw) for raw in answers),
        repr(bench.server.calls),
        meter.read_text(encoding="utf-8"),
        *capfd.readouterr(),
    ]
    assert [KEY in text for text in seen] == [False] * len(seen)


def test_the_same_calls_get_the_same_bytes_from_another_server(serve: Any) -> None:
    body = {"model": "m", "max_tokens": 9, "messages": SAID, "stream": True}
    first, second = (serve({"when": "", "reply": "a b", "tools": [{"name": "look"}]}) for _ in range(2))
    for path in (CHAT, MESSAGES):
        assert first.post(path, body) == second.post(path, body)


def test_a_server_that_is_not_running_says_so() -> None:
    with pytest.raises(InvalidSettings, match="the server is not running"):
        ScriptedServer(Scenario.of()).base_url  # noqa: B018  # it is the asking that fails
