"""The same scenario answers alike in this process, as OpenAI would and as Anthropic would."""

from typing import Any

import pytest

from truerecall.errors import ChatFailed, ChatRefused
from truerecall.models.anthropic_messages import AnthropicChat
from truerecall.models.openai_compatible import OpenAIChat
from truerecall.models.protocols import ChatMessage, ChatModel, ChatParameters
from truerecall.models.scripted import Scenario, ScriptedChat

ASKED = [ChatMessage("system", "Be brief."), ChatMessage("user", "Where does Mara live, in Zürich?")]


def models(bench: Any, scenario: Scenario) -> list[ChatModel]:
    quick = ChatParameters(timeout=0.3)
    return [
        ScriptedChat.playing(scenario, name="m", parameters=quick),
        OpenAIChat("m", None, base_url=bench.server.base_url, retries=0, parameters=quick),
        AnthropicChat("m", None, base_url=bench.server.root, retries=0, parameters=quick),
    ]


@pytest.mark.parametrize(
    "line",
    [
        {"reply": "In Zürich."},
        {"when": r"live, in (\w+)", "reply": r"In \1, \\o/."},
        {"reply": "CORRECT.", "fail": "cut"},
        {"reply": "a", "finish_reason": "length"},
        {
            "reply": "a",
            "usage": {"tokens_in": 90, "tokens_out": 8, "tokens_cached": 50, "tokens_reasoning": 5},
        },
        {"reply": "a", "usage": {"tokens_cached": 50, "tokens_reasoning": 5}},
    ],
)
def test_an_answer_and_what_it_used_are_the_same_three_ways(serve: Any, line: Any) -> None:
    scenario = Scenario.of({**line, "times": 3})
    replies = [model.reply(ASKED) for model in models(serve({**line, "times": 3}), scenario)]
    told = {
        (
            reply.text,
            reply.finish_reason,
            reply.model,
            reply.tokens_in,
            reply.tokens_out,
            reply.tokens_cached or 0,
            reply.tokens_reasoning or 0,
        )
        for reply in replies
    }
    assert len(told) == 1


@pytest.mark.parametrize(
    "line",
    [
        *({"fail": status} for status in ("400", "401", "403", "404", "429", "500", "503", "529")),
        {"fail": "drop"},
        {"fail": "break", "reply": "a b"},
        {"fail": "empty"},
        {"fail": "malformed"},
        {"fail": "slow", "reply": "late"},
        {"tools": [{"name": "look"}]},
    ],
    ids=lambda line: str(line.get("fail", "tools")),
)
def test_a_failure_is_the_same_kind_of_error_three_ways(serve: Any, line: Any) -> None:
    kinds = []
    for model in models(serve({**line, "times": 3}), Scenario.of(line)):
        with pytest.raises(ChatFailed) as raised:
            model.reply(ASKED)
        kinds.append(type(raised.value))
    refused = line.get("fail") in ("401", "403", "404")
    assert kinds == [ChatRefused if refused else ChatFailed] * 3
