"""What the plugin does, played by Node: how it calls the hook, what it adds to a prompt, and that it stops nothing."""

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from truerecall.agents.install import opencode
from truerecall.agents.install.records import Setup

HOOK = f"""#!{sys.executable}
import json, os, sys, time
told = json.load(sys.stdin)
here = os.path.dirname(os.path.abspath(sys.argv[0]))
with open(os.path.join(here, "told.jsonl"), "a") as file:
    file.write(json.dumps(told) + "\\n")
sys.stderr.write("noise")
with open(os.path.join(here, "answers.json")) as file:
    answer = json.load(file).get(told["hook_event_name"])
if answer == "hang":
    time.sleep(60)
sys.stdout.write(answer if isinstance(answer, str) else json.dumps(answer) if answer else "")
if answer == "fail":
    sys.exit(1)
"""
PLAY = """
import plugin from PLUGIN
const hooks = await plugin.server({ directory: "/ws" })
const results = []
for (const [name, first, second] of JSON.parse(STEPS)) {
  await hooks[name](first, second)
  results.push(second ?? first)
}
await hooks.dispose()
console.log(JSON.stringify(results))
"""


class Played:
    """The plugin between a stand-in for OpenCode and one for the hook."""

    def __init__(self, folder: Path, setup: Setup) -> None:
        self.node = shutil.which("node")
        if self.node is None:
            pytest.skip("the plugin is JavaScript, and there is no node")
        self.folder = folder
        self.hook = folder / "truerecall-hook"
        self.hook.write_text(HOOK, "utf-8")
        self.hook.chmod(0o755)
        self.setup = replace(setup, hook=(str(self.hook),))
        self.answer()

    def answer(self, **answers: object) -> None:
        (self.folder / "answers.json").write_text(json.dumps(answers), "utf-8")

    def play(self, *steps: list[Any], patience: int = 20_000) -> list[Any]:
        text = opencode.plugin(self.setup).decode("utf-8")
        assert text.count("const PATIENCE = 2000") == 1
        plugin = self.folder / "plugin.mjs"
        plugin.write_text(text.replace("const PATIENCE = 2000", f"const PATIENCE = {patience}"), "utf-8")
        program = PLAY.replace("PLUGIN", json.dumps(str(plugin))).replace(
            "STEPS", json.dumps(json.dumps(steps))
        )
        (self.folder / "play.mjs").write_text(program, "utf-8")
        done = subprocess.run(
            [str(self.node), str(self.folder / "play.mjs")],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        results: list[Any] = json.loads(done.stdout)
        return results

    def told(self) -> list[dict[str, Any]]:
        path = self.folder / "told.jsonl"
        found = [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []
        return sorted(found, key=lambda told: str(told["hook_event_name"]))


@pytest.fixture
def played(tmp_path: Path, setup: Setup) -> Played:
    folder = tmp_path / "with space"
    folder.mkdir()
    return Played(folder, setup)


def prompt(text: str, session: str = "ses_1", **part: Any) -> list[Any]:
    parts = [{"id": "prt_1", "type": "text", "text": text, **part}]
    return ["chat.message", {"sessionID": session}, {"message": {"id": "msg_1"}, "parts": parts}]


def event(kind: str, **properties: Any) -> list[Any]:
    return ["event", {"event": {"type": kind, "properties": properties}}]


def added(result: dict[str, Any]) -> list[str]:
    return [part["text"] for part in result["parts"][1:]]


def test_what_the_hook_returns_is_a_synthetic_part_behind_the_prompt(played: Played) -> None:
    played.answer(UserPromptSubmit={"additionalContext": "RECALLED 记忆"})

    (result,) = played.play(prompt("Does it build?"))

    assert result["parts"][1:] == [
        {
            "id": "prt_1z",
            "sessionID": "ses_1",
            "messageID": "msg_1",
            "type": "text",
            "synthetic": True,
            "text": "RECALLED 记忆",
        }
    ]
    here = {"session_id": "ses_1", "cwd": "/ws"}
    assert played.told() == [
        {"hook_event_name": "SessionStart", **here, "source": "resume"},
        {"hook_event_name": "UserPromptSubmit", **here, "prompt": "Does it build?"},
    ]


def test_a_new_session_begins_with_the_digest_once(played: Played) -> None:
    played.answer(
        SessionStart={"additionalContext": "DIGEST"}, UserPromptSubmit={"additionalContext": "RECALLED"}
    )

    _, first, second = played.play(
        event("session.created", info={"id": "ses_1"}), prompt("One?"), prompt("Two?")
    )

    assert added(first) == ["DIGEST\n\nRECALLED"]
    assert added(second) == ["RECALLED"]
    assert [told["source"] for told in played.told() if "source" in told] == ["startup"]


@pytest.mark.parametrize(
    "answer",
    [
        None,
        "",
        "fail",
        "not JSON",
        "[]",
        "null",
        {"additionalContext": 3},
        {"additionalContext": " \n"},
        {"a": "x"},
    ],
)
def test_nothing_is_added_where_the_hook_says_nothing_usable(played: Played, answer: object) -> None:
    played.answer(UserPromptSubmit=answer, SessionStart=answer)

    (result,) = played.play(prompt("Does it build?"))

    assert added(result) == []


def test_a_hook_that_hangs_is_given_up_and_ended(played: Played) -> None:
    played.answer(UserPromptSubmit="hang", SessionStart={"additionalContext": "DIGEST"})

    (result,) = played.play(event("session.idle", sessionID="ses_2"), prompt("Hello?"), patience=1500)[1:]

    assert added(result) == ["DIGEST"]


def test_a_hook_that_is_gone_stops_nothing(played: Played) -> None:
    played.hook.unlink()

    result, _ = played.play(prompt("Does it build?"), event("session.idle", sessionID="ses_1"))

    assert added(result) == []


def test_the_end_of_a_turn_is_told_before_opencode_closes(played: Played) -> None:
    played.play(event("session.idle", sessionID="ses_1"))

    assert played.told() == [{"hook_event_name": "Stop", "session_id": "ses_1", "cwd": "/ws"}]


def test_that_a_session_was_compacted_is_told(played: Played) -> None:
    played.play(event("session.compacted", sessionID="ses_1"))

    assert played.told() == [{"hook_event_name": "PreCompact", "session_id": "ses_1", "cwd": "/ws"}]


def test_in_a_session_of_a_subagent_nobody_types(played: Played) -> None:
    played.answer(UserPromptSubmit={"additionalContext": "RECALLED"})

    _, result, _ = played.play(
        event("session.created", info={"id": "ses_2", "parentID": "ses_1"}),
        prompt("Find it.", "ses_2"),
        event("session.idle", sessionID="ses_2"),
    )

    assert added(result) == []
    assert played.told() == []


def test_a_prompt_that_opencode_made_itself_is_left_alone(played: Played) -> None:
    played.answer(UserPromptSubmit={"additionalContext": "RECALLED"})

    (result,) = played.play(prompt("Continue.", synthetic=True))

    assert added(result) == []
    assert played.told() == []


def test_a_prompt_of_100_kb_reaches_the_hook_whole(played: Played) -> None:
    text = "登录 " * 25_000

    played.play(prompt(text))

    assert played.told()[1]["prompt"] == text


@pytest.mark.parametrize(
    "odd", [{}, None, {"type": "session.created"}, {"type": "session.idle", "properties": None}]
)
def test_events_of_another_shape_stop_nothing(played: Played, odd: Any) -> None:
    assert played.play(["event", {"event": odd}]) == [{"event": odd}]


def test_the_server_is_added_unless_the_user_has_one_of_that_name(played: Played) -> None:
    empty, own, other = played.play(
        ["config", {}],
        ["config", {"mcp": {"truerecall": {"enabled": False}}}],
        ["config", {"mcp": {"else": {"type": "local"}}}],
    )

    ours = {"type": "local", "command": ["/usr/local/bin/truerecall", "agents", "mcp"], "enabled": True}
    assert empty == {"mcp": {"truerecall": ours}}
    assert own == {"mcp": {"truerecall": {"enabled": False}}}
    assert other == {"mcp": {"else": {"type": "local"}, "truerecall": ours}}
