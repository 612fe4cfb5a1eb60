"""What Claude Code's tools did, what its messages cost, and what of a transcript is not known."""

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from claude_writing import Writer, actions

from truerecall.agents.records import Action, Turn, Usage, Where
from truerecall.agents.transcripts.lines import place, place_before


def _at(seconds: str, date: str = "2026-11-30T05:51:") -> datetime:
    return datetime.fromisoformat(f"{date}{seconds}+00:00")


@pytest.fixture
def writer(tmp_path: Path) -> Writer:
    return Writer(tmp_path)


@pytest.mark.parametrize(
    ("name", "given", "kind", "command", "files"),
    [
        ("Bash", {"command": "make test", "description": "Test"}, "command", "make test", ()),
        ("Read", {"file_path": "/w/a.py"}, "read", None, ("/w/a.py",)),
        ("NotebookRead", {"notebook_path": "/w/a.ipynb"}, "read", None, ("/w/a.ipynb",)),
        ("Edit", {"file_path": "/w/a.py", "old_string": "a"}, "edit", None, ("/w/a.py",)),
        ("Write", {"file_path": "/w/a.py"}, "edit", None, ("/w/a.py",)),
        ("MultiEdit", {"file_path": "/w/a.py"}, "edit", None, ("/w/a.py",)),
        ("NotebookEdit", {"notebook_path": "/w/a.ipynb"}, "edit", None, ("/w/a.ipynb",)),
        ("Grep", {"pattern": "x", "path": "/w"}, "search", None, ("/w",)),
        ("Glob", {"pattern": "*.py"}, "search", None, ()),
        ("LS", {"path": "/w"}, "search", None, ("/w",)),
        ("WebFetch", {"url": "https://example.com"}, "web", None, ()),
        ("WebSearch", {"query": "x"}, "web", None, ()),
        ("Task", {"prompt": "x"}, "agent", None, ()),
        ("Agent", {"prompt": "x"}, "agent", None, ()),
        ("mcp__memo__recall", {"query": "x", "path": "/w"}, "mcp", None, ()),
        ("TodoWrite", {"todos": []}, "other", None, ()),
        ("Bash", {"command": ["no", "string"]}, "command", None, ()),
        ("Read", "no object", "read", None, ()),
    ],
)
def test_each_tool_has_its_kind(
    writer: Writer, name: str, given: object, kind: str, command: str | None, files: tuple[str, ...]
) -> None:
    reading = writer.call("t1", name, given).result("t1", "out").read()
    assert reading.turns == (
        Turn(
            "u0",
            place(1),
            "tool",
            "",
            _at("06:00:01", "2026-11-30T"),
            Where("/w"),
            Action(name, kind, "ok", command, files, None, "out"),  # type: ignore[arg-type]
        ),
    )


@pytest.mark.parametrize(
    ("result", "outcome", "exit_code"),
    [
        ({"content": "fine"}, "ok", None),
        ({"content": "Exit code 2\nboom", "is_error": True}, "failed", 2),
        ({"content": "Error: Exit code 127\nno such command", "is_error": True}, "failed", 127),
        ({"content": "Exit code 2 is what it printed"}, "ok", None),
        (
            {"content": "The user doesn't want to proceed with this tool use.", "is_error": True},
            "denied",
            None,
        ),
        ({"content": "Claude requested permissions to use Bash, but", "is_error": True}, "denied", None),
        ({"content": "no", "is_error": True, "toolDenialKind": "user-rejected"}, "denied", None),
        ({"content": "no", "is_error": True, "toolDenialKind": "interrupted"}, "failed", None),
        ({"content": "no", "is_error": True, "permissionDecision": {"decision": "reject"}}, "denied", None),
        ({"content": "", "toolUseResult": {"stdout": "", "interrupted": True}}, "failed", None),
        ({"content": "started", "toolUseResult": {"backgroundTaskId": "b1"}}, "unknown", None),
    ],
)
def test_what_came_of_a_command(
    writer: Writer, result: dict[str, Any], outcome: str, exit_code: int | None
) -> None:
    reading = writer.call("t1", "Bash", {"command": "x"}).result("t1", **result).read()
    (action,) = actions(reading)
    assert (action.outcome, action.exit_code, action.output) == (outcome, exit_code, result["content"])


def test_an_output_is_cut_and_its_pictures_are_named(writer: Writer) -> None:
    blocks = [{"type": "text", "text": "a" * 5000}, {"type": "image", "source": {"data": "AAAA"}}]
    (action,) = actions(writer.call("t1", "Read").result("t1", blocks).read())
    assert action.output == "a" * 1500 + "\n[… 2508 characters cut …]\n" + "a" * 992 + "\n[image]"


def test_a_call_without_a_result_is_unknown_once_the_person_goes_on(writer: Writer) -> None:
    writer.user("Go").call("t1", "Bash", {"command": "sleep 99"}).call("t2", "Read", {"file_path": "a"})
    assert actions(writer.read()) == []

    reading = writer.user("Never mind").result("t1", "late").read()

    assert [(turn.uid, turn.position, turn.role) for turn in reading.turns] == [
        ("u0", place(0), "user"),
        ("u1", place_before(3, 0), "tool"),
        ("u2", place_before(3, 1), "tool"),
        ("u3", place(3), "user"),
    ]
    assert [action.outcome for action in actions(reading)] == ["unknown", "unknown"]
    assert reading.skipped == {"tool_result (of no call)": 1}


def test_a_call_stays_open_while_a_subagent_speaks(writer: Writer) -> None:
    writer.call("t1", "Task").user("Look", isSidechain=True, agentId="a1")
    writer.assistant([{"type": "text", "text": "Found."}], isSidechain=True, agentId="a1")
    reading = writer.result("t1", "It was found.").read()
    assert [
        (turn.role, turn.text or turn.action.output) for turn in reading.turns if turn.action or turn.text
    ] == [
        ("assistant", "Found."),
        ("tool", "It was found."),
    ]


def test_calls_that_never_end_do_not_pile_up(writer: Writer) -> None:
    for n in range(300):
        writer.call(f"t{n}", "Bash", {"command": "x" * 9000})
    reading = writer.read()
    assert [action.outcome for action in actions(reading)] == ["unknown"] * (300 - 256)
    assert len(reading.cursor.carry) < 256 * 4000


def _usage(tokens_in: int, out: int) -> dict[str, int]:
    return {"input_tokens": tokens_in, "output_tokens": out, "cache_read_input_tokens": 7}


def test_a_message_on_four_lines_is_counted_once(writer: Writer) -> None:
    """Counted by the line it is four times over (ClaudeBar#207)."""
    for text in "abcd":
        writer.assistant(
            [{"type": "text", "text": text}], id="m1", usage=_usage(10, 50), stop_reason="end_turn"
        )
    assert writer.read().usages == (Usage("m1", "", 10, 50, 7, 0),)


def test_a_placeholder_is_not_what_a_message_cost(writer: Writer) -> None:
    """The first lines tell a few tokens, the last one hundreds (ccusage#866)."""
    for out, reason in ((3, None), (3, None), (574, None)):
        writer.assistant(
            [{"type": "text", "text": str(out)}], id="m1", usage=_usage(10, out), stop_reason=reason
        )
    assert writer.read().usages == ()
    assert writer.user("Thanks").read().usages == (Usage("m1", "", 10, 574, 7, 0),)


def test_a_message_that_stands_in_the_file_again_is_not_counted_again(writer: Writer) -> None:
    for _ in range(2):
        for key in ("m1", "m2"):
            writer.assistant([], id=key, usage=_usage(1, 2), stop_reason="end_turn")
    assert [usage.message_id for usage in writer.read().usages] == ["m1", "m2"]


def test_messages_of_two_subagents_may_mix(writer: Writer) -> None:
    for out in (1, 30):
        for agent in ("a", "b"):
            fields = {"isSidechain": True, "agentId": agent}
            writer.assistant([], id=f"m{agent}", usage=_usage(1, out), stop_reason=None, **fields)
    writer.user("Next")
    assert [(usage.message_id, usage.tokens_out) for usage in writer.read().usages] == [
        ("ma", 30),
        ("mb", 30),
    ]


def test_what_is_not_known_is_counted_and_what_is_broken_is_named(writer: Writer) -> None:
    writer.line("hologram").line("attachment", attachment={"type": "smell"}).line("system", subtype="dream")
    writer.assistant([{"type": "song"}]).user([{"type": "dance"}]).line("user", message="no object")
    writer.line("assistant", message=None).line("x" * 1000)
    reading = writer.read()
    assert reading.turns == ()
    assert reading.unknown == {
        "hologram": 1,
        "attachment/smell": 1,
        "system/dream": 1,
        "assistant/song": 1,
        "user/dance": 1,
        "x" * 64: 1,
    }
    assert reading.faults == (
        "line 6: a user's line without a message",
        "line 7: an assistant's line without a message",
    )


def test_a_copy_of_a_session_keeps_the_names_of_its_turns(writer: Writer, tmp_path: Path) -> None:
    writer.user("Go").call("t1", "Bash", {"command": "ls"}).result("t1").assistant(
        [{"type": "text", "text": "Done."}]
    )
    first = writer.read()
    copy = Writer(tmp_path)
    copy.path = tmp_path / "fork.jsonl"
    copy.lines = [{"type": "summary"}, *({**line, "sessionId": "other"} for line in writer.lines)]
    assert [turn.uid for turn in copy.read("other").turns] == [turn.uid for turn in first.turns]
