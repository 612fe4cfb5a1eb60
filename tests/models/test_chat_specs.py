"""Chat models as a command is given them."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from chat_server import Answer, chat_server, completion, message
from hypothesis import given
from hypothesis import strategies as st

from truerecall.errors import InvalidInput, ModelError
from truerecall.models.protocols import ChatMessage, ChatModel, ChatParameters
from truerecall.models.specs import PROVIDERS, ChatSpec, model_of, parse_spec

KEY = "sk-test-" + "Qw7eRt2yUi9oPa4sDf6gHj1k"
DEFAULTS = ChatParameters(max_tokens=512, temperature=0.0, timeout=30.0)
ASKED = [ChatMessage("user", "Tea or rain?")]


def wanted(spec: str) -> ChatSpec:
    return parse_spec(spec, DEFAULTS)


def test_a_model_alone_has_the_defaults_and_its_providers_own_variable() -> None:
    assert wanted("openai:gpt-4.1") == ChatSpec("openai", "gpt-4.1", DEFAULTS, "", "OPENAI_API_KEY")
    assert wanted("anthropic:claude-x") == ChatSpec(
        "anthropic", "claude-x", DEFAULTS, "", "ANTHROPIC_API_KEY"
    )
    assert wanted(" scripted : a/b.jsonl ") == ChatSpec("scripted", "a/b.jsonl", DEFAULTS)


def test_every_option_is_read() -> None:
    spec = wanted(
        "openai:qwen3:8b,base_url=http://127.0.0.1:1/v1?,key=OWN_KEY, max_tokens = 2048 ,timeout=1.5"
    )
    assert spec == ChatSpec(
        "openai",
        "qwen3:8b",
        ChatParameters(max_tokens=2048, temperature=0.0, timeout=1.5),
        "http://127.0.0.1:1/v1?",
        "OWN_KEY",
    )


def test_a_local_model_has_room_and_time_unless_told_otherwise() -> None:
    plain = wanted("gguf:/models/a, b/some.gguf")
    told = wanted("gguf:smollm2,context=2048,timeout=5,threads=1")
    assert (plain.model, plain.context, plain.parameters.timeout) == (
        "/models/a, b/some.gguf",
        8192,
        600.0,
    )
    assert (told.context, told.parameters.timeout, told.threads, plain.threads) == (2048, 5.0, 1, 0)


def test_the_providers_own_key_does_not_go_to_another_address_unless_it_is_named() -> None:
    environment = {"OPENAI_API_KEY": KEY, "OWN_KEY": "own"}
    with chat_server(Answer(body=completion())) as server:
        for option in ("", ",key=OWN_KEY", ",key=OPENAI_API_KEY"):
            spec = f"openai:m,base_url={server.address}{option}"
            assert model_of(spec, environment, DEFAULTS).reply(ASKED).text == "Lisbon."
        sent = [asked.headers.get("Authorization") for asked in server.asked]
    assert sent == [None, "Bearer own", f"Bearer {KEY}"]


def test_a_model_of_anthropic_is_asked_with_its_own_key() -> None:
    with chat_server(Answer(body=message("tea"))) as server:
        spec = f"anthropic:m,base_url={server.address},key=MY_KEY,max_tokens=9"
        assert model_of(spec, {"MY_KEY": KEY}, DEFAULTS).reply(ASKED).sent == {"max_tokens": 9}
        assert server.asked[0].headers["Authorization"] == f"Bearer {KEY}"


def test_a_script_is_opened(tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_text(json.dumps({"reply": "tea"}), encoding="utf-8")
    model = model_of(f"scripted:{tmp_path / 's.jsonl'}", {}, DEFAULTS)
    assert (model.reply(ASKED).text, model.free, model.parameters) == ("tea", True, DEFAULTS)


@pytest.mark.parametrize(
    ("spec", "environment"),
    [
        ("openai:m", {}),
        ("openai:m", {"OPENAI_API_KEY": " "}),
        ("anthropic:m", {"OPENAI_API_KEY": KEY}),
        ("openai:m,base_url=http://127.0.0.1:1/v1,key=OPENAI_API_KEY", {}),
    ],
)
def test_a_key_that_is_not_set_is_asked_for_by_its_variable(
    spec: str, environment: Mapping[str, str]
) -> None:
    with pytest.raises(ModelError, match=r"needs a key, and (OPENAI|ANTHROPIC)_API_KEY is not set"):
        model_of(spec, environment, DEFAULTS)


@pytest.mark.parametrize(
    ("spec", "problem", "remedy"),
    [
        ("", "that names no chat model", "Use one of: openai:MODEL"),
        ("gpt-4.1", "that names no chat model", "Use one of: openai:MODEL"),
        ("other:m", "no chat model is called 'other'", "Use one of: openai:MODEL"),
        ("openai:", "no chat model is called openai:", "Use one of: openai:MODEL"),
        ("openai: ,max_tokens=3", "no chat model is called openai:", "Use one of: openai:MODEL"),
        ("openai:m,top_p=1", "the option 'top_p' is not known", "openai takes: base_url, key, max_tokens, timeout"),
        ("gguf:m,key=A", "the option 'key' is not known", "gguf takes: context, threads, max_tokens, timeout"),
        ("openai:m,max_tokens=1,max_tokens=2", "the option 'max_tokens' is given twice", "each once"),
        ("openai:m,key=", "the option 'key' has no value", "as ,option=value."),
        ("openai:m,timeout=3,plain", "an option has no value", "as ,option=value."),
        ("openai:m,max_tokens=0", "max_tokens is no whole number above 0", "Write max_tokens=2048"),
        ("openai:m,max_tokens=٣", "max_tokens is no whole number above 0", "Write max_tokens=2048"),
        ("openai:m,max_tokens=1e3", "max_tokens is no whole number above 0", "Write max_tokens=2048"),
        ("gguf:m,context=-1", "context is no whole number above 0", "Write context=4096"),
        ("openai:m,timeout=nan", "timeout is no number of seconds above 0", "Write timeout=120"),
        ("openai:m,timeout=inf", "timeout is no number of seconds above 0", "Write timeout=120"),
        ("openai:m,timeout=soon", "timeout is no number of seconds above 0", "Write timeout=120"),
    ],
)  # fmt: skip
def test_what_is_no_spec_is_refused_with_what_to_write(spec: str, problem: str, remedy: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        model_of(spec, {"OPENAI_API_KEY": KEY}, DEFAULTS)
    assert raised.value.problem == problem
    assert remedy in raised.value.remedy


@pytest.mark.parametrize(
    "spec",
    [
        f"openai:m,key={KEY}", "openai:m,key=gsk_hunter2secretAAAA1", "openai:m,key=hunter2secretAAAAAA1",
        f"{KEY}", f"{KEY}:m", f"openai:m,{KEY}=1", f"openai:m,timeout={KEY}", f"openai:m,max_tokens={KEY}",
        f"openai:m,base_url=http://a:{KEY}@127.0.0.1/v1", f"openai:m,timeout=3,{KEY}",
        f"openai:{KEY}", f"openai:m,{KEY}", f"openai:m {KEY}", f"anthropic:{KEY}", f"gguf:{KEY}",
        f"scripted:some/{KEY}",
    ],
)  # fmt: skip
def test_a_key_that_is_written_into_a_spec_is_refused_and_not_repeated(spec: str) -> None:
    with pytest.raises((InvalidInput, ModelError)) as raised:
        model_of(spec, {"OPENAI_API_KEY": KEY}, DEFAULTS)
    assert not re.search(r"hunter2|Qw7eRt2y", str(raised.value))


@given(st.text(max_size=60) | st.from_regex(r"(openai|gguf|anthropic):[a-z,=0-9_ .]{0,40}", fullmatch=True))
def test_any_text_is_a_spec_or_a_clear_refusal(text: str) -> None:
    try:
        spec = wanted(text)
    except InvalidInput as error:
        assert error.remedy
    else:
        assert spec.provider in PROVIDERS and spec.model == spec.model.strip() != ""


NAMES = st.from_regex(r"[a-z0-9][a-z0-9./:-]{0,20}", fullmatch=True)


@given(st.sampled_from(PROVIDERS), NAMES, st.integers(1, 10**9 - 1), st.integers(1, 10**6))
def test_what_is_written_into_a_spec_is_what_is_read(
    provider: str, name: str, limit: int, seconds: int
) -> None:
    spec = wanted(f"{provider}:{name},max_tokens={limit},timeout={seconds}")
    assert (spec.name, spec.parameters.max_tokens, spec.parameters.timeout) == (
        f"{provider}:{name}",
        limit,
        seconds,
    )


def test_every_provider_keeps_the_protocol(tmp_path: Path) -> None:
    for spec in ("openai:m", "anthropic:m"):
        assert isinstance(
            model_of(spec, {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY}, DEFAULTS), ChatModel
        )
