"""OpenCode's messages and their parts as turns, whether a database or a tree of files holds them."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from truerecall.agents.records import Turn, Usage, Where
from truerecall.agents.transcripts.fields import words
from truerecall.agents.transcripts.opencode_tools import action_of, is_settled
from truerecall.agents.transcripts.reading import Cursor, Reading

_PASSED_OVER = frozenset(
    {
        "reasoning",
        "file",
        "step-start",
        "step-finish",
        "snapshot",
        "patch",
        "agent",
        "retry",
        "compaction",
        "subtask",
    }
)
_THINKING = re.compile(r"<(think|thinking)>.*?(?:</\1>|\Z)\s*", re.DOTALL | re.IGNORECASE)
_INNER_QUOTE = re.compile(r'(?<!\\)"')


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One session as OpenCode describes it; times in milliseconds."""

    id: str
    parent: str | None
    directory: str | None
    version: str | None
    created: int
    updated: int


@dataclass(frozen=True, slots=True)
class MessageRow:
    """One message, of which nothing is loaded before it is asked for."""

    id: str
    created: int
    """Milliseconds; with the id, the order of a session's messages."""
    data: Callable[[], str]
    """Its JSON."""
    parts: Callable[[], Sequence[tuple[str, str]]]
    """Its parts in their order, each an id and its JSON."""


def start_of(cursor: Cursor | None, session: SessionRow) -> tuple[int, str]:
    """The first message that a reading needs, by its time and id."""
    cursor = _continued(cursor, session)
    return cursor.offset, _carried(cursor)["message"]


def read_messages(
    session: SessionRow, rows: Sequence[MessageRow], cursor: Cursor | None, most: int
) -> Reading:
    """What is new in ``rows``, the session's messages in their order from ``start_of`` on.

    What is still being written waits: a tool that runs, a text without an end, and all that stands behind them. It is
    given up for unfinished once the session has gone on to its next answer.
    """
    state = _State(session, _continued(cursor, session))
    more = False
    for index, row in enumerate(rows):
        if state.taken >= most:
            more = True
            break
        if not state.take(row, rows[index + 1 :]):
            break
    return Reading(
        turns=tuple(state.turns),
        usages=tuple(state.usages),
        cursor=Cursor(state.offset, state.position, _head(session), json.dumps(state.carry, sort_keys=True)),
        more=more,
        skipped=dict(state.skipped),
        unknown=dict(state.unknown),
        faults=tuple(state.faults),
        version=session.version,
    )


def object_of(text: str) -> dict[str, Any] | None:
    """A JSON object; None for anything else."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def said_by_the_user(text: str) -> str:
    """What was typed: a prompt of several words that was given as an argument is kept inside quotes."""
    inner = text[1:-1]
    if len(text) < 2 or text[0] != '"' or text[-1] != '"' or " " not in inner or _INNER_QUOTE.search(inner):
        return text
    return inner.replace('\\"', '"')


def without_thinking(text: str) -> str:
    """An answer without what a model thought aloud in it; a thought that was cut off goes to the end."""
    return _THINKING.sub("", text) if "<think" in text.lower() else text


def moment(milliseconds: object) -> datetime | None:
    """A time of OpenCode's; None for what is none."""
    if isinstance(milliseconds, bool) or not isinstance(milliseconds, int | float):
        return None
    try:
        return datetime.fromtimestamp(milliseconds / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return None


@dataclass(slots=True)
class _State:
    session: SessionRow
    start: Cursor
    turns: list[Turn] = field(default_factory=list)
    usages: list[Usage] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    taken: int = 0
    offset: int = 0
    position: int = 0
    carry: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.offset, self.position = self.start.offset, self.start.position
        self.carry = _carried(self.start)

    def take(self, row: MessageRow, later: Sequence[MessageRow]) -> bool:
        """Read one message; False where the reading has to wait for it."""
        if row.id != self.carry["message"]:
            self.offset = row.created
            self.carry = {**_carried(Cursor()), "message": row.id}
        if self.carry["done"]:
            return True
        text = row.data()
        self.taken += len(text)
        data = object_of(text)
        if data is None:
            self.faults.append(f"message {row.id}: not a JSON object")
            self.carry["done"] = True
            return True
        role = data.get("role")
        if role not in ("user", "assistant"):
            self.unknown[f"role {role}"] += 1
            self.carry["done"] = True
            return True
        over = bool(later) if role == "user" else _is_over(data) or any(map(_is_answer, later))
        settled = self._parts(row, data, over)
        if role == "assistant" and settled and not self.carry["counted"] and (over or _is_told(data)):
            self.carry["counted"] = True
            if (usage := _usage(row.id, data)) is not None:
                self.usages.append(usage)
        self.carry["done"] = over
        return over

    def _parts(self, row: MessageRow, message: Mapping[str, Any], over: bool) -> bool:
        """Read the parts that are new; whether none of them is still being written."""
        for part_id, text in row.parts():
            if part_id <= self.carry["part"]:
                continue
            self.taken += len(text)
            part = object_of(text)
            if part is not None and not over and message["role"] == "assistant" and not is_settled(part):
                return False
            self.carry["part"] = part_id
            self.carry["count"] += 1
            self.position += 1
            if part is None:
                self.faults.append(f"part {part_id}: not a JSON object")
            else:
                self._part(part, message)
        return True

    def _part(self, part: Mapping[str, Any], message: Mapping[str, Any]) -> None:
        kind = part.get("type")
        if kind == "tool" and message["role"] == "assistant":
            self._append("tool", "", part, message)
        elif kind == "text":
            self._said(part, message)
        elif kind in _PASSED_OVER:
            self.skipped[str(kind)] += 1
        else:
            self.unknown[str(kind)] += 1

    def _said(self, part: Mapping[str, Any], message: Mapping[str, Any]) -> None:
        role = message["role"]
        text = words(part.get("text"))
        if part.get("synthetic") or part.get("ignored"):
            self.skipped["synthetic"] += 1
        elif role == "user" and self.session.parent is not None:
            self.skipped["task"] += 1  # the agent wrote it to its subagent; nobody typed it
        elif role == "assistant" and message.get("summary"):
            self.skipped["summary"] += 1  # of what the session itself holds
        elif role == "user" and text.strip():
            self._append("user", said_by_the_user(text), part, message)
        elif role == "assistant" and (answer := without_thinking(text).strip()):
            self._append("assistant", answer, part, message)
        else:
            self.skipped["empty"] += 1

    def _append(self, role: Any, text: str, part: Mapping[str, Any], message: Mapping[str, Any]) -> None:
        path = message.get("path")
        cwd = path.get("cwd") if isinstance(path, dict) else None
        self.turns.append(
            Turn(
                uid=_uid(self.carry["count"], part, message),
                position=self.position - 1,
                role=role,
                text=text,
                at=_began(part) or moment(_time(message, "created")),
                where=Where(cwd=cwd if isinstance(cwd, str) else self.session.directory),
                action=action_of(part) if role == "tool" else None,
                model=None if role == "user" else _model(message),
            )
        )


def _uid(count: int, part: Mapping[str, Any], message: Mapping[str, Any]) -> str:
    """The same in a fork of the session, where every id is a new one but times, calls and words are kept."""
    told = part.get("callID") if part.get("type") == "tool" else part.get("text")
    key = json.dumps([_time(message, "created"), message["role"], count, part.get("type"), told], default=str)
    return f"opencode:{hashlib.sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()[:24]}"


def _continued(cursor: Cursor | None, session: SessionRow) -> Cursor:
    return cursor if cursor is not None and cursor.head == _head(session) else Cursor()


def _head(session: SessionRow) -> str:
    return f"{session.id} {session.created}"


def _carried(cursor: Cursor) -> dict[str, Any]:
    kept = object_of(cursor.carry) or {}
    return {
        "message": str(kept.get("message", "")),
        "part": str(kept.get("part", "")),
        "counted": kept.get("counted") is True,
        "done": kept.get("done") is True,
        "count": int(kept.get("count", 0)),
    }


def _is_answer(row: MessageRow) -> bool:
    return (object_of(row.data()) or {}).get("role") == "assistant"


def _is_over(message: Mapping[str, Any]) -> bool:
    return _time(message, "completed") is not None or message.get("error") is not None


def _is_told(message: Mapping[str, Any]) -> bool:
    """Whether a message that is never marked as completed, as in old trees, has its final count all the same."""
    return message.get("finish") is not None


def _usage(message_id: str, message: Mapping[str, Any]) -> Usage | None:
    tokens = message.get("tokens")
    if not isinstance(tokens, dict):
        return None
    cache = tokens.get("cache")
    cached = cache if isinstance(cache, dict) else {}
    given, out, thought = (_count(tokens, name) for name in ("input", "output", "reasoning"))
    read, written = _count(cached, "read"), _count(cached, "write")
    # What was thought is counted beside the output, or, by old versions, within it: the total tells which.
    if _count(tokens, "total") != given + out + read + written:
        out += thought
    if not given + out + read + written:
        return None
    return Usage(message_id, _model(message) or "", given, out, read, written)


def _count(tokens: Mapping[str, Any], name: str) -> int:
    found = tokens.get(name)
    return (
        max(0, int(found)) if isinstance(found, int | float) and found == found and abs(found) < 1e15 else 0
    )


def _model(message: Mapping[str, Any]) -> str | None:
    found = message.get("modelID")
    return found if isinstance(found, str) and found else None


def _time(record: Mapping[str, Any], name: str) -> Any:
    times = record.get("time")
    return times.get(name) if isinstance(times, dict) else None


def _began(part: Mapping[str, Any]) -> datetime | None:
    state = part.get("state")
    return moment(_time(part, "start")) or moment(_time(state if isinstance(state, dict) else {}, "start"))
