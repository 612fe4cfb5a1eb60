"""What is read of Codex's rollouts, and what is not."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from truerecall.agents.records import Action, Turn, Usage, Where
from truerecall.agents.transcripts.codex import CodexReader
from truerecall.agents.transcripts.lines import place, place_before
from truerecall.agents.transcripts.reading import Reading, Transcript

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "agents" / "codex"
HERE = Where("/home/dev/ws", "master", "2a7fdc2cacd1d70614a119b7e8c5024794ec64d3")
TURN = "01a22f61-bf76-7b53-89b2-05d0ba98b18b"


def _read(path: Path) -> Reading:
    return CodexReader().read(Transcript("codex", path, "s", datetime(2026, 12, 1, tzinfo=UTC)))


def _at(seconds: str) -> datetime:
    return datetime.fromisoformat(f"2026-12-01T02:14:{seconds}+00:00")


class _Rollout:
    """Writes lines as Codex does."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "rollout.jsonl"
        self.lines: list[dict[str, Any]] = []

    def line(self, outer: str, **payload: Any) -> "_Rollout":
        at = f"2026-05-11T08:00:{len(self.lines) % 60:02}.000Z"
        self.lines.append({"timestamp": at, "type": outer, "payload": payload})
        return self

    def meta(self, **payload: Any) -> "_Rollout":
        return self.line("session_meta", id="thread", cwd="/w", cli_version="0.125.0", **payload)

    def begin(self, turn: str = "t1") -> "_Rollout":
        self.line("event_msg", type="task_started", turn_id=turn)
        return self.line("turn_context", turn_id=turn, cwd="/w", model="gpt")

    def event(self, name: str, /, **payload: Any) -> "_Rollout":
        return self.line("event_msg", type=name, **payload)

    def item(self, kind: str, **payload: Any) -> "_Rollout":
        return self.line("response_item", type=kind, **payload)

    def call(self, name: str, given: object, key: str = "c1", **payload: Any) -> "_Rollout":
        return self.item("function_call", name=name, arguments=json.dumps(given), call_id=key, **payload)

    def output(self, output: object, key: str = "c1") -> "_Rollout":
        return self.item("function_call_output", call_id=key, output=output)

    def completed(self, kind: str, key: str = "c1", **fields: Any) -> "_Rollout":
        return self.event("item_completed", item={"type": kind, "id": key, **fields})

    def read(self) -> Reading:
        self.path.write_text("".join(json.dumps(line) + "\n" for line in self.lines), encoding="utf-8")
        return _read(self.path)


@pytest.fixture
def rollout(tmp_path: Path) -> _Rollout:
    return _Rollout(tmp_path).meta().begin()


def _said(reading: Reading) -> list[tuple[str, str]]:
    return [(turn.role, turn.text) for turn in reading.turns if turn.text]


def _actions(reading: Reading) -> list[Action]:
    return [turn.action for turn in reading.turns if turn.action]


def test_a_whole_session_of_0_171() -> None:
    reading = _read(FIXTURES / "0.171.0_tools.jsonl")

    def tool(call: str, line: int, at: str, action: Action) -> Turn:
        return Turn(f"{TURN}/{call}", place(line), "tool", "", _at(at), HERE, action)

    assert reading.turns == (
        Turn(
            f"{TURN}/01a22f61-bfba-7873-897f-fcfcd0bbeaab",
            place(6),
            "user",
            "Change x please",
            _at("24.955"),
            HERE,
        ),
        Turn(
            f"{TURN}/msg_000001_0",
            place(7),
            "assistant",
            "Let me change it.",
            _at("24.975"),
            HERE,
            None,
            "gpt-5.5",
        ),
        tool(
            "call_000001_2",
            12,
            "25.028",
            Action("exec_command", "command", "ok", "cat a.py", (), 0, "x = 1\n"),
        ),
        tool("call_000001_1", 13, "25.037", Action("exec_command", "command", "failed", "false", (), 1, "")),
        tool(
            "call_000002_0",
            19,
            "25.058",
            Action(
                "apply_patch",
                "edit",
                "ok",
                None,
                ("a.py", "b.py"),
                None,
                "Success. Updated the following files:\nA b.py\nM a.py\n",
            ),
        ),
        tool(
            "call_000004_0",
            28,
            "25.555",
            Action("update_plan", "other", "failed", None, (), None, "unsupported call: update_plan"),
        ),
        Turn(
            f"{TURN}/msg_000005_0", place(30), "assistant", "All done.", _at("25.571"), HERE, None, "gpt-5.5"
        ),
        tool(
            "call_000003_0",
            35,
            "25.584",
            Action("exec_command", "command", "failed", "sleep 3; echo done", (), -1, ""),
        ),
    )
    assert reading.usages == tuple(
        Usage(f"{TURN}/resp_00000{n}", "gpt-5.5", tokens_in, out)
        for n, tokens_in, out in ((1, 8931, 20), (2, 8989, 32), (3, 9013, 15), (4, 9042, 14), (5, 9050, 3))
    )
    assert (reading.unknown, reading.faults, reading.version) == ({}, (), "0.171.0")


def test_a_resumed_thread_goes_on_in_its_file() -> None:
    reading = _read(FIXTURES / "0.171.0_resumed.jsonl")
    assert _said(reading) == [
        ("user", "Does login work on Windows?"),
        ("assistant", "I will look."),
        ("assistant", "Login may work on Windows."),
        ("user", "a reviewer says your answer is incomplete or wrong in places; keep investigating"),
        ("assistant", "Login does not work on Windows."),
    ]
    assert "MARKER" not in str(reading.turns)  # what a hook had put beside the words
    assert [(u.tokens_in, u.tokens_out, u.tokens_cache_read) for u in reading.usages] == [(100, 50, 5000)] * 4


def test_mcp_tools_and_a_spawned_agent_of_0_171() -> None:
    reading = _read(FIXTURES / "0.171.0_mcp_and_subagent.jsonl")
    assert _said(reading) == [("user", "Ask the memory"), ("assistant", "Finished.")]
    assert _actions(reading) == [
        Action("exec_command", "command", "ok", "sleep 4", (), 0, ""),
        Action("mcp__memo__recall", "mcp", "failed", output="Error executing tool recall: no such thing"),
        Action("mcp__memo__recall", "mcp", "ok", output="fact about login"),
        Action("spawn_agent", "agent", "ok"),
        Action("exec_command", "command", "ok", "sleep 2", (), 0, ""),
    ]
    assert [(usage.tokens_in, usage.tokens_out, usage.tokens_cache_read) for usage in reading.usages] == [
        (60, 10, 40)
    ] * 5

    side = _read(FIXTURES / "0.171.0_subagent_side.jsonl")
    assert _said(side) == [("assistant", "child: hi")]
    assert [(usage.tokens_in, usage.tokens_out) for usage in side.usages] == [(60, 10)]
    assert (reading.unknown, side.unknown) == ({}, {})


def test_words_that_stand_in_two_or_three_kinds_of_lines_are_said_once(rollout: _Rollout) -> None:
    for text in ("Yes", "Yes"):
        rollout.item("message", role="user", content=[{"type": "input_text", "text": text}])
        rollout.event("user_message", message=text)
        rollout.completed("UserMessage", f"u{len(rollout.lines)}", content=[{"type": "text", "text": text}])
    for text in ("Well.", "Done."):
        rollout.completed("AgentMessage", text, content=[{"type": "Text", "text": text}])
        rollout.event("agent_message", message=text)
        rollout.item("message", role="assistant", content=[{"type": "output_text", "text": text}])
    reading = rollout.read()
    assert _said(reading) == [
        ("user", "Yes"),
        ("user", "Yes"),
        ("assistant", "Well."),
        ("assistant", "Done."),
    ]
    assert len({turn.uid for turn in reading.turns}) == 4


@pytest.mark.parametrize(
    "text",
    [
        "<environment_context>\n<cwd>/w</cwd></environment_context>",
        "# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>",
        "<user_instructions>x</user_instructions>",
        "<turn_aborted>x</turn_aborted>",
        "  ",
    ],
)
def test_what_codex_puts_beside_the_words_is_nobodys_word(rollout: _Rollout, text: str) -> None:
    rollout.event("user_message", message=text).completed(
        "UserMessage", content=[{"type": "text", "text": text}]
    )
    assert rollout.read().turns == ()


def test_of_an_editors_message_the_request_is_kept(rollout: _Rollout) -> None:
    rollout.event(
        "user_message",
        message="# Context from my IDE setup:\n\n## Open tabs:\n- a.py\n\n## My request for Codex:\nFix it.\n",
    )
    assert _said(rollout.read()) == [("user", "Fix it.")]


@pytest.mark.parametrize(
    "meta",
    [
        {"source": {"subagent": {"thread_spawn": {"parent_thread_id": "p", "depth": 1}}}},
        {"thread_source": "subagent"},
        {"source": {"subagent": "review"}},
    ],
)
def test_a_subagent_is_asked_by_no_person(tmp_path: Path, meta: dict[str, Any]) -> None:
    rollout = _Rollout(tmp_path).meta(**meta).begin()
    rollout.event("user_message", message="Review it").event("agent_message", message="It is fine.")
    assert _said(rollout.read()) == [("assistant", "It is fine.")]


def test_reasoning_and_compaction_are_never_read(rollout: _Rollout) -> None:
    rollout.item("reasoning", summary=[{"text": "SECRET"}], encrypted_content="SECRET")
    rollout.event("agent_reasoning", text="SECRET").completed("Reasoning", summary_text=["SECRET"])
    rollout.line("compacted", message="SECRET", replacement_history=[{"type": "message"}])
    rollout.item("message", role="developer", content=[{"type": "input_text", "text": "SECRET"}])
    reading = rollout.read()
    assert (reading.turns, reading.unknown) == ((), {})
    assert "SECRET" not in str(reading)


HEADER = (
    "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code {}\nOriginal token count: 1\nOutput:\n"
)


@pytest.mark.parametrize(
    ("output", "outcome", "exit_code", "shown"),
    [
        (HEADER.format(0) + "fine", "ok", 0, "fine"),
        (HEADER.format(2) + "boom", "failed", 2, "boom"),
        ("Exit code: 1\nWall time: 0 seconds\nOutput:\nboom", "failed", 1, "boom"),
        ('{"output":"fine","metadata":{"exit_code":0,"duration_seconds":1}}', "ok", 0, "fine"),
        ('{"output":"boom","metadata":{"exit_code":3}}', "failed", 3, "boom"),
        ({"content": "boom", "success": False}, "failed", None, "boom"),
        ([{"type": "input_text", "text": "a"}, {"type": "input_image"}], "unknown", None, "a"),
        ("aborted by user after 3.1s", "failed", None, "aborted by user after 3.1s"),
        ("exec command rejected by user", "denied", None, "exec command rejected by user"),
        ("it printed Exit code: 7", "unknown", None, "it printed Exit code: 7"),
        (None, "unknown", None, ""),
    ],
)
def test_what_came_of_a_command_by_its_output(
    rollout: _Rollout, output: object, outcome: str, exit_code: int | None, shown: str
) -> None:
    rollout.call("shell", {"command": ["bash", "-lc", "make test"], "workdir": "/w"}).output(output)
    assert _actions(rollout.read()) == [
        Action("shell", "command", outcome, "make test", (), exit_code, shown)  # type: ignore[arg-type]
    ]


@pytest.mark.parametrize(
    ("end", "outcome", "exit_code", "shown"),
    [
        ({"exit_code": 0, "status": "completed", "aggregated_output": "fine"}, "ok", 0, "fine"),
        ({"exit_code": 1, "status": "failed", "stdout": "a", "stderr": "b"}, "failed", 1, "ab"),
        ({"exit_code": -1, "status": "declined"}, "denied", -1, ""),
    ],
)
@pytest.mark.parametrize("new", [False, True])
def test_what_came_of_a_command_by_its_end(
    rollout: _Rollout, end: dict[str, Any], outcome: str, exit_code: int, shown: str, new: bool
) -> None:
    rollout.call("exec_command", {"cmd": "make test"})
    rollout.completed("CommandExecution", **end) if new else rollout.event(
        "exec_command_end", call_id="c1", **end
    )
    reading = rollout.output("told already").read()
    assert _actions(reading) == [
        Action("exec_command", "command", outcome, "make test", (), exit_code, shown)  # type: ignore[arg-type]
    ]
    assert reading.turns[0].uid == "t1/c1"


def test_a_command_that_goes_on_is_one_turn_when_it_ends(rollout: _Rollout) -> None:
    running = "Wall time: 1 seconds\nProcess running with session ID 77\nOutput:\n"
    rollout.call("exec_command", {"cmd": "serve"}).output(running + "a")
    rollout.call("write_stdin", {"session_id": 77, "chars": ""}, "c2").output(running + "b", "c2")
    rollout.begin("t2").event("user_message", message="And?")
    rollout.call("write_stdin", {"session_id": 77, "chars": "q\n"}, "c3").output(HEADER.format(3) + "c", "c3")
    reading = rollout.read()
    assert [(turn.uid, turn.position, turn.action) for turn in reading.turns if turn.action] == [
        ("t2/c3", place(11), Action("write_stdin", "command", "failed", "q\n", (), 3, "c")),
        ("t1/c1", place(11, 1), Action("exec_command", "command", "failed", "serve", (), 3, "abc")),
    ]


@pytest.mark.parametrize(
    ("name", "given", "kind", "command", "files"),
    [
        ("shell_command", {"command": "ls"}, "command", "ls", ()),
        ("shell", {"command": ["git", "commit", "-m", "a b"]}, "command", "git commit -m 'a b'", ()),
        ("view_image", {"path": "/w/a.png"}, "read", None, ("/w/a.png",)),
        ("spawn_agent", {"message": "x"}, "agent", None, ()),
        ("update_plan", {"plan": []}, "other", None, ()),
        ("mcp__memo__recall", {"query": "x"}, "mcp", None, ()),
        ("frobnicate", ["no object"], "other", None, ()),
    ],
)
def test_each_tool_has_its_kind(
    rollout: _Rollout, name: str, given: object, kind: str, command: str | None, files: tuple[str, ...]
) -> None:
    rollout.call(name, given).output(HEADER.format(0))
    (action,) = _actions(rollout.read())
    assert (action.name, action.kind, action.command, action.files) == (name, kind, command, files)


def test_a_patch_names_its_files_however_it_was_sent(rollout: _Rollout) -> None:
    patch = "*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n@@\n-x\n+y\n*** Delete File: c.py\n"
    rollout.item("custom_tool_call", name="apply_patch", input=patch, call_id="c1")
    rollout.event("patch_apply_end", call_id="c1", success=False, stdout="", stderr="no match", changes={})
    rollout.call("apply_patch", {"input": patch}, "c2").output("Done!", "c2")
    rollout.call("shell", {"command": ["apply_patch", patch]}, "c3").output(HEADER.format(0) + "Done!", "c3")
    files = ("a.py", "b.py", "c.py")
    assert _actions(rollout.read()) == [
        Action("apply_patch", "edit", "failed", None, files, None, "no match"),
        Action("apply_patch", "edit", "ok", None, files, None, "Done!"),
        Action("apply_patch", "edit", "ok", None, files, 0, "Done!"),
    ]


def test_a_tool_of_an_mcp_server_has_its_servers_name(rollout: _Rollout) -> None:
    rollout.call("recall", {"query": "x"}, "c1", namespace="mcp__memo")
    rollout.event(
        "mcp_tool_call_end",
        call_id="c1",
        invocation={"server": "memo", "tool": "recall", "arguments": {}},
        result={"Ok": {"content": [{"type": "text", "text": "a fact"}], "isError": False}},
    )
    rollout.call("recall", {"query": "x"}, "c2", namespace="mcp__memo")
    rollout.completed(
        "McpToolCall", "c2", server="memo", tool="recall", status="failed", error={"message": "gone"}
    )
    rollout.call("recall", {"query": "x"}, "c3", namespace="mcp__memo").output("a fact", "c3")
    assert _actions(rollout.read()) == [
        Action("mcp__memo__recall", "mcp", "ok", output="a fact"),
        Action("mcp__memo__recall", "mcp", "failed", output="gone"),
        Action("mcp__memo__recall", "mcp", "ok", output="a fact"),
    ]


def test_a_local_shell_and_a_web_search_are_read(rollout: _Rollout) -> None:
    rollout.item("local_shell_call", call_id="c1", action={"type": "exec", "command": ["ls", "-l"]})
    rollout.output('{"output":"a","metadata":{"exit_code":0}}')
    rollout.item("web_search_call", id="ws_1", status="completed", action={"query": "x"})
    assert _actions(rollout.read()) == [
        Action("local_shell", "command", "ok", "ls -l", (), 0, "a"),
        Action("web_search", "web", "ok"),
    ]


def test_a_call_without_an_end_is_unknown_once_the_next_turn_begins(rollout: _Rollout) -> None:
    rollout.call("exec_command", {"cmd": "sleep 99"}).event("turn_aborted", reason="interrupted")
    assert rollout.read().turns == ()
    reading = rollout.begin("t2").event("user_message", message="Go on").read()
    assert (reading.turns[0].uid, reading.turns[0].position) == ("t1/c1", place_before(5, 0))
    assert [action.outcome for action in _actions(reading)] == ["unknown"]


def _tokens(tokens_in: int, out: int, cached: int = 0) -> dict[str, int]:
    return {"input_tokens": tokens_in, "output_tokens": out, "cached_input_tokens": cached}


def test_a_sum_that_is_told_again_is_no_cost(rollout: _Rollout) -> None:
    first = {"total_token_usage": _tokens(100, 10, 40), "last_token_usage": _tokens(100, 10, 40)}
    rollout.event("token_count", info=None)
    for _ in range(3):
        rollout.event("token_count", info=first, rate_limits={})
    rollout.event("token_count", info={"total_token_usage": _tokens(250, 15, 140)})
    assert rollout.read().usages == (
        Usage("t1/150", "gpt", 60, 10, 40),
        Usage("t1/405", "gpt", 50, 5, 100),
    )


def test_a_copy_of_a_thread_keeps_its_place_and_the_names_of_its_turns(tmp_path: Path) -> None:
    rollout = _Rollout(tmp_path).meta(git={"branch": "main"}).begin()
    rollout.event("user_message", message="Go").call("exec_command", {"cmd": "ls"}).output(HEADER.format(0))
    rollout.event("token_count", info={"total_token_usage": _tokens(1, 1), "last_token_usage": _tokens(1, 1)})
    first = rollout.read()
    fork = _Rollout(tmp_path).line(
        "session_meta", id="fork", cwd="/w", git={"branch": "fork"}, forked_from_id="thread"
    )
    fork.lines += [{**line, "timestamp": "2026-06-01T00:00:00Z"} for line in rollout.lines]
    copy = fork.read()
    assert [turn.uid for turn in copy.turns] == [turn.uid for turn in first.turns]
    assert copy.usages == first.usages
    assert {turn.where for turn in copy.turns} == {Where("/w", "fork")}


def test_where_a_turn_was_taken_follows_the_thread(tmp_path: Path) -> None:
    git = {"commit_hash": "abc", "branch": "main", "repository_url": "git@example.com:org/name.git"}
    rollout = _Rollout(tmp_path).meta(git=git).begin().event("user_message", message="One")
    rollout.line("turn_context", turn_id="t2", cwd="/elsewhere").event("user_message", message="Two")
    assert [turn.where for turn in rollout.read().turns] == [
        Where("/w", "main", "abc", "git@example.com:org/name.git"),
        Where("/elsewhere", "main", "abc", "git@example.com:org/name.git"),
    ]


def test_a_rollout_without_ids_of_turns_is_read_as_well(tmp_path: Path) -> None:
    rollout = _Rollout(tmp_path).meta().line("turn_context", cwd="/w", model="gpt")
    for _ in range(2):
        rollout.event("user_message", message="proceed", kind="plain").event("agent_message", message="Done.")
    reading = rollout.read()
    assert _said(reading) == [("user", "proceed"), ("assistant", "Done.")] * 2
    assert len({turn.uid for turn in reading.turns}) == 4


def test_what_is_not_known_is_counted(rollout: _Rollout) -> None:
    rollout.line("hologram").event("smell").item("song").completed("Dance")
    rollout.lines.append({"type": ["list"], "payload": "none"})
    reading = rollout.read()
    assert reading.unknown == {
        "hologram": 1,
        "event_msg/smell": 1,
        "response_item/song": 1,
        "item_completed/Dance": 1,
        "?": 1,
    }
