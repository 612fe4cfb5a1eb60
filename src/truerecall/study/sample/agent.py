"""A small coding agent, real but for its size: for studies in tests, where no other is installed.

It is a command solver (``study/solvers/command.py`` says what such a one gets and prints). The prompt comes on
standard input; the hooks of a plugin for Claude Code run as that tool runs them; the model is asked by the Messages API
at ``ANTHROPIC_BASE_URL``; its tools read the folder in which it was started, and nothing else. The conversation lies in
the home, by its id, and a transcript beside it as Claude Code writes it, so that a hook can capture it.

It needs the standard library alone, for it is started anew at each prompt.
"""

import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from truerecall.study.sample.agent_tools import described, use

_SYSTEM = "You are a coding agent. Answer from the files of the working folder, with the tools that you have."
_AGAIN = (429, 500, 503, 529)
_TRIES = 3
_HOOK_SECONDS = 30.0
_ANSWER_SECONDS = 120.0


class Failed(Exception):
    """The prompt cannot be answered."""


@dataclass(slots=True)
class Kept:
    """A conversation, as it lies in the home."""

    session: str
    folder: Path
    messages: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def begun(cls, session: str, home: Path) -> "Kept":
        """The conversation of an id, or a new one."""
        folder = home / ".claude" / "projects" / "sample"
        folder.mkdir(parents=True, exist_ok=True)
        kept = cls(session or str(uuid.uuid4()), folder)
        if session:
            kept.messages = json.loads(kept._state.read_text(encoding="utf-8"))
        return kept

    @property
    def _state(self) -> Path:
        return self.folder / f"{self.session}.json"

    @property
    def transcript(self) -> Path:
        """What a hook is told to read."""
        return self.folder / f"{self.session}.jsonl"

    def say(self, role: str, content: list[dict[str, Any]], shown: object = None, **more: Any) -> None:
        """Add a message; ``shown`` is what the transcript says in its place."""
        self.messages.append({"role": role, "content": content})
        line = {
            "type": role,
            "uuid": str(uuid.uuid4()),
            "timestamp": datetime.now(UTC).isoformat().replace("+00:00", "Z"),
            "sessionId": self.session,
            "cwd": str(Path.cwd()),
            "version": "sample",
            "isSidechain": False,
            "message": {"role": role, "content": content if shown is None else shown, **more},
        }
        with self.transcript.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def keep(self) -> None:
        """For the next prompt."""
        self._state.write_text(json.dumps(self.messages), encoding="utf-8")


def main() -> None:
    """Answer one prompt; exit code 1 with a line on standard error where that cannot be done."""
    environment = dict(os.environ)
    try:
        answer(sys.stdin.buffer.read().decode("utf-8"), environment)
    except Failed as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(1)


def answer(prompt: str, environment: Mapping[str, str]) -> None:
    """Hold one exchange, and print what came of it.

    Raises:
        Failed: the model cannot be asked, or takes too many rounds.
    """
    told = environment.get("TRUERECALL_STUDY_SESSION", "")
    kept = Kept.begun(told, Path(environment["HOME"]))
    _print(type="session", id=kept.session)
    content = [{"type": "text", "text": prompt}]
    for event, more in (
        ("SessionStart", {"source": "resume" if told else "startup"}),
        ("UserPromptSubmit", {"prompt": prompt}),
    ):
        for text in _hooks(event, more, kept, environment):
            _print(type="injected", event=event, text=text)
            content.append({"type": "text", "text": f"{event} hook additional context: {text}"})
    kept.say("user", content, prompt)
    try:
        said = _rounds(kept, environment)
    finally:
        kept.keep()
    list(_hooks("Stop", {"stop_hook_active": False}, kept, environment))
    _print(type="answer", text=said)


def _rounds(kept: Kept, environment: Mapping[str, str]) -> str:
    """Ask the model, and use tools, until it answers."""
    for _ in range(int(environment.get("TRUERECALL_STUDY_MAX_TURNS") or 40)):
        reply = _ask(kept, environment)
        usage = reply["usage"]
        _print(
            type="call",
            id=reply["id"],
            model=reply["model"],
            input=usage["input_tokens"],
            output=usage["output_tokens"],
            cache_read=usage.get("cache_read_input_tokens", 0),
            cache_write_5m=usage.get("cache_creation_input_tokens", 0),
        )
        facts = {name: reply[name] for name in ("id", "model", "stop_reason", "usage")}
        kept.say("assistant", reply["content"], **facts)
        results = [_used(block, environment) for block in reply["content"] if block["type"] == "tool_use"]
        if not results:
            return "".join(block["text"] for block in reply["content"] if block["type"] == "text")
        kept.say("user", results)
    raise Failed("it took more rounds than it may")


def _used(block: Mapping[str, Any], environment: Mapping[str, str]) -> dict[str, Any]:
    done = use(block["name"], block["input"], Path.cwd(), environment)
    _print(
        type="tool",
        id=block["id"],
        name=block["name"],
        input=block["input"],
        outcome=done.outcome,
        output=done.output,
    )
    result: dict[str, Any] = {"type": "tool_result", "tool_use_id": block["id"], "content": done.output}
    return result if done.outcome == "ok" else {**result, "is_error": True}


def _ask(kept: Kept, environment: Mapping[str, str]) -> dict[str, Any]:
    """One call of the model."""
    body = {
        "model": environment.get("TRUERECALL_STUDY_MODEL", "claude-sonnet-5-5"),
        "max_tokens": 4096,
        "system": _SYSTEM,
        "messages": kept.messages,
        "tools": described(),
    }
    request = urllib.request.Request(
        environment.get("ANTHROPIC_BASE_URL", "") + "/v1/messages",
        data=json.dumps(body).encode("utf-8"),
        headers={
            "content-type": "application/json",
            "anthropic-version": "2023-06-01",
            "x-claude-code-session-id": kept.session,
            "x-api-key": environment.get("ANTHROPIC_API_KEY", ""),
        },
    )
    # No proxy: the address is one of this machine.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    problem = ""
    for tried in range(_TRIES):
        try:
            with opener.open(request, timeout=_ANSWER_SECONDS) as reply:
                found: dict[str, Any] = json.load(reply)
                return found
        except urllib.error.HTTPError as error:
            problem = f"the model answered {error.code}: {error.read().decode('utf-8', 'replace')[:300]}"
            if error.code not in _AGAIN:
                break
        except (OSError, ValueError) as error:
            problem = f"the model cannot be asked: {error}"
        time.sleep(0.1 * tried)
    raise Failed(problem)


def _hooks(
    event: str, more: Mapping[str, object], kept: Kept, environment: Mapping[str, str]
) -> Iterator[str]:
    """Run the plugin's hooks of an event, and give the texts that they add for the model."""
    plugin = environment.get("TRUERECALL_STUDY_PLUGIN", "")
    if not plugin:
        return
    named = json.loads((Path(plugin) / "hooks" / "hooks.json").read_text(encoding="utf-8"))
    told = {
        "session_id": kept.session,
        "transcript_path": str(kept.transcript),
        "cwd": str(Path.cwd()),
        "hook_event_name": event,
        **more,
    }
    for group in named.get("hooks", {}).get(event, []):
        for hook in group.get("hooks", []):
            text = _added(_run_hook(hook, json.dumps(told), plugin, environment))
            if text and event != "Stop":
                yield text


def _run_hook(hook: Mapping[str, Any], told: str, plugin: str, environment: Mapping[str, str]) -> str:
    """What a hook prints; nothing where it fails or takes too long, for a prompt goes on without it."""
    own = {**environment, "CLAUDE_PLUGIN_ROOT": plugin, "CLAUDE_PROJECT_DIR": str(Path.cwd())}
    try:
        done = subprocess.run(
            ["sh", "-c", hook["command"]],
            input=told.encode("utf-8"),
            env=own,
            capture_output=True,
            timeout=float(hook.get("timeout", _HOOK_SECONDS)),
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return "" if done.returncode else done.stdout.decode("utf-8", "replace").strip()


def _added(printed: str) -> str:
    """The text for the model: of an object the one that it names, of plain text all of it."""
    try:
        found = json.loads(printed)
    except ValueError:
        return printed
    if not isinstance(found, dict):
        return printed
    return str(found.get("hookSpecificOutput", {}).get("additionalContext", "")).strip()


def _print(**line: object) -> None:
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
