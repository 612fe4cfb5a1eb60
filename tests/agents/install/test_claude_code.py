"""What is written for Claude Code, and what of the user's stays."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from truerecall.agents.install import claude_code
from truerecall.agents.install.records import Change, Setup
from truerecall.errors import InstallError

HOOK = "/usr/local/bin/truerecall-hook claude-code"
EVENTS = {
    "SessionStart": 10,
    "UserPromptSubmit": 10,
    "Stop": 15,
    "SubagentStop": 15,
    "PreCompact": 15,
    "SessionEnd": 10,
}
SERVER = {"type": "stdio", "command": "/usr/local/bin/truerecall", "args": ["agents", "mcp"]}


def ours(event: str) -> dict[str, Any]:
    return {"hooks": [{"type": "command", "command": HOOK, "timeout": EVENTS[event]}]}


def after(changes: list[Change]) -> dict[str, Any]:
    return {change.path.name: json.loads(change.after) for change in changes if change.after}


def write(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2), encoding="utf-8")


def test_an_empty_home_gets_every_hook_with_its_time_out_and_the_server(home: Path, setup: Setup) -> None:
    changes = claude_code.changes(setup)

    assert [(change.path, change.before, change.mode) for change in changes] == [
        (home / ".claude" / "settings.json", None, 0o600),
        (home / ".claude.json", None, 0o600),
    ]
    assert after(changes) == {
        "settings.json": {"hooks": {event: [ours(event)] for event in EVENTS}},
        ".claude.json": {"mcpServers": {"truerecall": SERVER}},
    }


def test_a_named_folder_holds_both_files(home: Path, setup: Setup) -> None:
    named = replace(setup, environment={"CLAUDE_CONFIG_DIR": str(home / "cfg")})

    assert [change.path for change in claude_code.changes(named)] == [
        home / "cfg" / "settings.json",
        home / "cfg" / ".claude.json",
    ]


def test_hooks_and_servers_of_the_user_keep_their_places(home: Path, setup: Setup) -> None:
    mine = {"matcher": "startup", "hooks": [{"type": "command", "command": "mine"}]}
    write(
        home / ".claude" / "settings.json",
        {"hooks": {"SessionStart": [mine], "Notification": [mine]}, "model": "x"},
    )
    write(home / ".claude.json", {"mcpServers": {"other": {"command": "o"}}, "numStartups": 4})

    found = after(claude_code.changes(setup))

    assert found["settings.json"] == {
        "hooks": {
            "SessionStart": [mine, ours("SessionStart")],
            "Notification": [mine],
            **{event: [ours(event)] for event in EVENTS if event != "SessionStart"},
        },
        "model": "x",
    }
    assert found[".claude.json"] == {
        "mcpServers": {"other": {"command": "o"}, "truerecall": SERVER},
        "numStartups": 4,
    }


def test_hooks_of_an_older_installation_are_replaced_and_never_doubled(home: Path, setup: Setup) -> None:
    old = {"type": "command", "command": "'/old place/truerecall-hook' claude-code", "timeout": 3}
    mine = {"type": "command", "command": "mine"}
    write(
        home / ".claude" / "settings.json",
        {"hooks": {"Stop": [{"hooks": [mine, old]}, {"hooks": [old]}], "PostToolUse": [{"hooks": [old]}]}},
    )

    hooks = after(claude_code.changes(setup))["settings.json"]["hooks"]

    assert hooks["Stop"] == [{"hooks": [mine, *ours("Stop")["hooks"]]}]
    assert "PostToolUse" not in hooks
    assert json.dumps(hooks).count("truerecall-hook") == len(EVENTS)


def test_what_the_user_set_on_our_server_stays(home: Path, setup: Setup) -> None:
    old = {"type": "stdio", "command": "/old/truerecall", "args": ["agents", "mcp"], "env": {"A": "b"}}
    write(home / ".claude.json", {"mcpServers": {"truerecall": old}})

    found = after(claude_code.changes(setup))

    assert found[".claude.json"]["mcpServers"]["truerecall"] == {**SERVER, "env": {"A": "b"}}


def test_a_server_of_somebody_else_under_our_name_is_not_touched(home: Path, setup: Setup) -> None:
    write(home / ".claude.json", {"mcpServers": {"truerecall": {"command": "npx", "args": ["x"]}}})

    with pytest.raises(InstallError, match="another MCP server is called truerecall already"):
        claude_code.changes(setup)
    assert [change for change in claude_code.removed(setup) if change.before != change.after] == []


@pytest.mark.parametrize(
    "hooks", [{"Stop": [None, {"hooks": "x"}, {"hooks": [1, {"command": 2}]}]}, {"Stop": []}]
)
def test_hooks_of_another_shape_are_passed_over(hooks: Any, home: Path, setup: Setup) -> None:
    write(home / ".claude" / "settings.json", {"hooks": hooks})

    found = after(claude_code.changes(setup))["settings.json"]["hooks"]

    assert found["Stop"] == [*hooks["Stop"], ours("Stop")]


@pytest.mark.parametrize("hooks", [[], {"Stop": {}}, "x"])
def test_hooks_that_cannot_take_ours_are_an_error(hooks: Any, home: Path, setup: Setup) -> None:
    write(home / ".claude" / "settings.json", {"hooks": hooks})

    with pytest.raises(InstallError, match="is not an"):
        claude_code.changes(setup)


def test_where_the_plugin_is_on_nothing_is_written_beside_it(home: Path, setup: Setup) -> None:
    write(home / ".claude" / "settings.json", {"enabledPlugins": {"truerecall@truerecall": True}})

    assert claude_code.changes(setup) == []
    assert claude_code.notes(setup) == [
        "the plugin is enabled in Claude Code: it brings the hooks and the MCP server, nothing is written"
    ]


def test_a_plugin_that_is_off_counts_for_nothing(home: Path, setup: Setup) -> None:
    write(
        home / ".claude" / "settings.json", {"enabledPlugins": {"truerecall@truerecall": False, "x@y": True}}
    )

    assert len(claude_code.changes(setup)) == 2


def test_entries_beside_the_plugin_are_kept_up_to_date(home: Path, setup: Setup) -> None:
    old = {"type": "command", "command": "/old/truerecall-hook claude-code"}
    write(
        home / ".claude" / "settings.json",
        {"enabledPlugins": {"truerecall@truerecall": True}, "hooks": {"Stop": [{"hooks": [old]}]}},
    )

    assert after(claude_code.changes(setup))["settings.json"]["hooks"]["Stop"] == [ours("Stop")]
    assert "stand down" in " ".join(claude_code.notes(setup))
