"""Cursor's conversations, from what its hooks were told (``agents.spool``).

A tool call is told twice by newer versions: by the event of its kind, and by one that all tools share, which alone says
how a command ended. Of such a pair one is read.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from truerecall.agents.places import Places
from truerecall.agents.records import Action, ActionKind, Outcome, ToolName, Usage, Where
from truerecall.agents.transcripts.calls import Call
from truerecall.agents.transcripts.fields import count, instant, mapping, name, whole, words
from truerecall.agents.transcripts.files import files_below, grown
from truerecall.agents.transcripts.gathering import Gathering, carried
from truerecall.agents.transcripts.lines import Line, first_object, place, read_lines
from truerecall.agents.transcripts.opencode_messages import without_thinking
from truerecall.agents.transcripts.reading import Cursor, Reading, Transcript

_KINDS: dict[str, ActionKind] = {
    "shell": "command",
    "bash": "command",
    "read": "read",
    "readlints": "read",
    "write": "edit",
    "edit": "edit",
    "multiedit": "edit",
    "strreplace": "edit",
    "delete": "edit",
    "applypatch": "edit",
    "editnotebook": "edit",
    "grep": "search",
    "glob": "search",
    "ls": "search",
    "semanticsearch": "search",
    "websearch": "web",
    "webfetch": "web",
    "task": "agent",
}
_OWN_EVENT = ("afterShellExecution", "afterMCPExecution", "afterFileEdit")
_SHARED_EVENT = ("postToolUse", "postToolUseFailure")
_PASSED_OVER = ("sessionStart", "sessionEnd", "stop")
_AHEAD = 64
"""Lines in which the other event of a call is looked for: more than an agent runs calls at once."""
_PATHS = ("file_path", "path", "target_file", "target_directory", "relative_workspace_path")


class CursorReader:
    """Reads the spool; each conversation is one transcript."""

    tool: ToolName = "cursor"

    def find(self, homes: Mapping[str, str], since: datetime | None = None) -> Iterator[Transcript]:
        """See ``TranscriptReader.find``: the spool of ``Places``."""
        found = []
        for path in files_below(Places.of(homes).spool, "*.jsonl"):
            if changed := grown(path, since):
                session = words(first_object(path).get("conversation")) or path.stem
                found.append(Transcript(self.tool, path, session, changed))
        yield from sorted(found, key=lambda one: (one.changed, one.path))

    def read(self, transcript: Transcript, cursor: Cursor | None = None, most: int = 4 << 20) -> Reading:
        """See ``TranscriptReader.read``."""
        batch = read_lines(transcript.path, cursor, most)
        conversation = _Conversation(carried(cursor, batch))
        for index, line in enumerate(batch.lines):
            conversation.take(line, batch.lines[index + 1 : index + 1 + _AHEAD])
        return conversation.gathering.reading(batch, conversation.carry)


class _Conversation:
    def __init__(self, carry: dict[str, Any]) -> None:
        self.gathering = Gathering()
        self.carry = carry or _anew("")

    def take(self, line: Line, later: Sequence[Line]) -> None:
        if line.fault is not None:
            self.gathering.fail(line.number, line.fault)
        data = line.data
        if data is None:
            return
        event = name(data.get("type"))
        generation = words(data.get("generation"))
        if generation and generation != self.carry["generation"]:
            self.carry = _anew(generation)
        self.gathering.version = words(data.get("version")) or self.gathering.version
        if event == "beforeSubmitPrompt":
            self._say("user", words(data.get("prompt")), line.number, data)
        elif event == "afterAgentResponse":
            self._say("assistant", without_thinking(words(data.get("text"))).strip(), line.number, data)
        elif event in _OWN_EVENT or event in _SHARED_EVENT:
            self._do(event, line.number, data, later)
        elif event in _PASSED_OVER:
            self.gathering.skip(event)
            if event == "stop":
                self._count(generation, data)
        else:
            self.gathering.wonder(event)

    def _say(self, role: Any, text: str, number: int, data: Mapping[str, Any]) -> None:
        uid = _uid(data, role, text)
        if uid in self.carry["said"]:
            self.gathering.skip("repeated")  # two files of hooks that both call ours
            return
        self.carry["said"].append(uid)
        model = words(data.get("model")) if role == "assistant" else ""
        self.gathering.say(role, text, uid, place(number), instant(data.get("at")), _where(data), model)

    def _do(self, event: str, number: int, data: Mapping[str, Any], later: Sequence[Line]) -> None:
        key = _key(event, data)
        told = words(data.get("tool_use_id"))
        if (told and told in self.carry["said"]) or (key and self._is_second(event, key, later)):
            self.gathering.skip("repeated")
            return
        if told:
            self.carry["said"].append(told)
        self.carry["done"] += 1
        uid = _uid(data, "tool", told or f"{self.carry['done']} {key}")
        self.gathering.do(_action(event, data), uid, place(number), instant(data.get("at")), _where(data))

    def _is_second(self, event: str, key: str, later: Sequence[Line]) -> bool:
        """Whether a call was told, or will be told better, by the other one of its two events."""
        pairs: dict[str, int] = self.carry["pairs"]
        ahead: dict[str, int] = self.carry["ahead"]
        # Above 0: so many of its own event were read alone; below: so many of the shared one.
        balance = pairs.get(key, 0)
        if event in _OWN_EVENT:
            if balance < 0:
                pairs[key] = balance + 1
                return True
            if sum(_is_shared(line, self.carry["generation"], key) for line in later) > ahead.get(key, 0):
                ahead[key] = ahead.get(key, 0) + 1
                return True
            pairs[key] = balance + 1
            return False
        if balance > 0:
            pairs[key] = balance - 1
            return True
        if ahead.get(key, 0) > 0:
            ahead[key] -= 1
        else:
            pairs[key] = balance - 1
        return False

    def _count(self, generation: str, data: Mapping[str, Any]) -> None:
        given, out = count(data.get("input_tokens")), count(data.get("output_tokens"))
        read, written = count(data.get("cache_read_tokens")), count(data.get("cache_write_tokens"))
        if generation and given + out and not self.carry["counted"]:
            self.carry["counted"] = True
            model = words(data.get("model"))
            self.gathering.usages.append(Usage(generation, model, given, out, read, written))


def _anew(generation: str) -> dict[str, Any]:
    """What is known of a generation: one prompt and all that comes of it."""
    return {"generation": generation, "said": [], "done": 0, "pairs": {}, "ahead": {}, "counted": False}


def _uid(data: Mapping[str, Any], kind: str, what: str) -> str:
    key = json.dumps([words(data.get("conversation")), words(data.get("generation")), kind, what])
    return f"cursor:{hashlib.sha256(key.encode()).hexdigest()[:24]}"


def _where(data: Mapping[str, Any]) -> Where:
    return Where(cwd=words(data.get("cwd")) or None)


def _key(event: str, data: Mapping[str, Any]) -> str:
    """What a call is known by in both of its events; nothing for a tool that has no event of its own."""
    arguments = mapping(data.get("tool_input"))
    if event == "afterShellExecution":
        return f"command {words(data.get('command'))}"
    if event == "afterFileEdit":
        return f"edit {words(data.get('file_path'))}"
    tool = words(data.get("tool_name"))
    if event == "afterMCPExecution" or tool.startswith("MCP:"):
        return f"mcp {tool.rpartition(':')[2]}"
    kind = _KINDS.get(tool.lower())
    if kind == "command":
        return f"command {words(arguments.get('command'))}"
    return f"edit {next(iter(_paths(arguments)), '')}" if kind == "edit" else ""


def _is_shared(line: Line, generation: str, key: str) -> bool:
    data = line.data or {}
    event = words(data.get("type"))
    return event in _SHARED_EVENT and words(data.get("generation")) == generation and _key(event, data) == key


def _paths(arguments: Mapping[str, Any]) -> list[str]:
    return [path for key in _PATHS if (path := words(arguments.get(key)))]


def _action(event: str, data: Mapping[str, Any]) -> Action:
    code = whole(data.get("exit_code"))
    ended: Outcome = "unknown" if code is None else "failed" if code else "ok"
    if event == "afterShellExecution":
        return Call.of("Shell", "command", data.get("command")).action(ended, words(data.get("output")), code)
    if event == "afterFileEdit":
        return Call.of("Edit", "edit", None, [data.get("file_path")]).action("ok")
    tool = words(data.get("tool_name"))
    arguments = mapping(data.get("tool_input"))
    kind = (
        "mcp"
        if event == "afterMCPExecution" or tool.startswith("MCP:")
        else _KINDS.get(tool.lower(), "other")
    )
    call = Call.of(tool, kind, arguments.get("command") if kind == "command" else None, _paths(arguments))
    if event == "postToolUseFailure":
        outcome: Outcome = "denied" if data.get("failure_type") == "permission_denied" else "failed"
        return call.action(outcome, words(data.get("error_message")), code)
    if event == "afterMCPExecution":
        result = words(data.get("result_json"))
        return call.action("failed" if '"isError":true' in result.replace(" ", "") else "ok", result)
    return call.action(ended if kind == "command" else "ok", words(data.get("tool_output")), code)
