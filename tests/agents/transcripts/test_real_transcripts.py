"""Real transcripts of real work, counted a second time by the plainest means."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from truerecall.agents.records import ToolName
from truerecall.agents.transcripts.reading import Reading, Transcript
from truerecall.agents.transcripts.table import READERS

TRANSCRIPTS = "transcripts"


def _read(tool: ToolName, path: Path) -> Reading:
    session = "s/a" if "agent" in path.stem.rpartition("_")[2] else "s"
    transcript = Transcript(tool, path, session, datetime(2026, 12, 1, tzinfo=UTC))
    return READERS[tool][0].read(transcript, None, 1 << 30)


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    for raw in path.read_bytes().splitlines():
        try:
            line = json.loads(raw)
        except ValueError:
            continue
        if isinstance(line, dict):
            yield line


def _roles(reading: Reading) -> tuple[int, int, int]:
    roles = [turn.role for turn in reading.turns]
    return roles.count("user"), roles.count("assistant"), roles.count("tool")


@pytest.mark.parametrize(
    ("name", "prompts", "texts", "calls"),
    [
        # Prompts were counted by eye, texts and calls by their types.
        ("codemie_incremental-simple_turn-2", 4, 6, 2),
        ("codemie_incremental-subagents_turn-2", 1, 5, 14),
        ("codemie_incremental-subagents_agent-a485154", 0, 3, 20),
        ("codemie_session-196820da", 13, 21, 65),
        ("codemie_session-3fe1b6bc", 7, 31, 76),
        ("codemie_session-9eda1058", 3, 5, 3),
        ("codemie_tmp-private_4c2ddfdc", 3, 4, 6),
        ("codemie_tmp-private_agent-36541525", 0, 1, 0),
        ("daaain_representative_messages", 4, 3, 2),
        ("daaain_todowrite_examples", 2, 3, 3),
    ],
)
def test_every_prompt_text_and_call_of_claude_code_is_there(
    shared_data: Path, name: str, prompts: int, texts: int, calls: int
) -> None:
    path = shared_data / TRANSCRIPTS / "claude_code" / f"{name}.jsonl"
    reading = _read("claude-code", path)
    kinds = [
        block["type"]
        for line in _lines(path)
        if line.get("type") == "assistant"
        for block in line["message"]["content"]
    ]
    assert (kinds.count("text"), kinds.count("tool_use")) == (texts, calls)
    assert _roles(reading) == (prompts, texts, calls)
    assert (reading.unknown, reading.faults) == ({}, ())


def test_files_that_were_written_to_break_readers_are_read(shared_data: Path) -> None:
    reading = _read("claude-code", shared_data / TRANSCRIPTS / "claude_code/daaain_edge_cases.jsonl")
    assert [turn.text[:20] for turn in reading.turns if turn.role == "user"] == [
        "Here's a message wit",
        "Let's test a very lo",
        "--verbose --output /",
        "Testing special char",
        "wow error",
    ]
    assert reading.faults == (
        "line 10: a user's line without a message",
        "line 11: a user's line without a message",
        "line 13: not a JSON object",
        "line 15: not a JSON object",
        "line 16: not a JSON object",
    )
    assert reading.unknown == {"?": 1}  # {"silly": "this"}


@pytest.mark.parametrize(
    ("name", "last_is_open"),
    [
        ("codemie_incremental-simple_turn-2", False),
        ("codemie_incremental-subagents_turn-2", False),
        ("codemie_incremental-subagents_agent-a485154", True),
        ("codemie_session-196820da", True),
        ("codemie_session-3fe1b6bc", True),
        ("codemie_session-9eda1058", False),
        ("codemie_tmp-private_4c2ddfdc", False),
    ],
)
def test_each_message_of_claude_code_is_counted_once_with_its_last_value(
    shared_data: Path, name: str, last_is_open: bool
) -> None:
    """The last message of a file is not counted where nothing says that it is final."""
    path = shared_data / TRANSCRIPTS / "claude_code" / f"{name}.jsonl"
    last: dict[str, dict[str, int]] = {}
    lines = 0
    for line in _lines(path):
        message = line.get("message")
        if line.get("type") == "assistant" and isinstance(message, dict) and "usage" in message:
            last[message["id"]] = message["usage"]
            lines += 1
    if last_is_open:
        last.popitem()
    usages = _read("claude-code", path).usages
    assert {usage.message_id: (usage.tokens_in, usage.tokens_out) for usage in usages} == {
        key: (told["input_tokens"], told["output_tokens"]) for key, told in last.items()
    }
    assert sum(usage.tokens_cache_read + usage.tokens_cache_written for usage in usages) == sum(
        told["cache_read_input_tokens"] + told["cache_creation_input_tokens"] for told in last.values()
    )
    assert len(usages) == len(last) < lines


def test_a_real_rollout_of_codex_is_read_whole(shared_data: Path) -> None:
    (path,) = (shared_data / TRANSCRIPTS / "codex").glob("codemie_rollout-*.jsonl")
    payloads = [line["payload"] for line in _lines(path)]

    def told(kind: str) -> list[dict[str, Any]]:
        return [payload for payload in payloads if payload.get("type") == kind]

    reading = _read("codex", path)
    by_name = [(turn.action.name, turn.action.outcome) for turn in reading.turns if turn.action]
    asked = [call["name"] for call in told("function_call")]
    typed = [call for call in told("function_call") if json.loads(call["arguments"]).get("chars")]

    assert [t.text for t in reading.turns if t.role == "user"] == [m["message"] for m in told("user_message")]
    assert [t.text for t in reading.turns if t.role == "assistant"] == [
        m["message"] for m in told("agent_message")
    ]
    assert _roles(reading) == (2, 13, 52)
    assert asked.count("exec_command") == 43
    ends = [end["exit_code"] for end in told("exec_command_end")]
    assert by_name.count(("exec_command", "ok")) == ends.count(0) == 39
    assert by_name.count(("exec_command", "failed")) == len(ends) - ends.count(0) == 4
    assert by_name.count(("web_search", "ok")) == len(told("web_search_call")) == 3
    assert by_name.count(("apply_patch", "ok")) == len(told("patch_apply_end")) == 3
    assert [name for name, _ in by_name].count("write_stdin") == len(typed) == 1
    exit_codes = sorted(
        turn.action.exit_code or 0 for turn in reading.turns if turn.action and turn.action.command
    )
    assert exit_codes == sorted([*ends, 0])  # and that of what was typed into a command that was over

    total = told("token_count")[-1]["info"]["total_token_usage"]
    assert sum(usage.tokens_out for usage in reading.usages) == total["output_tokens"] == 9118
    assert sum(u.tokens_in + u.tokens_cache_read for u in reading.usages) == total["input_tokens"] == 6055836
    assert sum(usage.tokens_cache_read for usage in reading.usages) == total["cached_input_tokens"]
    assert {usage.model for usage in reading.usages} == {"gpt-5.5"}
    assert (reading.unknown, reading.faults, reading.version) == ({}, (), "0.125.0")


@pytest.mark.parametrize(
    ("name", "roles", "out"),
    [("turn-1", (1, 1, 0), 12), ("turn-2", (2, 2, 0), 32), ("turn-spawn-skill", (1, 0, 3), 200)],
)
def test_small_rollouts_of_0_129_are_read(
    shared_data: Path, name: str, roles: tuple[int, ...], out: int
) -> None:
    reading = _read("codex", shared_data / TRANSCRIPTS / "codex" / f"codemie_fixture_{name}.jsonl")
    assert _roles(reading) == roles
    assert sum(usage.tokens_out for usage in reading.usages) == out
    assert (reading.unknown, reading.faults, reading.version) == ({}, (), "0.129.0")
