"""Claude Code's tools: what a call asks for, and what a result says of it."""

import re
from typing import Any

from truerecall.agents.records import Action, ActionKind, Outcome
from truerecall.agents.transcripts.calls import Call
from truerecall.agents.transcripts.fields import items, mapping, whole, words

_KINDS: dict[str, ActionKind] = {
    "Bash": "command",
    "PowerShell": "command",
    "Read": "read",
    "NotebookRead": "read",
    "Edit": "edit",
    "Write": "edit",
    "MultiEdit": "edit",
    "NotebookEdit": "edit",
    "Grep": "search",
    "Glob": "search",
    "LS": "search",
    "WebFetch": "web",
    "WebSearch": "web",
    "Task": "agent",
    "Agent": "agent",
}
_DENIALS = (
    "Permission to use ",
    "Permission for this action ",
    "The user doesn't want to ",
    "Claude requested permissions to ",
)
_EXIT = re.compile(r"(?:Error: )?Exit code (\d{1,10})(?:\n|$)")


def opened(name: str, given: object) -> Call:
    """The call of a tool with what was given to it."""
    given = mapping(given)
    kind: ActionKind = "mcp" if name.startswith("mcp__") else _KINDS.get(name, "other")
    files = [given.get(key) for key in ("file_path", "notebook_path", "path")] if kind != "mcp" else []
    return Call.of(name, kind, given.get("command") if kind == "command" else None, files)


def finished(call: Call, result: dict[str, Any], line: dict[str, Any]) -> Action:
    """The call with the ``tool_result`` block that answers it, and the line in which that stands."""
    output = shown(result.get("content"))
    told = mapping(line.get("toolUseResult"))
    found = _EXIT.match(output) if call.kind == "command" and result.get("is_error") else None
    return call.action(_outcome(result, line, told, output), output, whole(int(found[1])) if found else None)


def _outcome(result: dict[str, Any], line: dict[str, Any], told: dict[str, Any], output: str) -> Outcome:
    if result.get("is_error"):
        decided = mapping(line.get("permissionDecision")).get("decision")
        refused = line.get("toolDenialKind") in ("permission-rule", "user-rejected") or decided == "reject"
        return "denied" if refused or output.startswith(_DENIALS) else "failed"
    if told.get("interrupted") is True:
        return "failed"
    return "unknown" if told.get("backgroundTaskId") or told.get("isAsync") is True else "ok"


def shown(content: object) -> str:
    """What the model saw of a result: a string, or blocks of which the texts are taken."""
    if isinstance(content, str):
        return words(content)
    if isinstance(content, dict):
        content = [content]
    return "\n".join(filter(None, map(_shown, items(content))))


def _shown(block: object) -> str:
    block = mapping(block)
    kind = block.get("type")
    return (
        words(block.get("text")) if kind == "text" else f"[{kind}]" if kind in ("image", "document") else ""
    )
