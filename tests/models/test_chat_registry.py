"""Which chat model the settings name, and scripts out of files."""

import json
import re
from pathlib import Path

import pytest
from chat_server import Answer, chat_server, completion, message

from truerecall.core.config import ChatSettings
from truerecall.errors import ChatFailed, InvalidInput, ModelError
from truerecall.models.protocols import ChatMessage, ChatModel, ChatParameters, ChatReply
from truerecall.models.registry import chat
from truerecall.models.scripted import Rule, ScriptedChat

KEY = "sk-test-" + "Qw7eRt2yUi9oPa4sDf6gHj1k"


def ask(model: ChatModel | None, text: str) -> str:
    assert model is not None
    return model.reply([ChatMessage("system", "Be brief."), ChatMessage("user", text)]).text


def script(folder: Path, *lines: object) -> str:
    (folder / "s.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n\n", encoding="utf-8")
    return f"scripted:{folder / 's.jsonl'}"


def test_no_model_is_named_by_default() -> None:
    assert chat(ChatSettings(), {"OPENAI_API_KEY": KEY}) is None


@pytest.mark.parametrize("name", ["gpt", "other:gpt", "openai:", "scripted: ", ":m"])
def test_an_unknown_model_is_refused_with_what_is_known(name: str) -> None:
    with pytest.raises(ModelError) as raised:
        chat(ChatSettings(model=name), {})
    assert str(raised.value) == (
        f"no chat model is called {name!r} ([chat] model). Use one of: openai:MODEL (also for any server that speaks"
        " its API, with base_url), anthropic:MODEL, gguf:FILE (or gguf:smollm2), scripted:FILE."
    )


def test_the_key_comes_from_the_environment_that_is_given_and_the_limits_from_the_settings() -> None:
    with chat_server(Answer(body=completion("tea"))) as server:
        settings = ChatSettings("openai:m", server.address, "OWN_KEY", timeout=9.0, max_tokens=7)
        model = chat(settings, {"OWN_KEY": f" {KEY}\n", "OPENAI_API_KEY": "another"})
        assert ask(model, "?") == "tea"
        assert server.asked[0].headers["Authorization"] == f"Bearer {KEY}"
    assert model is not None
    assert model.parameters == ChatParameters(max_tokens=7, temperature=None, timeout=9.0)


def test_a_server_of_ones_own_needs_no_key() -> None:
    with chat_server(Answer(body=completion("tea"))) as server:
        assert ask(chat(ChatSettings("openai:m", server.address), {}), "?") == "tea"
        assert "Authorization" not in server.asked[0].headers


def test_a_key_that_is_not_set_is_asked_for_by_the_name_of_its_variable() -> None:
    with pytest.raises(ModelError) as raised:
        chat(ChatSettings("openai:m", key_variable="OWN_KEY"), {"OWN_KEY": ""})
    assert str(raised.value) == (
        "openai:m needs a key, and OWN_KEY is not set (OWN_KEY). Set it to the key, or give the base_url of a server"
        " that wants none."
    )


@pytest.mark.parametrize(
    "key", [KEY, "gsk_Qw7eRt2yUi9oPa4sDf6g", "AIzaQw7eRt2yUi", "0a1b2c3d4e5f6a7b8c9d", "A-B"]
)
def test_a_key_in_the_place_of_its_variables_name_is_not_repeated(key: str) -> None:
    with pytest.raises(InvalidInput, match="the key is not named by its variable") as raised:
        chat(ChatSettings("openai:m", key_variable=key), {})
    assert raised.value.where == "[chat] key_variable"
    assert key not in str(raised.value)


def test_a_model_of_anthropic_takes_the_key_of_anthropic_where_no_other_is_named() -> None:
    keys = {"OPENAI_API_KEY": "another", "ANTHROPIC_API_KEY": KEY, "OWN_KEY": "own"}
    with chat_server(Answer(body=message("tea"))) as server:
        assert ask(chat(ChatSettings("anthropic:m", server.address), keys), "?") == "tea"
        assert ask(chat(ChatSettings("anthropic:m", server.address, "OWN_KEY"), keys), "?") == "tea"
        assert [asked.headers["Authorization"] for asked in server.asked] == [f"Bearer {KEY}", "Bearer own"]
    with pytest.raises(ModelError, match="anthropic:m needs a key, and ANTHROPIC_API_KEY is not set"):
        chat(ChatSettings("anthropic:m"), {"OPENAI_API_KEY": KEY})


def test_a_local_model_whose_file_is_not_there_is_named() -> None:
    with pytest.raises(ModelError) as raised:
        chat(ChatSettings("gguf:none.gguf"), {})
    assert raised.value.where in ("gguf:none.gguf", "xllamacpp")


def test_a_script_gives_the_reply_of_the_first_rule_that_matches_else_the_next_reply(tmp_path: Path) -> None:
    name = script(
        tmp_path,
        {"reply": "one"},
        {"when": r"\[(?P<id>[0-9a-f]{8}) learned\] .*tea", "reply": r"Tea \\o/ [\g<id>]."},
        {"when": "tea", "reply": "never"},
        {"reply": "two", "finish_reason": "length"},
    )
    model = chat(ChatSettings(name), {})
    assert model is not None
    assert (model.name, model.free) == (name, True)
    asked = [ChatMessage("user", "rain falls here")]
    assert model.reply(asked) == ChatReply("one", "stop", name, tokens_in=4, tokens_out=1)
    assert ask(model, "[0a1b2c3d learned] I drink tea") == r"Tea \o/ [0a1b2c3d]."
    assert model.reply(asked) == ChatReply("two", "length", name, tokens_in=4, tokens_out=1)
    with pytest.raises(ChatFailed, match="the script of 2 replies and 2 rules is over"):
        ask(model, "rain")


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        (["not a reply"], "the line is no reply and no rule"),
        ([{"answer": "tea"}], "the line is no reply and no rule"),
        ([{"reply": 4}], "the line is no reply and no rule"),
        ([{"reply": "tea", "whenn": "x"}], "the line is no reply and no rule"),
        ([{"reply": "tea", "finish_reason": 4}], "finish_reason is not a text"),
        ([{"reply": "tea", "when": "("}], r"'\(' is not a pattern"),
        ([{"reply": "tea", "when": 4}], "4 is not a pattern"),
    ],
)
def test_a_script_of_another_form_is_refused_with_its_line(
    tmp_path: Path, lines: list[object], problem: str
) -> None:
    name = script(tmp_path, {"reply": "one"}, *lines)
    with pytest.raises(ModelError, match=problem) as raised:
        chat(ChatSettings(name), {})
    assert (raised.value.where or "").endswith("s.jsonl:2")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"{", "the line is not JSON"),
        (b"\xff", "the script is not UTF-8"),
        (None, "the script cannot be read"),
    ],
)
def test_a_file_that_is_no_script_is_refused(tmp_path: Path, content: bytes | None, problem: str) -> None:
    if content is not None:
        (tmp_path / "s.jsonl").write_bytes(content)
    with pytest.raises(ModelError, match=problem):
        chat(ChatSettings(f"scripted:{tmp_path / 's.jsonl'}"), {})


def test_a_reply_that_is_no_template_is_refused_when_it_is_needed() -> None:
    model = ScriptedChat([], rules=[Rule(re.compile("tea"), r"\4")])
    with pytest.raises(ModelError, match="the reply to 'tea' is no template"):
        ask(model, "tea")
