"""How far each transcript was read, and which turns were captured; nothing of it is memory, and no text is in it.

Losing the file loses nothing: transcripts are then read from their beginnings, and the memory knows its entries again.
So a file that is damaged, or of a newer version, is set aside and made anew.
"""

import contextlib
import hashlib
import json
import os
import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from truerecall.agents.records import ToolName, Usage
from truerecall.agents.transcripts.reading import Cursor, Transcript
from truerecall.core.clock import from_micros, to_micros
from truerecall.errors import NotAStore
from truerecall.memory.store.faults import translated

_APPLICATION = 0x74726167  # "trag", in the header
_VERSION = 1
_BUSY = 10.0  # seconds: as long as another capture may well take for a part of a transcript
_TOGETHER = 500

LEFT_OUT = "off"
"""In the place of an entry: the turn was taken while the memory was off; an import may still take it in."""

_SCHEMA = """
CREATE TABLE transcript (
    store TEXT NOT NULL, tool TEXT NOT NULL, path TEXT NOT NULL, session TEXT NOT NULL,
    offset INTEGER NOT NULL, position INTEGER NOT NULL, head TEXT NOT NULL, carry TEXT NOT NULL, before TEXT NOT NULL,
    changed INTEGER NOT NULL, whole INTEGER NOT NULL, totals TEXT NOT NULL,
    PRIMARY KEY (store, tool, path, session)
) WITHOUT ROWID;
CREATE TABLE captured (
    store TEXT NOT NULL, uid BLOB NOT NULL, entry TEXT, PRIMARY KEY (store, uid)
) WITHOUT ROWID;
CREATE TABLE outside (
    store TEXT NOT NULL, session BLOB NOT NULL, run BLOB NOT NULL, PRIMARY KEY (store, session, run)
) WITHOUT ROWID;
CREATE TABLE message (
    store TEXT NOT NULL, tool TEXT NOT NULL, uid BLOB NOT NULL, model TEXT NOT NULL, tokens_in INTEGER NOT NULL,
    tokens_out INTEGER NOT NULL, cache_read INTEGER NOT NULL, cache_written INTEGER NOT NULL,
    PRIMARY KEY (store, tool, uid)
) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class Reached:
    """How far a transcript was read."""

    cursor: Cursor
    before: Cursor | None = None
    """Where the reading before the last began: what came just before can be read again from it."""
    changed: datetime | None = None
    """When the transcript had last grown at that time."""
    whole: bool = False
    """Whether it was read to its end then."""
    totals: Mapping[str, int] = field(default_factory=dict)
    """What was counted in it so far, by name."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What a model's messages cost, over all transcripts; each message once."""

    tool: str
    model: str
    messages: int
    tokens_in: int
    tokens_out: int
    cache_read: int
    cache_written: int


class Progress:
    """The file, for the captures into one store; see ``Progress.open``."""

    def __init__(self, path: Path, store: str, busy: float) -> None:
        self._path, self._store, self._busy = path, store, busy
        self._db = self._connected()

    @classmethod
    def open(cls, path: Path, store: Path, busy: float = _BUSY) -> "Progress":
        """Open the file, or make one; its folder as well.

        Args:
            path: The file.
            store: The memory that is captured into: another one has a progress of its own.
            busy: Seconds to wait for another process.

        Raises:
            StoreLocked: Another process held it for longer.
            StoreError: It cannot be made or read.
        """
        with translated(str(path)):
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return cls(path, os.path.realpath(store), busy)

    def close(self) -> None:
        """Release the file."""
        self._db.close()

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        """Work alone: another process that captures waits until this one is done. All that is noted stays, or nothing.

        Raises:
            StoreLocked: Another process works, and longer than this one waits.
        """
        with self._told():
            self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
            with self._told():
                self._db.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
            raise

    def reached(self, transcript: Transcript) -> Reached | None:
        """How far a transcript was read; None of one that never was."""
        with self._told():
            row = self._db.execute(
                "SELECT offset, position, head, carry, before, changed, whole, totals FROM transcript"
                " WHERE store = ? AND tool = ? AND path = ? AND session = ?",
                self._key(transcript),
            ).fetchone()
        if row is None:
            return None
        before = Cursor(*json.loads(row[4])) if row[4] else None
        return Reached(Cursor(*row[:4]), before, from_micros(row[5]), bool(row[6]), json.loads(row[7]))

    def reach(self, transcript: Transcript, reached: Reached) -> None:
        """Note how far a transcript was read."""
        cursor, before = reached.cursor, reached.before
        kept = (
            "" if before is None else json.dumps([before.offset, before.position, before.head, before.carry])
        )
        with self._told():
            self._db.execute(
                "INSERT OR REPLACE INTO transcript VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    *self._key(transcript),
                    cursor.offset,
                    cursor.position,
                    cursor.head,
                    cursor.carry,
                    kept,
                    to_micros(reached.changed or transcript.changed),
                    reached.whole,
                    json.dumps(dict(reached.totals)),
                ),
            )

    def captured(self, tool: ToolName, uids: Collection[str]) -> dict[str, str | None]:
        """Of these turns those that were captured, with the entry of each.

        None of one that is kept in none, ``LEFT_OUT`` of one that was left out for the time being.
        """
        found: dict[str, str | None] = {}
        names = {_digest(tool, uid): uid for uid in uids}
        digests = list(names)
        with self._told():
            for start in range(0, len(digests), _TOGETHER):
                part = digests[start : start + _TOGETHER]
                marks = ", ".join("?" * len(part))
                query = f"SELECT uid, entry FROM captured WHERE store = ? AND uid IN ({marks})"
                found.update(
                    (names[uid], entry) for uid, entry in self._db.execute(query, (self._store, *part))
                )
        return found

    def capture(self, tool: ToolName, entries: Mapping[str, str | None]) -> None:
        """Note turns as captured, each with its entry; what was noted before stays, but for ``LEFT_OUT``."""
        rows = [(self._store, _digest(tool, uid), entry) for uid, entry in entries.items()]
        with self._told():
            self._db.executemany(
                "INSERT INTO captured VALUES (?, ?, ?)"
                f" ON CONFLICT DO UPDATE SET entry = excluded.entry WHERE entry = '{LEFT_OUT}'",
                rows,
            )

    def outside(self, tool: ToolName, session: str, runs: Collection[bytes]) -> set[bytes]:
        """Of these digests those that came from outside in a session."""
        found: set[bytes] = set()
        asked = list(runs)
        key = (self._store, _digest(tool, session))
        with self._told():
            for start in range(0, len(asked), _TOGETHER):
                part = asked[start : start + _TOGETHER]
                marks = ", ".join("?" * len(part))
                query = f"SELECT run FROM outside WHERE store = ? AND session = ? AND run IN ({marks})"
                found.update(run for (run,) in self._db.execute(query, (*key, *part)))
        return found

    def came_from_outside(self, tool: ToolName, session: str, runs: Collection[bytes]) -> None:
        """Note digests of what came from outside in a session."""
        key = (self._store, _digest(tool, session))
        with self._told():
            self._db.executemany(
                "INSERT OR IGNORE INTO outside VALUES (?, ?, ?)", [(*key, run) for run in runs]
            )

    def spend(self, tool: ToolName, usages: Sequence[Usage]) -> None:
        """Count what messages cost; one that was counted in another copy of its session is not counted again."""
        rows = [
            (
                self._store,
                tool,
                _digest(tool, usage.message_id),
                usage.model,
                usage.tokens_in,
                usage.tokens_out,
                usage.tokens_cache_read,
                usage.tokens_cache_written,
            )
            for usage in usages
        ]
        with self._told():
            self._db.executemany("INSERT OR IGNORE INTO message VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)

    def spent(self) -> list[Spent]:
        """What all cost, by tool and model."""
        with self._told():
            rows = self._db.execute(
                "SELECT tool, model, count(*), sum(tokens_in), sum(tokens_out), sum(cache_read), sum(cache_written)"
                " FROM message WHERE store = ? GROUP BY tool, model ORDER BY tool, model",
                (self._store,),
            ).fetchall()
        return [Spent(*row) for row in rows]

    def totals(self) -> dict[str, dict[str, int]]:
        """What was counted in all transcripts, by tool and name; ``sessions`` is how many transcripts there are."""
        with self._told():
            rows = self._db.execute(
                "SELECT tool, totals FROM transcript WHERE store = ? ORDER BY tool", (self._store,)
            ).fetchall()
        found: dict[str, dict[str, int]] = {}
        for tool, totals in rows:
            counts = found.setdefault(tool, {})
            for name, count in {"sessions": 1, **json.loads(totals)}.items():
                counts[name] = counts.get(name, 0) + count
        return found

    def restart(self) -> None:
        """Forget everything of this store: it was removed, and what was captured into it is gone."""
        with self._told():
            for table in ("transcript", "captured", "outside", "message"):
                self._db.execute(f"DELETE FROM {table} WHERE store = ?", (self._store,))

    def _key(self, transcript: Transcript) -> tuple[str, str, str, str]:
        path = os.fsencode(transcript.path).decode("utf-8", "replace")
        return self._store, transcript.tool, path, transcript.session

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        with translated(str(self._path)):
            yield

    def _connected(self) -> sqlite3.Connection:
        """A connection to a file that is sound and of this version."""
        for _ in range(3):  # another process may set the same file aside at the same time
            try:
                with translated(str(self._path)):
                    db = self._connect()
                    if db is not None:
                        return db
            except NotAStore:
                pass
            _set_aside(self._path)
        with translated(str(self._path)):
            db = self._connect()
            if db is None:
                raise sqlite3.DatabaseError("the progress file cannot be made anew")
            return db

    def _connect(self) -> sqlite3.Connection | None:
        """None for a file of another program or a newer version."""
        with contextlib.suppress(FileExistsError):
            os.close(os.open(self._path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        db = sqlite3.connect(self._path, timeout=self._busy, isolation_level=None)
        try:
            if self._prepared(db):
                return db
        except BaseException:
            db.close()
            raise
        db.close()
        return None

    def _prepared(self, db: sqlite3.Connection) -> bool:
        version = db.execute("PRAGMA user_version").fetchone()[0]
        known = db.execute("PRAGMA application_id").fetchone()[0] == _APPLICATION
        if not known and db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            # It may have been made between the two questions.
            known = db.execute("PRAGMA application_id").fetchone()[0] == _APPLICATION
            version = db.execute("PRAGMA user_version").fetchone()[0]
            if not known:
                return False
        if version > _VERSION:
            return False
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
        db.execute("PRAGMA secure_delete = ON")
        if version < _VERSION:
            db.execute("BEGIN IMMEDIATE")
            if db.execute("PRAGMA user_version").fetchone()[0] < _VERSION:
                for statement in filter(str.strip, _SCHEMA.split(";")):
                    db.execute(statement)
                db.execute(f"PRAGMA application_id = {_APPLICATION}")
                db.execute(f"PRAGMA user_version = {_VERSION}")
            db.execute("COMMIT")
        if db.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
            raise _damaged()
        return True


def _damaged() -> NotAStore:
    return NotAStore("the progress file is damaged", remedy="It is set aside and made anew.")


def _set_aside(path: Path) -> None:
    """Keep a file that cannot be used beside its place; its log goes with it."""
    number = 1
    while (aside := path.with_name(f"{path.name}.aside-{number}")).exists():
        number += 1
    for suffix in ("-wal", "-shm"):
        with contextlib.suppress(OSError):
            path.with_name(path.name + suffix).replace(aside.with_name(aside.name + suffix))
    with contextlib.suppress(FileNotFoundError):
        path.replace(aside)


def _digest(*parts: str) -> bytes:
    told = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.sha256(told).digest()[:16]
