"""What is sent to servers that speak OpenAI's chat completions, and what is read out of their answers."""

import json
from typing import Any

import pytest
from chat_server import Answer, chat_server, completion

from truerecall.errors import ChatFailed
from truerecall.models.openai_compatible import OpenAIChat
from truerecall.models.protocols import ChatMessage, ChatParameters, ChatReply

KEY = "sk-test-" + "Qw7eRt2yUi9oPa4sDf6gHj1k"
MESSAGES = [ChatMessage("system", "Be brief."), ChatMessage("user", "Where does Mara live?")]
ZERO = ChatParameters(max_tokens=7, temperature=0.0)
SENT = {
    "model": "m",
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Where does Mara live?"},
    ],
}


def model(address: str, **options: Any) -> OpenAIChat:
    return OpenAIChat("m", KEY, base_url=address, key_name="OWN_KEY", **options)


def refusal(message: str, param: str | None = None, code: str | None = None) -> Answer:
    return Answer(400, json.dumps({"error": {"message": message, "param": param, "code": code}}))


NO_TEMPERATURE = refusal(
    "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
    "temperature",
    "unsupported_value",
)
NO_OLD_LIMIT = refusal(
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    "max_tokens",
    "unsupported_parameter",
)


def test_a_good_reply_comes_with_its_reason_and_what_it_cost() -> None:
    usage = {
        "prompt_tokens": 21,
        "completion_tokens": 30,
        "total_tokens": 51,
        "prompt_tokens_details": {"cached_tokens": 16, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 27},
    }
    with chat_server(Answer(body=completion(usage=usage))) as server:
        reply = model(server.address).reply(MESSAGES)
    assert reply == ChatReply("Lisbon.", "stop", "m-2024", 21, 30, 16, 27, {"max_tokens": 1024})


@pytest.mark.parametrize(
    "usage",
    [
        None, 4, [], {}, {"prompt_tokens": -1, "completion_tokens": True},
        {"prompt_tokens": "21", "prompt_tokens_details": 4, "completion_tokens_details": None},
        {"prompt_tokens_details": {"cached_tokens": 1.5}, "completion_tokens_details": {"reasoning_tokens": {}}},
    ],
)  # fmt: skip
def test_usage_of_another_form_is_no_usage(usage: Any) -> None:
    with chat_server(Answer(body=completion(usage=usage))) as server:
        reply = model(server.address).reply(MESSAGES)
    assert (reply.tokens_in, reply.tokens_out, reply.tokens_cached, reply.tokens_reasoning) == (None,) * 4


def test_an_answer_that_leaves_out_what_it_may_is_read() -> None:
    with chat_server(Answer(body='{"choices": [{"message": {"content": "Tea."}}]}')) as server:
        reply = model(server.address).reply(MESSAGES)
    assert reply == ChatReply("Tea.", "unknown", "m", sent={"max_tokens": 1024})


def test_the_messages_and_the_parameters_are_sent_and_a_temperature_only_where_there_is_one() -> None:
    with chat_server(Answer(body=completion())) as server:
        plain = model(server.address, parameters=ChatParameters(max_tokens=7)).reply(MESSAGES)
        set_to_zero = model(server.address, parameters=ZERO).reply(MESSAGES)
        assert [asked.body for asked in server.asked] == [
            {**SENT, "max_tokens": 7},
            {**SENT, "max_tokens": 7, "temperature": 0.0},
        ]
        assert server.asked[0].path == "/v1/chat/completions"
    assert (plain.sent, set_to_zero.sent) == ({"max_tokens": 7}, {"max_tokens": 7, "temperature": 0.0})


def test_a_temperature_that_the_model_refuses_is_left_out_from_then_on() -> None:
    with chat_server(NO_TEMPERATURE, Answer(body=completion())) as server:
        chat = model(server.address, parameters=ZERO)
        assert [chat.reply(MESSAGES).sent for _ in range(2)] == [{"max_tokens": 7}] * 2
        assert [asked.body.keys() & {"temperature", "max_tokens"} for asked in server.asked] == [
            {"temperature", "max_tokens"},
            {"max_tokens"},
            {"max_tokens"},
        ]


@pytest.mark.parametrize(
    "message",
    [
        "temperature: Extra inputs are not permitted",
        "Unknown parameter `temperature`.",
        "`temperature` is deprecated for this model.",
    ],
)
def test_other_servers_refuse_a_temperature_in_other_words(message: str) -> None:
    with chat_server(Answer(422, json.dumps({"message": message})), Answer(body=completion())) as server:
        assert model(server.address, parameters=ZERO).reply(MESSAGES).sent == {"max_tokens": 7}


def test_a_limit_that_is_refused_by_its_name_is_sent_by_the_other_and_never_left_out() -> None:
    with chat_server(NO_OLD_LIMIT, NO_TEMPERATURE, Answer(body=completion())) as server:
        chat = model(server.address, parameters=ZERO)
        assert [chat.reply(MESSAGES).sent for _ in range(2)] == [{"max_completion_tokens": 7}] * 2
        assert len(server.asked) == 4


def test_a_limit_that_is_refused_by_both_names_is_an_error() -> None:
    other = refusal(
        "Unknown parameter: 'max_completion_tokens'.", "max_completion_tokens", "unknown_parameter"
    )
    with chat_server(NO_OLD_LIMIT, other) as server:
        with pytest.raises(ChatFailed, match="Unknown parameter: 'max_completion_tokens'"):
            model(server.address).reply(MESSAGES)
        assert len(server.asked) == 2


@pytest.mark.parametrize(
    "answer",
    [
        refusal("max_tokens is too large: 7. This model supports at most 4", "max_tokens", "invalid_value"),
        refusal("temperature must be between 0 and 2", "temperature"),
        refusal("Unsupported parameter: 'temperature'", "messages"),
        refusal("Unknown parameter: 'my_temperature'"),
        Answer(500, '{"error": {"message": "temperature unsupported"}}'),
    ],
)
def test_a_refusal_of_something_else_is_not_asked_again(answer: Answer) -> None:
    with chat_server(answer) as server:
        with pytest.raises(ChatFailed):
            model(server.address, parameters=ZERO, retries=0).reply(MESSAGES)
        assert len(server.asked) == 1


def test_a_server_that_refuses_whatever_is_sent_is_given_up() -> None:
    with chat_server(NO_TEMPERATURE) as server:
        with pytest.raises(ChatFailed, match="the server refused the request"):
            model(server.address, parameters=ZERO).reply(MESSAGES)
        assert len(server.asked) == 2


def test_the_limit_has_its_newer_name_at_the_providers_own_address() -> None:
    chat = OpenAIChat("m", KEY)
    assert chat._sent() == {"max_completion_tokens": 1024}
