"""What Cursor tells its hooks, kept until it is captured: a file a conversation, a line of JSON an event.

Cursor keeps no transcript that others may rely on. What is written here is reduced to what a reader needs, without
private and recalled blocks, masked, with long outputs cut; never what the model thought.
"""

import hashlib
import json
import os
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from truerecall.agents.places import Places
from truerecall.agents.private import without_private
from truerecall.agents.records import Action
from truerecall.agents.secrets import WITHHELD, touches_secrets, without_secret_lines
from truerecall.agents.transcripts.cutting import HEAD, TAIL, cut
from truerecall.memory.write.border import strip_recalled
from truerecall.memory.write.mask import mask

KEPT: Mapping[str, tuple[str, ...]] = {
    "sessionStart": (),
    "beforeSubmitPrompt": ("prompt",),
    "afterAgentResponse": ("text",),
    "afterShellExecution": ("command", "output"),
    "afterMCPExecution": ("tool_name", "result_json"),
    "afterFileEdit": ("file_path",),
    "postToolUse": ("tool_name", "tool_input", "tool_output", "tool_use_id"),
    "postToolUseFailure": ("tool_name", "tool_input", "error_message", "failure_type", "tool_use_id"),
    "stop": ("status", "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"),
    "sessionEnd": ("reason", "final_status"),
}
"""By event the fields that are kept besides those of every event; other events are not kept at all."""

_SAID = ("prompt", "text")
_OUTPUTS = ("output", "result_json", "tool_output", "error_message")
_INPUTS = (
    "command",
    "file_path",
    "path",
    "target_file",
    "target_directory",
    "relative_workspace_path",
    "url",
)
_MOST_MASKED = 200_000  # characters of an output: far more than what cutting leaves of either end
_LONGEST_NAME = 100
_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*")


def spool(places: Places, payload: Mapping[str, Any], now: datetime) -> Path | None:
    """Keep one event; the file that it was added to, None where it is none to keep.

    Processes may add to the same file at once. A line that could not be written whole is taken back.

    Raises:
        OSError: The file cannot be written.
    """
    record = reduced(payload, now)
    if record is None:
        return None
    path = places.spool / f"{file_name(record['conversation'])}.jsonl"
    line = json.dumps(record, ensure_ascii=True, separators=(",", ":"))
    _append(path, f"{line}\n".encode("ascii"))
    return path


def reduced(payload: Mapping[str, Any], now: datetime) -> dict[str, Any] | None:
    """What is kept of an event; None for one that is not kept, or that names no conversation."""
    event = payload.get("hook_event_name")
    conversation = payload.get("conversation_id") or payload.get("session_id")
    if (
        not isinstance(event, str)
        or event not in KEPT
        or not isinstance(conversation, str)
        or not conversation
    ):
        return None
    roots = payload.get("workspace_roots")
    root = roots[0] if isinstance(roots, list) and roots else None
    common = {
        "type": event,
        "at": now.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "conversation": conversation,
        "generation": payload.get("generation_id"),
        "model": payload.get("model"),
        "version": payload.get("cursor_version"),
        "cwd": payload.get("cwd") or root,
    }
    record: dict[str, Any] = {
        name: value for name, value in common.items() if isinstance(value, str) and value
    }
    arguments = _arguments(payload)
    secret = touches_secrets(
        Action("", "other", "unknown", arguments.get("command"), tuple(_paths(arguments)))
    )
    for name in KEPT[event]:
        value = _kept(name, payload.get(name), arguments, secret)
        if value is not None:
            record[name] = value
    code = _exit_code(payload)
    if code is not None and event.startswith(("afterShell", "postTool")):
        record["exit_code"] = code
    return record


def file_name(conversation: str) -> str:
    """The name of a conversation's file: its id where that can be one, else what is like it, and a digest of it."""
    if len(conversation) <= _LONGEST_NAME and _NAME.fullmatch(conversation):
        return conversation
    plain = re.sub(r"[^A-Za-z0-9_-]", "_", conversation)[:_LONGEST_NAME]
    digest = hashlib.sha256(conversation.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"{plain}-{digest}"


def _kept(name: str, value: Any, arguments: Mapping[str, str], secret: bool) -> Any:
    if name == "tool_input":
        return {key: _clean(text) for key, text in arguments.items()} or None
    if name in _OUTPUTS:
        text = _shown(value)
        return None if not text else WITHHELD if secret else _clean_output(text)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if not isinstance(value, str) or not value:
        return None
    return _clean(without_private(value)) if name in _SAID else _clean(value)


def _shown(value: Any) -> str:
    """What was put out: of a command's result in JSON its two streams."""
    if value is None:
        return ""
    result = _object(value)
    streams = [text for name in ("stdout", "stderr") if isinstance(text := result.get(name), str) and text]
    if streams or {"exitCode", "exit_code"} & result.keys():
        return "\n".join(streams)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _clean(text: str) -> str:
    return mask(strip_recalled(text)).text


def _clean_output(output: str) -> str:
    """Masked before it is cut, for half a secret is no longer recognised; of a huge one only what is near its ends."""
    if len(output) > _MOST_MASKED:
        half = _MOST_MASKED // 2
        left = len(output) - HEAD - TAIL
        first, last = _clean_lines(output[:half])[:HEAD], _clean_lines(output[-half:])[-TAIL:]
        return f"{first}\n[… {left} characters cut …]\n{last}"
    return cut(_clean_lines(output))


def _clean_lines(output: str) -> str:
    return _clean(without_secret_lines(without_private(output)))


def _exit_code(payload: Mapping[str, Any]) -> int | None:
    """The code that a command ended with, which may stand in what it put out: read before that is cut."""
    result = _object(payload.get("tool_output"))
    for value in (payload.get("exit_code"), result.get("exitCode"), result.get("exit_code")):
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    return None


def _object(value: Any) -> Mapping[str, Any]:
    """An object, also one that is given as its JSON."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    return value if isinstance(value, dict) else {}


def _arguments(payload: Mapping[str, Any]) -> dict[str, str]:
    """What a tool was given, as far as it says what was run or which file it was about."""
    given = _object(payload.get("tool_input"))
    found = {**given, **{key: payload[key] for key in _INPUTS if key in payload}}
    return {key: value for key in _INPUTS if isinstance(value := found.get(key), str) and value}


def _paths(arguments: Mapping[str, str]) -> list[str]:
    return [value for key, value in arguments.items() if key not in ("command", "url")]


def _append(path: Path, line: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
    file = os.open(path, flags, 0o600)
    try:
        _lock(file)
        end = os.lseek(file, 0, os.SEEK_END)
        if end:
            os.lseek(file, end - 1, os.SEEK_SET)
            if os.read(file, 1) != b"\n":
                line = b"\n" + line  # behind what a killed process left half-written
        try:
            written = os.write(file, line)
            while written < len(line):
                written += os.write(file, line[written:])
        except OSError:
            os.ftruncate(file, end)
            raise
    finally:
        os.close(file)


def _lock(file: int) -> None:
    """Wait for the file; the lock ends with it."""
    try:
        from fcntl import LOCK_EX, flock
    except ImportError:  # Windows: an append is one write there as well
        return
    flock(file, LOCK_EX)
