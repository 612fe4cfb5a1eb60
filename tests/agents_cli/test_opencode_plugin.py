"""What the plugin does in the real OpenCode, with a stand-in for the hook that writes down what it is told."""

import json
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from opencode import OpenCodeHome, fresh_opencode, session_of
from running import repository

from truerecall.agents.install import opencode
from truerecall.agents.install.editing import carry_out, plan_install, plan_removal
from truerecall.agents.install.records import Setup
from truerecall.agents.places import Places
from truerecall.agents.transcripts.opencode import OpenCodeReader
from truerecall.models.scripted import Scenario, ScriptedServer

pytestmark = pytest.mark.agents

HOOK = f"""#!{sys.executable}
import json, os, sys, time
told = json.load(sys.stdin)
folder = os.path.dirname(os.path.abspath(sys.argv[0]))
event = told["hook_event_name"]
if event == "Stop":
    time.sleep(1)  # a capture takes its time, and OpenCode is about to end
with open(os.path.join(folder, "told.jsonl"), "a") as file:
    file.write(json.dumps([sys.argv[1:], told]) + "\\n")
if os.path.exists(os.path.join(folder, "hang")) and event != "Stop":
    time.sleep(60)
answers = {{"SessionStart": "DIGEST of the project", "UserPromptSubmit": "RECALLED keychain"}}
if event in answers and not (event == "SessionStart" and told["source"] == "resume"):
    print(json.dumps({{"additionalContext": answers[event]}}))
"""


class Installed:
    """An OpenCode into which the plugin was installed."""

    def __init__(self, tmp_path: Path, command: Path, server: ScriptedServer) -> None:
        self.programs = tmp_path / "pro grams"
        self.programs.mkdir()
        hook = self.programs / "truerecall-hook"
        hook.write_text(HOOK, "utf-8")
        hook.chmod(0o755)
        self.opencode: OpenCodeHome = fresh_opencode(command, tmp_path / "home", server)
        self.ws = repository(tmp_path / "ws")
        environment = self.opencode.environment
        self.setup = Setup(Places.of(environment), environment, (str(hook),), (sys.executable, "-c", "pass"))

    def install(self) -> None:
        carry_out(self.setup, plan_install(self.setup, {"opencode": opencode}))

    def told(self) -> list[tuple[list[str], dict[str, Any]]]:
        path = self.programs / "told.jsonl"
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


def test_recall_reaches_the_request_and_the_end_of_a_turn_is_told(
    tmp_path: Path, commands: Any, measured: dict[str, Any]
) -> None:
    with ScriptedServer(Scenario.of({"when": "", "reply": "It depends on the keychain."})) as server:
        made = Installed(tmp_path, commands["opencode"], server)
        made.install()
        begun = time.monotonic()
        first = made.opencode.ask("Does login work on Windows?", cwd=made.ws)
        measured["seconds"] = round(time.monotonic() - begun, 1)
        session = session_of(first)
        second = made.opencode.ask("And on Linux?", cwd=made.ws, resume=session)

    assert (first.code, first.err, second.code) == (0, "", 0)
    assert first.said[-1].endswith(
        "Does login work on Windows?\n\nDIGEST of the project\n\nRECALLED keychain"
    )
    assert second.said[-1].endswith("And on Linux?\n\nRECALLED keychain")
    here = {"session_id": session, "cwd": str(made.ws)}
    told = sorted(made.told(), key=lambda call: json.dumps(call))
    assert told == sorted(
        [
            [["opencode"], {"hook_event_name": "SessionStart", **here, "source": "startup"}],
            [
                ["opencode"],
                {"hook_event_name": "UserPromptSubmit", **here, "prompt": "Does login work on Windows?"},
            ],
            [["opencode"], {"hook_event_name": "Stop", **here}],
            [["opencode"], {"hook_event_name": "SessionStart", **here, "source": "resume"}],
            [["opencode"], {"hook_event_name": "UserPromptSubmit", **here, "prompt": "And on Linux?"}],
            [["opencode"], {"hook_event_name": "Stop", **here}],
        ],
        key=lambda call: json.dumps(call),
    )


def test_the_session_is_read_without_what_was_recalled(tmp_path: Path, commands: Any) -> None:
    scenario = Scenario.of(
        {"when": "Generate a title", "reply": "A title"},
        {
            "when": r"keychain\Z",
            "tools": [{"name": "bash", "arguments": {"command": "exit 3", "description": "d"}}],
        },
        {"when": "", "reply": "It failed."},
    )
    with ScriptedServer(scenario) as server:
        made = Installed(tmp_path, commands["opencode"], server)
        made.install()
        session = session_of(made.opencode.ask("Does it build?", cwd=made.ws))
        fork = session_of(made.opencode.ask("Again?", "--fork", cwd=made.ws, resume=session))

    before = sorted(path.name for path in made.opencode.database.parent.iterdir())
    found = {one.session: one for one in OpenCodeReader().find(made.opencode.environment)}
    reading = OpenCodeReader().read(found[session])
    assert sorted(path.name for path in made.opencode.database.parent.iterdir()) == before

    assert [(turn.role, turn.text) for turn in reading.turns] == [
        ("user", "Does it build?"),
        ("tool", ""),
        ("assistant", "It failed."),
    ]
    action = reading.turns[1].action
    assert action is not None
    assert (action.command, action.exit_code, action.outcome) == ("exit 3", 3, "failed")
    assert reading.turns[0].where.cwd == str(made.ws)
    assert (reading.unknown, reading.faults, len(reading.usages)) == ({}, (), 2)
    forked = OpenCodeReader().read(found[fork])
    assert [turn.uid for turn in forked.turns][:3] == [turn.uid for turn in reading.turns]


def test_a_hook_that_hangs_or_is_gone_stops_nothing(tmp_path: Path, commands: Any) -> None:
    with ScriptedServer(Scenario.of({"when": "", "reply": "Hello."})) as server:
        made = Installed(tmp_path, commands["opencode"], server)
        made.install()
        (made.programs / "hang").touch()
        hanging = made.opencode.ask("Hello?", cwd=made.ws, timeout=50)
        (made.programs / "truerecall-hook").unlink()
        gone = made.opencode.ask("Hello again?", cwd=made.ws)

    assert (hanging.code, hanging.err, gone.code, gone.err) == (0, "", 0, "")
    assert hanging.said[-1].endswith("Hello?")
    assert gone.said[-1].endswith("Hello again?")


def test_the_server_is_offered_and_an_uninstalled_plugin_is_gone(tmp_path: Path, commands: Any) -> None:
    with ScriptedServer(Scenario.of({"when": "", "reply": "Hello."})) as server:
        made = Installed(tmp_path, commands["opencode"], server)
        before = sorted(path.name for path in made.opencode.folder.iterdir())
        made.install()
        listed = made.opencode.call("mcp", "list")
        carry_out(made.setup, plan_removal(made.setup, {"opencode": opencode}))
        after = made.opencode.call("mcp", "list")
        asked = made.opencode.ask("Hello?", cwd=made.ws)

    assert "truerecall" in listed.out + listed.err
    assert "truerecall" not in after.out + after.err
    assert asked.said[-1].endswith("Hello?")
    assert made.told() == []
    assert [
        name for name in sorted(path.name for path in made.opencode.folder.iterdir()) if name != ".gitignore"
    ] == before
