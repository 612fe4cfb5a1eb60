"""Reads Claude Code's transcripts: JSON lines, from 1.0 to 2.1.

What a message cost stands in each of its lines, at first as a placeholder: it is counted once, when a reason to stop
or a later message shows that it is final. A file's last message that says neither is not counted.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from truerecall.agents.records import ToolName, Usage, Where
from truerecall.agents.transcripts.calls import Call, OpenCalls
from truerecall.agents.transcripts.claude_code_calls import finished, opened
from truerecall.agents.transcripts.claude_code_prompts import typed
from truerecall.agents.transcripts.fields import count, instant, items, mapping, name, names, words
from truerecall.agents.transcripts.files import files_below, grown
from truerecall.agents.transcripts.gathering import Gathering, carried
from truerecall.agents.transcripts.lines import Line, first_object, place, place_before, read_lines
from truerecall.agents.transcripts.reading import Cursor, Reading, Transcript

_SESSION = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_AGENT = re.compile(r"agent-([\w.-]{1,100})")

_TYPES = names(
    "summary ai-title custom-title agent-name agent-color agent-setting queue-operation last-prompt mode "
    "permission-mode tools-used cost-state atis-latch api-request api-request-shape api-request-blob progress "
    "file-history-snapshot file-history-delta content-replacement context-collapse-commit pr-link tag task-summary "
    "worktree-state speculation-accept attribution-snapshot"
)
"""Lines of which nothing is wanted; ``api-request*`` hold whole prompts."""
_SYSTEM = names(
    "api_error api_metrics api_retry away_summary agents_killed bridge_status compact_boundary informational "
    "local_command memory_saved microcompact_boundary model_fallback notification permission_denied permission_retry "
    "scheduled_task_fire session_state_changed status stop_hook_summary task_notification task_progress task_started "
    "thinking turn_duration turn_starting vcs_state_changed"
)
_ATTACHMENTS = names(
    "agent_listing_delta agent_mention already_read_file async_hook_response auto_mode auto_mode_exit "
    "compact_file_reference compaction_reminder critical_system_reminder current_session_memory date date_change "
    "deferred_tools_delta diagnostics directory dynamic_skill edited_image_file edited_text_file environment file "
    "hook_additional_context hook_blocking_error hook_cancelled hook_error_during_execution hook_non_blocking_error "
    "hook_permission_decision hook_stopped_continuation hook_success hook_system_message invoked_skills "
    "mcp_instructions_delta mcp_resource model nested_memory opened_file_in_ide output_style pdf_reference plan_mode "
    "plan_mode_exit plan_mode_reentry plan_file_reference prompt_snapshot remote_session_change "
    "selected_lines_in_ide session_context skill_listing task_reminder task_status todo todo_reminder token_usage "
    "total_tokens_reminder ultrathink_effort ultramemory verify_plan_reminder"
)
_SILENT = ("thinking", "redacted_thinking", "fallback")
_COUNTED = (
    512  # messages of which it is remembered that they were counted; a message's lines stand close together
)


class ClaudeCodeReader:
    """Reads sessions below ``projects`` in Claude Code's folder."""

    tool: ToolName = "claude-code"

    def find(self, homes: Mapping[str, str], since: datetime | None = None) -> Iterator[Transcript]:
        """See ``TranscriptReader.find``; nothing but transcripts is opened, and no symbolic link followed."""
        found = []
        for root in _roots(homes):
            for path in files_below(root / "projects", "*/*.jsonl", "*/*/subagents/**/*.jsonl"):
                changed = grown(path, since)
                session = changed and _session_of(path)
                if changed and session:
                    found.append(Transcript(self.tool, path, session, changed))
        yield from sorted(found, key=lambda one: (one.changed, one.path))

    def read(self, transcript: Transcript, cursor: Cursor | None = None, most: int = 4 << 20) -> Reading:
        """See ``TranscriptReader.read``."""
        batch = read_lines(transcript.path, cursor, most)
        session = _Session(carried(cursor, batch), subagent="/" in transcript.session)
        for line in batch.lines:
            session.take(line)
        return session.gathering.reading(batch, session.carry())


def _roots(homes: Mapping[str, str]) -> list[Path]:
    if named := homes.get("CLAUDE_CONFIG_DIR"):
        return [Path(named)]
    home = homes.get("HOME")
    # Some versions of 1.0 kept their files where XDG would have them.
    return [Path(home) / ".claude", Path(home) / ".config" / "claude"] if home else []


def _session_of(path: Path) -> str | None:
    """The session's id by the file's name, or what a subagent's file and folders say; None for another file."""
    if _SESSION.fullmatch(path.stem):
        return path.stem
    agent = _AGENT.fullmatch(path.stem)
    if agent is None:
        return None
    above = next((part.name for part in path.parents if _SESSION.fullmatch(part.name)), None)
    above = above or words(first_object(path).get("sessionId"))
    return f"{above}/{agent[1]}" if above else path.stem


class _Session:
    """A session while it is read."""

    def __init__(self, carry: dict[str, Any], subagent: bool) -> None:
        self.gathering = Gathering()
        self._calls = OpenCalls(carry.get("calls"))
        self._costs = _Costs(carry)
        self._subagent = subagent

    def carry(self) -> dict[str, Any]:
        """What the next reading needs."""
        return {"calls": self._calls.carry(), **self._costs.carry()}

    def take(self, line: Line) -> None:
        """Read a line."""
        gathering = self.gathering
        if line.fault:
            gathering.fail(line.number, line.fault)
        if line.data is None:
            return
        data = line.data
        gathering.version = words(data.get("version")) or gathering.version
        match data.get("type"):
            case "user":
                self._user(line.number, data)
            case "assistant":
                self._assistant(line.number, data)
            case "attachment":
                self._attachment(line.number, data)
            case "system":
                self._known(f"system/{name(data.get('subtype'))}", _SYSTEM)
                gathering.usages += self._costs.settle(_chain(data))
            case kind:
                self._known(name(kind), _TYPES)

    def _known(self, kind: str, types: frozenset[str]) -> None:
        known = kind.rpartition("/")[2] in types
        self.gathering.skip(kind) if known else self.gathering.wonder(kind)

    def _user(self, number: int, data: dict[str, Any]) -> None:
        message = mapping(data.get("message"))
        content = message.get("content")
        if not isinstance(content, str | list):
            self.gathering.fail(number, "a user's line without a message")
            return
        answered = False
        for block, part in enumerate(items(content)):
            kind = name(mapping(part).get("type"))
            if kind.endswith("tool_result"):
                answered = True
                self._result(number, block, part, data)
            elif kind not in ("text", "image", "document", "?"):
                self.gathering.wonder(f"user/{kind}")
        if not self._prompt(number, data, content) and not answered:
            self.gathering.skip("user (not typed)")

    def _prompt(self, number: int, data: dict[str, Any], content: object) -> bool:
        """Take what a person typed; a subagent is told by an agent, not by a person."""
        text = "" if self._subagent or data.get("isSidechain") else typed(data, content)
        if not text:
            return False
        # Whoever types has the turn: no call of before can still be answered.
        self._give_up(number, data, self._calls.close_all())
        self.gathering.usages += self._costs.settle(None)
        at, where = instant(data.get("timestamp")), _where(data)
        self.gathering.say("user", text, _uid(data, 0), place(number), at, where, None)
        return True

    def _give_up(self, number: int, data: dict[str, Any], over: list[Call]) -> None:
        at, where = instant(data.get("timestamp")), _where(data)
        for index, call in enumerate(over):
            self.gathering.do(call.action("unknown"), call.uid, place_before(number, index), at, where)

    def _result(self, number: int, block: int, part: dict[str, Any], data: dict[str, Any]) -> None:
        call = self._calls.close(words(part.get("tool_use_id")))
        if call is None:
            self.gathering.skip("tool_result (of no call)")
            return
        at, where = instant(data.get("timestamp")), _where(data)
        self.gathering.do(finished(call, part, data), call.uid, place(number, block), at, where)

    def _assistant(self, number: int, data: dict[str, Any]) -> None:
        message = mapping(data.get("message"))
        content = message.get("content")
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        if not isinstance(content, list):
            self.gathering.fail(number, "an assistant's line without a message")
            return
        if data.get("isApiErrorMessage") or message.get("model") == "<synthetic>":
            self.gathering.skip("assistant (written by the program)")
            return
        self.gathering.usages += self._costs.add(data, message)
        for block, part in enumerate(content):
            self._part(number, block, mapping(part), data, message)

    def _part(
        self, number: int, block: int, part: dict[str, Any], data: dict[str, Any], message: dict[str, Any]
    ) -> None:
        kind = name(part.get("type"))
        if kind == "text":
            at, where, model = instant(data.get("timestamp")), _where(data), words(message.get("model"))
            self.gathering.say(
                "assistant",
                words(part.get("text")),
                _uid(data, block),
                place(number, block),
                at,
                where,
                model,
            )
        elif kind.endswith("tool_use"):
            uid = _uid(data, block)
            call = replace(opened(name(part.get("name")), part.get("input")), uid=uid)
            self._give_up(number, data, self._calls.add(words(part.get("id")) or uid, call))
        elif kind.endswith("tool_result"):
            self._result(number, block, part, data)
        elif kind not in _SILENT:
            self.gathering.wonder(f"assistant/{kind}")

    def _attachment(self, number: int, data: dict[str, Any]) -> None:
        """Of what the program attaches, only a prompt that was typed while the agent worked is the person's."""
        attachment = mapping(data.get("attachment"))
        kind = name(attachment.get("type"))
        if kind != "queued_command":
            self._known(f"attachment/{kind}", _ATTACHMENTS)
            return
        text = ""
        if (
            attachment.get("commandMode") in (None, "prompt")
            and not self._subagent
            and not data.get("isSidechain")
        ):
            told = {key: attachment.get(key) or data.get(key) for key in ("origin", "isMeta")}
            text = typed(told, attachment.get("prompt"))
        at, where = instant(data.get("timestamp")), _where(data)
        self.gathering.say("user", text, _uid(data, 0), place(number), at, where, None)
        if not text:
            self.gathering.skip("attachment/queued_command")


class _Costs:
    """What messages cost, each once: the last of its lines says it."""

    def __init__(self, carry: dict[str, Any]) -> None:
        self._open: dict[str, list[Any]] = mapping(carry.get("costs"))
        self._counted: list[str] = items(carry.get("counted"))

    def carry(self) -> dict[str, Any]:
        """For the cursor."""
        return {"costs": self._open, "counted": self._counted}

    def add(self, data: dict[str, Any], message: dict[str, Any]) -> list[Usage]:
        """Take a line; returns what it shows to be final."""
        chain = _chain(data)
        key = words(message.get("id")) or words(data.get("requestId")) or _uid(data, 0)
        over = [] if self._open.get(chain, [key])[0] == key else self.settle(chain)
        usage = message.get("usage")
        if not isinstance(usage, dict) or _short(key) in self._counted:
            return over
        kinds = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
        self._open[chain] = [key, words(message.get("model")), *(count(usage.get(kind)) for kind in kinds)]
        return over + self.settle(chain) if message.get("stop_reason") else over

    def settle(self, chain: str | None) -> list[Usage]:
        """What is open of a chain of messages (None: of all), which is final now."""
        chains = list(self._open) if chain is None else [chain] if chain in self._open else []
        over = [Usage(*self._open.pop(one)) for one in chains]
        self._counted = [*self._counted, *(_short(usage.message_id) for usage in over)][-_COUNTED:]
        return over


def _short(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8")).hexdigest()[:10]


def _chain(data: dict[str, Any]) -> str:
    """Whose messages follow each other: the session's, or those of one of its subagents."""
    return words(data.get("agentId")) or "side" if data.get("isSidechain") else ""


def _uid(data: dict[str, Any], block: int) -> str:
    given = words(data.get("uuid"))
    if not given:
        told = repr((data.get("timestamp"), data.get("message"), data.get("attachment")))
        given = "line-" + hashlib.sha256(told.encode("utf-8", "replace")).hexdigest()[:24]
    return f"{given}/{block}" if block else given


def _where(data: dict[str, Any]) -> Where:
    branch = words(data.get("gitBranch"))
    return Where(words(data.get("cwd")) or None, branch if branch != "HEAD" and branch else None)
