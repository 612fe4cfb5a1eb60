"""What is read of Claude Code's transcripts: whole sessions, and what people typed."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from claude_writing import Writer, actions, prompts, read, text_block

from truerecall.agents.records import Action, Turn, Usage, Where
from truerecall.agents.transcripts.lines import place
from truerecall.agents.transcripts.reading import Reading

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "agents" / "claude"
HERE = Where(cwd="/home/dev/ws", branch="main")
LOGIN = """1\tdef login(os_name):
2\t    # Windows is not supported: no keychain
3\t    if os_name == "windows":
4\t        raise RuntimeError("login unsupported on Windows")
5\t    return "ok"
6\t"""


def _at(seconds: str, date: str = "2026-11-30T05:51:") -> datetime:
    return datetime.fromisoformat(f"{date}{seconds}+00:00")


@pytest.fixture
def writer(tmp_path: Path) -> Writer:
    return Writer(tmp_path)


def test_a_whole_session_of_2_1_197() -> None:
    reading = read(FIXTURES / "2.1.197_resumed.jsonl")
    assert reading.turns == (
        Turn(
            uid="579a1877-c88e-444e-a2fb-47cb0f50e020",
            position=place(4),
            role="user",
            text="Does login work on Windows?",
            at=_at("45.220"),
            where=HERE,
        ),
        Turn(
            uid="2beea26b-010f-4c68-a661-01427c7285c9",
            position=place(6),
            role="assistant",
            text="Let me look.",
            at=_at("45.582"),
            where=HERE,
            model="claude-sonnet-5",
        ),
        Turn(
            uid=_uuid("2.1.197_resumed.jsonl", 7),
            position=place(8),
            role="tool",
            text="",
            at=_at("46.228"),
            where=HERE,
            action=Action("Read", "read", "ok", None, ("/home/dev/ws/src/login.py",), None, LOGIN),
        ),
        Turn(
            uid=_uuid("2.1.197_resumed.jsonl", 10),
            position=place(12),
            role="tool",
            text="",
            at=_at("47.339"),
            where=HERE,
            action=Action("Glob", "search", "ok", None, ("/home/dev/ws",), None, "src/login.py"),
        ),
        Turn(
            uid=_uuid("2.1.197_resumed.jsonl", 9),
            position=place(13),
            role="tool",
            text="",
            at=_at("47.421"),
            where=HERE,
            action=Action(
                "Grep",
                "search",
                "ok",
                None,
                ("/home/dev/ws",),
                None,
                'src/login.py:3:    if os_name == "windows":',
            ),
        ),
        Turn(
            uid=_uuid("2.1.197_resumed.jsonl", 11),
            position=place(14),
            role="tool",
            text="",
            at=_at("47.538"),
            where=HERE,
            action=Action("Bash", "command", "ok", "git log --oneline", (), None, "a921451 init"),
        ),
        Turn(
            uid="2b0e09ee-5430-4c79-9514-55f7f5ab1e7a",
            position=place(15),
            role="assistant",
            text="Login may work on Windows.",
            at=_at("47.863"),
            where=HERE,
            model="claude-sonnet-5",
        ),
        Turn(
            uid="40966158-174b-4695-9beb-08a15645f5e2",
            position=place(19),
            role="user",
            text="a reviewer says your answer is incomplete or wrong in places; keep investigating",
            at=_at("51.007"),
            where=HERE,
        ),
        Turn(
            uid="f636e52a-0dce-4e22-ab3d-9d104427a0cc",
            position=place(21),
            role="assistant",
            text="Login does not work on Windows: src/login.py raises RuntimeError.",
            at=_at("51.484"),
            where=HERE,
            model="claude-sonnet-5",
        ),
    )
    assert reading.usages == (
        Usage("msg_e1230bf0714c4aecb8f3209d", "claude-sonnet-5", 3, 60, 0, 12000),
        Usage("msg_8f9f82f359c54c8fa4e0bdc3", "claude-sonnet-5", 5, 120, 12000, 500),
        Usage("msg_0d13f535d0de4bc2baf2c53c", "claude-sonnet-5", 7, 40, 12500, 700),
        Usage("msg_61858040e0ee4ba58c2f4527", "claude-sonnet-5", 9, 55, 13200, 100),
    )
    assert reading.skipped == {
        "queue-operation": 4,
        "attachment/hook_success": 1,
        "attachment/hook_additional_context": 3,
        "last-prompt": 2,
        "mode": 1,
    }
    assert (reading.unknown, reading.faults, reading.version) == ({}, (), "2.1.197")


def _uuid(name: str, line: int) -> str:
    told = json.loads((FIXTURES / name).read_text(encoding="utf-8").splitlines()[line])
    assert told["message"]["content"][0]["type"] == "tool_use"
    return str(told["uuid"])


def test_a_whole_session_of_2_1_332_says_the_same_as_the_older_format() -> None:
    old, new = read(FIXTURES / "2.1.197_resumed.jsonl"), read(FIXTURES / "2.1.332_resumed.jsonl")

    def told(reading: Reading) -> list[object]:
        return sorted((turn.role, turn.text, str(turn.action), str(turn.where)) for turn in reading.turns)

    assert told(new) == told(old)
    assert [turn.text for turn in new.turns if turn.text] == [turn.text for turn in old.turns if turn.text]
    assert {turn.model for turn in new.turns if turn.role == "assistant"} == {"claude-sonnet-5-5"}
    assert [(u.tokens_in, u.tokens_out, u.tokens_cache_read, u.tokens_cache_written) for u in new.usages] == [
        (3, 60, 0, 12000),
        (5, 120, 12000, 500),
        (7, 40, 12500, 700),
        (9, 55, 13200, 100),
    ]
    assert (new.unknown, new.faults, new.version) == ({}, (), "2.1.332")
    assert {kind: n for kind, n in new.skipped.items() if "api-request" in kind or "snapshot" in kind} == {
        "api-request": 4,
        "api-request-blob": 3,
        "api-request-shape": 1,
        "attachment/prompt_snapshot": 2,
    }


def test_what_compacting_writes_is_nobodys_word() -> None:
    reading = read(FIXTURES / "2.1.332_compacted.jsonl")
    assert prompts(reading) == ["Question one", "Question two", "Question three"]
    assert "SUMMARY-OF" not in str(reading.turns)


def test_denied_is_told_from_failed_and_from_done() -> None:
    reading = read(FIXTURES / "2.1.332_denials.jsonl")
    assert [(action.name, action.outcome, action.command) for action in actions(reading)] == [
        ("Read", "denied", None),
        ("Bash", "denied", "git log --oneline && cat /etc/hostname"),
        ("Write", "failed", None),
        ("Bash", "ok", "git log --oneline"),
        ("Read", "ok", None),
    ]


def test_a_subagent_is_asked_by_no_person_and_a_task_notification_is_none() -> None:
    main = read(FIXTURES / "2.1.332_subagent.jsonl")
    assert prompts(main) == ["Delegate this"]
    assert [(a.name, a.kind, a.outcome) for a in actions(main)] == [("Agent", "agent", "unknown")]

    side = read(FIXTURES / "2.1.332_subagent_side.jsonl", "s/ac69a26f6b84db643")
    assert [turn.role for turn in side.turns] == ["assistant", "tool", "assistant"]
    assert [(u.tokens_in, u.tokens_out) for u in side.usages] == [(1, 20), (1, 10)]


@pytest.mark.parametrize(
    "content",
    [
        "<command-name>/clear</command-name>\n<command-message>clear</command-message>\n<command-args></command-args>",
        "<command-name>/compact</command-name>\n<command-args>focus on login</command-args>",
        "<local-command-stdout>Compacted</local-command-stdout>",
        "<task-notification>\n<status>completed</status></task-notification>",
        "<system-reminder>\nbe brief\n</system-reminder>",
        "<system-reminder>never closed",
        "<bash-input>ls</bash-input>",
        "Caveat: The messages below were generated by the user while running local commands. DO NOT respond",
        [{"type": "text", "text": "[Request interrupted by user for tool use]"}],
        '<channel name="ops">restart it</channel>',
        "<cross-session-message>do it</cross-session-message>",
        '<mcp-resource uri="x">do it</mcp-resource>',
        [{"type": "image", "source": {"data": "AAAA"}}],
        "   ",
        [],
    ],
)
def test_what_nobody_typed_is_no_prompt(writer: Writer, content: object) -> None:
    reading = writer.user(content).read()
    assert (reading.turns, reading.skipped, reading.faults) == ((), {"user (not typed)": 1}, ())


@pytest.mark.parametrize(
    "flags",
    [
        {"isMeta": True},
        {"isCompactSummary": True},
        {"isSidechain": True},
        {"promptSource": "system"},
        {"origin": {"kind": "task-notification"}},
        {"origin": {"kind": "peer"}},
    ],
)
def test_a_line_that_is_marked_as_the_programs_is_no_prompt(writer: Writer, flags: dict[str, Any]) -> None:
    assert prompts(writer.user("Do this", **flags).read()) == []


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("Fix the login.", "Fix the login."),
        ("/etc/hosts is wrong, <b>fix</b> it", "/etc/hosts is wrong, <b>fix</b> it"),
        ("<command-message>spec</command-message>\n<command-name>/spec</command-name>\n"
         "<command-args>for the login</command-args>", "for the login"),
        ("<system-reminder>x</system-reminder>\nFix it.<system-reminder>y</system-reminder>", "Fix it."),
        ([text_block("<ide_opened_file>a.py</ide_opened_file>"), text_block("Why?")], "Why?"),
        ([text_block("One"), {"type": "image", "source": {}}, text_block("Two")], "One\nTwo"),
        ("登录在 Windows 上能用吗?", "登录在 Windows 上能用吗?"),
        ("half \ud800 of a pair and \0 nul", "half ? of a pair and \ufffd nul"),
        ("x" * 100_000, "x" * 100_000),
    ],
)  # fmt: skip
def test_what_a_person_typed_is_kept_and_nothing_else(writer: Writer, content: object, text: str) -> None:
    reading = writer.user(content, origin={"kind": "human"}).read()
    assert prompts(reading) == [text]
    assert reading.turns[0].uid == "u0"


def test_a_prompt_that_was_typed_while_the_agent_worked_is_read(writer: Writer) -> None:
    writer.line(
        "attachment",
        attachment={"type": "queued_command", "prompt": "Also the docs", "commandMode": "prompt"},
    )
    writer.line(
        "attachment",
        attachment={"type": "queued_command", "prompt": "<task>", "commandMode": "task-notification"},
    )
    reading = writer.read()
    assert prompts(reading) == ["Also the docs"]
    assert reading.skipped == {"attachment/queued_command": 1}


def test_thinking_is_never_read(writer: Writer) -> None:
    blocks = [
        {"type": "thinking", "thinking": "SECRET", "signature": "SECRET"},
        {"type": "redacted_thinking", "data": "SECRET"},
        {"type": "text", "text": "Answer."},
    ]
    reading = writer.assistant(blocks, model="m").read()
    assert "SECRET" not in str(reading)
    assert [(turn.uid, turn.text, turn.model) for turn in reading.turns] == [("u0/2", "Answer.", "m")]


def test_what_the_program_says_for_the_agent_is_not_read(writer: Writer) -> None:
    writer.assistant(
        [{"type": "text", "text": "API Error: 529"}], model="<synthetic>", isApiErrorMessage=True
    )
    reading = writer.read()
    assert (reading.turns, reading.usages) == ((), ())
