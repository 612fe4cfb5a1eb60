"""What agents read outside a workspace by rules that no study trusts: OpenCode's, and the sandboxes of Codex."""

import json
from pathlib import Path
from typing import Any

import pytest
from codex import fresh_codex
from opencode import fresh_opencode
from running import repository

from truerecall.models.scripted import Scenario, ScriptedServer

pytestmark = pytest.mark.agents

SECRET = "word-outside"
OUTSIDE = "../../other/secret.txt"


class Place:
    """A repository in a workspace, and a file outside of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.app = repository(folder / "ws" / "app")
        self.secret = folder / "other" / "secret.txt"
        self.secret.parent.mkdir()
        self.secret.write_text(f"{SECRET}\n", "utf-8")
        (self.app / "out").symlink_to(self.secret.parent)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def bash(command: str) -> dict[str, Any]:
    return {"name": "bash", "arguments": {"command": command, "description": "x"}}


def test_opencode_lets_files_outside_be_read_and_written_though_its_rules_deny_that(
    place: Place, commands: Any, measured: dict[str, Any]
) -> None:
    read = {
        "Read of the path": {"name": "read", "arguments": {"filePath": str(place.secret)}},
        "cat of the path": bash(f"cat {OUTSIDE}"),
        "Read through a link": {
            "name": "read",
            "arguments": {"filePath": str(place.app / "out" / "secret.txt")},
        },
        "git blame --contents": bash(f"git blame --contents {OUTSIDE} README.md"),
        "git log --stdin from the file": bash(f"git log --stdin < {OUTSIDE}"),
        "git log with the file's text": bash(f'git log "$(<{OUTSIDE})"'),
    }
    written = {
        "a redirection": bash("git log > ../../written-1"),
        "git log --output": bash("git log --output=../../written-2"),
    }
    rules = {"*": "deny", "git log*": "allow", "git show*": "allow", "git blame*": "allow"}
    permission = {"*": "deny", "read": "allow", "external_directory": "deny", "bash": rules}
    scenario = Scenario.of(
        {"when": "Generate a title", "reply": "Looking around"},
        {"tools": [*read.values(), *written.values()]},
        {"reply": "Done."},
    )
    with ScriptedServer(scenario) as server:
        opencode = fresh_opencode(commands["opencode"], place.folder / "home", server)
        path = opencode.folder / "opencode.json"
        settings = {**json.loads(path.read_text("utf-8")), "permission": permission}
        path.write_text(json.dumps(settings), "utf-8")
        ran = opencode.ask("Look around.", cwd=place.app)
    parts = [json.loads(line)["part"] for line in ran.out.splitlines() if '"tool_use"' in line]
    shown = {json.dumps(part["state"]["input"], sort_keys=True): part["state"] for part in parts}
    states = {name: shown[json.dumps(tool["arguments"], sort_keys=True)] for name, tool in read.items()}
    got = {name: SECRET in str(state.get("output", "")) for name, state in states.items()}
    measured["opencode_reads"] = got

    assert got == {
        "Read of the path": False,
        "cat of the path": False,
        "Read through a link": True,
        "git blame --contents": True,
        "git log --stdin from the file": True,
        "git log with the file's text": True,
    }
    assert [(place.folder / f"written-{number}").exists() for number in (1, 2)] == [True, True]


def test_codex_reads_the_whole_disk_in_its_read_only_sandbox(place: Place, commands: Any) -> None:
    tried = [f"cat {place.secret}", "cat out/secret.txt", "touch written"]
    scenario = Scenario.of(
        {"tools": [{"name": "exec_command", "arguments": {"cmd": command}} for command in tried]},
        {"reply": "Done."},
    )
    with ScriptedServer(scenario) as server:
        codex = fresh_codex(commands["codex"], place.folder / "home", server)
        ran = codex.ask("Look around.", "-s", "read-only", cwd=place.app)
    outputs = [
        one["item"]["aggregated_output"]
        for one in map(json.loads, ran.out.splitlines())
        if one["type"] == "item.completed" and one["item"]["type"] == "command_execution"
    ]

    assert [SECRET in output for output in outputs if "touch" not in output] == [True, True]
    assert not (place.app / "written").exists()
