"""What is sent to servers that speak Anthropic's messages, and what is read out of their answers."""

from typing import Any

import anthropic
import pytest
from anthropic._constants import ANTHROPIC_API_VERSION
from chat_server import Answer, chat_server, message

from truerecall.models.anthropic_messages import AnthropicChat
from truerecall.models.protocols import ChatMessage, ChatParameters, ChatReply

KEY = "sk-ant-" + "Qw7eRt2yUi9oPa4sDf6gHj1k"
MESSAGES = [
    ChatMessage("system", "Be brief."),
    ChatMessage("user", "Where does Mara live?"),
    ChatMessage("assistant", "Why?"),
    ChatMessage("system", "Be kind."),
    ChatMessage("user", "I wondered."),
]


def replied(body: str, **options: Any) -> ChatReply:
    with chat_server(Answer(body=body)) as server:
        return AnthropicChat("m", KEY, base_url=server.address, **options).reply(MESSAGES)


def test_the_system_messages_go_apart_and_a_temperature_is_never_sent() -> None:
    with chat_server(Answer(body=message("Lisbon."))) as server:
        chat = AnthropicChat("m", KEY, base_url=server.address, parameters=ChatParameters(7, temperature=0.0))
        reply = chat.reply(MESSAGES)
        AnthropicChat("m", KEY, base_url=server.address.removesuffix("/v1")).reply(MESSAGES[1:2])
        first, second = server.asked
    assert (first.path, first.body) == (
        "/v1/messages",
        {
            "model": "m",
            "system": "Be brief.\n\nBe kind.",
            "messages": [
                {"role": "user", "content": "Where does Mara live?"},
                {"role": "assistant", "content": "Why?"},
                {"role": "user", "content": "I wondered."},
            ],
            "max_tokens": 7,
        },
    )
    assert (second.path, second.body) == (
        "/v1/messages",
        {
            "model": "m",
            "messages": [{"role": "user", "content": "Where does Mara live?"}],
            "max_tokens": 1024,
        },
    )
    assert reply.sent == {"max_tokens": 7}


def test_the_version_that_is_sent_is_the_one_of_the_sdk() -> None:
    with chat_server(Answer(body=message("Lisbon."))) as server:
        AnthropicChat("m", KEY, base_url=server.address).reply(MESSAGES)
        assert server.asked[0].headers["anthropic-version"] == ANTHROPIC_API_VERSION


def test_what_is_read_from_and_written_to_the_cache_counts_as_tokens_of_the_messages() -> None:
    usage = {
        "input_tokens": 5,
        "cache_creation_input_tokens": 100,
        "cache_read_input_tokens": 2000,
        "output_tokens": 30,
        "output_tokens_details": {"thinking_tokens": 20},
    }
    assert replied(message("Lisbon.", usage=usage)) == ChatReply(
        "Lisbon.", "stop", "m-2024", 2105, 30, 2000, 20, {"max_tokens": 1024}
    )


@pytest.mark.parametrize(
    ("usage", "counted"),
    [
        ({"input_tokens": 5, "output_tokens": 3}, (5, 3, None, None)),
        (
            {"input_tokens": 5, "cache_read_input_tokens": None, "cache_creation_input_tokens": -2},
            (5, None, None, None),
        ),
        ({"cache_read_input_tokens": 5}, (None, None, 5, None)),
        ({"input_tokens": "5", "output_tokens_details": []}, (None, None, None, None)),
        (None, (None, None, None, None)),
    ],
)
def test_usage_is_read_as_far_as_it_is_told(usage: Any, counted: tuple[int | None, ...]) -> None:
    reply = replied(message("Lisbon.", usage=usage))
    assert (reply.tokens_in, reply.tokens_out, reply.tokens_cached, reply.tokens_reasoning) == counted


def test_thinking_is_no_part_of_the_text_and_several_texts_are_one() -> None:
    blocks = [
        {"type": "thinking", "thinking": "Mara …", "signature": "s"},
        {"type": "redacted_thinking", "data": "x"},
        "Lis",
        {"type": "tool_use", "text": "no"},
        "bon.",
    ]
    assert replied(message(*blocks)).text == "Lisbon."


@pytest.mark.parametrize(
    ("stop", "finish"),
    [
        ("end_turn", "stop"),
        ("max_tokens", "length"),
        ("stop_sequence", "stop_sequence"),
        ("model_context_window_exceeded", "model_context_window_exceeded"),
    ],
)
def test_why_it_ended_is_told_in_the_providers_word_but_for_the_two_that_all_know(
    stop: str, finish: str
) -> None:
    assert replied(message("Lisbon.", stop=stop)).finish_reason == finish


def test_the_key_is_sent_as_the_sdk_itself_sends_it() -> None:
    assert anthropic.Anthropic(api_key=KEY).auth_headers == {"Authorization": f"Bearer {KEY}"}
