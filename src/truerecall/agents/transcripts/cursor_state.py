"""Cursor's conversations from before its hooks were installed, from its own state (``state.vscdb``).

Its form is described nowhere by Cursor itself: what is read here is what others found in versions since 0.45. Of the
database, which holds keys and settings in another table, only conversations and their messages are read.
"""

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from truerecall.agents.places import Places
from truerecall.agents.records import Action, ActionKind, Outcome, ToolName, Where
from truerecall.agents.spool import file_name
from truerecall.agents.transcripts.calls import Call
from truerecall.agents.transcripts.fields import instant, items, mapping, name, whole, words
from truerecall.agents.transcripts.foreign_database import Found, look_into
from truerecall.agents.transcripts.gathering import Gathering
from truerecall.agents.transcripts.opencode_messages import moment, object_of, without_thinking
from truerecall.agents.transcripts.reading import Cursor, Reading, Transcript
from truerecall.errors import TranscriptError

_GLOBAL = {"cursorDiskKV": ("key", "value")}
_WORKSPACE = {"ItemTable": ("key", "value")}
_STATE = "state.vscdb"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_USER, _ASSISTANT = 1, 2
_GOING_ON = ("generating", "streaming")
_KINDS: tuple[tuple[str, ActionKind], ...] = (
    # The first of these that the tool's name holds says what it is; the names changed often.
    ("mcp", "mcp"),
    ("terminal", "command"),
    ("command", "command"),
    ("search_replace", "edit"),
    ("edit", "edit"),
    ("write", "edit"),
    ("delete", "edit"),
    ("apply_patch", "edit"),
    ("web", "web"),
    ("fetch", "web"),
    ("search", "search"),
    ("grep", "search"),
    ("glob", "search"),
    ("list", "search"),
    ("read", "read"),
    ("task", "agent"),
)
_PATHS = (
    "target_file",
    "file_path",
    "path",
    "relativeWorkspacePath",
    "relative_workspace_path",
    "targetFile",
)


class CursorStateReader:
    """Reads the conversations of the state; those that the hooks told of are left to the spool."""

    tool: ToolName = "cursor"

    def find(self, homes: Mapping[str, str], since: datetime | None = None) -> Iterator[Transcript]:
        """See ``TranscriptReader.find``; a state that cannot be read is given without a session: reading tells why."""
        spool = Places.of(homes).spool
        for folder in _user_folders(homes):
            database = folder / "globalStorage" / _STATE
            if not database.is_file():
                continue
            try:
                composers = _asked(database, _composers)
            except TranscriptError:
                yield Transcript(
                    self.tool, database, "", datetime.fromtimestamp(database.stat().st_mtime, UTC)
                )
                continue
            found = sorted((_changed(data), composer) for composer, data in composers.items())
            for changed, composer in found:
                told = (spool / f"{file_name(composer)}.jsonl").exists()
                if not told and (since is None or changed >= since):
                    yield Transcript(self.tool, database, composer, changed)

    def read(self, transcript: Transcript, cursor: Cursor | None = None, most: int = 4 << 20) -> Reading:
        """See ``TranscriptReader.read``."""
        where = Where(cwd=_folder_of(transcript))
        return _asked(
            transcript.path, lambda connection: _read(connection, transcript.session, where, cursor, most)
        )


def _user_folders(homes: Mapping[str, str]) -> list[Path]:
    """Where Cursor keeps what is a user's, on Linux, macOS and Windows."""
    home = Path(homes.get("HOME") or Path.home())
    config = Path(homes.get("XDG_CONFIG_HOME") or home / ".config")
    bases = [config, home / "Library" / "Application Support"]
    if homes.get("APPDATA"):
        bases.append(Path(homes["APPDATA"]))
    return [base / "Cursor" / "User" for base in bases]


def _asked(database: Path, work: Callable[[sqlite3.Connection], Found]) -> Found:
    try:
        return look_into(database, _GLOBAL, work)
    except (sqlite3.Error, OSError) as error:
        raise TranscriptError(
            f"Cursor's state cannot be read: {error}",
            where=str(database),
            remedy="Close Cursor and try again; everything else is read without it.",
        ) from None


def _composers(connection: sqlite3.Connection) -> dict[str, dict[str, Any]]:
    """By id each conversation that has messages."""
    rows = connection.execute(
        "SELECT key, value FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;'"
    )
    found = {str(key).partition(":")[2]: _object(value) for key, value in rows}
    return {composer: data for composer, data in found.items() if composer and _headers(data)}


def _headers(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The messages in their order: by reference, or in older versions themselves."""
    return [
        mapping(one)
        for one in items(data.get("fullConversationHeadersOnly")) or items(data.get("conversation"))
    ]


def _read(
    connection: sqlite3.Connection, composer: str, where: Where, cursor: Cursor | None, most: int
) -> Reading:
    row = _value(connection, f"composerData:{composer}")
    if row is None:
        raise TranscriptError(
            "the conversation is not in Cursor's state",
            where=composer or _STATE,
            remedy="It was deleted there; nothing is left to read.",
        )
    data = _object(row[0])
    headers, gathering, taken = _headers(data), Gathering(), 0
    start, position = _start(headers, cursor if cursor is not None and cursor.head == composer else None)
    at, last = start, ""
    while at < len(headers) and taken < most:
        header = headers[at]
        bubble_id = words(header.get("bubbleId"))
        size, bubble = _bubble(connection, composer, bubble_id, header)
        if at == len(headers) - 1 and data.get("status") in _GOING_ON:
            break  # it may still be being written
        taken += size
        _take(gathering, bubble_id, bubble, position, where, at)
        at, position, last = at + 1, position + 1, bubble_id
    carry = json.dumps({"last": last or _last(cursor)})
    return Reading(
        turns=tuple(gathering.turns),
        usages=(),
        cursor=Cursor(at, position, composer, carry),
        more=at < len(headers) and taken >= most,
        skipped=dict(gathering.skipped),
        unknown=dict(gathering.unknown),
        faults=tuple(gathering.faults),
    )


def _start(headers: Sequence[Mapping[str, Any]], cursor: Cursor | None) -> tuple[int, int]:
    """Behind the last message that was read, wherever it stands now that some may have been taken back."""
    if cursor is None:
        return 0, 0
    last = _last(cursor)
    places = [index + 1 for index, header in enumerate(headers) if words(header.get("bubbleId")) == last]
    return (places[-1] if places else min(cursor.offset, len(headers))), cursor.position


def _last(cursor: Cursor | None) -> str:
    return words((object_of(cursor.carry) or {}).get("last")) if cursor is not None else ""


def _bubble(
    connection: sqlite3.Connection, composer: str, bubble_id: str, header: dict[str, Any]
) -> tuple[int, dict[str, Any]]:
    row = _value(connection, f"bubbleId:{composer}:{bubble_id}")
    return (len(row[0] or ""), _object(row[0])) if row else (len(str(header)), header)


def _value(connection: sqlite3.Connection, key: str) -> tuple[Any] | None:
    row: tuple[Any] | None = connection.execute(
        "SELECT value FROM cursorDiskKV WHERE key = ?", (key,)
    ).fetchone()
    return row


def _take(
    gathering: Gathering, bubble_id: str, bubble: dict[str, Any], position: int, where: Where, at: int
) -> None:
    kind, uid = bubble.get("type"), f"cursor:{bubble_id or at}"
    when = instant(bubble.get("createdAt")) or moment(bubble.get("createdAt"))
    text = words(bubble.get("text"))
    called = mapping(bubble.get("toolFormerData"))
    if kind == _USER:
        gathering.say("user", text, uid, position, when, where, None)
    elif kind == _ASSISTANT and called:
        gathering.do(_action(called), uid, position, when, where)
    elif kind == _ASSISTANT and text.strip():
        gathering.say("assistant", without_thinking(text).strip(), uid, position, when, where, None)
    elif kind == _ASSISTANT:
        gathering.skip("thinking" if bubble.get("thinking") else "empty")
    elif not bubble:
        gathering.fail(at, "a message that is not there, or no JSON object")
    else:
        gathering.wonder(f"type {name(str(kind))}")


def _action(called: Mapping[str, Any]) -> Action:
    tool = words(called.get("name"))
    kind: ActionKind = next((kind for part, kind in _KINDS if part in tool.lower()), "other")
    given = _object(called.get("rawArgs")) or _object(called.get("params"))
    result = _object(called.get("result"))
    code = next(
        (found for key in ("exitCodeV2", "exitCode") if (found := whole(result.get(key))) is not None), None
    )
    output = words(result.get("output")) or words(called.get("result"))
    command = given.get("command") if kind == "command" else None
    call = Call.of(tool, kind, command, [given.get(key) for key in _PATHS])
    return call.action(_outcome(called, code, kind), output, code)


def _outcome(called: Mapping[str, Any], code: int | None, kind: ActionKind) -> Outcome:
    if called.get("userDecision") == "rejected" or called.get("status") in ("rejected", "cancelled"):
        return "denied"
    if called.get("status") == "error" or code:
        return "failed"
    if called.get("status") != "completed" or (kind == "command" and code is None):
        return "unknown"
    return "ok"


def _folder_of(transcript: Transcript) -> str | None:
    """The folder of the workspace that lists the conversation among its own."""
    for state in sorted((transcript.path.parents[1] / "workspaceStorage").glob(f"*/{_STATE}")):
        try:
            listed = look_into(state, _WORKSPACE, _listed)
        except (sqlite3.Error, OSError):
            continue
        if transcript.session in listed:
            return _folder(state.with_name("workspace.json"))
    return None


def _listed(connection: sqlite3.Connection) -> frozenset[str]:
    row = connection.execute("SELECT value FROM ItemTable WHERE key = 'composer.composerData'").fetchone()
    composers = items(_object(row[0]).get("allComposers")) if row else []
    return frozenset(words(mapping(one).get("composerId")) for one in composers)


def _folder(path: Path) -> str | None:
    try:
        address = words((object_of(path.read_text(encoding="utf-8", errors="replace")) or {}).get("folder"))
    except OSError:
        return None
    parts = urlsplit(address)
    return unquote(parts.path) or None if parts.scheme == "file" else None


def _changed(data: Mapping[str, Any]) -> datetime:
    return moment(data.get("lastUpdatedAt")) or moment(data.get("createdAt")) or _EPOCH


def _object(value: object) -> dict[str, Any]:
    """An object from its JSON, which may be kept as bytes."""
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if isinstance(value, str):
        return object_of(value) or {}
    return mapping(value)
