"""At the end of a turn a process of its own captures it: what it is given, and that it outlives the hook."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from truerecall.agents.hook.capturing import reduced

RECORD = """#!{python} -P
import json, os, sys
told = dict(
    argv=sys.argv[1:], environment=dict(os.environ), cwd=os.getcwd(), leads=os.getsid(0) == os.getpid(),
    streams=[os.path.realpath(f"/proc/self/fd/{{number}}") for number in range(3)],
    files=sorted(os.listdir("/proc/self/fd"))[:-1], pid=os.getpid(),
)
with open({told!r} + ".part", "w") as file:
    json.dump(told, file)
os.rename({told!r} + ".part", {told!r})
{then}
"""
WAIT = "open({gate!r}).read()"
"""Until the test opens the other end of a pipe."""


class Capture:
    """Stands where the capture is started, and writes down what it was given."""

    def __init__(self, folder: Path) -> None:
        self.script, self.file, self.gate = folder / "capture", folder / "told.json", folder / "gate"
        os.mkfifo(self.gate)

    def does(self, then: str = "") -> dict[str, str]:
        """Write the script; the environment in which the hook starts it."""
        told = str(self.file)
        then = then.format(gate=str(self.gate))
        self.script.write_text(RECORD.format(python=sys.executable, told=told, then=then), encoding="utf-8")
        self.script.chmod(0o755)
        return {"TEST_CAPTURE": str(self.script)}

    def release(self) -> None:
        """Let it go on: waits until it reads, and fails where it was never started."""
        subprocess.run(["sh", "-c", ': > "$0"', self.gate], timeout=60, check=True)

    @property
    def told(self) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(self.file.read_text(encoding="utf-8"))
        return told

    @property
    def arguments(self) -> list[str]:
        return self.told["argv"][3:]  # type: ignore[no-any-return]


@pytest.fixture
def capture(tmp_path: Path) -> Capture:
    return Capture(tmp_path)


def event(name: str, **more: Any) -> dict[str, Any]:
    return {"session_id": "s-1", "transcript_path": "/t/s-1.jsonl", "hook_event_name": name, **more}


@pytest.mark.parametrize(
    ("tool", "told", "arguments"),
    [
        ("claude-code", event("Stop"), "--tool claude-code --transcript /t/s-1.jsonl --session s-1"),
        ("claude-code", event("StopFailure"), "--tool claude-code --transcript /t/s-1.jsonl --session s-1"),
        ("claude-code", event("PreCompact"), "--tool claude-code --transcript /t/s-1.jsonl --session s-1"),
        (
            "claude-code",
            event("SubagentStop", agent_id="a-1", agent_transcript_path="/t/s-1/subagents/agent-a-1.jsonl"),
            "--tool claude-code --transcript /t/s-1/subagents/agent-a-1.jsonl --session s-1/a-1",
        ),
        ("claude-code", event("SessionEnd"), "--sweep --tool claude-code"),
        ("codex", event("Stop"), "--tool codex --transcript /t/s-1.jsonl --session s-1"),
        ("codex", event("Stop", transcript_path=None), "--tool codex --session s-1"),
        ("codex", event("Stop", transcript_path=None, session_id=None), "--sweep --tool codex"),
        ("opencode", {"session_id": "s-1", "hook_event_name": "Stop"}, "--tool opencode --session s-1"),
        ("cursor", event("sessionEnd"), "--sweep --tool cursor"),
    ],
)
def test_each_event_captures_its_transcript_or_all_that_grew(
    tool: str, told: dict[str, Any], arguments: str, home: Any, capture: Capture
) -> None:
    assert home.call(tool, told, capture.does()).silent

    assert capture.told["argv"][:3] == ["-P", "-m", "truerecall.agents.run_capture"]
    assert capture.arguments == arguments.split()
    assert [(note.tool, note.event, note.outcome) for note in home.notes()] == [
        (tool, told["hook_event_name"], "started")
    ]


def test_a_turn_of_cursor_is_captured_from_what_the_hook_was_told(home: Any, capture: Capture) -> None:
    base = {
        "conversation_id": "c-1",
        "transcript_path": "/cursor/own.txt",
        "workspace_roots": [str(home.folder)],
    }
    environment = capture.does()
    home.call("cursor", {**base, "hook_event_name": "beforeSubmitPrompt", "prompt": "why?"}, environment)
    home.call("cursor", {**base, "hook_event_name": "afterAgentResponse", "text": "because"}, environment)
    assert not capture.file.exists()
    home.call("cursor", {**base, "hook_event_name": "stop", "status": "completed"}, environment)

    kept = home.places.spool / "c-1.jsonl"
    assert capture.arguments == ["--tool", "cursor", "--transcript", str(kept), "--session", "c-1"]
    lines = [json.loads(line) for line in kept.read_text(encoding="utf-8").splitlines()]
    assert [line["type"] for line in lines] == ["beforeSubmitPrompt", "afterAgentResponse", "stop"]


def test_codexs_notification_does_not_say_where_the_transcript_is_and_it_is_looked_for(
    home: Any, capture: Capture
) -> None:
    told = json.dumps({"type": "agent-turn-complete", "thread-id": "t-1", "cwd": str(home.folder)})
    done = subprocess.run(
        home.command("codex-notify", told),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env={**home.environment, **capture.does()},
        check=False,
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert capture.arguments == ["--tool", "codex", "--session", "t-1"]
    assert [(note.tool, note.session) for note in home.notes()] == [("codex", "t-1")]


@pytest.mark.parametrize("source", ["startup", "resume"])
def test_what_other_sessions_left_is_swept_as_one_begins_and_not_waited_for(
    source: str, home: Any, capture: Capture
) -> None:
    environment = capture.does(WAIT)

    assert home.call("claude-code", event("SessionStart", source=source), environment).silent
    capture.release()  # it was started, and goes on
    assert capture.arguments == ["--sweep", "--tool", "claude-code"]


def test_it_runs_apart_from_the_agent_and_without_its_keys(home: Any, capture: Capture) -> None:
    agents = {
        "ANTHROPIC_API_KEY": "k",
        "OPENAI_API_KEY": "k",
        "AWS_SECRET_ACCESS_KEY": "k",
        "SSL_CERT_FILE": "/x",
        "CLAUDE_CONFIG_DIR": "/c",
        "CODEX_HOME": "/x",
        "XDG_STATE_HOME": str(home.path / "state"),
        "TRUERECALL_AGENTS_SETTINGS": "/nowhere.toml",
        "CLAUDECODE": "1",
    }
    home.call("claude-code", event("Stop"), {**agents, **capture.does()})

    told = capture.told
    assert told["leads"]  # a session of its own
    assert told["streams"] == ["/dev/null"] * 3
    assert told["files"] == ["0", "1", "2"]
    assert told["cwd"] == "/"
    kept = told["environment"]
    assert not set(kept) & {
        "ANTHROPIC_API_KEY",
        "OPENAI_API_KEY",
        "AWS_SECRET_ACCESS_KEY",
        "SSL_CERT_FILE",
        "CLAUDECODE",
    }
    assert (kept["HOME"], kept["CLAUDE_CONFIG_DIR"], kept["CODEX_HOME"]) == (str(home.path), "/c", "/x")
    assert kept["TRUERECALL_AGENTS_SETTINGS"] == "/nowhere.toml"
    assert kept["TRUERECALL_BELOW_A_HOOK"] == "1"


def test_an_environment_is_reduced_to_what_is_known_to_be_needed() -> None:
    given = {
        "PATH": "/bin",
        "LC_ALL": "C",
        "HTTPS_PROXY": "http://user:secret@x",
        "MY_TOKEN": "t",
        "LANG": "de",
    }

    assert reduced(given) == {"PATH": "/bin", "LC_ALL": "C", "LANG": "de", "TRUERECALL_BELOW_A_HOOK": "1"}


def test_a_hook_below_a_hook_does_nothing(home: Any, capture: Capture) -> None:
    environment = {**capture.does(), "TRUERECALL_BELOW_A_HOOK": "1"}

    assert home.call("claude-code", event("Stop"), environment).silent
    assert not capture.file.exists()
    assert home.notes() == ()


def test_a_slow_capture_goes_on_when_the_hook_has_ended(home: Any, capture: Capture) -> None:
    environment = capture.does(WAIT)

    assert home.call("claude-code", event("SessionEnd"), environment).silent
    assert [note.outcome for note in home.notes()] == ["started"]
    os.kill(capture.told["pid"], 0)  # alive
    capture.release()


def test_it_survives_the_agent_killing_the_hook_and_all_of_its_group(home: Any, capture: Capture) -> None:
    environment = {**home.environment, **capture.does(WAIT)}
    hook = subprocess.Popen(
        home.command("claude-code"), stdin=subprocess.PIPE, env=environment, start_new_session=True
    )
    assert hook.stdin is not None
    hook.stdin.write(json.dumps({"cwd": str(home.folder), **event("Stop")}).encode())
    hook.stdin.close()
    with capture.gate.open("w", encoding="utf-8"):  # opens once the capture reads
        os.killpg(hook.pid, signal.SIGKILL)
        hook.wait()
        os.kill(capture.told["pid"], 0)  # alive


def test_a_capture_that_fails_is_told_in_the_journal_alone(home: Any, capture: Capture) -> None:
    assert home.call("claude-code", event("Stop"), capture.does("print('x'); sys.exit(3)")).silent

    assert [(note.outcome, note.error) for note in home.notes()] == [
        ("failed", "the capture ended with code 3")
    ]


@pytest.mark.parametrize("name", ["Stop", "SessionStart"])
def test_a_capture_that_cannot_be_started_is_told_in_the_journal_alone(name: str, home: Any) -> None:
    assert home.call("claude-code", event(name), {"TEST_CAPTURE": "/nowhere/python"}).silent

    (note,) = home.notes()
    assert note.outcome == ("failed" if name == "Stop" else "nothing")
    assert note.error.startswith("FileNotFoundError")


def test_switched_off_nothing_is_captured_kept_or_swept(home: Any, capture: Capture) -> None:
    home.settings("[hook]\ncapture = false\n")
    environment = capture.does()
    for tool, name in (
        ("claude-code", "Stop"),
        ("claude-code", "SessionStart"),
        ("cursor", "beforeSubmitPrompt"),
    ):
        home.call(tool, event(name, prompt="x"), environment)

    assert not capture.file.exists()
    assert not home.places.spool.exists()
    assert home.notes()[0].error == "capture is off in the settings"


def test_nothing_of_an_excluded_folder_is_captured_kept_or_swept(home: Any, capture: Capture) -> None:
    home.settings(f'[capture]\nexclude = ["{home.folder.parent}/a*"]\n')
    environment = capture.does()
    for tool, name in (("claude-code", "Stop"), ("codex", "SessionStart"), ("cursor", "beforeSubmitPrompt")):
        assert home.call(tool, event(name, prompt="x"), environment).silent

    assert not capture.file.exists()
    assert not home.places.spool.exists()
    assert {(note.outcome, note.error) for note in home.notes()} == {
        ("off", f"the folder is excluded by {home.folder.parent}/a*")
    }


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_events_of_cursor_that_cannot_be_kept_hold_nothing_up(home: Any) -> None:
    home.places.state.mkdir(parents=True, mode=0o500)

    assert home.call("cursor", event("afterAgentResponse", text="x")).silent


def test_a_spool_that_cannot_be_written_holds_nothing_up(home: Any) -> None:
    home.places.state.mkdir(parents=True)
    home.places.spool.write_text("in the way", encoding="utf-8")

    assert home.call("cursor", event("afterAgentResponse", text="x")).silent
    assert home.call("cursor", event("beforeSubmitPrompt", prompt="x")).silent
    assert [(note.outcome, note.error[:17]) for note in home.notes()] == [
        ("failed", "FileExistsError: "),
        ("nothing", "FileExistsError: "),
    ]
