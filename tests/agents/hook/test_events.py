"""What agents tell their hooks: captured from the real command lines, Cursor's from its documentation."""

import json
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truerecall.agents.hook.events import TOOLS, Asked, Purpose, asked
from truerecall.agents.records import ToolName
from truerecall.errors import InvalidInput

SAMPLES = Path(__file__).resolve().parents[2] / "fixtures/agents/hooks"


def sample(tool: str, name: str) -> Asked:
    return asked([tool], (SAMPLES / tool / f"{name}.json").read_bytes(), {})


def test_the_hook_is_for_every_tool() -> None:
    assert get_args(ToolName) == TOOLS


def test_a_prompt_of_claude_code() -> None:
    found = sample("claude-code", "UserPromptSubmit")

    assert found == Asked(
        tool="claude-code",
        event="UserPromptSubmit",
        session="e7387a30-bf33-4ba4-bdbb-d4e4e8121950",
        transcript="/home/dev/ccd/projects/-home-dev-ws/e7387a30-bf33-4ba4-bdbb-d4e4e8121950.jsonl",
        cwd="/home/dev/ws",
        prompt="Does login work on Windows?",
        source="",
        given=found.given,
    )
    assert found.given["permission_mode"] == "dontAsk"


def test_a_prompt_of_codex() -> None:
    found = sample("codex", "UserPromptSubmit")

    assert (found.tool, found.purpose, found.session) == (
        "codex",
        "recall",
        "01a22b08-c670-7a10-b450-8e616c256a95",
    )
    assert found.transcript.endswith(
        "/rollout-2026-11-30T05-58-45-01a22b08-c670-7a10-b450-8e616c256a95.jsonl"
    )


@pytest.mark.parametrize(
    ("tool", "name", "purpose", "source"),
    [
        ("claude-code", "SessionStart.startup", "digest", "startup"),
        ("claude-code", "SessionStart.resume", "digest", "resume"),
        ("claude-code", "SessionStart.compact", "digest", "compact"),
        ("claude-code", "Stop", "capture", ""),
        ("claude-code", "SubagentStop", "capture", ""),
        ("claude-code", "SessionEnd", "capture", ""),
        ("claude-code", "PreCompact", "capture", ""),
        ("claude-code", "PostCompact", "none", ""),
        ("codex", "SessionStart", "digest", "startup"),
        ("codex", "Stop", "capture", ""),
        ("codex", "SessionEnd", "capture", ""),
        ("codex", "PostToolUse", "none", ""),
    ],
)
def test_each_event_has_its_purpose(tool: str, name: str, purpose: Purpose, source: str) -> None:
    found = sample(tool, name)

    assert (found.purpose, found.source) == (purpose, source)


def test_a_subagent_has_a_session_and_a_transcript_of_its_own() -> None:
    found = sample("claude-code", "SubagentStop")

    assert found.session == "f37d488e-85e8-416d-b431-9af2d65c4a44/ac69a26f6b84db643"
    assert found.transcript.endswith("/subagents/agent-ac69a26f6b84db643.jsonl")


def test_codex_notifies_by_an_argument() -> None:
    argument = json.dumps(
        {"type": "agent-turn-complete", "thread-id": "t-1", "turn-id": "u", "cwd": "/home/dev/ws"}
    )
    found = asked(["codex-notify", argument], b"ignored", {})

    assert (found.tool, found.event, found.session, found.cwd, found.purpose) == (
        "codex",
        "agent-turn-complete",
        "t-1",
        "/home/dev/ws",
        "capture",
    )


def test_a_prompt_of_cursor() -> None:
    told = {
        "conversation_id": "c-1",
        "generation_id": "g-1",
        "model": "m",
        "hook_event_name": "beforeSubmitPrompt",
        "cursor_version": "3.20.17",
        "workspace_roots": ["/home/dev/ws", "/home/dev/other"],
        "user_email": "ada@example.org",
        "transcript_path": None,
        "prompt": "why?",
        "attachments": [],
    }
    found = asked(["cursor"], json.dumps(told).encode(), {})

    assert found == Asked("cursor", "beforeSubmitPrompt", "c-1", "", "/home/dev/ws", "why?", "", told)
    assert found.purpose == "recall"


@pytest.mark.parametrize(
    ("event", "purpose"),
    [
        ("sessionStart", "digest"),
        ("stop", "capture"),
        ("sessionEnd", "capture"),
        ("afterAgentResponse", "tell"),
        ("afterFileEdit", "tell"),
        ("afterShellExecution", "tell"),
    ],
)
def test_each_event_of_cursor_is_for_something(event: str, purpose: Purpose) -> None:
    assert asked(["cursor"], json.dumps({"hook_event_name": event}).encode(), {}).purpose == purpose


def test_what_is_missing_is_empty_and_the_folder_comes_from_the_environment() -> None:
    assert asked(["opencode"], b"{}", {"PWD": "/home/dev"}) == Asked(
        "opencode", "", "", "", "/home/dev", "", "", {}
    )
    assert asked(["opencode"], b"{}", {}).cwd == "/"
    assert asked(["cursor"], b"{}", {"CURSOR_PROJECT_DIR": "/p", "PWD": "/home/dev"}).cwd == "/p"


def test_fields_of_another_type_are_as_good_as_missing() -> None:
    told = b'{"session_id": 7, "cwd": ["/x"], "prompt": null, "hook_event_name": {}, "workspace_roots": [3]}'

    found = asked(["cursor"], told, {})
    assert (found.session, found.cwd, found.prompt, found.event) == ("", "/", "", "")


def test_a_folder_with_a_nul_byte_is_none() -> None:
    assert asked(["codex"], b'{"cwd": "/a\\u0000b"}', {}).cwd == "/"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_json_says_its_own_encoding(encoding: str) -> None:
    told = json.dumps({"prompt": "登录 👩‍💻"}, ensure_ascii=False).encode(encoding)

    assert asked(["codex"], told, {}).prompt == "登录 👩‍💻"


@pytest.mark.parametrize(
    "data",
    [b"", b"  \n", b"{", b"[]", b"12", b"null", b'"text"', b"\xff\xfe\xfd", b'{"a": "\xff"}', b"[" * 200_000],
)
def test_what_is_no_object_is_refused(data: bytes) -> None:
    with pytest.raises(InvalidInput, match="the agent gave its hook"):
        asked(["claude-code"], data, {})


@pytest.mark.parametrize("arguments", [[], ["vim"], ["--help"], [""]])
def test_another_tool_is_refused(arguments: list[str]) -> None:
    with pytest.raises(InvalidInput, match="no tool that it knows"):
        asked(arguments, b"{}", {})


def test_a_notification_without_an_argument_is_refused() -> None:
    with pytest.raises(InvalidInput, match="nothing"):
        asked(["codex-notify"], b"{}", {})


@given(st.binary())
def test_any_bytes_are_an_event_or_refused(data: bytes) -> None:
    try:
        found = asked(["claude-code"], data, {})
    except InvalidInput:
        return
    assert isinstance(found.given, dict)


_PLAIN = st.none() | st.booleans() | st.integers() | st.text()
_JSON = _PLAIN | st.lists(_PLAIN, max_size=3)


@given(
    st.dictionaries(
        st.sampled_from(
            ["session_id", "cwd", "prompt", "hook_event_name", "workspace_roots", "agent_id", "new"]
        ),
        _JSON,
    )
)
def test_any_fields_are_an_event(told: dict[str, object]) -> None:
    found = asked(["cursor"], json.dumps(told).encode(), {})

    assert all(isinstance(text, str) for text in (found.session, found.cwd, found.prompt, found.event))
    assert set(found.given) == set(told)
