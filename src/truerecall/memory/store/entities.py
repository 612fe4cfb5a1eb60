"""Rows of entities, of the entries that name them, and of what is stated about them: all derived from entries."""

import sqlite3
from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations

from truerecall.core.config import zone_of
from truerecall.memory.extract.records import EXTRACTION_VERSION, Named, Rules
from truerecall.memory.extract.similarity import similarity
from truerecall.memory.store.extraction import Dated, Drawn, drawn_from
from truerecall.memory.store.rows import PARTITION_BITS, read_entries, scan_entries
from truerecall.memory.store.standing import NEVER

_VERSION = "extraction_version"
_LAST_ROW = 2**63 - 1
_PREFIX = 3  # characters that a name shares with those that it is compared with
_COMPARED = 64  # at most so many of them
_TABLES = ("triple", "alias", "mention", "similar", "entity")


def index_drawn(db: sqlite3.Connection, rowids: Sequence[int], drawn: Sequence[Drawn]) -> None:
    """Write what was drawn from the entries of these rows."""
    numbers = _Entities(db)
    mentions, aliases, triples = [], [], []
    for row, found in zip(rowids, drawn, strict=True):
        partition = row >> PARTITION_BITS
        by_key = {entity.key: numbers.of(partition, entity) for entity in found.entities}
        mentions += [(number, row) for number in by_key.values()]
        for key, other in found.aliases:
            if key in by_key and other in by_key and key != other:
                aliases.append((row, by_key[key], by_key[other]))
        for place, one in enumerate(found.statements):
            subject, thing = (numbers.of(partition, part) for part in (one.said.subject, one.said.object))
            triples.append((row, place, subject, one.said.predicate, thing, one.event_from, one.event_to))
    db.executemany("INSERT OR IGNORE INTO mention (entity, entry) VALUES (?, ?)", mentions)
    db.executemany("INSERT OR IGNORE INTO alias (entry, entity, other) VALUES (?, ?, ?)", aliases)
    db.executemany(
        "INSERT INTO triple (entry, place, subject, predicate, object, event_from, event_to)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        triples,
    )


class _Entities:
    """The number of each entity, looked up or given once."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._known: dict[tuple[int, str], int] = {}

    def of(self, partition: int, entity: Named) -> int:
        known = self._known.get((partition, entity.key))
        if known is None:
            known = self._known[partition, entity.key] = self._stored(partition, entity)
        return known

    def _stored(self, partition: int, entity: Named) -> int:
        row = self._db.execute(
            "SELECT id FROM entity WHERE partition = ? AND key = ?", (partition, entity.key)
        ).fetchone()
        if row is not None:
            return int(row[0])
        cursor = self._db.execute(
            "INSERT INTO entity (partition, key, name, kind) VALUES (?, ?, ?, ?)",
            (partition, entity.key, entity.name, entity.kind),
        )
        number = int(cursor.lastrowid or 0)
        if entity.kind == "name":
            self._link_similar(partition, number, entity)
        return number

    def _link_similar(self, partition: int, number: int, entity: Named) -> None:
        """Link it with names that begin alike: a weighted link, never one entity."""
        start = entity.key[:_PREFIX]
        rows = self._db.execute(
            "SELECT id, key, name FROM entity WHERE partition = ? AND key >= ? AND key < ? AND kind = 'name'"
            " AND id != ? ORDER BY key LIMIT ?",
            (partition, start, start + "\U0010ffff", number, _COMPARED),
        ).fetchall()
        for other, key, name in rows:
            weight = similarity(entity, Named(key, name, "name"))
            if weight > 0:
                self._db.execute(
                    "INSERT OR IGNORE INTO similar (entity, other, weight) VALUES (?, ?, ?)",
                    (other, number, round(weight, 6)),
                )


def remove_drawn(db: sqlite3.Connection, rowids: Sequence[int]) -> None:
    """Take out what was drawn from these rows, and the entities that nothing names any more.

    What stays is named as the first remaining entry writes it: no spelling of a removed text is kept.
    """
    touched: set[int] = set()
    for row in rowids:
        touched.update(
            number
            for pair in db.execute(
                "SELECT entity, entity FROM mention WHERE entry = ?1"
                " UNION SELECT subject, object FROM triple WHERE entry = ?1",
                (row,),
            )
            for number in pair
        )
        for table in ("mention", "alias", "triple"):
            db.execute(f"DELETE FROM {table} WHERE entry = ?", (row,))
    for number in sorted(touched):
        (left,) = db.execute(
            "SELECT min(entry) FROM (SELECT min(entry) AS entry FROM mention WHERE entity = ?1 UNION ALL"
            " SELECT min(entry) FROM triple WHERE subject = ?1 UNION ALL"
            " SELECT min(entry) FROM triple WHERE object = ?1)",
            (number,),
        ).fetchone()
        if left is None:
            db.execute("DELETE FROM similar WHERE ?1 IN (entity, other)", (number,))
            db.execute("DELETE FROM entity WHERE id = ?", (number,))
        else:
            _rename(db, number, left)


def _rename(db: sqlite3.Connection, number: int, row: int) -> None:
    """Write an entity's name as the entry of a row does."""
    (key,) = db.execute("SELECT key FROM entity WHERE id = ?", (number,)).fetchone()
    named = _names_in(drawn_from(read_entries(db, [row])[row], Rules(True, zone_of(zone_kept(db)))))
    if key in named:
        db.execute("UPDATE entity SET name = ?, kind = ? WHERE id = ?", (*named[key], number))


def _names_in(drawn: Drawn) -> dict[str, tuple[str, str]]:
    parts = (part for one in drawn.statements for part in (one.said.subject, one.said.object))
    named: dict[str, tuple[str, str]] = {}
    for entity in (*drawn.entities, *parts):
        named.setdefault(entity.key, (entity.name, entity.kind))
    return named


def note_unextracted(db: sqlite3.Connection) -> None:
    """Remember that some entries were written without the rules: opened with them, the store is gone through again."""
    db.execute("DELETE FROM meta WHERE key = ?", (_VERSION,))


def stale_extraction(db: sqlite3.Connection) -> bool:
    """Whether some entries were not gone through by these rules."""
    row = db.execute("SELECT value FROM meta WHERE key = ?", (_VERSION,)).fetchone()
    return row is None or str(row[0]) != str(EXTRACTION_VERSION)


def rebuild_extraction(db: sqlite3.Connection, rules: Rules) -> None:
    """Draw everything from all entries anew."""
    for table in _TABLES:
        db.execute(f"DELETE FROM {table}")
    for row, entry in scan_entries(db, 0, _LAST_ROW):
        drawn = drawn_from(entry, rules)
        index_drawn(db, [row], [drawn])
        db.execute(
            "UPDATE standing SET event_from = ?1, event_to = ?2, starts_at = ?3 WHERE rowid = ?4"
            " AND (event_from IS NOT ?1 OR event_to IS NOT ?2 OR starts_at IS NOT ?3)",
            (drawn.event_from, drawn.event_to, drawn.starts, row),
        )
    if rules.on:
        db.execute(
            "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (_VERSION, str(EXTRACTION_VERSION))
        )


def extraction_faults(db: sqlite3.Connection, rules: Rules) -> list[str]:
    """Where the rows hold something else than the rules find in the entries."""
    if stale_extraction(db):  # then nobody can say what should be there
        return ["some entries were not gone through by these rules"] if rules.on else []
    rules = Rules(True, rules.zone)
    wrong, named = 0, set()
    for row, entry in scan_entries(db, 0, _LAST_ROW):
        drawn = drawn_from(entry, rules)
        keys = {entity.key for entity in drawn.entities}
        pairs = {pair for pair in drawn.aliases if keys.issuperset(pair) and pair[0] != pair[1]}
        said = [_stored_form(place, one) for place, one in enumerate(drawn.statements)]
        stored = db.execute(
            "SELECT coalesce(event_from, ?1), coalesce(event_to, ?1) FROM standing WHERE rowid = ?2",
            (NEVER, row),
        ).fetchone()
        interval = tuple(NEVER if at is None else at for at in (drawn.event_from, drawn.event_to))
        named |= {(row >> PARTITION_BITS, key) for key in _names_in(drawn)}
        wrong += (keys, pairs, said, interval) != (*_stored_of(db, row), stored)
    faults = [f"{wrong} entries with other names, statements or times than their text"] if wrong else []
    held = {(partition, key) for partition, key in db.execute("SELECT partition, key FROM entity")}
    if held != named:
        faults.append(f"{len(held ^ named)} entities too many or missing")
    if unlike := _similar_faults(db):
        faults.append(f"{unlike} links between names that are written alike too many, missing or wrong")
    return faults


def _similar_faults(db: sqlite3.Connection) -> int:
    """Links that are not what the names come to; none is missed where more begin alike than are compared."""
    stored: dict[frozenset[int], float] = {
        frozenset(pair): weight for *pair, weight in db.execute("SELECT entity, other, weight FROM similar")
    }
    named: dict[int, tuple[int, Named]] = {}
    begins: dict[tuple[int, str], list[int]] = defaultdict(list)
    for number, partition, key, name in db.execute(
        "SELECT id, partition, key, name FROM entity WHERE kind = 'name'"
    ):
        named[number] = partition, Named(key, name, "name")
        begins[partition, key[:_PREFIX]].append(number)
    looked_at = [pair for few in begins.values() if len(few) <= _COMPARED for pair in combinations(few, 2)]
    wrong = 0
    for pair in {*map(frozenset, looked_at), *stored}:
        known = [named[number] for number in pair if number in named]
        fits = len(known) == 2 and known[0][0] == known[1][0]
        weight = round(similarity(known[0][1], known[1][1]), 6) if fits else 0.0
        wrong += stored.get(pair, 0.0) != weight
    return wrong


_Stored = tuple[int, str, str, str, int | None, int | None]


def _stored_form(place: int, one: Dated) -> _Stored:
    said = one.said
    return (place, said.subject.key, said.predicate, said.object.key, one.event_from, one.event_to)


def _stored_of(db: sqlite3.Connection, row: int) -> tuple[set[str], set[tuple[str, str]], list[_Stored]]:
    keys = db.execute(
        "SELECT e.key FROM mention m JOIN entity e ON e.id = m.entity WHERE m.entry = ?", (row,)
    )
    pairs = db.execute(
        "SELECT a.key, b.key FROM alias l JOIN entity a ON a.id = l.entity JOIN entity b ON b.id = l.other"
        " WHERE l.entry = ?",
        (row,),
    )
    said = db.execute(
        "SELECT t.place, s.key, t.predicate, o.key, t.event_from, t.event_to FROM triple t"
        " JOIN entity s ON s.id = t.subject JOIN entity o ON o.id = t.object WHERE t.entry = ? ORDER BY t.place",
        (row,),
    )
    return {row[0] for row in keys.fetchall()}, set(pairs.fetchall()), said.fetchall()


def keep_zone(db: sqlite3.Connection, zone: str) -> None:
    """Note in which zone the days are that the texts of this store name; only of a new store."""
    db.execute("INSERT OR IGNORE INTO meta (key, value) VALUES ('zone', ?)", (zone,))


def zone_kept(db: sqlite3.Connection) -> str:
    """The zone of ``keep_zone``; UTC in a store that is older than it."""
    row = db.execute("SELECT value FROM meta WHERE key = 'zone'").fetchone()
    return "UTC" if row is None else str(row[0])
