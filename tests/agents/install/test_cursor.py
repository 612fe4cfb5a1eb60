"""What is written for Cursor, and what of the user's stays."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from truerecall.agents.install import cursor
from truerecall.agents.install.editing import carry_out, plan_install, plan_removal
from truerecall.agents.install.records import Change, Setup
from truerecall.errors import InstallError

HOOK = {"command": "/usr/local/bin/truerecall-hook cursor"}
SERVER = {"command": "/usr/local/bin/truerecall", "args": ["agents", "mcp"]}
EVENTS = [
    "sessionStart",
    "beforeSubmitPrompt",
    "afterAgentResponse",
    "afterShellExecution",
    "afterMCPExecution",
    "afterFileEdit",
    "postToolUse",
    "postToolUseFailure",
    "stop",
    "sessionEnd",
]


def after(changes: list[Change]) -> dict[str, Any]:
    return {change.path.name: json.loads(change.after) for change in changes if change.after}


def write(home: Path, name: str, text: object) -> Path:
    path = home / ".cursor" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text if isinstance(text, str) else json.dumps(text, indent=2), encoding="utf-8")
    return path


def test_an_empty_home_gets_a_hook_at_each_event_and_the_server(home: Path, setup: Setup) -> None:
    changes = cursor.changes(setup)

    assert [change.path for change in changes] == [
        home / ".cursor" / "hooks.json",
        home / ".cursor" / "mcp.json",
    ]
    assert after(changes) == {
        "hooks.json": {"version": 1, "hooks": {event: [HOOK] for event in EVENTS}},
        "mcp.json": {"mcpServers": {"truerecall": SERVER}},
    }


def test_what_the_model_thinks_is_not_asked_for(setup: Setup) -> None:
    assert "afterAgentThought" not in after(cursor.changes(setup))["hooks.json"]["hooks"]


def test_hooks_servers_and_comments_of_the_user_keep_their_places(home: Path, setup: Setup) -> None:
    hooks = '{\n  // mine\n  "version": 1,\n  "hooks": {\n    "stop": [{"command": "beep", "loop_limit": 5}]\n  }\n}\n'
    path = write(home, "hooks.json", hooks)
    write(home, "mcp.json", {"mcpServers": {"other": {"url": "https://a.example"}}})

    found = cursor.changes(setup)
    text = (found[0].after or b"").decode("utf-8")

    assert text.startswith('{\n  // mine\n  "version": 1,\n')
    told = json.loads(text.replace("// mine", ""))
    assert told["hooks"]["stop"] == [{"command": "beep", "loop_limit": 5}, HOOK]
    assert after(found[1:])["mcp.json"]["mcpServers"] == {
        "other": {"url": "https://a.example"},
        "truerecall": SERVER,
    }
    path.write_bytes(found[0].after or b"")
    assert json.loads((cursor.removed(setup)[0].after or b"").replace(b"// mine", b"")) == {
        "version": 1,
        "hooks": {"stop": [{"command": "beep", "loop_limit": 5}]},
    }


def test_entries_of_an_older_installation_are_replaced_and_never_doubled(home: Path, setup: Setup) -> None:
    old = {"command": "/old/truerecall-hook cursor", "timeout": 9}
    hooks = {"stop": [old, {"command": "beep"}, old], "afterAgentThought": [old]}
    write(home, "hooks.json", {"version": 1, "hooks": hooks})

    found = after(cursor.changes(setup))["hooks.json"]["hooks"]

    assert found["stop"] == [{**HOOK, "timeout": 9}, {"command": "beep"}]
    assert "afterAgentThought" not in found
    assert json.dumps(found).count("truerecall-hook") == len(EVENTS)


def test_installing_twice_changes_nothing_more(setup: Setup) -> None:
    carry_out(setup, plan_install(setup, {"cursor": cursor}))

    assert [change for change in cursor.changes(setup) if change.before != change.after] == []


@pytest.mark.parametrize(
    "hooks",
    [None, "", '{"version": 1}', '{"hooks": {}, "version":1 }', '{"version":1,"hooks":{"stop":[]}}\n'],
)
def test_uninstalling_gives_back_every_byte(home: Path, setup: Setup, hooks: str | None) -> None:
    if hooks is not None:
        write(home, "hooks.json", hooks)
    before = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}

    carry_out(setup, plan_install(setup, {"cursor": cursor}))
    assert (home / ".cursor" / "mcp.json").exists()
    carry_out(setup, plan_removal(setup, {"cursor": cursor}))

    state = setup.places.state
    left = {
        path: path.read_bytes() for path in home.rglob("*") if path.is_file() and state not in path.parents
    }
    assert left == before


def test_a_server_of_somebody_else_under_our_name_is_not_touched(home: Path, setup: Setup) -> None:
    write(home, "mcp.json", {"mcpServers": {"truerecall": {"url": "https://a.example"}}})

    with pytest.raises(InstallError, match="another MCP server is called truerecall already"):
        cursor.changes(setup)
    assert [change for change in cursor.removed(setup) if change.before != change.after] == []


def test_what_the_user_set_on_our_server_stays(home: Path, setup: Setup) -> None:
    write(
        home,
        "mcp.json",
        {"mcpServers": {"truerecall": {**SERVER, "command": "/old/truerecall", "env": {"A": "b"}}}},
    )

    assert after(cursor.changes(setup))["mcp.json"]["mcpServers"]["truerecall"] == {
        **SERVER,
        "env": {"A": "b"},
    }


@pytest.mark.parametrize("text", ["{", '{"hooks": []}', '{"hooks": {"stop": {}}}', "[]"])
def test_a_file_that_cannot_take_ours_is_an_error_that_names_it(home: Path, setup: Setup, text: str) -> None:
    write(home, "hooks.json", text)

    with pytest.raises(InstallError, match=r"hooks\.json"):
        cursor.changes(setup)


@pytest.mark.parametrize("hooks", [{"stop": [None, 3, {"command": 2}]}, {"stop": []}])
def test_hooks_of_another_shape_are_passed_over(home: Path, setup: Setup, hooks: dict[str, Any]) -> None:
    write(home, "hooks.json", {"version": 1, "hooks": hooks})

    assert after(cursor.changes(setup))["hooks.json"]["hooks"]["stop"] == [*hooks["stop"], HOOK]


def test_a_program_in_a_folder_with_a_space_is_quoted(setup: Setup) -> None:
    found = after(cursor.changes(replace(setup, hook=("/my env/truerecall-hook",))))

    assert found["hooks.json"]["hooks"]["stop"] == [{"command": "'/my env/truerecall-hook' cursor"}]
