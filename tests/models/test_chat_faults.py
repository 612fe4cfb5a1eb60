"""Each way in which a provider's server can fail, for every provider that an SDK asks, against servers on loopback."""

import json
import logging
import pickle
import socket
import subprocess
import sys
import traceback
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from chat_server import Answer, Asked, chat_server, completion, message

from truerecall.errors import ChatFailed, ChatRefused, ModelError
from truerecall.models.anthropic_messages import AnthropicChat
from truerecall.models.openai_compatible import OpenAIChat
from truerecall.models.protocols import ChatMessage, ChatModel, ChatParameters

KEY = "sk-test-" + "Qw7eRt2yUi9oPa4sDf6gHj1k"
QUICK = {"retry-after-ms": "1"}  # how long the SDK waits before it tries again
MESSAGES = [ChatMessage("system", "Be brief."), ChatMessage("user", "Where does Mara live?")]
OPTION = "(under [chat], or as an option after the model's name)"


@dataclass(frozen=True)
class Kind:
    """A provider: its class, a good body of a text, the words it ends with, and the list that its answers hold."""

    name: str
    make: Callable[..., Any]
    body: Callable[..., str]
    limit: str
    holds: str
    headers: frozenset[str]

    def model(self, address: str, key: str | None = KEY, **options: Any) -> ChatModel:
        made: ChatModel = self.make("m", key, base_url=address, key_name="OWN_KEY", **options)
        return made


def openai_body(text: Any = "Lisbon.", finish: str = "stop", **more: Any) -> str:
    return completion(text, finish, **more)


def anthropic_body(text: Any = "Lisbon.", finish: str = "end_turn", **more: Any) -> str:
    return message(text, stop=finish, **more) if text else message(stop=finish, **more)


KINDS = [
    Kind("openai", OpenAIChat, openai_body, "length", "choices", frozenset()),
    Kind(
        "anthropic",
        AnthropicChat,
        anthropic_body,
        "max_tokens",
        "content",
        frozenset({"anthropic-version"}),
    ),
]


@pytest.fixture(params=KINDS, ids=lambda kind: kind.name)
def kind(request: pytest.FixtureRequest) -> Kind:
    made: Kind = request.param
    return made


def failure(kind: Kind, *answers: Answer, **options: Any) -> ChatFailed:
    with chat_server(*answers) as server, pytest.raises(ChatFailed) as raised:
        kind.model(server.address, **options).reply(MESSAGES)
    assert (raised.value.where or "").startswith(f"{kind.name}:m at http://127.0.0.1:")
    return raised.value


def said(error: ModelError) -> tuple[str, str]:
    return error.problem, error.remedy


def test_it_is_a_chat_model_that_may_cost_something(kind: Kind) -> None:
    chat = kind.model("http://127.0.0.1:1/v1")
    assert isinstance(chat, ChatModel)
    assert (chat.name, chat.free) == (f"{kind.name}:m", False)


def test_its_identity_is_its_name_and_its_address_and_never_its_key(kind: Kind) -> None:
    here, same, there = (
        kind.model(address, key).identity
        for address, key in [
            ("http://127.0.0.1:1/v1", KEY),
            ("http://127.0.0.1:1/v1/", None),
            ("http://127.0.0.1:2/v1", KEY),
        ]
    )
    assert here == same != there


def test_nothing_of_the_environment_and_nothing_about_this_machine_is_sent(
    kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (
        "OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_WORKSPACE_ID", "ANTHROPIC_PROFILE", "ANTHROPIC_IDENTITY_TOKEN",
    ):  # fmt: skip
        monkeypatch.setenv(name, "from-the-environment")
    for name in ("OPENAI_CUSTOM_HEADERS", "ANTHROPIC_CUSTOM_HEADERS"):
        monkeypatch.setenv(
            name, "Authorization: Bearer other\nX-Own: from-the-environment\nanthropic-version: 1999-01-01"
        )
    for name in ("HTTP_PROXY", "ALL_PROXY", "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    with chat_server(Answer(body=kind.body())) as server:
        kind.model(server.address).reply(MESSAGES)
        kind.model(server.address, None).reply(MESSAGES)
        keyed, keyless = map(headers_sent, server.asked)
    shared = {
        "host", "accept", "accept-encoding", "connection", "content-type", "content-length", "user-agent",
        *kind.headers,
    }  # fmt: skip
    assert set(keyless) == shared
    assert set(keyed) == shared | {"authorization"}
    assert (keyed["authorization"], keyed["user-agent"]) == (f"Bearer {KEY}", "truerecall")
    assert keyed.get("anthropic-version") in (None, "2026-10-21")


def headers_sent(asked: Asked) -> dict[str, str]:
    return {name.lower(): value for name, value in asked.headers.items()}


def test_a_reply_that_the_limit_cut_says_so(kind: Kind) -> None:
    with chat_server(Answer(body=kind.body("Lis", kind.limit))) as server:
        reply = kind.model(server.address).reply(MESSAGES)
    assert (reply.text, reply.finish_reason, reply.cut) == ("Lis", "length", True)


def test_a_limit_that_left_no_room_for_an_answer_is_an_error(kind: Kind) -> None:
    assert said(failure(kind, Answer(body=kind.body("", kind.limit)))) == (
        "the limit of tokens was used up before the answer began",
        f"Raise max_tokens {OPTION}.",
    )


def test_a_busy_server_is_asked_again(kind: Kind) -> None:
    busy = Answer(429, '{"error": {"message": "slow down"}}', QUICK)
    with chat_server(busy, Answer(body=kind.body())) as server:
        assert kind.model(server.address).reply(MESSAGES).text == "Lisbon."
        assert len(server.asked) == 2


def test_a_server_that_stays_busy_is_given_up_after_three_tries(kind: Kind) -> None:
    with chat_server(Answer(429, '{"error": {"message": "slow down"}}', QUICK)) as server:
        with pytest.raises(ChatFailed) as raised:
            kind.model(server.address).reply(MESSAGES)
        assert len(server.asked) == 3
    assert said(raised.value) == (
        "too many requests, or no credit left (429), tried 3 times: slow down",
        "Wait, or look at the account's limits.",
    )


@pytest.mark.parametrize("status", [408, 409, 500, 503, 529])
def test_a_server_that_fails_once_is_asked_again(kind: Kind, status: int) -> None:
    with chat_server(Answer(status, "", QUICK), Answer(body=kind.body())) as server:
        assert kind.model(server.address).reply(MESSAGES).text == "Lisbon."


@pytest.mark.parametrize(
    ("answer", "problem", "remedy"),
    [
        (
            Answer(400, '{"error": "max_tokens is too large"}'),
            "the server refused the request (400): max_tokens is too large",
            f"Check the model's name, and max_tokens {OPTION}.",
        ),
        (Answer(500, "<h1>down</h1>"), "the server failed (500), tried once", "Try again later."),
        (
            Answer(302, "", {"Location": "http://127.0.0.1:1/"}),
            "the server points elsewhere (302), which is not followed",
            f"Give the right address as base_url {OPTION}.",
        ),
        (
            Answer(200, "<h1>Welcome</h1>"),
            "the answer is not JSON: <h1>Welcome</h1>",
            f"Check base_url {OPTION}: it must end in the API's root.",
        ),
        (Answer(200, ""), "the answer is not JSON", f"Check base_url {OPTION}: it must end in the API's root."),
    ],
)  # fmt: skip
def test_each_failure_says_what_is_wrong_and_what_to_do(
    kind: Kind, answer: Answer, problem: str, remedy: str
) -> None:
    error = failure(kind, answer, retries=0)
    assert said(error) == (problem, remedy)
    assert type(error) is ChatFailed


@pytest.mark.parametrize(
    ("answer", "problem", "remedy"),
    [
        (Answer(401, '{"error": {"message": "no"}}'), "the key was refused (401)", "Check the key in OWN_KEY."),
        (Answer(403), "the key was refused (403)", "Check the key in OWN_KEY."),
        (
            Answer(404, '{"error": {"message": "no model m"}}'),
            "no such model or address (404): no model m",
            f"Check the model's name, and base_url {OPTION}.",
        ),
    ],
)  # fmt: skip
def test_what_no_further_question_would_mend_is_a_refusal_and_is_asked_once(
    kind: Kind, answer: Answer, problem: str, remedy: str
) -> None:
    with chat_server(answer) as server:
        with pytest.raises(ChatRefused) as raised:
            kind.model(server.address).reply(MESSAGES)
        assert len(server.asked) == 1
    assert said(raised.value) == (problem, remedy)


def test_a_server_that_wants_a_key_where_none_was_given_says_so(kind: Kind) -> None:
    with chat_server(Answer(401)) as server, pytest.raises(ChatRefused, match="the server wants a key"):
        kind.model(server.address, None).reply(MESSAGES)


def test_an_answer_without_a_text_is_an_error(kind: Kind) -> None:
    assert said(failure(kind, Answer(200, kind.body("", "refusal")), retries=0)) == (
        "the answer holds no text (finish reason refusal)",
        "Ask in another way, or another model.",
    )


def test_an_error_that_comes_as_a_good_answer_is_told(kind: Kind) -> None:
    error = failure(kind, Answer(200, '{"error": {"message": "no credit"}}'), retries=0)
    assert error.problem == f"the answer holds no {kind.holds}: no credit"


def test_a_server_that_says_nothing_is_given_up(kind: Kind) -> None:
    error = failure(kind, Answer(silent=True), retries=0, parameters=ChatParameters(timeout=0.1))
    assert said(error) == (
        "no answer within 0.1 seconds, tried once",
        f"Raise timeout {OPTION}, or try again later.",
    )


def test_a_server_that_answers_without_end_is_given_up_too(kind: Kind) -> None:
    error = failure(kind, Answer(dripping=True), retries=0, parameters=ChatParameters(timeout=0.2))
    assert error.problem == "no answer within 0.2 seconds, tried once"


@pytest.mark.parametrize("answer", [Answer(dropped=True), Answer(body="x" * 100, short=True)])
def test_a_connection_that_is_lost_is_told(kind: Kind, answer: Answer) -> None:
    error = failure(kind, answer, retries=0)
    assert error.problem.startswith("the server cannot be reached: ")
    assert error.remedy == f"Check base_url {OPTION}, and that the server runs."


def test_an_answer_of_any_length_does_not_fill_the_memory(kind: Kind) -> None:
    error = failure(kind, Answer(body=kind.body("x" * 9_000_000)), retries=0)
    assert error.problem == "the server cannot be reached: the answer has more than 8,000,000 bytes"


def test_a_server_that_is_not_there_is_named(kind: Kind) -> None:
    with socket.create_server(("127.0.0.1", 0)) as held:
        root = f"http://127.0.0.1:{held.getsockname()[1]}"
    with pytest.raises(ChatFailed) as raised:
        kind.model(f"{root}/v1", retries=0).reply(MESSAGES)
    assert raised.value.problem.startswith("the server cannot be reached: ")
    assert (raised.value.where or "").startswith(f"{kind.name}:m at {root}")


@pytest.mark.parametrize(
    "body",
    [
        "[]", "null", "7", '"text"', "[" * 100_000, '{"choices": 1}', '{"choices": [1]}', '{"choices": [{}]}',
        '{"choices": [{"message": {"content": [1]}, "finish_reason": 4}]}', '{"error": {"message": 4}}',
        '{"content": 1}', '{"content": [1, {}, {"type": "text"}, {"type": 3, "text": "no"}]}', '{"choices": []}',
        '{"content": [{"type": "thinking", "thinking": "hm"}], "stop_reason": {}, "usage": 4}',
        '{"choices": [{"message": {"content": "\\ud800"}}], "content": [], "usage": NaN}',
    ],
)  # fmt: skip
def test_an_answer_of_any_form_ends_in_a_reply_or_our_error(kind: Kind, body: str) -> None:
    with chat_server(Answer(200, body)) as server:
        try:
            assert kind.model(server.address, retries=0).reply(MESSAGES).text
        except ChatFailed as error:
            assert error.remedy


def echoes(kind: Kind) -> list[Answer]:
    escaped = "".join(f"\\u{ord(letter):04x}" for letter in KEY)
    return [
        Answer(401, '{"error": {"message": "bad {authorization}"}}'),
        Answer(404, '{"error": {"message": "bad {authorization}"}}', {"X-Echo": "{authorization}"}),
        Answer(400, json.dumps({"error": KEY.upper()})),
        Answer(400, json.dumps({"error": {"message": f"temperature {KEY} unsupported"}})),
        Answer(500, json.dumps({"message": b64encode(KEY.encode()).decode()})),
        Answer(429, json.dumps({"error": {"message": KEY[6:20]}})),
        Answer(200, "{authorization}", {"X-Echo": "{authorization}"}),
        Answer(200, '{"error": {"message": "{authorization}"}}'),
        Answer(302, "", {"Location": "http://127.0.0.1:1/{authorization}"}),
        Answer(200, kind.body("", KEY)),
        Answer(200, kind.body(f"The key is {KEY}.")),
        Answer(200, kind.body("The key is KEY.").replace("KEY", escaped)),
    ]


@pytest.mark.parametrize("number", range(12))
def test_a_key_that_the_server_echoes_is_in_no_error_and_no_log(
    kind: Kind, number: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    parameters = ChatParameters(temperature=0.0)
    error = failure(kind, echoes(kind)[number], retries=0, parameters=parameters)
    shown = [str(error), repr(error), "".join(traceback.format_exception(error)), pickle.dumps(error).hex()]
    shown += [record.getMessage() for record in caplog.records]
    assert len(caplog.records) > 3  # the SDK and its transport do log
    for piece in (KEY[8:20], KEY[8:20].upper(), b64encode(KEY.encode()).decode()[12:24]):
        assert [text for text in shown if piece in text] == []
    assert (error.__cause__, error.__context__) == (None, None)


def test_the_first_call_of_a_process_puts_no_echoed_key_into_a_log(kind: Kind) -> None:
    # What logs is partly imported with the first call: only a new process shows it.
    answer = Answer(302, "", {"Location": "http://127.0.0.1:1/{authorization}", "X-Echo": "{authorization}"})
    program = f"""
import logging
logging.basicConfig(level=logging.DEBUG)
from truerecall.errors import ChatFailed
from {kind.make.__module__} import {kind.make.__name__}
from truerecall.models.protocols import ChatMessage
import sys
try:
    made = {kind.make.__name__}("m", sys.argv[2], base_url=sys.argv[1], key_name="OWN_KEY", retries=0)
    made.reply([ChatMessage("user", "Where does Mara live?")])
except ChatFailed:
    print("failed as it must")
"""
    with chat_server(answer) as server:
        done = subprocess.run(
            [sys.executable, "-c", program, server.address, KEY],
            capture_output=True, text=True, timeout=60, check=True,
        )  # fmt: skip
    assert done.stdout == "failed as it must\n"
    assert "receive_response_headers" in done.stderr and "left out" in done.stderr  # it did log
    assert KEY[8:20] not in done.stderr


def test_what_a_server_says_beside_the_key_is_left_out_with_it(kind: Kind) -> None:
    problem = failure(kind, Answer(404, '{"error": {"message": "no {authorization} here"}}')).problem
    assert problem == "no such model or address (404): (left out: it holds a piece of the key)"


def test_a_model_shows_no_key(kind: Kind) -> None:
    shown = repr(kind.model("http://127.0.0.1:1"))
    assert shown == f"{kind.make.__name__}('m' at http://127.0.0.1:1)"


@pytest.mark.parametrize(
    "address",
    [
        "http://ada:hunter2secret@127.0.0.1:1/v1", "https://127.0.0.1/v1?key=hunter2secret", "127.0.0.1/v1",
        "ftp://127.0.0.1/hunter2secret", "http://", "http://[::1", "http://127.0.0.1:x/", "http://a b/hunter2secret",
        "http://127.0.0.1/#hunter2secret",
    ],
)  # fmt: skip
def test_an_address_that_is_none_or_holds_a_password_is_refused_and_not_repeated(
    kind: Kind, address: str
) -> None:
    with pytest.raises(ModelError, match="base_url is no plain address") as raised:
        kind.model(address)
    assert "hunter2secret" not in str(raised.value) + repr(raised.value)


@pytest.mark.parametrize("key", ["two words", "line\nfeed", "schlüssel"])
def test_a_key_that_cannot_be_one_is_refused_and_not_repeated(kind: Kind, key: str) -> None:
    with pytest.raises(ModelError, match="a character that no key has") as raised:
        kind.model("http://127.0.0.1:1/v1", key)
    assert key not in str(raised.value)
    assert raised.value.where == "OWN_KEY"


def test_a_placeholder_for_a_key_may_stand_in_an_answer(kind: Kind) -> None:
    with chat_server(Answer(body=kind.body(system_fingerprint="fp_ollama"))) as server:
        assert kind.model(server.address, "ollama").reply(MESSAGES).text == "Lisbon."


def test_half_a_surrogate_pair_is_sent_as_a_question_mark(kind: Kind) -> None:
    with chat_server(Answer(body=kind.body())) as server:
        kind.model(server.address).reply([ChatMessage("user", "tea \ud83d")])
        assert server.asked[0].body["messages"][0]["content"] == "tea ?"
