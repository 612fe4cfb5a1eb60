"""The provider for OpenAI-compatible servers, against a real server on loopback."""

import json
import logging
import pickle
import socket
import traceback
from base64 import b64encode

import pytest
from chat_server import Answer, Asked, chat_server, completion

from truerecall.errors import ChatFailed, ModelError
from truerecall.models.openai_compatible import OpenAIChat
from truerecall.models.protocols import ChatMessage, ChatModel, ChatParameters, ChatReply

KEY = "sk-test-" + "Qw7eRt2yUi9oPa4sDf6gHj1k"
QUICK = {"retry-after-ms": "1"}  # how long the SDK waits before it tries again
MESSAGES = [ChatMessage("system", "Be brief."), ChatMessage("user", "Where does Mara live?")]


def model(address: str, **options) -> OpenAIChat:
    return OpenAIChat("m", KEY, base_url=address, key_name="OWN_KEY", **options)


def failure(*answers: Answer, **options) -> ChatFailed:
    with chat_server(*answers) as server, pytest.raises(ChatFailed) as raised:
        model(server.address, **options).reply(MESSAGES)
    assert (raised.value.where or "").startswith("openai:m at http://127.0.0.1:")
    return raised.value


def said(error: ModelError) -> tuple[str, str]:
    return error.problem, error.remedy


def test_a_good_reply_comes_with_its_reason_and_what_it_cost() -> None:
    usage = {"prompt_tokens": 21, "completion_tokens": 3, "total_tokens": 24}
    with chat_server(Answer(body=completion(usage=usage))) as server:
        chat = model(server.address)
        assert isinstance(chat, ChatModel)
        assert (chat.name, chat.free) == ("openai:m", False)
        assert chat.reply(MESSAGES) == ChatReply("Lisbon.", "stop", "m-2024", 21, 3)


def test_the_messages_and_the_parameters_are_sent_and_a_temperature_only_where_there_is_one() -> None:
    with chat_server(Answer(body=completion())) as server:
        model(server.address, parameters=ChatParameters(max_tokens=7)).reply(MESSAGES)
        model(server.address, parameters=ChatParameters(max_tokens=7, temperature=0.0)).reply(MESSAGES)
        plain, set_to_zero = server.asked
    sent = {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Where does Mara live?"},
        ],
        "max_tokens": 7,
    }
    assert (plain.path, plain.body, plain.headers["Authorization"]) == (
        "/v1/chat/completions",
        sent,
        f"Bearer {KEY}",
    )
    assert set_to_zero.body == {**sent, "temperature": 0.0}


def headers_sent(asked: Asked) -> dict[str, str]:
    return {name.lower(): value for name, value in asked.headers.items()}


def test_nothing_of_the_environment_and_nothing_about_this_machine_is_sent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "from-the-environment")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "Authorization: Bearer other\nX-Own: from-the-environment")
    for name in ("HTTP_PROXY", "ALL_PROXY", "OPENAI_BASE_URL"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    with chat_server(Answer(body=completion())) as server:
        model(server.address).reply(MESSAGES)
        OpenAIChat("m", None, base_url=server.address).reply(MESSAGES)
        keyed, keyless = map(headers_sent, server.asked)
    shared = {
        "host",
        "accept",
        "accept-encoding",
        "connection",
        "content-type",
        "content-length",
        "user-agent",
    }
    assert set(keyless) == shared
    assert set(keyed) == shared | {"authorization"}
    assert (keyed["authorization"], keyed["user-agent"]) == (f"Bearer {KEY}", "truerecall")


def test_a_reply_that_the_limit_cut_says_so() -> None:
    with chat_server(Answer(body=completion("Lis", "length"))) as server:
        reply = model(server.address).reply(MESSAGES)
    assert reply == ChatReply("Lis", "length", "m-2024")
    assert reply.cut


def test_a_limit_that_left_no_room_for_an_answer_is_an_error() -> None:
    error = failure(Answer(body=completion("", "length")), parameters=ChatParameters(max_tokens=5))
    assert said(error) == (
        "the limit of 5 tokens was used up before the answer began",
        "Raise max_tokens under [chat].",
    )


def test_a_busy_server_is_asked_again() -> None:
    busy = Answer(429, '{"error": {"message": "slow down"}}', QUICK)
    with chat_server(busy, Answer(body=completion())) as server:
        assert model(server.address).reply(MESSAGES).text == "Lisbon."
        assert len(server.asked) == 2


def test_a_server_that_stays_busy_is_given_up_after_three_tries() -> None:
    with chat_server(Answer(429, '{"error": {"message": "slow down"}}', QUICK)) as server:
        with pytest.raises(ChatFailed) as raised:
            model(server.address).reply(MESSAGES)
        assert len(server.asked) == 3
    assert said(raised.value) == (
        "too many requests, or no credit left (429), tried 3 times: slow down",
        "Wait, or look at the account's limits.",
    )


@pytest.mark.parametrize(
    ("answer", "problem", "remedy"),
    [
        (
            Answer(401, '{"error": {"message": "no"}}'),
            "the key was refused (401)",
            "Check the key in OWN_KEY.",
        ),
        (Answer(403), "the key was refused (403)", "Check the key in OWN_KEY."),
        (
            Answer(404, '{"error": {"message": "no model m"}}'),
            "no such model or address (404): no model m",
            "Check model and base_url under [chat].",
        ),
        (
            Answer(400, '{"error": "max_tokens is too large"}'),
            "the server refused the request (400): max_tokens is too large",
            "Check model and max_tokens under [chat].",
        ),
        (Answer(500, "<h1>down</h1>"), "the server failed (500), tried once", "Try again later."),
        (
            Answer(302, "", {"Location": "http://127.0.0.1:1/"}),
            "the server points elsewhere (302), which is not followed",
            "Give the right address as base_url under [chat].",
        ),
        (
            Answer(200, "<h1>Welcome</h1>"),
            "the answer is not JSON: <h1>Welcome</h1>",
            "Check base_url under [chat]: it must end in the API's root.",
        ),
        (
            Answer(200, '{"choices": []}'),
            "the answer holds no choice: ",
            "Check base_url under [chat]: it must end in the API's root.",
        ),
        (
            Answer(200, completion(None, "content_filter")),
            "the answer holds no text (finish reason content_filter)",
            "Ask in another way, or another model.",
        ),
    ],
)
def test_each_failure_says_what_is_wrong_and_what_to_do(answer: Answer, problem: str, remedy: str) -> None:
    assert said(failure(answer, retries=0)) == (problem, remedy)


def test_a_server_that_fails_once_is_asked_again() -> None:
    with chat_server(Answer(500, "", QUICK), Answer(body=completion())) as server:
        assert model(server.address).reply(MESSAGES).text == "Lisbon."


def test_a_server_that_says_nothing_is_given_up() -> None:
    error = failure(Answer(silent=True), retries=0, parameters=ChatParameters(timeout=0.1))
    assert said(error) == (
        "no answer within 0.1 seconds, tried once",
        "Raise timeout under [chat], or try again later.",
    )


def test_a_server_that_answers_without_end_is_given_up_too() -> None:
    error = failure(Answer(dripping=True), retries=0, parameters=ChatParameters(timeout=0.2))
    assert error.problem == "no answer within 0.2 seconds, tried once"


def test_an_answer_of_any_length_does_not_fill_the_memory() -> None:
    error = failure(Answer(body=completion("x" * 9_000_000)), retries=0)
    assert error.problem == "the server cannot be reached: the answer has more than 8,000,000 bytes"


def test_a_server_that_is_not_there_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as held:
        address = f"http://127.0.0.1:{held.getsockname()[1]}/v1"
    with pytest.raises(ChatFailed) as raised:
        model(address, retries=0).reply(MESSAGES)
    assert raised.value.problem.startswith("the server cannot be reached: ")
    assert raised.value.where == f"openai:m at {address}"
    assert raised.value.remedy == "Check base_url under [chat], and that the server runs."


@pytest.mark.parametrize(
    "body",
    [
        "[]", "null", "7", '"text"', "[" * 100_000, '{"choices": 1}', '{"choices": [1]}', '{"choices": [{}]}',
        '{"choices": [{"message": {"content": [1]}, "finish_reason": 4}]}', '{"error": {"message": 4}}',
    ],
)  # fmt: skip
def test_an_answer_of_any_form_ends_in_our_error(body: str) -> None:
    assert failure(Answer(200, body), retries=0).remedy


def test_an_answer_that_leaves_out_what_it_may_is_read() -> None:
    body = json.dumps({"choices": [{"message": {"content": "Tea."}}], "usage": {"prompt_tokens": -1}})
    with chat_server(Answer(body=body)) as server:
        assert model(server.address).reply(MESSAGES) == ChatReply("Tea.", "unknown", "m")


ECHOES = [
    Answer(401, '{"error": {"message": "bad {authorization}"}}'),
    Answer(404, '{"error": {"message": "bad {authorization}"}}', {"X-Echo": "{authorization}"}),
    Answer(400, json.dumps({"error": KEY.upper()})),
    Answer(500, json.dumps({"message": b64encode(KEY.encode()).decode()})),
    Answer(429, json.dumps({"error": {"message": KEY[6:20]}})),
    Answer(200, "{authorization}", {"X-Echo": "{authorization}"}),
    Answer(200, '{"error": {"message": "{authorization}"}}'),
    Answer(302, "", {"Location": "http://127.0.0.1:1/{authorization}"}),
    Answer(200, completion("", KEY)),
    Answer(200, completion(f"The key is {KEY}.")),
]


@pytest.mark.parametrize("answer", ECHOES)
def test_a_key_that_the_server_echoes_is_in_no_error_and_no_log(
    answer: Answer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    error = failure(answer, retries=0)
    shown = [str(error), repr(error), "".join(traceback.format_exception(error)), pickle.dumps(error).hex()]
    shown += [record.getMessage() for record in caplog.records]
    assert len(caplog.records) > 3  # the SDK and its transport do log
    for piece in (KEY[8:20], KEY[8:20].upper(), b64encode(KEY.encode()).decode()[12:24]):
        assert [text for text in shown if piece in text] == []
    assert (error.__cause__, error.__context__) == (None, None)


def test_what_a_server_says_beside_the_key_is_left_out_with_it() -> None:
    problem = failure(Answer(404, '{"error": {"message": "no {authorization} here"}}'), retries=0).problem
    assert problem == "no such model or address (404): (left out: it holds a piece of the key)"


def test_a_model_shows_no_key() -> None:
    chat = OpenAIChat("m", KEY, base_url="http://127.0.0.1:1/v1")
    assert repr(chat) == "OpenAIChat('m' at http://127.0.0.1:1/v1)"


@pytest.mark.parametrize(
    "address",
    [
        "http://ada:hunter2secret@127.0.0.1:1/v1", "https://127.0.0.1/v1?key=hunter2secret", "127.0.0.1/v1",
        "ftp://127.0.0.1/hunter2secret", "http://", "http://[::1", "http://127.0.0.1:x/", "http://a b/hunter2secret",
        "http://127.0.0.1/#hunter2secret",
    ],
)  # fmt: skip
def test_an_address_that_is_none_or_holds_a_password_is_refused_and_not_repeated(address: str) -> None:
    with pytest.raises(ModelError, match="base_url is no plain address") as raised:
        OpenAIChat("m", KEY, base_url=address)
    assert "hunter2secret" not in str(raised.value) + repr(raised.value)


@pytest.mark.parametrize("key", ["two words", "line\nfeed", "schlüssel"])
def test_a_key_that_cannot_be_one_is_refused_and_not_repeated(key: str) -> None:
    with pytest.raises(ModelError, match="a character that no key has") as raised:
        OpenAIChat("m", key, base_url="http://127.0.0.1:1/v1", key_name="OWN_KEY")
    assert key not in str(raised.value)
    assert raised.value.where == "OWN_KEY"


def test_a_placeholder_for_a_key_may_stand_in_an_answer() -> None:
    with chat_server(Answer(body=completion(system_fingerprint="fp_ollama"))) as server:
        assert OpenAIChat("m", "ollama", base_url=server.address).reply(MESSAGES).text == "Lisbon."


def test_half_a_surrogate_pair_is_sent_as_a_question_mark() -> None:
    with chat_server(Answer(body=completion())) as server:
        model(server.address).reply([ChatMessage("user", "tea \ud83d")])
        assert server.asked[0].body["messages"][0]["content"] == "tea ?"
