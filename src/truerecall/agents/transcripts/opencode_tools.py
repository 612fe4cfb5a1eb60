"""What OpenCode's tools did, from their parts."""

import json
import re
from collections.abc import Mapping
from typing import Any

from truerecall.agents.records import Action, ActionKind, Outcome
from truerecall.agents.transcripts.calls import Call
from truerecall.agents.transcripts.fields import whole, words

_KINDS: dict[str, ActionKind] = {
    "bash": "command",
    "shell": "command",
    "read": "read",
    "edit": "edit",
    "multiedit": "edit",
    "write": "edit",
    "patch": "edit",
    "apply_patch": "edit",
    "grep": "search",
    "glob": "search",
    "list": "search",
    "ls": "search",
    "codesearch": "search",
    "webfetch": "web",
    "websearch": "web",
    "task": "agent",
    "todowrite": "other",
    "todoread": "other",
    "skill": "other",
    "question": "other",
    "batch": "other",
    "lsp": "other",
    "invalid": "other",
    "plan_enter": "other",
    "plan_exit": "other",
}
_PATHS = ("filePath", "file_path", "path")
_PATCHED = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$", re.MULTILINE)
_DENIED = re.compile(r"rejected permission|rule which prevents|permission.{0,20}denied by", re.IGNORECASE)


def is_settled(part: Mapping[str, Any]) -> bool:
    """Whether a part of an answer will not change any more."""
    if part.get("type") == "tool":
        return _state(part).get("status") in ("completed", "error")
    times = part.get("time")
    # Of old versions a part has no times at all; what is being written has a start and no end yet.
    return not (part.get("type") in ("text", "reasoning") and isinstance(times, dict)) or "end" in times


def action_of(part: Mapping[str, Any]) -> Action:
    """The call of a ``tool`` part and what came of it."""
    state = _state(part)
    name = words(part.get("tool"))
    kind = _KINDS.get(name.lower()) or ("mcp" if "_" in name else "other")
    given = state.get("input")
    arguments: Mapping[str, Any] = given if isinstance(given, dict) else {}
    told = state.get("metadata")
    metadata: Mapping[str, Any] = told if isinstance(told, dict) else {}
    code = whole(metadata.get("exit"))
    shown = state.get("error") if state.get("status") == "error" else state.get("output")
    call = Call.of(
        name, kind, arguments.get("command") if kind == "command" else None, _files(arguments, metadata)
    )
    return call.action(_outcome(state, metadata, code), _text(shown), code)


def _outcome(state: Mapping[str, Any], metadata: Mapping[str, Any], code: int | None) -> Outcome:
    status = state.get("status")
    if status == "error":
        return "denied" if _DENIED.search(_text(state.get("error"))) else "failed"
    if status != "completed":
        return "unknown"
    # A command without a code was ended from outside: it took too long, or somebody stopped it.
    return "failed" if code or ("exit" in metadata and code is None) else "ok"


def _files(arguments: Mapping[str, Any], metadata: Mapping[str, Any]) -> list[object]:
    found: list[object] = [path for name in _PATHS if isinstance(path := arguments.get(name), str)]
    patch = arguments.get("patchText")
    if isinstance(patch, str):
        found += _PATCHED.findall(patch)
    changed = metadata.get("files") if not found else None
    if isinstance(changed, list):
        found += [one.get("filePath") for one in changed if isinstance(one, dict)]
    return found


def _state(part: Mapping[str, Any]) -> Mapping[str, Any]:
    state = part.get("state")
    return state if isinstance(state, dict) else {}


def _text(value: Any) -> str:
    if value is None or isinstance(value, str):
        return words(value)
    return words(json.dumps(value, ensure_ascii=False))
