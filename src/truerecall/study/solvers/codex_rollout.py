"""What one exchange added to the rollouts of Codex: calls of the model, uses of tools, injected texts, and the wall.

All rollouts of the home are read anew after each exchange, and what was told before is left out by its own id. Usage is
taken from the record of each response; the sums that Codex prints are of the whole conversation. Its tokens in hold
those that came from the cache and those that went into it, ours do not.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from truerecall.agents.transcripts.calls import Call as Opened
from truerecall.agents.transcripts.codex_calls import answered, ended, finished, opened
from truerecall.agents.transcripts.fields import count, items, mapping, name, words
from truerecall.agents.transcripts.files import files_below
from truerecall.agents.transcripts.lines import read_lines
from truerecall.study.records import Call, Injected, ToolUse, UseOutcome
from truerecall.study.solvers.secrets import Masking
from truerecall.study.solvers.under_way import UnderWay

OUTPUT = 4_000
"""Characters that are kept of what came of a tool."""
_FILES = "**/rollout-*.jsonl"
_ALL = 1 << 40
_CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call"})
_OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output"})
_FROM_HOOK = "hooks.additional_context"
_REFUSED = ("patch rejected", "approval policy is never")
LATER = "later"
"""The event of a text that a hook put before the model after it had begun to answer."""


@dataclass(slots=True)
class Added:
    """What is new."""

    calls: list[Call] = field(default_factory=list)
    uses: list[ToolUse] = field(default_factory=list)
    injected: list[Injected] = field(default_factory=list)
    walled: bool = False
    """Whether each turn, and there was one, says that commands saw nothing but what they may, and no network."""


@dataclass(slots=True)
class _Use:
    """One call of a tool, and what came of it."""

    call: Opened
    input: dict[str, Any]
    outcome: UseOutcome = "unknown"
    output: str = ""


@dataclass(slots=True)
class _Seen:
    """What all rollouts hold together, by ids."""

    calls: dict[str, Call] = field(default_factory=dict)
    uses: dict[str, _Use] = field(default_factory=dict)
    injected: dict[str, Injected] = field(default_factory=dict)
    turns: dict[str, bool] = field(default_factory=dict)
    """Whether each was walled."""
    using: set[str] = field(default_factory=set)
    """Calls of the model after which a tool is used, and the model called again."""
    asks: bool = False
    """Whether the response that is being told asks for a tool: its usage comes behind that."""
    model: str = ""
    event: str = ""
    """What a text that a hook adds now belongs to."""


class Rollouts:
    """The rollouts of one home.

    Args:
        folder: CODEX_HOME.
        masking: Takes secrets out of what is told.
        seen: What the profile of permissions lets commands read, besides the system's own folders.
    """

    def __init__(self, folder: Path, masking: Masking, seen: Sequence[Path] = ()) -> None:
        self._folder, self._masking = folder, masking
        self._allowed = {str(named) for path in seen for named in (path, path.resolve())}
        self._links = folder.resolve() / "tmp"
        self._told: set[tuple[str, str]] = set()
        self._under_way = UnderWay()

    def added(self) -> Added:
        """What came since the last time."""
        self._under_way.forget()
        seen = self._seen()
        turns = [walled for key, walled in seen.turns.items() if self._new("turn", key)]
        return Added(
            [call for key, call in seen.calls.items() if self._new("call", key)],
            [self._use(key, use) for key, use in seen.uses.items() if self._new("use", key)],
            [
                Injected(event=one.event, text=self._masking.text(one.text))
                for key, one in seen.injected.items()
                if self._new("injected", key)
            ],
            bool(turns) and all(turns),
        )

    def under_way(self) -> list[Call]:
        """The calls of a prompt under way, which ``added`` will tell, if one more is about to follow; else none."""
        return self._under_way.calls(self.files(), self._seen, lambda key: ("call", key) not in self._told)

    def files(self) -> list[Path]:
        """All rollouts, in the order in which they were begun."""
        return list(files_below(self._folder / "sessions", _FILES))

    def keep(self, target: Path) -> None:
        """Copy them, without known secrets."""
        target.mkdir(parents=True, exist_ok=True)
        for path in self.files():
            text = self._masking.text(path.read_bytes().decode("utf-8", "replace"))
            (target / path.name).write_text(text, encoding="utf-8", newline="\n")

    def _seen(self) -> _Seen:
        seen = _Seen()
        for path in self.files():
            for line in read_lines(path, None, _ALL).lines:
                if line.data is not None:
                    self._take(line.data, seen)
        return seen

    def _new(self, kind: str, key: str) -> bool:
        known = (kind, key) in self._told
        self._told.add((kind, key))
        return not known

    def _use(self, key: str, use: _Use) -> ToolUse:
        return ToolUse.model_validate(
            {
                "id": key,
                "name": use.call.name,
                "input": self._masking.value(use.input),
                "outcome": use.outcome,
                "output": self._masking.text(use.output[:OUTPUT]),
            }
        )

    def _take(self, data: dict[str, Any], seen: _Seen) -> None:
        payload = mapping(data.get("payload"))
        match data.get("type"):
            case "turn_context":
                seen.model = words(payload.get("model")) or seen.model
                seen.turns[words(payload.get("turn_id"))] = self._is_walled(payload)
            case "token_usage_record":
                _usage(payload, seen)
            case "response_item":
                _item(payload, seen)
            case "event_msg":
                _event(payload, seen)

    def _is_walled(self, turn: dict[str, Any]) -> bool:
        """Whether a turn's profile of permissions lets commands read no more than it should, and reach nothing."""
        profile = mapping(turn.get("permission_profile"))
        files = mapping(profile.get("file_system"))
        entries = items(files.get("entries"))
        return (
            files.get("type") == "restricted"
            and profile.get("network") == "restricted"
            and turn.get("approval_policy") == "never"
            and bool(entries)
            and all(self._may(mapping(entry)) for entry in entries)
        )

    def _may(self, entry: dict[str, Any]) -> bool:
        if entry.get("access") != "read":
            return False
        path = mapping(entry.get("path"))
        if path.get("type") == "special":
            return mapping(path.get("value")).get("kind") == "minimal"
        named = words(path.get("path"))
        # It adds the folder of links to itself that it makes for each start.
        return named in self._allowed or Path(named).is_relative_to(self._links)


def _usage(record: dict[str, Any], seen: _Seen) -> None:
    usage = mapping(record.get("usage"))
    key = words(record.get("response_id"))
    if seen.asks:
        seen.using.add(key)
        seen.asks = False
    read, written = count(usage.get("cached_input_tokens")), count(usage.get("cache_write_input_tokens"))
    if key:
        seen.calls[key] = Call(
            id=key,
            model=seen.model,
            input=max(0, count(usage.get("input_tokens")) - read - written),
            output=count(usage.get("output_tokens")),
            cache_read=read,
            cache_write_5m=written,
        )


def _item(item: dict[str, Any], seen: _Seen) -> None:
    kind = name(item.get("type"))
    key = words(item.get("call_id")) or words(item.get("id"))
    seen.asks = seen.asks or kind in _CALLS or kind == "tool_search_call"
    if kind in _CALLS:
        seen.event = LATER
        seen.uses.setdefault(key, _Use(_opened(item), _given(item)))
    elif kind == "web_search_call":
        seen.uses.setdefault(key, _Use(Opened.of("web_search", "web"), mapping(item.get("action"))))
    elif kind in _OUTPUTS and key in seen.uses:
        use = seen.uses[key]
        answer = answered(item.get("output"))
        use.output = use.output or answer.text
        if use.outcome == "unknown":
            use.outcome = finished(use.call, answer).outcome
        if answer.text.casefold().startswith(_REFUSED):
            use.outcome = "denied"
    elif kind == "message":
        _message(item, seen)


def _message(item: dict[str, Any], seen: _Seen) -> None:
    if item.get("role") == "assistant":
        seen.event = LATER
    kinds = items(mapping(item.get("internal_chat_message_metadata_passthrough")).get("content_item_kinds"))
    for number, part in enumerate(items(item.get("content"))):
        text = words(mapping(part).get("text"))
        if text and number < len(kinds) and kinds[number] == _FROM_HOOK:
            seen.injected.setdefault(
                f"{words(item.get('id'))}/{number}", Injected(event=seen.event, text=text)
            )


def _event(event: dict[str, Any], seen: _Seen) -> None:
    item = mapping(event.get("item"))
    match event.get("type"), item.get("type"):
        case "task_started", _:
            seen.event = "SessionStart"
        case "item_completed", "UserMessage":
            seen.event = "UserPromptSubmit"
        case "item_completed", _ if "status" in item and (use := seen.uses.get(words(item.get("id")))):
            action = ended(use.call, item)
            use.call = replace(use.call, name=action.name)
            # All that it printed, though the model may have been shown its beginning, or the rest much later.
            use.outcome, use.output = action.outcome, action.output


def _opened(item: dict[str, Any]) -> Opened:
    """The call under the name that it has here: a command that holds a patch may do anything besides."""
    call = opened(item)
    is_command = item.get("type") == "function_call" and call.name == "apply_patch"
    return replace(call, name=name(item.get("name"))) if is_command else call


def _given(item: dict[str, Any]) -> dict[str, Any]:
    """What a tool was given."""
    if item.get("type") == "local_shell_call":
        action = mapping(item.get("action"))
        return {"command": action.get("command"), "workdir": action.get("working_directory")}
    if item.get("type") == "custom_tool_call":
        return {"input": item.get("input")}
    try:
        return mapping(json.loads(words(item.get("arguments")) or "{}"))
    except (ValueError, RecursionError):
        return {"arguments": item.get("arguments")}
