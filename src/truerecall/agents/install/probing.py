"""Programs that are tried, each within a time limit: the agents' own, and our hook in an empty home."""

import contextlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from truerecall.agents.journal import read_notes
from truerecall.agents.places import OFF, SETTINGS, Places

VERSION_SECONDS = 15.0
HOOK_SECONDS = 10.0
TRUST_SECONDS = 20.0

_QUIET = "[hook]\ncapture = false\n"
"""Settings of a trial: with capture, the start of a session would start a sweep that outlives it."""
_ALONE = ("-c", "analytics.enabled=false", "-c", "check_for_update_on_startup=false")
"""Settings under which ``codex app-server`` opens no connection (0.171.0, by strace)."""
_NOT_OURS = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", SETTINGS, OFF, "CURSOR_VERSION")


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of calling the hook once."""

    milliseconds: int
    problem: str | None = None
    """Why it would not work, where it would not."""


def version_of(program: str, environment: Mapping[str, str], seconds: float = VERSION_SECONDS) -> str | None:
    """What ``PROGRAM --version`` prints, on one line; None where it fails or takes too long."""
    try:
        done = subprocess.run(
            [program, "--version"],
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    said = done.stdout.decode("utf-8", "replace").strip().splitlines()
    return said[0][:100] if done.returncode == 0 and said else None


def on_path(names: tuple[str, ...], environment: Mapping[str, str]) -> str | None:
    """The first of these programs that PATH has, whole."""
    found = (shutil.which(name, path=environment.get("PATH", "")) for name in names)
    return next((path for path in found if path is not None), None)


def try_hook(command: str, environment: Mapping[str, str], seconds: float = HOOK_SECONDS) -> Trial:
    """Call the hook as its agent would at the start of a session, in an empty home that is thrown away.

    Nothing of the user's memory is read or written, and nothing is left running.
    """
    try:
        parts = shlex.split(command)
    except ValueError:
        return Trial(0, "the command cannot be read")
    if not parts or shutil.which(parts[0], path=environment.get("PATH", "")) is None:
        return Trial(0, f"there is no program {parts[0] if parts else ''}".rstrip())
    with tempfile.TemporaryDirectory(prefix="truerecall-doctor-", ignore_cleanup_errors=True) as name:
        home = Path(name)
        variables = {key: value for key, value in environment.items() if key not in _NOT_OURS}
        variables["HOME"] = name
        places = Places.of(variables)
        places.settings.parent.mkdir(parents=True)
        places.settings.write_text(_QUIET, encoding="utf-8")
        event = {
            "hook_event_name": "SessionStart",
            "source": "startup",
            "session_id": "doctor",
            "transcript_path": str(home / "none.jsonl"),
            "cwd": name,
        }
        began = time.perf_counter()
        try:
            done = subprocess.run(
                parts,
                env=variables,
                cwd=name,
                input=json.dumps(event).encode(),
                capture_output=True,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Trial(round(seconds * 1000), f"it did not answer within {seconds:g} s")
        except OSError as error:
            return Trial(0, f"it cannot be started: {error.strerror}")
        taken = round((time.perf_counter() - began) * 1000)
        return Trial(taken, _problem(done, places))


def _problem(done: "subprocess.CompletedProcess[bytes]", places: Places) -> str | None:
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        return f"it ended with code {done.returncode}" + (f": {said[-1][:200]}" if said else "")
    if done.stdout.strip():
        try:
            json.loads(done.stdout)
        except ValueError:
            return "it printed what is no JSON"
    notes = read_notes(places).notes
    failed = [note.error for note in notes if note.outcome == "failed"]
    if failed:
        return failed[-1]
    # It fails open: what does not even start prints nothing either, so the journal has to say that it ran.
    return None if notes else "it wrote nothing into its journal"


def hook_trust(
    program: str, environment: Mapping[str, str], folder: Path, seconds: float = TRUST_SECONDS
) -> dict[str, str] | None:
    """What Codex says of each hook of ours: by its command and event, ``trusted``, ``untrusted``, ``modified``.

    Asked of ``codex app-server``, which answers out of the settings and calls no model; None where it does not.
    """
    asked = (
        {"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "truerecall", "version": "1"}}},
        {"method": "initialized"},
        {"id": 2, "method": "hooks/list", "params": {"cwds": [str(folder)]}},
    )
    try:
        process = subprocess.Popen(
            [program, "app-server", *_ALONE],
            env=dict(environment),
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return None
    assert process.stdin is not None and process.stdout is not None
    late = threading.Timer(seconds, _end, [process])
    late.start()
    try:
        for message in asked:
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        process.stdin.flush()
        for line in process.stdout:
            answer = _object(line)
            if answer.get("id") == 2:
                return _trusts(answer)
        return None
    except OSError:
        return None
    finally:
        late.cancel()
        with contextlib.suppress(OSError):
            process.stdin.close()  # it ends by itself then
        try:
            process.wait(2.0)
        except subprocess.TimeoutExpired:
            _end(process)
            process.wait()
        process.stdout.close()


def _end(process: "subprocess.Popen[bytes]") -> None:
    """With the children that it started: Codex's command is a wrapper around the program."""
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def _object(line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _trusts(answer: Mapping[str, Any]) -> dict[str, str] | None:
    try:
        return {
            f"{hook['eventName']}\n{hook['command']}": str(
                hook["trustStatus"] if hook["enabled"] else "disabled"
            )
            for item in answer["result"]["data"]
            for hook in item["hooks"]
            if hook.get("command")
        }
    except (KeyError, TypeError):
        return None
