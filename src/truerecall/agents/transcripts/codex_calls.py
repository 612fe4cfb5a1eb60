"""Codex's tools: what a call asks for, and what its end or its output says of it."""

import json
import re
import shlex
from dataclasses import dataclass, replace
from typing import Any

from truerecall.agents.records import Action, ActionKind, Outcome
from truerecall.agents.transcripts.calls import Call
from truerecall.agents.transcripts.fields import items, mapping, name, whole, words

_KINDS: dict[str, ActionKind] = {
    "exec_command": "command",
    "shell": "command",
    "shell_command": "command",
    "container.exec": "command",
    "local_shell": "command",
    "write_stdin": "command",
    "exec": "command",
    "apply_patch": "edit",
    "view_image": "read",
    "read_file": "read",
    "grep_files": "search",
    "list_dir": "search",
    "web_search": "web",
    "spawn_agent": "agent",
    "send_input": "agent",
    "wait": "agent",
    "wait_agent": "agent",
    "resume_agent": "agent",
    "close_agent": "agent",
}
_PATCHED = re.compile(r"^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+)$", re.MULTILINE)
_RUNNING = re.compile(r"Process running with session ID (\d{1,18})")
_EXITED = re.compile(r"(?:Process exited with code|Exit code:) (-?\d{1,10})")
_REFUSED = re.compile(r"(?:[\w ]{0,40} )?rejected by user|[^\n]{0,200}requires approval")
_FAILURES = ("aborted by user", "write_stdin failed", "unsupported call: ", "err: ")
_SHELLS = ("bash", "sh", "zsh", "dash", "pwsh", "powershell", "cmd")


@dataclass(frozen=True, slots=True)
class Answer:
    """What a call's output says."""

    text: str
    exit_code: int | None = None
    running: str = ""
    """Of a command that goes on: the id by which it is asked for later."""
    failed: bool = False
    """Whether it is told to have failed, whatever its text."""


def opened(item: dict[str, Any]) -> Call:
    """The call of a response item."""
    called = name(item.get("name"))
    space = words(item.get("namespace"))
    if space.startswith("mcp__"):
        return Call.of(f"{space.rstrip('_')}__{called}", "mcp")
    if called.startswith("mcp__"):
        return Call.of(called, "mcp")
    match item.get("type"):
        case "local_shell_call":
            return Call.of("local_shell", "command", _command(mapping(item.get("action")).get("command")))
        case "custom_tool_call":
            given = words(item.get("input"))
            kind = _KINDS.get(called, "other")
            return Call.of(called, kind, given if kind == "command" else None, _PATCHED.findall(given))
    return _function(called, _arguments(item.get("arguments")))


def _function(called: str, given: dict[str, Any]) -> Call:
    kind = _KINDS.get(called, "other")
    if called == "write_stdin":
        return replace(Call.of(called, kind, given.get("chars")), note=f"asks {given.get('session_id')}"[:64])
    command = _command(given.get("cmd") or given.get("command"))
    patch = words(given.get("input")) if called == "apply_patch" else ""
    if kind == "command" and (patched := _PATCHED.findall(command)):
        return Call.of("apply_patch", "edit", None, patched)
    files = (
        [given.get(key) for key in ("path", "file_path", "dir_path")] if kind in ("read", "search") else []
    )
    return Call.of(called, kind, command if kind == "command" else None, files or _PATCHED.findall(patch))


def _arguments(given: object) -> dict[str, Any]:
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            return {}
    return mapping(given)


def _command(given: object) -> str:
    """As a person would type it: without the shell that Codex wraps around it."""
    if isinstance(given, str):
        return words(given)
    parts = [words(part) for part in items(given)]
    shell = len(parts) == 3 and parts[1] in ("-lc", "-c", "-ic") and parts[0].rpartition("/")[2] in _SHELLS
    return parts[2] if shell else shlex.join(parts)


def answered(output: object) -> Answer:
    """What an output says: a text, blocks of text, or JSON with the text and an exit code in it."""
    failed = False
    if isinstance(output, dict):
        failed = output.get("success") is False
        output = output.get("content")
    if isinstance(output, list):
        text = "\n".join(filter(None, (words(mapping(part).get("text")) for part in output)))
    else:
        text = words(output)
    if text.startswith('{"output":'):
        told = _arguments(text)
        code = whole(mapping(told.get("metadata")).get("exit_code"))
        return Answer(words(told.get("output")), code, failed=failed)
    head, found, rest = text.partition("Output:\n")
    if not found or len(head) > 500:
        return Answer(text, failed=failed)
    running, exited = _RUNNING.search(head), _EXITED.search(head)
    return Answer(rest, int(exited[1]) if exited else None, running[1] if running else "", failed)


def finished(call: Call, answer: Answer) -> Action:
    """The call with its output, where no event has told its end."""
    outcome: Outcome = "ok"
    if answer.failed or answer.exit_code or answer.text.startswith(_FAILURES):
        outcome = "failed"
    if _REFUSED.match(answer.text):
        outcome = "denied"
    if call.kind == "command" and outcome == "ok" and answer.exit_code is None:
        outcome = "unknown"
    return call.action(outcome, answer.text, answer.exit_code)


def ended(call: Call, told: dict[str, Any]) -> Action:
    """The call with the event, or the item of an event, that tells its end."""
    code = whole(told.get("exit_code"))
    result = told.get("result")
    inner = mapping(result)
    error = told.get("error") or inner.get("Err")
    status = words(told.get("status"))
    outcome: Outcome = "ok"
    if status == "failed" or code or error or told.get("success") is False or _is_error(inner):
        outcome = "failed"
    if status in ("declined", "denied"):
        outcome = "denied"
    invocation = mapping(told.get("invocation")) or told
    server, tool = words(invocation.get("server")), words(invocation.get("tool"))
    if server and tool:
        call = replace(call, name=f"mcp__{server}__{tool}", kind="mcp")
    changes = told.get("changes")
    paths = changes if isinstance(changes, dict) else [mapping(one).get("path") for one in items(changes)]
    if paths and not call.files:
        call = replace(call, files=Call.of(call.name, "edit", None, paths).files)
    # The end tells the whole output: what was shown of it before is the beginning of the same.
    output = _output(told, inner, error)
    return (
        replace(call, output="").action(outcome, output, code) if output else call.action(outcome, "", code)
    )


def _is_error(result: dict[str, Any]) -> bool:
    told = mapping(result.get("Ok")) or result
    return told.get("isError") is True or told.get("is_error") is True


def _output(told: dict[str, Any], result: dict[str, Any], error: object) -> str:
    if error:
        return words(mapping(error).get("message")) or words(error)
    if shown := words(told.get("aggregated_output")) or words(told.get("stdout")) + words(told.get("stderr")):
        return shown
    content = items((mapping(result.get("Ok")) or result).get("content"))
    return "\n".join(filter(None, (words(mapping(part).get("text")) for part in content)))
