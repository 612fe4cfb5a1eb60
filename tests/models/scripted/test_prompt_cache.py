"""The prompt cache that a server keeps when it is told to: what is read from it, what is written, and by whom."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truerecall.models.scripted.answering import Answer
from truerecall.models.scripted.lines import Usage
from truerecall.models.scripted.server.asked import Asked
from truerecall.models.scripted.server.caching import PromptCache

ANY = {"when": "", "reply": "Yes."}
SYSTEM = "Be brief, and say so."  # 21 bytes
TOOL: Any = {"name": "look", "input_schema": {"type": "object"}}  # 50 bytes in its list: 13 tokens
FIRST: Any = [{"role": "user", "content": "Is there tea in the house?"}]  # 26 bytes
SECOND: Any = [*FIRST, {"role": "assistant", "content": "Yes."}, {"role": "user", "content": "And milk?"}]


def session(name: str) -> dict[str, str]:
    return {"X-Claude-Code-Session-Id": name}


def asked(bench: Any, messages: Any, name: str = "", streamed: bool = False, **more: Any) -> tuple[int, ...]:
    """What the official client is told: new tokens, written ones, read ones, and those written for five minutes."""
    options = {"model": "m", "max_tokens": 9, "messages": messages, "system": SYSTEM, **more}
    if name:
        options["extra_headers"] = session(name)
    if streamed:
        with bench.anthropic.messages.stream(**options) as stream:
            usage = stream.get_final_message().usage
    else:
        usage = bench.anthropic.messages.create(**options).usage
    split = usage.cache_creation
    assert split.ephemeral_1h_input_tokens == 0
    return (
        usage.input_tokens,
        usage.cache_creation_input_tokens,
        usage.cache_read_input_tokens,
        split.ephemeral_5m_input_tokens,
    )


@pytest.mark.parametrize("streamed", [False, True])
def test_a_conversation_that_goes_on_reads_what_it_sent_before_and_writes_the_rest(
    serve: Any, streamed: bool
) -> None:
    bench = serve(ANY, caching=True)

    # 13 of the tool, and 21 + 2 + 26 bytes; then 4 more texts of 2 + 4 + 2 + 9 bytes.
    assert asked(bench, FIRST, streamed=streamed, tools=[TOOL]) == (0, 26, 0, 26)
    assert asked(bench, SECOND, streamed=streamed, tools=[TOOL]) == (0, 4, 26, 4)
    assert asked(bench, SECOND, streamed=streamed, tools=[TOOL]) == (0, 0, 30, 0)
    assert [(call.tokens_in, call.tokens_cached, call.tokens_written) for call in bench.server.calls] == [
        (26, 0, 26),
        (30, 26, 4),
        (30, 30, 0),
    ]
    assert (bench.server.usage.tokens_cached, bench.server.usage.tokens_written) == (56, 30)


def test_what_is_changed_is_written_anew_with_all_behind_it(serve: Any) -> None:
    bench = serve(ANY, caching=True)
    changed = [*FIRST, {"role": "assistant", "content": "No."}, SECOND[2]]

    assert asked(bench, SECOND, "a") == (0, 17, 0, 17)
    assert asked(bench, changed, "a") == (0, 4, 13, 4)  # the instructions and the first message stay
    assert asked(bench, SECOND, "a", tools=[TOOL]) == (0, 30, 0, 30)  # tools come before all else
    assert asked(bench, SECOND, "a") == (0, 0, 17, 0)


def test_no_conversation_reads_what_another_one_wrote(serve: Any) -> None:
    bench = serve(ANY, caching=True)
    other = [{"role": "user", "content": "Is there tea in the garden?"}]

    assert asked(bench, FIRST) == (0, 13, 0, 13)
    assert asked(bench, other) == (0, 13, 0, 13)  # told apart by what the user says first
    assert asked(bench, FIRST, "a") == (0, 13, 0, 13)
    assert asked(bench, FIRST, "b") == (0, 13, 0, 13)  # or by the name that the client gives
    assert asked(bench, FIRST, "a") == (0, 0, 13, 0)
    assert asked(bench, FIRST, "a", model="n") == (0, 13, 0, 13)


def test_a_call_that_was_not_answered_writes_nothing(serve: Any) -> None:
    bench = serve({"fail": "429"}, {"reply": "Yes."}, caching=True)
    body = {"model": "m", "max_tokens": 9, "messages": FIRST}

    assert bench.post("/v1/messages", body).status == 429
    bench.anthropic.messages.count_tokens(model="m", messages=FIRST)
    assert (bench.server.usage.tokens_cached, bench.server.usage.tokens_written) == (0, 0)
    assert bench.post("/v1/messages", body).data["usage"]["cache_creation_input_tokens"] == 7


def test_what_a_line_says_of_the_input_is_told_instead(serve: Any) -> None:
    said = {"when": "", "times": 1, "reply": "Yes.", "usage": {"tokens_in": 40, "tokens_cached": 30}}
    bench = serve(said, ANY, caching=True)
    body = {"model": "m", "max_tokens": 9, "messages": FIRST}

    assert bench.post("/v1/messages", body).data["usage"] == {
        "input_tokens": 10,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 30,
        "output_tokens": 1,
    }
    assert bench.post("/v1/messages", body).data["usage"] == {
        "input_tokens": 0,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 7,
        "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
        "output_tokens": 1,
    }


def test_without_the_option_nothing_is_cached(serve: Any) -> None:
    bench = serve(ANY)
    body = {"model": "m", "max_tokens": 9, "messages": FIRST}
    usage = {"input_tokens": 7, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}

    for _ in range(2):
        assert bench.post("/v1/messages", body).data["usage"] == {**usage, "output_tokens": 1}


def test_chat_completions_tell_of_it_as_openai_does(serve: Any) -> None:
    bench = serve(ANY, caching=True)

    def told(messages: Any, **more: Any) -> tuple[int, int, int]:
        usage = bench.openai.chat.completions.create(model="m", messages=messages, **more).usage
        details = usage.prompt_tokens_details
        return usage.prompt_tokens, details.cached_tokens, details.cache_write_tokens

    assert told(FIRST) == (7, 0, 7)
    assert told(SECOND) == (11, 7, 4)
    assert told(SECOND, prompt_cache_key="mine") == (11, 0, 11)
    assert told(SECOND, prompt_cache_key="mine") == (11, 11, 0)


def test_responses_tell_of_it_as_openai_does(serve: Any) -> None:
    bench = serve(ANY, caching=True)

    def told(given: Any, **more: Any) -> tuple[int, int, int]:
        usage = bench.openai.responses.create(model="m", input=given, **more).usage
        details = usage.input_tokens_details
        return usage.input_tokens, details.cached_tokens, details.cache_write_tokens

    used = {"type": "function_call_output", "call_id": "c", "output": "12 bytes …"}
    assert told(FIRST, instructions=SYSTEM) == (13, 0, 13)
    assert told([*FIRST, used], instructions=SYSTEM) == (16, 13, 3)
    assert told("Is there tea in the house?", instructions=SYSTEM) == (13, 13, 0)
    assert told(FIRST, prompt_cache_key="mine") == (7, 0, 7)


def test_the_meters_file_tells_it_and_no_name_of_a_conversation(serve: Any, tmp_path: Path) -> None:
    meter = tmp_path / "meter.jsonl"
    bench = serve(ANY, caching=True, meter=meter)
    for _ in range(2):
        asked(bench, FIRST, "a-private-name")

    text = meter.read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    assert [(row["tokens_in"], row["tokens_cached"], row["tokens_written"]) for row in rows] == [
        (13, 0, 13),
        (13, 13, 0),
    ]
    assert "a-private-name" not in text


PARTS = st.lists(st.text(max_size=8), max_size=5)


def question(texts: list[str], tools: str) -> Asked:
    return Asked("m", tuple(texts), (), tools, False, conversation="one")


def answer(tokens_in: int) -> Answer:
    return Answer("", (), "stop", tokens_in, 0)


@given(st.lists(st.tuples(PARTS, st.sampled_from(["", "[tool]"])), max_size=6))
def test_what_is_read_and_what_is_written_are_the_input(asks: list[tuple[list[str], str]]) -> None:
    cache = PromptCache()
    for texts, tools in asks:
        whole = len("\n\n".join(texts).encode("utf-8", "replace")) + len(tools)
        found = cache.counted(question(texts, tools), "", Usage(), answer(whole))
        assert found.tokens_in == whole
        assert found.tokens_cached is not None and found.tokens_written is not None
        assert 0 <= found.tokens_cached <= whole or not whole
        assert found.tokens_cached + found.tokens_written == whole


def test_texts_that_are_the_same_when_joined_are_not_the_same_messages() -> None:
    cache = PromptCache()
    cache.counted(question(["ab", "cd"], ""), "", Usage(), answer(2))

    assert cache.counted(question(["ab\n\ncd"], ""), "", Usage(), answer(2)).tokens_cached == 0
    assert cache.counted(question(["ab", "ce"], ""), "", Usage(), answer(2)).tokens_cached == 1
