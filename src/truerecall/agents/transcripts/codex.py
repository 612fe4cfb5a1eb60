"""Reads Codex's rollouts: JSON lines, from 0.7x to 0.171.

What was said stands there twice or more: as items of the model's input and output, and as events. The events are read,
for only they tell a person's words from what was put beside them. Of a call, whichever tells its end first is read.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from truerecall.agents.records import ToolName, Usage, Where
from truerecall.agents.transcripts.calls import Call, OpenCalls
from truerecall.agents.transcripts.codex_calls import answered, ended, finished, opened
from truerecall.agents.transcripts.fields import count, instant, items, mapping, name, names, words
from truerecall.agents.transcripts.files import files_below, grown
from truerecall.agents.transcripts.gathering import Gathering, carried
from truerecall.agents.transcripts.lines import Line, first_object, place, place_before, read_lines
from truerecall.agents.transcripts.reading import Cursor, Reading, Transcript

_FILE = re.compile(r"rollout-.{1,40}?-([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})")

_TYPES = names("compacted world_state ghost_snapshot inter_agent_communication_metadata")
_ITEMS = names(
    "message reasoning agent_message ghost_snapshot compaction compaction_summary compaction_trigger "
    "context_compaction configuration_update image_generation_call tool_search_call tool_search_output other"
)
_EVENTS = names(
    "agent_reasoning agent_reasoning_raw_content agent_reasoning_section_break background_event context_compacted "
    "deprecation_notice entered_review_mode error exited_review_mode guardian_assessment image_generation_end "
    "item_started model_reroute patch_apply_begin plan_update sub_agent_activity stream_error task_complete "
    "thread_goal_updated thread_name_updated thread_rolled_back thread_settings_applied turn_aborted turn_diff "
    "view_image_tool_call warning web_search_end"
)
_SAID_ITEMS = names(
    "Reasoning Plan WebSearch ImageView ImageGeneration HookPrompt ContextCompaction EnteredReviewMode "
    "ExitedReviewMode Sleep"
)
_ENDS = (
    "exec_command_end",
    "patch_apply_end",
    "mcp_tool_call_end",
    "dynamic_tool_call_response",
    "collab_agent_spawn_end",
    "collab_agent_interaction_end",
    "collab_waiting_end",
    "collab_close_end",
    "collab_resume_end",
)
_PUT_BESIDE = (
    "<environment_context>",
    "<user_instructions>",
    "<INSTRUCTIONS>",
    "# AGENTS.md instructions for ",
    "<permissions instructions>",
    "<turn_aborted>",
    "<user_shell_command>",
    "<subagent_notification>",
    "<recommended_plugins>",
    "<skill>",
)
_REQUEST = "## My request for Codex:"
"""What an editor's extension writes between what it tells of the editor and what the person typed."""


class CodexReader:
    """Reads rollouts below ``sessions`` and ``archived_sessions`` in Codex's folder."""

    tool: ToolName = "codex"

    def find(self, homes: Mapping[str, str], since: datetime | None = None) -> Iterator[Transcript]:
        """See ``TranscriptReader.find``; nothing but rollouts is opened, and no symbolic link followed."""
        found = []
        root = _root(homes)
        for folder in ("sessions", "archived_sessions") if root else ():
            for path in files_below(Path(root) / folder, "**/rollout-*.jsonl"):
                changed, named = grown(path, since), _FILE.fullmatch(path.stem)
                if changed and named:
                    found.append(Transcript(self.tool, path, _session_of(path, named[1]), changed))
        yield from sorted(found, key=lambda one: (one.changed, one.path))

    def read(self, transcript: Transcript, cursor: Cursor | None = None, most: int = 4 << 20) -> Reading:
        """See ``TranscriptReader.read``."""
        batch = read_lines(transcript.path, cursor, most)
        rollout = _Rollout(carried(cursor, batch), subagent="/" in transcript.session)
        for line in batch.lines:
            rollout.take(line)
        return rollout.gathering.reading(batch, rollout.carry())


def _root(homes: Mapping[str, str]) -> str:
    named, home = homes.get("CODEX_HOME"), homes.get("HOME")
    return named or (f"{home}/.codex" if home else "")


def _session_of(path: Path, thread: str) -> str:
    parent = _parent(mapping(first_object(path).get("payload")))
    return f"{parent}/{thread}" if parent else thread


def _parent(meta: dict[str, Any]) -> str:
    spawned = mapping(mapping(mapping(meta.get("source")).get("subagent")).get("thread_spawn"))
    return words(spawned.get("parent_thread_id")) or words(meta.get("parent_thread_id"))


class _Rollout:
    """A rollout while it is read."""

    def __init__(self, carry: dict[str, Any], subagent: bool) -> None:
        self.gathering = Gathering()
        self._calls = OpenCalls(carry.get("calls"))
        self._costs = _Costs(carry.get("total"))
        self._place: dict[str, str] = mapping(carry.get("place"))
        """The folder, branch, commit and origin, the session and the model: names of ``Where`` and two more."""
        self._subagent = subagent or carry.get("subagent") is True
        self._turn: str = carry.get("turn", "")
        self._begun: int = carry.get("begun", 0)
        self._heard: dict[str, int] = mapping(carry.get("heard"))

    def carry(self) -> dict[str, Any]:
        """What the next reading needs."""
        return {
            "calls": self._calls.carry(),
            "total": self._costs.total,
            "place": self._place,
            "subagent": self._subagent,
            "turn": self._turn,
            "begun": self._begun,
            "heard": self._heard,
        }

    def take(self, line: Line) -> None:
        """Read a line."""
        gathering = self.gathering
        if line.fault:
            gathering.fail(line.number, line.fault)
        if line.data is None:
            return
        payload = mapping(line.data.get("payload"))
        at = instant(line.data.get("timestamp"))
        match line.data.get("type"):
            case "session_meta":
                self._meta(payload)
            case "turn_context":
                self._turn_begins(words(payload.get("turn_id")) or self._turn)
                self._note(cwd=payload.get("cwd"), model=payload.get("model"))
            case "response_item":
                self._item(line.number, at, payload)
            case "event_msg":
                self._event(line.number, at, payload)
            case "token_usage_record":
                gathering.usages += self._costs.record(payload, self._key(), self._place.get("model", ""))
            case kind:
                self._known(name(kind), name(kind), _TYPES)

    def _known(self, label: str, kind: str, kinds: frozenset[str]) -> None:
        self.gathering.skip(label) if kind in kinds else self.gathering.wonder(label)

    def _note(self, **told: object) -> None:
        self._place.update({key: words(value) for key, value in told.items() if words(value)})

    def _meta(self, meta: dict[str, Any]) -> None:
        """Take the session's own description: a fork has that of the session it is a copy of behind its own."""
        self.gathering.version = words(meta.get("cli_version")) or self.gathering.version
        if "session" in self._place:
            self.gathering.skip("session_meta (of another session)")
            return
        git = mapping(meta.get("git"))
        self._note(
            session=meta.get("id") or meta.get("session_id"),
            cwd=meta.get("cwd"),
            branch=git.get("branch"),
            commit=git.get("commit_hash"),
            origin=git.get("repository_url"),
        )
        told = "subagent" in mapping(meta.get("source")) or meta.get("thread_source") == "subagent"
        self._subagent = self._subagent or told or bool(_parent(meta))

    def _where(self) -> Where:
        return Where(*(self._place.get(key) for key in ("cwd", "branch", "commit", "origin")))

    def _key(self) -> str:
        """Of the turn: the same in a copy of the session, where the turn has an id."""
        return self._turn or f"{self._place.get('session', '')}:{self._begun}"

    def _turn_begins(self, turn: str) -> None:
        if turn != self._turn:
            self._turn, self._heard = turn, {}

    def _item(self, number: int, at: datetime | None, item: dict[str, Any]) -> None:
        kind = name(item.get("type"))
        key = words(item.get("call_id"))
        if kind in ("function_call", "custom_tool_call", "local_shell_call"):
            key = key or words(item.get("id")) or str(number)
            call = replace(opened(item), uid=f"{self._key()}/{key}")
            self._give_up(number, at, self._calls.add(key, call))
        elif kind in ("function_call_output", "custom_tool_call_output"):
            self._output(number, at, key, item.get("output"))
        elif kind == "web_search_call":
            ok = item.get("status") in (None, "completed")
            action = Call.of("web_search", "web").action("ok" if ok else "failed")
            uid = words(item.get("id")) or f"{self._key()}/web/{_digest(repr(item.get('action')))}"
            self.gathering.do(action, uid, place(number), at, self._where())
        else:
            self._known(f"response_item/{kind}", kind, _ITEMS)

    def _output(self, number: int, at: datetime | None, key: str, output: object) -> None:
        call = self._calls.close(key)
        if call is None:
            self.gathering.skip("output (of a call that is over)")
            return
        answer, block = answered(output), 0
        if call.note.startswith("asks "):
            # What it shows is another command's output; typing into that command is something done.
            if call.command:
                self.gathering.do(finished(call, answer), call.uid, place(number), at, self._where())
                block = 1
            key = self._calls.noted(f"runs {call.note[5:]}") or ""
            asked = self._calls.close(key) if answer.running or answer.exit_code is not None else None
            if asked is None:
                self.gathering.skip("output (of a call that is over)")
                return
            call = asked
        if answer.running:
            self._calls.add(key, replace(call.shown(answer.text), note=f"runs {answer.running}"))
            return
        self.gathering.do(finished(call, answer), call.uid, place(number, block), at, self._where())

    def _give_up(self, number: int, at: datetime | None, over: list[Call]) -> None:
        for index, call in enumerate(over):
            if not call.note.startswith("asks ") or call.command:
                self.gathering.do(
                    call.action("unknown"), call.uid, place_before(number, index), at, self._where()
                )

    def _event(self, number: int, at: datetime | None, event: dict[str, Any]) -> None:
        kind = name(event.get("type"))
        if kind in _ENDS:
            self._ends(number, at, words(event.get("call_id")), event)
        elif kind == "user_message":
            typed = event.get("kind") in (None, "plain")
            self._say("user", "event", number, at, words(event.get("message")) if typed else "", "")
        elif kind == "agent_message":
            self._say("assistant", "event", number, at, words(event.get("message")), "")
        elif kind == "item_completed":
            self._item_completed(number, at, mapping(event.get("item")))
        elif kind == "token_count":
            model = self._place.get("model", "")
            self.gathering.usages += self._costs.told(mapping(event.get("info")), self._key(), model)
        elif kind in ("task_started", "turn_started"):
            self._begun += 1
            self._turn_begins(words(event.get("turn_id")))
            self._give_up(number, at, self._calls.close_all())
        else:
            self._known(f"event_msg/{kind}", kind, _EVENTS)

    def _item_completed(self, number: int, at: datetime | None, item: dict[str, Any]) -> None:
        kind = name(item.get("type"))
        key = words(item.get("id"))
        parts = [mapping(part) for part in items(item.get("content"))]
        texts = [words(part.get("text")) for part in parts if words(part.get("type")).lower() == "text"]
        if kind == "UserMessage":
            self._say("user", "item", number, at, "\n".join(texts), key)
        elif kind == "AgentMessage":
            self._say("assistant", "item", number, at, "".join(texts), key)
        elif kind in _SAID_ITEMS:
            self.gathering.skip(f"item_completed/{kind}")
        elif self._calls.get(key) or "status" in item:
            self._ends(number, at, key, item)
        else:
            self.gathering.wonder(f"item_completed/{kind}")

    def _ends(self, number: int, at: datetime | None, key: str, told: dict[str, Any]) -> None:
        call = self._calls.close(key)
        if call is None:
            self.gathering.skip("end (of no open call)")
            return
        self.gathering.do(ended(call, told), call.uid, place(number), at, self._where())

    def _say(
        self,
        role: Literal["user", "assistant"],
        channel: Literal["event", "item"],
        number: int,
        at: datetime | None,
        text: str,
        uid: str,
    ) -> None:
        """Take what was said, once: some versions tell it by both kinds of event."""
        text = _typed(text) if role == "user" else text
        if not text.strip() or (role == "user" and self._subagent):
            self.gathering.skip(f"{role} (put beside)")
            return
        if role == "user" and not self._turn:
            self._begun, self._heard = self._begun + 1, {}
            self._give_up(number, at, self._calls.close_all())
        told = f"{role}/{_digest(text)}"
        other = f"{'item' if channel == 'event' else 'event'}/{told}"
        if self._heard.get(other):
            self._heard[other] -= 1
            self.gathering.skip(f"{role} (said already)")
            return
        self._heard[f"{channel}/{told}"] = self._heard.get(f"{channel}/{told}", 0) + 1
        nth = self._heard[told] = self._heard.get(told, 0) + 1
        uid = f"{self._key()}/{uid or told}" + (f"/{nth}" if nth > 1 and not uid else "")
        model = self._place.get("model") if role == "assistant" else None
        self.gathering.say(role, text, uid, place(number), at, self._where(), model)


class _Costs:
    """What responses cost, each once; ``total`` is the thread's own sum, by which a repetition is known."""

    def __init__(self, total: object) -> None:
        self.total: list[int] = items(total)

    def record(self, record: dict[str, Any], key: str, model: str) -> list[Usage]:
        """Of a record of one response."""
        total = _tokens(record.get("thread_token_usage"))
        if total and total == self.total:
            return []
        self.total = total or self.total
        uid = words(record.get("response_id")) or str(sum(self.total))
        return [_usage(f"{key}/{uid}", model, _tokens(record.get("usage")))]

    def told(self, info: dict[str, Any], key: str, model: str) -> list[Usage]:
        """Of an event that tells the sums so far, with the last response's part where it says so."""
        total = _tokens(info.get("total_token_usage"))
        if not total or total == self.total:
            return []
        before = self.total or [0] * len(total)
        grown_by = [max(0, now - then) for now, then in zip(total, before, strict=True)]
        last = _tokens(info.get("last_token_usage")) or grown_by
        self.total = total
        return [_usage(f"{key}/{sum(total)}", model, last)]


def _tokens(told: object) -> list[int]:
    kinds = ("input_tokens", "output_tokens", "cached_input_tokens", "cache_write_input_tokens")
    return [count(told.get(kind)) for kind in kinds] if isinstance(told, dict) else []


def _usage(uid: str, model: str, tokens: list[int]) -> Usage:
    """Codex's tokens in hold those of the cache; ours do not."""
    tokens_in, out, read, written = tokens or [0, 0, 0, 0]
    return Usage(uid, model, max(0, tokens_in - read - written), out, read, written)


def _typed(text: str) -> str:
    """What a person typed of a message; empty for what Codex put beside it."""
    text = text.strip()
    if text.startswith(_PUT_BESIDE):
        return ""
    _, found, request = text.partition(_REQUEST)
    return request.strip() if found and text.startswith("# ") else text


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
