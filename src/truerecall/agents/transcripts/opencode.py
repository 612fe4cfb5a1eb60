"""OpenCode's sessions, from the database that it keeps since 1.2.

The same file holds its accounts and credentials. It is opened for reading only, and SQLite itself is told to refuse
every table and column but the few of ``_COLUMNS``; nothing is written, and no file is made beside it where that can be
avoided.
"""

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from truerecall.agents.records import ToolName
from truerecall.agents.transcripts.foreign_database import Found, look_into
from truerecall.agents.transcripts.opencode_messages import (
    MessageRow,
    SessionRow,
    moment,
    read_messages,
    start_of,
)
from truerecall.agents.transcripts.reading import Cursor, Reading, Transcript
from truerecall.errors import TranscriptError

_COLUMNS: Mapping[str, frozenset[str]] = {
    "session": frozenset({"id", "parent_id", "directory", "version", "time_created", "time_updated"}),
    "message": frozenset({"id", "session_id", "time_created", "time_updated", "data"}),
    "part": frozenset({"id", "message_id", "session_id", "time_updated", "data"}),
}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def data_folder(homes: Mapping[str, str]) -> Path:
    """Where OpenCode keeps its data, by an environment."""
    base = homes.get("XDG_DATA_HOME") or str(Path(homes.get("HOME") or Path.home()) / ".local" / "share")
    return Path(base) / "opencode"


def databases(homes: Mapping[str, str]) -> list[Path]:
    """The databases of an environment: the one that OPENCODE_DB names, else those of all channels."""
    folder = data_folder(homes)
    if named := homes.get("OPENCODE_DB"):
        return [path] if (path := folder / named).is_file() else []
    return sorted(path for path in folder.glob("opencode*.db") if path.is_file())


def sessions_in(database: Path) -> list[SessionRow]:
    """Every session of a database, the oldest change first.

    Raises:
        TranscriptError: It cannot be read, or is not OpenCode's.
    """
    return sorted(_asked(database, _sessions), key=lambda session: (session.updated, session.id))


def full_name(session: SessionRow, parents: Mapping[str, str | None]) -> str:
    """``SESSION``, or ``SESSION/CHILD`` of a subagent, however deep it was sent from."""
    top, seen = session.id, {session.id}
    while (
        above := parents.get(top) or (session.parent if top == session.id else None)
    ) and above not in seen:
        seen.add(above)
        top = above
    return session.id if top == session.id else f"{top}/{session.id}"


class OpenCodeReader:
    """Reads sessions of the database; each is one transcript."""

    tool: ToolName = "opencode"

    def find(self, homes: Mapping[str, str], since: datetime | None = None) -> Iterator[Transcript]:
        """The sessions that changed since then.

        A database that cannot be read is given as a transcript without a session: reading that one says why.
        """
        for database in databases(homes):
            try:
                sessions = sessions_in(database)
            except TranscriptError:
                yield Transcript(
                    self.tool, database, "", datetime.fromtimestamp(database.stat().st_mtime, UTC)
                )
                continue
            parents = {session.id: session.parent for session in sessions}
            for session in sessions:
                changed = moment(session.updated) or _EPOCH
                if since is None or changed >= since:
                    yield Transcript(self.tool, database, full_name(session, parents), changed)

    def read(self, transcript: Transcript, cursor: Cursor | None = None, most: int = 4 << 20) -> Reading:
        """What is new in one session; see ``TranscriptReader``."""
        session_id = transcript.session.rpartition("/")[2]

        def work(connection: sqlite3.Connection) -> Reading:
            sessions = [session for session in _sessions(connection, session_id) if session.id == session_id]
            if not sessions:
                raise TranscriptError(
                    "the session is not in OpenCode's database",
                    where=f"{transcript.path}: {session_id}",
                    remedy="It was deleted there; nothing is left to read.",
                )
            rows = _messages(connection, session_id, start_of(cursor, sessions[0]))
            return read_messages(sessions[0], rows, cursor, most)

        return _asked(transcript.path, work)


def _asked(database: Path, work: Callable[[sqlite3.Connection], Found]) -> Found:
    try:
        return look_into(database, _COLUMNS, work)
    except (sqlite3.Error, OSError) as error:
        raise TranscriptError(
            f"OpenCode's database cannot be read: {error}",
            where=str(database),
            remedy="Start OpenCode once, which mends it, or name another with OPENCODE_DB; then try again.",
        ) from None


def _sessions(connection: sqlite3.Connection, only: str | None = None) -> list[SessionRow]:
    """All sessions with the time of their last change, or the one that is asked for with its own."""
    found = connection.execute(
        "SELECT id, parent_id, directory, version, time_created, time_updated FROM session"
        + (" WHERE id = ?" if only else ""),
        (only,) if only else (),
    ).fetchall()
    changed: dict[str, int] = {}
    if only is None:
        # A session's own time is not moved by all that happens in it.
        for table in ("message", "part"):
            times = connection.execute(
                f"SELECT session_id, max(time_updated) FROM {table} GROUP BY session_id"
            )
            for session_id, time in times:
                changed[session_id] = max(changed.get(session_id, 0), time)
    return [
        SessionRow(
            row[0],
            row[1] or None,
            row[2] or None,
            row[3] or None,
            row[4],
            max(row[5], changed.get(row[0], 0)),
        )
        for row in found
    ]


def _messages(connection: sqlite3.Connection, session_id: str, start: tuple[int, str]) -> list[MessageRow]:
    found = connection.execute(
        "SELECT id, time_created FROM message WHERE session_id = ? AND (time_created, id) >= (?, ?) "
        "ORDER BY time_created, id",
        (session_id, *start),
    )
    return [_message(connection, message_id, created) for message_id, created in found.fetchall()]


def _message(connection: sqlite3.Connection, message_id: str, created: int) -> MessageRow:
    def data() -> str:
        row = connection.execute("SELECT data FROM message WHERE id = ?", (message_id,)).fetchone()
        return row[0] if row else ""

    def parts() -> list[tuple[str, str]]:
        asked = "SELECT id, data FROM part WHERE message_id = ? ORDER BY id"
        return connection.execute(asked, (message_id,)).fetchall()

    return MessageRow(message_id, created, data, parts)
