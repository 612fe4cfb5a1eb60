"""What one exchange added to the transcripts of Claude Code: calls of the model, uses of tools, injected texts.

All transcripts are read anew after each exchange, and what was told before is left out by its own id: so a file that
was compacted, copied into another session or written anew counts nothing twice. A message of the model stands in as
many lines as it has blocks, each with the usage of the whole. What the session says it has used beyond its messages
(a compaction writes none) is one call more, so that the sum is that of the session.
"""

import re
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from truerecall.agents.transcripts.claude_code_calls import finished, opened, shown
from truerecall.agents.transcripts.fields import count, items, mapping, name, words
from truerecall.agents.transcripts.files import files_below
from truerecall.agents.transcripts.lines import read_lines
from truerecall.study.records import Call, Injected, ToolUse
from truerecall.study.solvers.secrets import Masking
from truerecall.study.solvers.under_way import UnderWay

PATTERNS = ("*/*.jsonl", "*/*/subagents/**/*.jsonl")
"""Below ``projects``: a session's transcript, and those of its subagents."""
OUTPUT = 4_000
"""Characters that are kept of what came of a tool."""
_ALL = 1 << 40
_REQUEST = re.compile(r'"type": ?"(?:api-request|prompt_snapshot)')
_PLAIN = ("SessionStart", "UserPromptSubmit")
"""Events whose hooks put what they print before the model, without a word of JSON."""
UNLISTED = "unlisted-"
"""How the ids begin of what a session used beyond its messages."""
_KINDS = ("input", "output", "cache_read", "cache_write_5m", "cache_write_1h")
_Tokens = tuple[int, ...]
"""Of each of these kinds."""
_NONE: _Tokens = (0,) * len(_KINDS)


@dataclass(slots=True)
class Added:
    """What is new."""

    calls: list[Call] = field(default_factory=list)
    uses: list[ToolUse] = field(default_factory=list)
    injected: list[Injected] = field(default_factory=list)


@dataclass(slots=True)
class _Seen:
    """What all transcripts hold together, by ids."""

    calls: dict[str, Call] = field(default_factory=dict)
    final: set[str] = field(default_factory=set)
    using: set[str] = field(default_factory=set)
    """Calls after which a tool is used, and the model called again."""
    uses: dict[str, dict[str, Any]] = field(default_factory=dict)
    results: dict[str, tuple[dict[str, Any], dict[str, Any]]] = field(default_factory=dict)
    injected: dict[str, Injected] = field(default_factory=dict)
    totals: dict[str, _Tokens] = field(default_factory=dict)
    """What a session says it used, by the model."""


class Transcripts:
    """The transcripts of one conversation.

    Others may lie in the folder: of a solver that outlived the study that began it, and was killed.
    """

    def __init__(self, settings: Path, masking: Masking) -> None:
        self._projects = settings / "projects"
        self._masking = masking
        self._sessions: set[str] = set()
        self._told: set[tuple[str, str]] = set()
        self._calls: dict[str, Call] = {}
        self._under_way = UnderWay()

    def under_way(self, session: str) -> list[Call]:
        """The calls of a prompt under way, which ``added`` will tell, if one more is about to follow; else none."""
        self._sessions.add(session)
        return self._under_way.calls(self.files(), self._seen, lambda key: ("call", key) not in self._told)

    def added(self, session: str, denied: Set[str] = frozenset()) -> Added:
        """What came since the last time, of this session and of those that were named before.

        ``denied`` are ids of uses that the result says were denied.
        """
        self._sessions.add(session)
        self._under_way.forget()
        seen = self._seen()
        new = {key: call for key, call in seen.calls.items() if self._new("call", key)}
        self._calls.update(new)
        for rest in self._unlisted(seen):
            self._calls[rest.id] = new[rest.id] = rest
        return Added(
            list(new.values()),
            [self._use(key, seen, denied) for key in seen.uses if self._new("use", key)],
            [
                Injected(event=one.event, text=self._masking.text(one.text))
                for key, one in seen.injected.items()
                if self._new("injected", key)
            ],
        )

    def all_calls(self) -> list[Call]:
        """Those of every conversation in the folder."""
        self._sessions |= {self._session_of(path) for path in files_below(self._projects, *PATTERNS)}
        return [call for session in sorted(self._sessions) for call in self.added(session).calls]

    def files(self) -> list[Path]:
        """Those of the conversation, a session's own before those of its subagents."""
        found = files_below(self._projects, *PATTERNS)
        own = (path for path in found if self._session_of(path) in self._sessions)
        return sorted(own, key=lambda path: (len(path.parts), path))

    def keep(self, folder: Path) -> None:
        """Copy them, without known secrets and without the lines that hold whole requests."""
        for path in self.files():
            target = folder.joinpath(*path.relative_to(self._projects).parts[1:])
            target.parent.mkdir(parents=True, exist_ok=True)
            lines = path.read_bytes().decode("utf-8", "replace").split("\n")
            kept = (self._masking.text(line) for line in lines if not _whole_request(line))
            target.write_text("\n".join(kept), encoding="utf-8", newline="\n")

    def _seen(self) -> _Seen:
        seen = _Seen()
        for path in self.files():
            for line in read_lines(path, None, _ALL).lines:
                if line.data is not None:
                    _take(line.data, seen)
        return seen

    def _session_of(self, path: Path) -> str:
        parts = path.relative_to(self._projects).parts
        return path.stem if len(parts) == 2 else parts[1]

    def _new(self, kind: str, key: str) -> bool:
        known = (kind, key) in self._told
        self._told.add((kind, key))
        return not known

    def _use(self, key: str, seen: _Seen, denied: Set[str]) -> ToolUse:
        block = seen.uses[key]
        called = opened(name(block.get("name")), block.get("input"))
        outcome, output = "unknown", ""
        if key in seen.results:
            part, line = seen.results[key]
            outcome = finished(called, part, line).outcome
            output = shown(part.get("content"))[:OUTPUT]
        return ToolUse.model_validate(
            {
                "id": key,
                "name": called.name,
                "input": self._masking.value(mapping(block.get("input"))),
                "outcome": "denied" if key in denied else outcome,
                "output": self._masking.text(output),
            }
        )

    def _unlisted(self, seen: _Seen) -> list[Call]:
        """What the session says it used, less what is counted: by model where their names agree."""
        counted: dict[str, _Tokens] = {}
        for call in self._calls.values():
            counted[call.model] = _sum([counted.get(call.model, _NONE), _numbers(call)])
        rest = _beyond(_sum(seen.totals.values()), _sum(counted.values()))
        if rest == _NONE:
            return []
        more = {model: _beyond(told, counted.get(model, _NONE)) for model, told in seen.totals.items()}
        # A model may be called otherwise in the two: then the sums alone say how much it is.
        parts = more if _sum(more.values()) == rest else {[*counted, *seen.totals][0]: rest}
        first = sum(call.id.startswith(UNLISTED) for call in self._calls.values()) + 1
        told = [(model, numbers) for model, numbers in parts.items() if numbers != _NONE]
        return [
            Call(id=f"{UNLISTED}{number}", model=model, **dict(zip(_KINDS, numbers, strict=True)))
            for number, (model, numbers) in enumerate(told, first)
        ]


def _take(data: dict[str, Any], seen: _Seen) -> None:
    match data.get("type"):
        case "assistant":
            _assistant(data, mapping(data.get("message")), seen)
        case "user":
            for part in map(mapping, items(mapping(data.get("message")).get("content"))):
                if name(part.get("type")).endswith("tool_result"):
                    seen.results.setdefault(words(part.get("tool_use_id")), (part, data))
        case "attachment":
            _attachment(data, mapping(data.get("attachment")), seen)
        case "cost-state":
            told = mapping(data.get("modelUsage"))
            # Cumulative in the session: of several, the largest is the last.
            for model, usage in told.items():
                state = _state(mapping(usage))
                seen.totals[words(model)] = max(state, seen.totals.get(words(model), state), key=sum)


def _assistant(data: dict[str, Any], message: dict[str, Any], seen: _Seen) -> None:
    if data.get("isApiErrorMessage") or message.get("model") == "<synthetic>":
        return
    key = words(message.get("id")) or words(data.get("requestId")) or words(data.get("uuid"))
    usage = message.get("usage")
    if isinstance(usage, dict) and key and (message.get("stop_reason") or key not in seen.final):
        seen.calls[key] = _call(key, words(message.get("model")), usage, data)
        if message.get("stop_reason"):
            seen.final.add(key)
    for block in map(mapping, items(message.get("content"))):
        if name(block.get("type")).endswith("tool_use") and words(block.get("id")):
            seen.uses.setdefault(words(block.get("id")), block)
            seen.using.add(key)


def _call(key: str, model: str, usage: dict[str, Any], data: dict[str, Any]) -> Call:
    split = mapping(usage.get("cache_creation"))
    five, hour = count(split.get("ephemeral_5m_input_tokens")), count(split.get("ephemeral_1h_input_tokens"))
    # What is written to the cache and not told apart lives as long as was asked for.
    rest = max(0, count(usage.get("cache_creation_input_tokens")) - five - hour)
    hourly = data.get("promptCacheRequested") == "1h"
    return Call(
        id=key,
        model=model,
        input=count(usage.get("input_tokens")),
        output=count(usage.get("output_tokens")),
        cache_read=count(usage.get("cache_read_input_tokens")),
        cache_write_5m=five + (0 if hourly else rest),
        cache_write_1h=hour + (rest if hourly else 0),
    )


def _state(usage: Mapping[str, Any]) -> _Tokens:
    hour = count(usage.get("cacheCreationEphemeral1hInputTokens"))
    written = count(usage.get("cacheCreationInputTokens"))
    told = (usage.get(key) for key in ("inputTokens", "outputTokens", "cacheReadInputTokens"))
    return (*map(count, told), max(0, written - hour), hour)


def _attachment(data: dict[str, Any], attachment: dict[str, Any], seen: _Seen) -> None:
    event, kind = words(attachment.get("hookEvent")), attachment.get("type")
    if kind == "hook_additional_context":
        content = attachment.get("content")
        text = "\n".join(map(words, content)) if isinstance(content, list) else words(content)
    elif kind == "hook_success" and event in _PLAIN:
        text = words(attachment.get("content"))
    else:
        return
    if text:
        told = "\n".join(words(attachment.get(key)) for key in ("toolUseID", "hookName"))
        key = words(data.get("uuid")) or f"{told}\n{text}"
        seen.injected.setdefault(key, Injected(event=event, text=text))


def _numbers(call: Call) -> _Tokens:
    return (call.input, call.output, call.cache_read, call.cache_write_5m, call.cache_write_1h)


def _sum(rows: Iterable[_Tokens]) -> _Tokens:
    return tuple(map(sum, zip(_NONE, *rows, strict=True)))


def _beyond(told: _Tokens, counted: _Tokens) -> _Tokens:
    """Of each kind of tokens, what is told more than counted; never less than none."""
    more = [max(0, one - other) for one, other in zip(told, counted, strict=True)]
    # For how long something was written to the cache is told differently in places: their sum is what counts.
    written = max(0, sum(told[3:]) - sum(counted[3:]))
    hour = min(more[4], written)
    return (*more[:3], written - hour, hour)


def _whole_request(line: str) -> bool:
    return _REQUEST.search(line, 0, 2_000) is not None
