"""ScriptedChat answers as a server of the same scenario would, without waiting."""

import re
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from truerecall.errors import ChatFailed, ChatRefused
from truerecall.models.protocols import ChatMessage, ChatParameters, ChatReply
from truerecall.models.scripted import Rule, Scenario, ScriptedChat


def playing(*lines: Mapping[str, Any], timeout: float = 60.0) -> ScriptedChat:
    return ScriptedChat.playing(Scenario.of(*lines), name="m", parameters=ChatParameters(timeout=timeout))


def ask(chat: ScriptedChat, text: str) -> ChatReply:
    return chat.reply([ChatMessage("user", text)])


def test_a_reply_carries_the_tokens_of_question_and_answer_a_token_for_four_bytes() -> None:
    reply = playing({"reply": "Zürich."}).reply(
        [ChatMessage("system", "Be brief."), ChatMessage("user", "Where?")]
    )
    assert reply == ChatReply("Zürich.", "stop", "m", tokens_in=5, tokens_out=2)


def test_a_line_may_say_what_was_used() -> None:
    usage = {"tokens_in": 900, "tokens_out": 20, "tokens_cached": 800, "tokens_reasoning": 15}
    assert ask(playing({"reply": "a", "usage": usage}), "?") == ChatReply("a", "stop", "m", 900, 20, 800, 15)


def test_what_is_counted_is_never_less_than_the_part_of_it_that_the_line_says() -> None:
    usage = {"tokens_cached": 50, "tokens_reasoning": 40}
    assert ask(playing({"reply": "a", "usage": usage}), "?") == ChatReply("a", "stop", "m", 50, 40, 50, 40)


def test_a_line_is_used_as_often_as_it_says() -> None:
    chat = playing(
        {"when": "tea", "reply": "first", "times": 2},
        {"when": "tea", "reply": "then"},
        {"reply": "twice", "times": 2},
        {"reply": "once"},
    )
    assert [ask(chat, "tea").text for _ in range(4)] == ["first", "first", "then", "then"]
    assert [ask(chat, "rain").text for _ in range(3)] == ["twice", "twice", "once"]
    with pytest.raises(ChatFailed, match="the script of 2 replies and 2 rules is over"):
        ask(chat, "rain")


def test_a_line_for_another_model_or_endpoint_is_passed_over() -> None:
    chat = playing(
        {"reply": "other", "model": "^gpt"},
        {"reply": "messages", "endpoint": "messages"},
        {"fail": "500", "endpoint": "embeddings"},
        {"when": ".", "reply": "n", "model": "n"},
        {"reply": "mine", "model": "^m$", "endpoint": "chat"},
    )
    assert ask(chat, "?").text == "mine"


@pytest.mark.parametrize(
    ("line", "kind", "problem"),
    [
        ({"fail": "400", "reply": "too long"}, ChatFailed, "the request was refused (400): too long"),
        ({"fail": "401"}, ChatRefused, "the key was refused (401)"),
        ({"fail": "403"}, ChatRefused, "the key was refused (403)"),
        ({"fail": "404"}, ChatRefused, "no such model (404)"),
        ({"fail": "429"}, ChatFailed, "too many requests (429)"),
        ({"fail": "500"}, ChatFailed, "the server failed (500)"),
        ({"fail": "503"}, ChatFailed, "the server failed (503)"),
        ({"fail": "529"}, ChatFailed, "the server failed (529)"),
        ({"fail": "drop"}, ChatFailed, "the connection was closed before an answer"),
        ({"fail": "break", "reply": "a b"}, ChatFailed, "the connection was closed within the answer"),
        ({"fail": "malformed", "reply": "{"}, ChatFailed, "the answer is not JSON"),
        ({"fail": "empty"}, ChatFailed, "the answer holds no text"),
        ({"fail": "slow", "reply": "a"}, ChatFailed, "no answer within 5 seconds"),
        ({"fail": "slow", "reply": "a", "after": 5}, ChatFailed, "no answer within 5 seconds"),
        ({"tools": [{"name": "look"}]}, ChatFailed, "the answer holds no text (finish reason tool_calls)"),
    ],
)
def test_each_way_to_fail_is_the_error_that_a_real_model_would_give(
    line: Mapping[str, Any], kind: type[ChatFailed], problem: str
) -> None:
    chat = playing(line, {"reply": "after"}, timeout=5.0)
    with pytest.raises(ChatFailed) as raised:
        ask(chat, "?")
    assert (type(raised.value), raised.value.problem, raised.value.where) == (kind, problem, "scripted:1")
    assert ask(chat, "?").text == "after"


def test_a_cut_reply_is_its_first_half_ended_by_the_limit() -> None:
    reply = ask(playing({"fail": "cut", "reply": "CORRECT."}), "?")
    assert (reply.text, reply.finish_reason, reply.cut, reply.tokens_out) == ("CORR", "length", True, 1)


def test_an_answer_that_is_slow_but_in_time_is_given_at_once() -> None:
    assert ask(playing({"fail": "slow", "reply": "a", "after": 4.9}, timeout=5.0), "?").text == "a"


def test_a_reply_with_tools_is_its_text() -> None:
    reply = ask(playing({"reply": "Let me look.", "tools": [{"name": "look"}]}), "?")
    assert (reply.text, reply.finish_reason) == ("Let me look.", "tool_calls")


def test_rules_answer_any_number_of_threads_alike_and_count_their_uses_exactly() -> None:
    chat = playing(
        {"when": "fragile", "fail": "429", "times": 100},
        {"when": r"question (\d+)", "reply": r"answer \1"},
    )  # fmt: skip

    def call(number: int) -> str:
        try:
            return ask(chat, f"{'fragile ' * (number % 2)}question {number}").text
        except ChatFailed as error:
            return error.problem

    with ThreadPoolExecutor(8) as pool:
        said = list(pool.map(call, range(800)))
    assert said[::2] == [f"answer {number}" for number in range(0, 800, 2)]
    assert Counter(said[1::2])["too many requests (429)"] == 100
    assert len(chat.asked) == 800


BASE: Mapping[str, Any] = {"when": "tea", "reply": "a"}


@pytest.mark.parametrize(
    "line",
    [
        {**BASE, "reply": "b"},
        {**BASE, "when": "te"},
        {**BASE, "when": "(?i)tea"},
        {**BASE, "model": "m"},
        {**BASE, "endpoint": "chat"},
        {**BASE, "tools": [{"name": "look"}]},
        {**BASE, "tools": [{"name": "look", "arguments": {"a": 1}}]},
        {**BASE, "finish_reason": "length"},
        {**BASE, "fail": "429"},
        {**BASE, "fail": "slow"},
        {**BASE, "fail": "slow", "after": 3},
        {**BASE, "times": 3},
        {**BASE, "usage": {"tokens_in": 3}},
        {"reply": "a"},
    ],
)
def test_whatever_changes_an_answer_is_another_identity(line: Mapping[str, Any]) -> None:
    assert playing(line).identity != playing(BASE).identity


def test_another_name_or_order_is_another_identity_and_another_file_is_not() -> None:
    base = playing(BASE).identity
    assert ScriptedChat.playing(Scenario.of(BASE), name="n").identity != base
    assert (
        playing(BASE, {"reply": "x"}, {"reply": "y"}).identity
        != playing(BASE, {"reply": "y"}, {"reply": "x"}).identity
    )
    assert ScriptedChat.playing(Scenario.of(BASE, name="/elsewhere/s.jsonl"), name="m").identity == base


def test_flags_of_a_rules_pattern_and_errors_and_whole_replies_are_part_of_the_identity() -> None:
    def of(*replies: Any, flags: int = 0) -> str:
        return ScriptedChat(replies, rules=[Rule(re.compile("tea", flags), "a")]).identity

    down = ChatFailed("down", remedy="Wait.")
    seen = {
        of(),
        of(flags=re.I),
        of("a"),
        of(down),
        of(ChatFailed("up", remedy="Wait.")),
        of(ChatReply("a", "stop", "m")),
    }
    assert len(seen) == 6


def test_a_scripted_model_costs_nothing_and_has_the_usual_parameters() -> None:
    chat = ScriptedChat.playing(Scenario.of(BASE, name="s"))
    assert (chat.name, chat.free, chat.parameters) == ("scripted:s", True, ChatParameters())
