"""The schema, as numbered steps forward. A released step is never edited; a change is a new step.

``rowid = partition << 32 | sequence`` in every table that a lane searches: a read is a range, and one scope's rows
can never be taken for another's (docs/design/storage.md).
"""

import contextlib
import re
import sqlite3
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

from truerecall.core.clock import to_micros
from truerecall.errors import StoreTooNew
from truerecall.memory.store.database import IN_MEMORY, Database
from truerecall.memory.store.identity import APPLICATION_ID

Migration = Callable[[sqlite3.Connection], None]


def m001_initial(db: sqlite3.Connection) -> None:
    """Scopes, entries, events, the two text indexes, vectors, and the export log."""
    for statement in _INITIAL.split(";\n"):
        if statement.strip():
            db.execute(statement)


def m002_vector_blocks(db: sqlite3.Connection) -> None:
    """Vectors stand in blocks of many, token vectors beside them. The store fills the blocks (``blocks.seal``)."""
    for statement in _BLOCKS.split(";\n"):
        if statement.strip():
            db.execute(statement)


def m003_sessions(db: sqlite3.Connection) -> None:
    """Sessions get numbers, ``standing`` knows each row's session and position, and full blocks of it are packed."""
    for statement in _SESSIONS:
        db.execute(statement)
    db.execute(
        "INSERT INTO session (partition, number, name)"
        " SELECT partition, row_number() OVER (PARTITION BY partition ORDER BY first) - 1, name FROM"
        " (SELECT rowid >> 32 AS partition, session AS name, min(rowid) AS first FROM entry"
        " WHERE session IS NOT NULL GROUP BY 1, 2)"
    )
    db.execute(
        "UPDATE standing SET (session, position) = (SELECT s.number, e.position FROM entry e LEFT JOIN session s"
        " ON s.partition = e.rowid >> 32 AND s.name = e.session WHERE e.rowid = standing.rowid)"
    )


def m004_speakers(db: sqlite3.Connection) -> None:
    """Speakers get numbers as sessions have them, and ``standing`` has room for traits: opening makes them."""
    for statement in _SPEAKERS:
        db.execute(statement)


def m005_statements(db: sqlite3.Connection) -> None:
    """Entries may carry a statement, events a detail; entities, mentions and triples: opening derives them."""
    for statement in _STATEMENTS:
        db.execute(statement)


MIGRATIONS: tuple[Migration, ...] = (
    m001_initial,
    m002_vector_blocks,
    m003_sessions,
    m004_speakers,
    m005_statements,
)

_BLOCKS = """
ALTER TABLE vector RENAME TO vector_1;

-- Vectors that are in no block yet. By entry first: what belongs to one is found without knowing its models.
CREATE TABLE vector (
  entry INTEGER NOT NULL REFERENCES entry (rowid),
  model INTEGER NOT NULL REFERENCES model (id),
  chunk INTEGER NOT NULL,
  kept INTEGER NOT NULL,                 -- how many rows this entry has by this model
  chunks INTEGER NOT NULL,               -- how many pieces its text has: more than are kept where it is very long
  scale REAL NOT NULL,
  value BLOB NOT NULL,
  PRIMARY KEY (entry, model, chunk)
) WITHOUT ROWID;

INSERT INTO vector (entry, model, chunk, kept, chunks, scale, value)
  SELECT entry, model, chunk, kept, chunks, scale, value FROM vector_1 ORDER BY entry, model, chunk;

DROP TABLE vector_1;

-- The same, 1,024 or somewhat more at a time; little-endian, one number a row.
CREATE TABLE vector_block (
  id INTEGER PRIMARY KEY,
  model INTEGER NOT NULL REFERENCES model (id),
  low INTEGER NOT NULL, high INTEGER NOT NULL,   -- the first and the last entry; all are of one partition
  texts INTEGER NOT NULL,                -- how many entries it holds
  checksum INTEGER NOT NULL,             -- crc32 over the four
  entries BLOB NOT NULL,                 -- int64, ascending
  chunks BLOB NOT NULL,                  -- int32: how many pieces the entry's text has
  scales BLOB NOT NULL,                  -- float32
  vals BLOB NOT NULL                     -- int8, dimension of them a row
);
CREATE INDEX vector_block_range ON vector_block (model, low, high);

-- Derived from entry by a model: a vector for each token. Not WITHOUT ROWID: rows of 2 KB would fill a page each.
CREATE TABLE token_vector (
  id INTEGER PRIMARY KEY,
  entry INTEGER NOT NULL REFERENCES entry (rowid),
  model INTEGER NOT NULL REFERENCES model (id),
  scales BLOB NOT NULL,                  -- float32, one a token
  vals BLOB NOT NULL,                    -- int8, dimension of them a token
  UNIQUE (entry, model)
);

-- Raised by every change of vectors that is not one more at the end: readers' arrays of them are then stale.
ALTER TABLE partition ADD COLUMN vectors_epoch INTEGER NOT NULL DEFAULT 0;
"""

_SESSIONS = (
    """
CREATE TABLE session (
  partition INTEGER NOT NULL REFERENCES partition (id),
  number INTEGER NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (partition, number),
  UNIQUE (partition, name)
) WITHOUT ROWID""",
    "ALTER TABLE standing ADD COLUMN session INTEGER",
    "ALTER TABLE standing ADD COLUMN position INTEGER",
    """
-- Derived from standing: 1,024 rows by column, once no further row can come between them.
CREATE TABLE standing_block (
  first INTEGER PRIMARY KEY,
  content BLOB NOT NULL
)""",
    *(
        f"CREATE TRIGGER standing_{change} AFTER {change.upper()} ON standing"
        " BEGIN DELETE FROM standing_block WHERE first = (old.rowid & -1024); END"
        for change in ("update", "delete")
    ),
)

_SPEAKERS = (
    """
CREATE TABLE speaker (
  partition INTEGER NOT NULL REFERENCES partition (id),
  number INTEGER NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (partition, number),
  UNIQUE (partition, name)
) WITHOUT ROWID""",
    "ALTER TABLE standing ADD COLUMN speaker INTEGER",
    "ALTER TABLE standing ADD COLUMN traits INTEGER NOT NULL DEFAULT 0",
    "DELETE FROM standing_block",  # packed without these columns
    "INSERT INTO speaker (partition, number, name)"
    " SELECT partition, row_number() OVER (PARTITION BY partition ORDER BY first) - 1, name FROM"
    " (SELECT rowid >> 32 AS partition, speaker AS name, min(rowid) AS first FROM entry"
    " WHERE speaker IS NOT NULL GROUP BY 1, 2)",
    "UPDATE standing SET speaker = (SELECT s.number FROM entry e JOIN speaker s"
    " ON s.partition = e.rowid >> 32 AND s.name = e.speaker WHERE e.rowid = standing.rowid)",
)

_STATEMENTS = (
    *(f"ALTER TABLE entry ADD COLUMN {name} TEXT" for name in ("subject", "predicate", "object", "trait")),
    "ALTER TABLE event ADD COLUMN effective INTEGER",
    "ALTER TABLE event ADD COLUMN detail TEXT NOT NULL DEFAULT ''",
    "CREATE INDEX event_other ON event (other) WHERE kind IN ('caused_by', 'causes')",
    "ALTER TABLE standing ADD COLUMN event_from INTEGER",
    "ALTER TABLE standing ADD COLUMN event_to INTEGER",
    "DELETE FROM standing_block",  # packed without these columns
    # What follows is derived from entries by rules (memory/extract).
    """
CREATE TABLE entity (
  id INTEGER PRIMARY KEY,
  partition INTEGER NOT NULL REFERENCES partition (id),
  key TEXT NOT NULL,
  name TEXT NOT NULL,                    -- as it was written first
  kind TEXT NOT NULL,
  UNIQUE (partition, key)
)""",
    """
CREATE TABLE mention (
  entity INTEGER NOT NULL REFERENCES entity (id),
  entry INTEGER NOT NULL REFERENCES entry (rowid),
  PRIMARY KEY (entity, entry)
) WITHOUT ROWID""",
    "CREATE INDEX mention_entry ON mention (entry)",
    """
CREATE TABLE alias (
  entry INTEGER NOT NULL REFERENCES entry (rowid),
  entity INTEGER NOT NULL REFERENCES entity (id),
  other INTEGER NOT NULL REFERENCES entity (id),
  PRIMARY KEY (entry, entity, other)
) WITHOUT ROWID""",
    "CREATE INDEX alias_entity ON alias (entity)",
    "CREATE INDEX alias_other ON alias (other)",
    """
CREATE TABLE similar (
  entity INTEGER NOT NULL REFERENCES entity (id),
  other INTEGER NOT NULL REFERENCES entity (id),
  weight REAL NOT NULL,
  PRIMARY KEY (entity, other)
) WITHOUT ROWID""",
    "CREATE INDEX similar_other ON similar (other)",
    """
CREATE TABLE triple (
  entry INTEGER NOT NULL REFERENCES entry (rowid),
  place INTEGER NOT NULL,                -- which of the entry's statements
  subject INTEGER NOT NULL REFERENCES entity (id),
  predicate TEXT NOT NULL,
  object INTEGER NOT NULL REFERENCES entity (id),
  event_from INTEGER, event_to INTEGER,  -- the date that its sentence names, or when it was said
  PRIMARY KEY (entry, place)
) WITHOUT ROWID""",
    "CREATE INDEX triple_subject ON triple (subject, predicate, object)",
    "CREATE INDEX triple_object ON triple (object)",
    # Not derived: which groups of entries were reflected on, so that a broken off reflection goes on.
    """
CREATE TABLE reflection (
  digest BLOB PRIMARY KEY,               -- of the model, the prompt and the ids of the sources
  partition INTEGER NOT NULL REFERENCES partition (id),
  at INTEGER NOT NULL
) WITHOUT ROWID""",
)

_INITIAL = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL);

CREATE TABLE partition (
  id INTEGER PRIMARY KEY CHECK (id BETWEEN 1 AND 2147483647),
  tenant TEXT NOT NULL,
  space TEXT NOT NULL,
  owner TEXT NOT NULL,                   -- '' for what the space shares, else the user whose private rows these are
  sequence INTEGER NOT NULL DEFAULT 0,   -- the last one given out; never given again
  epoch INTEGER NOT NULL DEFAULT 0,      -- raised by every change that is not an append: readers' caches are then stale
  UNIQUE (tenant, space, owner)
);

CREATE TABLE entry (
  rowid INTEGER PRIMARY KEY,
  id BLOB NOT NULL UNIQUE,
  author TEXT NOT NULL,
  text TEXT NOT NULL,
  kind TEXT NOT NULL,
  decay_class TEXT NOT NULL,
  trust INTEGER NOT NULL,
  speaker TEXT, channel TEXT, session TEXT, position INTEGER,
  tool TEXT, repository TEXT, commit_id TEXT, branch TEXT, cwd TEXT,
  happened_at INTEGER, happened_precision TEXT,
  recorded_at INTEGER NOT NULL,
  replayed INTEGER NOT NULL,
  valid_from INTEGER, valid_to INTEGER,
  proof_count INTEGER, confidence REAL,
  pinned INTEGER NOT NULL,
  masked INTEGER NOT NULL,
  digest BLOB NOT NULL                   -- of session, position and text: what makes a duplicate
);
CREATE INDEX entry_digest ON entry (digest);
CREATE INDEX entry_pinned ON entry (rowid) WHERE pinned;

CREATE TABLE derivation (
  entry INTEGER NOT NULL REFERENCES entry (rowid),
  source BLOB NOT NULL,
  place INTEGER NOT NULL,
  PRIMARY KEY (entry, source)
) WITHOUT ROWID;
CREATE INDEX derivation_source ON derivation (source);

CREATE TABLE event (
  sequence INTEGER PRIMARY KEY,
  id BLOB NOT NULL UNIQUE,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  entry INTEGER NOT NULL REFERENCES entry (rowid),
  other BLOB
);
CREATE INDEX event_entry ON event (entry);

-- Derived from entry and event: what decides whether a row may be recalled now, narrow enough to be read whole.
CREATE TABLE standing (
  rowid INTEGER PRIMARY KEY,
  trust INTEGER NOT NULL,
  starts_at INTEGER,
  ends_at INTEGER,
  happened_at INTEGER,
  length INTEGER NOT NULL                -- words in the text index
);

-- Derived from entry: the posting store of the lexical lane.
CREATE VIRTUAL TABLE lexical USING fts5 (text, tokenize = 'porter unicode61');
CREATE VIRTUAL TABLE bigram USING fts5 (text, tokenize = 'ascii');

CREATE TABLE model (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL, dimension INTEGER NOT NULL, weights TEXT NOT NULL, runtime TEXT NOT NULL,
  UNIQUE (name, dimension, weights, runtime)
);

-- Derived from entry by a model: int8 with a scale.
CREATE TABLE vector (
  model INTEGER NOT NULL REFERENCES model (id),
  entry INTEGER NOT NULL REFERENCES entry (rowid),
  chunk INTEGER NOT NULL,
  kept INTEGER NOT NULL,                 -- how many rows this entry has by this model
  chunks INTEGER NOT NULL,               -- how many pieces its text has: more than are kept where it is very long
  scale REAL NOT NULL,
  value BLOB NOT NULL,
  PRIMARY KEY (model, entry, chunk)
) WITHOUT ROWID;

CREATE TABLE export (
  at INTEGER NOT NULL,
  partition INTEGER NOT NULL REFERENCES partition (id),
  path TEXT NOT NULL
);
"""


def create_schema(
    connection: sqlite3.Connection, now: datetime, migrations: Sequence[Migration] = MIGRATIONS
) -> None:
    """Make a new store of the newest schema."""
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    _apply(connection, 0, migrations, now)


def migrate(database: Database, now: datetime, migrations: Sequence[Migration] = MIGRATIONS) -> Path | None:
    """Bring an older store forward; the path of the copy that was kept of it, or None where nothing was to do.

    Raises ``StoreTooNew`` for a store of a newer version. A failing step leaves the store as it was.
    """
    with database.reading() as connection:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > len(migrations):
        raise StoreTooNew(
            f"the store has schema {version}, this version of truerecall knows up to {len(migrations)}",
            where=database.path,
            remedy="Upgrade truerecall; nothing was changed.",
        )
    if version == len(migrations):
        return None
    copy = _keep_copy(database, version)
    with database.outside() as connection:
        _apply(connection, version, migrations, now)
    return copy


def kept_copies(path: str) -> list[Path]:
    """Copies that migrations kept beside the store."""
    if path == IN_MEMORY:
        return []
    file = Path(path)
    ours = re.compile(re.escape(file.name) + r"\.schema-\d+(\.part)?")
    return sorted(p for p in file.parent.iterdir() if ours.fullmatch(p.name) and p.is_file())


def _apply(connection: sqlite3.Connection, done: int, migrations: Sequence[Migration], now: datetime) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have been here between our look and our lock.
        done = max(done, connection.execute("PRAGMA user_version").fetchone()[0])
        for number, step in enumerate(migrations[done:], start=done + 1):
            step(connection)
            connection.execute(
                "INSERT INTO migration (number, name, applied_at) VALUES (?, ?, ?)",
                (number, step.__name__, to_micros(now)),
            )
            connection.execute(f"PRAGMA user_version = {number}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _keep_copy(database: Database, version: int) -> Path | None:
    if database.path == IN_MEMORY:
        return None
    file = Path(database.path)
    copy = file.with_name(f"{file.name}.schema-{version}")
    draft = copy.with_name(copy.name + ".part")
    with database.outside() as connection:
        draft.touch(mode=file.stat().st_mode & 0o777)
        with contextlib.closing(sqlite3.connect(draft)) as target:
            connection.backup(target)
        draft.replace(copy)
    return copy
