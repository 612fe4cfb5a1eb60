"""The doctor's checks over a whole file, and the repair of what is derived."""

import contextlib
import sqlite3
from collections.abc import Callable
from pathlib import Path

from truerecall.memory.analysis import ANALYSIS_VERSION, index_text, segment
from truerecall.memory.extract.records import Rules
from truerecall.memory.store import purge
from truerecall.memory.store.database import IN_MEMORY, Database
from truerecall.memory.store.entities import extraction_faults, rebuild_extraction, stale_extraction
from truerecall.memory.store.migrations import MIGRATIONS, kept_copies
from truerecall.memory.store.numbering import number_faults, number_missing
from truerecall.memory.store.protocol import Finding
from truerecall.memory.store.rows import scan_entries
from truerecall.memory.store.standing import block_faults, blocks_missing, seal_missing
from truerecall.memory.store.textindex import (
    clear_index,
    index_entries,
    index_faults,
    indexed_length,
    searched_text,
)
from truerecall.memory.store.vector_faults import coverage, find_faults, remove_faults
from truerecall.memory.store.vectors import models, open_models
from truerecall.memory.traits import TRAITS_VERSION, traits_of
from truerecall.models.protocols import ModelIdentity

_ANALYSIS = "analysis_version"
_TRAITS = "traits_version"
_LAST_ROW = 2**63 - 1

_STANDING = "rowid, trust, starts_at, ends_at, happened_at, session, position, speaker"
_DERIVED_STANDING = """
  SELECT e.rowid, e.trust,
    coalesce(e.valid_from, CASE WHEN e.subject IS NOT NULL
      THEN (SELECT t.event_from FROM triple t WHERE t.entry = e.rowid AND t.place = 0) END) AS starts_at,
    nullif(min(coalesce(e.valid_to, 9223372036854775807), coalesce(c.at, 9223372036854775807)), 9223372036854775807)
      AS ends_at,
    e.happened_at, n.number AS session, e.position, s.number AS speaker
  FROM entry e
  LEFT JOIN session n ON n.partition = e.rowid >> 32 AND n.name = e.session
  LEFT JOIN speaker s ON s.partition = e.rowid >> 32 AND s.name = e.speaker
  LEFT JOIN (SELECT entry, min(coalesce(effective, at)) AS at FROM event
    WHERE kind IN ('superseded', 'retired', 'closed') GROUP BY entry) c
    ON c.entry = e.rowid
"""


def check(
    database: Database, identity: ModelIdentity | None, tokens: ModelIdentity | None, rules: Rules
) -> list[Finding]:
    """Every check over the file, healthy or not, in a fixed order."""
    checks: tuple[tuple[str, Callable[[sqlite3.Connection], list[str]], str], ...] = (
        (
            "file integrity",
            _file_faults,
            "Restore a copy or an export; `truerecall export` saves what can be read.",
        ),
        ("schema version", _schema_faults, "Open the store with this version of truerecall once."),
        ("rows and their links", _link_faults, "Restore a copy or an export."),
        ("text indexes", _content_faults, _REPAIR),
        ("standing (derived from entries and events)", _standing_faults, _REPAIR),
        ("names, statements and times (by rules)", lambda db: extraction_faults(db, rules), _REPAIR),
        ("vectors", lambda db: find_faults(db).sentences, _REPAIR),
    )
    findings = []
    with (
        database.writing() as db
    ):  # FTS5 checks itself by an INSERT that changes nothing; the rest only reads
        own = index_faults(db)
    with database.reading() as db:
        for name, look, repair in checks:
            try:
                faults = own if look is _content_faults and own else look(db)
            except sqlite3.DatabaseError as error:
                faults = [str(error)]
            detail = "; ".join(faults[:5]) + (f"; and {len(faults) - 5} more" if len(faults) > 5 else "")
            findings.append(Finding(name, not faults, detail or "sound", repair if faults else ""))
        findings.append(_embedding(db, identity, tokens))
        waiting = purge.pending(db) is not None
    findings.append(
        Finding(
            "purge",
            not waiting,
            "waits for a reader to close" if waiting else "nothing waits",
            _REPAIR if waiting else "",
        )
    )
    if database.path != IN_MEMORY:
        findings.extend(_file_faults_outside(Path(database.path)))
        copies = [copy.name for copy in kept_copies(database.path)]
        findings.append(Finding("kept copies", True, ", ".join(copies) or "none"))
    return findings


_REPAIR = "Run `truerecall doctor --repair`."


def repair(database: Database, rules: Rules) -> list[str]:
    """Make anew what is derived and wrong; what was done, one sentence each."""
    done = []
    with database.writing() as db:
        if extraction_faults(db, rules):
            rebuild_extraction(db, rules)
            done.append("took names, statements and times out of the texts anew")
        if _standing_faults(db):
            _rebuild_standing(db)
            rebuild_extraction(db, rules)  # which tells when things happened
            done.append("derived every entry's standing from its events anew")
        if index_faults(db) or _content_faults(db):
            rebuild_index(db)
            done.append("made the text indexes anew")
        done.extend(remove_faults(db))
        if done:
            db.execute("UPDATE partition SET epoch = epoch + 1")
        seal_missing(db)
    with database.outside() as db:
        waiting = purge.pending(db) is not None
    if waiting and purge.finish(database):
        done.append("finished a purge")
    return done


def renew_if_stale(database: Database, rules: Rules) -> None:
    """Make anew what is derived and by cheap signs stale or gone: indexes, traits, what rules find, packed blocks."""
    with database.reading() as db:
        unread = rules.on and stale_extraction(db)
        if not (_stale_index(db) or _stale_traits(db) or unread or blocks_missing(db)):
            return
    with database.writing() as db:
        if _stale_index(db):
            rebuild_index(db)
            db.execute("UPDATE partition SET epoch = epoch + 1")
        if _stale_traits(db):
            _renew_traits(db)
            db.execute("UPDATE partition SET epoch = epoch + 1")
        if rules.on and stale_extraction(db):
            rebuild_extraction(db, rules)
            db.execute("UPDATE partition SET epoch = epoch + 1")
        seal_missing(db)


def _stale_index(db: sqlite3.Connection) -> bool:
    """Whether the text was indexed by another version of the analysis, or the newest entry is not in the index."""
    if _made_by(db, _ANALYSIS) != str(ANALYSIS_VERSION):
        return True
    try:
        newest, indexed = db.execute(
            "SELECT (SELECT max(rowid) FROM entry), (SELECT max(id) FROM lexical_docsize)"
        ).fetchone()
    except sqlite3.OperationalError:  # no such table
        return True
    return bool(newest != indexed)


def rebuild_index(db: sqlite3.Connection) -> None:
    """Empty both text indexes and fill them from the entries."""
    clear_index(db)
    for rowid, entry in scan_entries(db, 0, _LAST_ROW):
        (length,) = index_entries(db, [rowid], [entry])
        db.execute("UPDATE standing SET length = ? WHERE rowid = ?", (length, rowid))
    db.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (_ANALYSIS, str(ANALYSIS_VERSION)))


def _stale_traits(db: sqlite3.Connection) -> bool:
    return _made_by(db, _TRAITS) != str(TRAITS_VERSION)


def _renew_traits(db: sqlite3.Connection) -> None:
    db.executemany("UPDATE standing SET traits = ? WHERE rowid = ?", _other_traits(db))
    db.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (_TRAITS, str(TRAITS_VERSION)))


def _other_traits(db: sqlite3.Connection) -> list[tuple[int, int]]:
    """The traits and the row of each text that stands with others."""
    rows = db.execute("SELECT rowid, e.text, s.traits FROM entry e JOIN standing s USING (rowid)")
    return [(int(traits), row) for row, text, held in rows if (traits := traits_of(text)) != held]


def _made_by(db: sqlite3.Connection, key: str) -> str | None:
    """The version that is noted of what is derived."""
    row = db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return None if row is None else str(row[0])


def _file_faults(db: sqlite3.Connection) -> list[str]:
    return [row[0] for row in db.execute("PRAGMA integrity_check(20)") if row[0] != "ok"]


def _schema_faults(db: sqlite3.Connection) -> list[str]:
    version = db.execute("PRAGMA user_version").fetchone()[0]
    applied = [row[0] for row in db.execute("SELECT number FROM migration ORDER BY number")]
    if version != len(MIGRATIONS) or applied != list(range(1, version + 1)):
        return [f"schema {version} with steps {applied}, expected {len(MIGRATIONS)}"]
    return []


def _link_faults(db: sqlite3.Connection) -> list[str]:
    faults = [
        f"{row[0]} row {row[1]} points at a missing {row[2]}"
        for row in db.execute("PRAGMA foreign_key_check")
    ]
    strays = db.execute(
        "SELECT count(*) FROM entry e WHERE NOT EXISTS (SELECT 1 FROM partition p WHERE p.id = e.rowid >> 32"
        " AND p.sequence >= (e.rowid & 4294967295))"
    ).fetchone()[0]
    return [*faults, *([f"{strays} entries outside any partition"] if strays else [])]


def _content_faults(db: sqlite3.Connection) -> list[str]:
    """Where an index holds another text than its entry."""
    if _made_by(db, _ANALYSIS) != str(ANALYSIS_VERSION):
        return ["indexed by another version of the text analysis"]
    entries = db.execute("SELECT count(*) FROM entry").fetchone()[0]
    indexed = db.execute("SELECT count(*) FROM lexical").fetchone()[0]
    faults = [] if entries == indexed else [f"{entries} entries, {indexed} in the text index"]
    pairs = 0
    for rowid, entry in scan_entries(db, 0, _LAST_ROW):
        text = searched_text(entry)
        wanted = [index_text(text), segment(text)]
        pairs += bool(wanted[1])
        length = db.execute("SELECT length FROM standing WHERE rowid = ?", (rowid,)).fetchone()[0]
        if length != indexed_length(*wanted):
            faults.append(f"entry {entry.id} has another length than its text")
        for table, content in zip(("lexical", "bigram"), wanted, strict=True):
            row = db.execute(f"SELECT text FROM {table} WHERE rowid = ?", (rowid,)).fetchone()
            if (row[0] if row else "") != content:
                faults.append(f"entry {entry.id} stands otherwise in index {table}")
    stored = db.execute("SELECT count(*) FROM bigram").fetchone()[0]
    return (
        faults
        if stored == pairs
        else [*faults, f"{pairs} entries with unspaced scripts, {stored} in their index"]
    )


def _standing_faults(db: sqlite3.Connection) -> list[str]:
    columns = _STANDING
    derived = f"SELECT {columns} FROM ({_DERIVED_STANDING})"
    stored = f"SELECT {columns} FROM standing"
    # A name without a number would show nowhere else: derived and stored would both have none.
    faults = number_faults(db)
    for name, query in (
        ("missing or wrong", f"{derived} EXCEPT {stored}"),
        ("without an entry", f"{stored} EXCEPT {derived}"),
    ):
        count = db.execute(f"SELECT count(*) FROM ({query})").fetchone()[0]
        if count:
            faults.append(f"{count} rows {name}")
    if others := _other_traits(db):
        faults.append(f"{len(others)} rows with other traits than their text")
    return [*faults, *block_faults(db)]


def _rebuild_standing(db: sqlite3.Connection) -> None:
    number_missing(db)
    db.execute("DELETE FROM standing_block")
    db.execute("DELETE FROM standing")
    db.execute(f"INSERT INTO standing ({_STANDING}, length) SELECT {_STANDING}, 0 FROM ({_DERIVED_STANDING})")
    for rowid, entry in scan_entries(db, 0, _LAST_ROW):
        text = searched_text(entry)
        length = indexed_length(index_text(text), segment(text))
        db.execute("UPDATE standing SET length = ? WHERE rowid = ?", (length, rowid))
    _renew_traits(db)


def _embedding(
    db: sqlite3.Connection, identity: ModelIdentity | None, tokens: ModelIdentity | None
) -> Finding:
    entries = db.execute("SELECT count(*) FROM entry").fetchone()[0]
    if identity is None:
        held = max((count for _, count in models(db)), default=0)
        return Finding("embedding", True, f"{held} of {entries} entries have a vector; no model is open")
    found = coverage(db, open_models(db, identity, tokens))
    detail = f"{found.held} of {entries} entries have a vector of {identity.name}"
    detail += f", {found.partly} of them not of every piece (store.most_chunks)" if found.partly else ""
    detail += "" if found.matched is None else f"; {found.matched} have token vectors"
    complete = found.held == entries and found.matched in (None, entries)
    return Finding("embedding", complete, detail, "" if complete else _REPAIR)


def _file_faults_outside(file: Path) -> list[Finding]:
    """What the file system says: who may read the files, and under how many names they are used."""
    wanted = file.stat().st_mode & 0o777
    wrong = ["anyone on this machine can read it"] if wanted & 0o007 else []
    for suffix in ("-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            mode = file.with_name(file.name + suffix).stat().st_mode & 0o777
            if mode != wanted:
                wrong.append(f"{file.name}{suffix} is {mode:o}")
    names = file.stat().st_nlink
    return [
        Finding(
            "file mode",
            not wrong,
            "; ".join([f"{wanted:o}", *wrong]),
            f"chmod 600 {file.name}*" if wrong else "",
        ),
        Finding(
            "names",
            names == 1,
            "one" if names == 1 else f"{names} hard links: each keeps a log of its own, and writes are lost",
            "" if names == 1 else "Remove all names but one (a symbolic link does no harm).",
        ),
    ]
