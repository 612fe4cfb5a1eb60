"""OpenCode's sessions as it kept them before 1.2: a tree of JSON files, a file a session, a message and a part.

``storage/session/<project>/<session>.json`` with ``storage/message/<session>/`` and ``storage/part/<message>/`` beside
it; and of the first versions ``project/<folder>/storage/session/info/<session>.json`` with ``message/<session>/`` and
``part/<session>/<message>/`` beside ``info``.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from truerecall.agents.records import ToolName
from truerecall.agents.transcripts.opencode import data_folder, databases, full_name, sessions_in
from truerecall.agents.transcripts.opencode_messages import (
    MessageRow,
    SessionRow,
    object_of,
    read_messages,
    start_of,
)
from truerecall.agents.transcripts.reading import Cursor, Reading, Transcript
from truerecall.errors import TranscriptError


class OpenCodeTreeReader:
    """Reads sessions of the tree; each is one transcript, named by its session's file."""

    tool: ToolName = "opencode"

    def find(self, homes: Mapping[str, str], since: datetime | None = None) -> Iterator[Transcript]:
        """The sessions that changed since then; those that OpenCode took over into its database are left to it."""
        folder = data_folder(homes)
        files = [
            *folder.glob("storage/session/*/*.json"),
            *folder.glob("project/*/storage/session/info/*.json"),
        ]
        moved = _in_databases(homes) if files else frozenset()
        sessions = {
            path: session for path in files if (session := _session(path)) and session.id not in moved
        }
        parents = {session.id: session.parent for session in sessions.values()}
        found = sorted(((_changed(path, session.id), path) for path, session in sessions.items()))
        for changed, path in found:
            if since is None or changed >= since:
                yield Transcript(self.tool, path, full_name(sessions[path], parents), changed)

    def read(self, transcript: Transcript, cursor: Cursor | None = None, most: int = 4 << 20) -> Reading:
        """What is new in one session; see ``TranscriptReader``."""
        session = _session(transcript.path)
        if session is None:
            raise TranscriptError(
                "the session's file is gone or is no JSON object",
                where=str(transcript.path),
                remedy="Put it back if it is to be read.",
            )
        start = start_of(cursor, session)
        rows = [row for row in _messages(transcript.path, session.id) if (row.created, row.id) >= start]
        return read_messages(session, rows, cursor, most)


def _in_databases(homes: Mapping[str, str]) -> frozenset[str]:
    found: set[str] = set()
    for database in databases(homes):
        try:
            found.update(session.id for session in sessions_in(database))
        except TranscriptError:
            continue  # its own reader tells
    return frozenset(found)


def _session(path: Path) -> SessionRow | None:
    data = object_of(_read(path))
    if data is None:
        return None
    times = data.get("time")
    told: Mapping[str, Any] = times if isinstance(times, dict) else {}
    return SessionRow(
        id=path.stem,
        parent=_name(data.get("parentID")),
        directory=_name(data.get("directory")),
        version=_name(data.get("version")),
        created=_milliseconds(told.get("created")),
        updated=_milliseconds(told.get("updated")),
    )


def _messages(session_file: Path, session_id: str) -> list[MessageRow]:
    rows = []
    for path in _messages_folder(session_file, session_id).glob("*.json"):
        text = _read(path)
        data = object_of(text) or {}
        times = data.get("time")
        created = _milliseconds(times.get("created")) if isinstance(times, dict) else 0
        rows.append(_message(session_file, session_id, path, created))
    return sorted(rows, key=lambda row: (row.created, row.id))


def _message(session_file: Path, session_id: str, path: Path, created: int) -> MessageRow:
    def parts() -> list[tuple[str, str]]:
        folder = _parts_folder(session_file, session_id, path.stem)
        return [
            (part.stem, _read(part)) for part in sorted(folder.glob("*.json"), key=lambda part: part.stem)
        ]

    return MessageRow(path.stem, created, lambda: _read(path), parts)


def _is_first_layout(session_file: Path) -> bool:
    return session_file.parent.name == "info" and session_file.parents[1].name == "session"


def _messages_folder(session_file: Path, session_id: str) -> Path:
    if _is_first_layout(session_file):
        return session_file.parents[1] / "message" / session_id
    return session_file.parents[2] / "message" / session_id


def _parts_folder(session_file: Path, session_id: str, message_id: str) -> Path:
    if _is_first_layout(session_file):
        return session_file.parents[1] / "part" / session_id / message_id
    return session_file.parents[2] / "part" / message_id


def _changed(session_file: Path, session_id: str) -> datetime:
    """The newest of the session's files and of the folders of its parts, in which each new part is a change."""
    newest = session_file.stat().st_mtime
    for path in _messages_folder(session_file, session_id).glob("*.json"):
        for one in (path, _parts_folder(session_file, session_id, path.stem)):
            try:
                newest = max(newest, one.stat().st_mtime)
            except OSError:
                continue  # a message without parts, or one that was taken back just now
    return datetime.fromtimestamp(newest, UTC)


def _read(path: Path) -> str:
    """What a file holds; nothing where it is gone meanwhile or cannot be read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _name(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _milliseconds(value: object) -> int:
    return int(value) if isinstance(value, int | float) and value == value and abs(value) < 1e15 else 0
