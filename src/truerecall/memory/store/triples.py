"""Statements as rows: read with all that decides between two that contradict each other."""

import sqlite3
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from truerecall.core.clock import from_micros, to_micros
from truerecall.core.entry import Trust
from truerecall.core.ids import id_text
from truerecall.memory.conflict import Claim
from truerecall.memory.store.rows import LOOKUP, partition_range


@dataclass(frozen=True, slots=True)
class Triple:
    """A statement, with what decides between rivals."""

    entry_id: str
    """Of the entry that says it."""
    row: int
    """Of that entry: the order of arrival within a partition."""
    place: int
    """Which of the entry's statements it is, from 0."""
    own: bool
    """Whether the entry is a derived one that says just this; else the rules found it in a turn."""
    subject: str
    """The entity's key."""
    predicate: str
    object: str
    """The entity's key."""
    names: tuple[str, str]
    """Subject and object as they are written."""
    trust: Trust
    start: datetime | None
    """From when it is so; None where no time is known."""
    end: datetime | None
    """Until when, exclusive; None where it has no end of its own."""
    recorded_at: datetime
    retired_at: datetime | None
    """From when it does not count any more: its entry was forgotten or corrected, or what ended it was purged."""
    start_by: datetime | None
    """The end of the interval that the start lies in, where it is not known to the instant."""

    @property
    def id(self) -> str:
        """Of the statement: its entry's id, with a number where the entry may say more than one thing."""
        return self.entry_id if self.own else f"{self.entry_id}/{self.place}"

    @property
    def claim(self) -> Claim:
        """What ``memory.conflict`` settles; ``ended`` is when its entry was forgotten or corrected."""
        return Claim(
            id=self.id,
            object=self.object,
            trust=self.trust,
            start=self.start,
            end=self.end,
            recorded_at=self.recorded_at,
            number=self.row,
            start_by=self.start_by,
            ended=self.retired_at,
        )


_SELECT = """
SELECT e.id, e.rowid, t.place, e.subject IS NOT NULL, s.key, t.predicate, o.key,
  coalesce(e.subject, s.name), coalesce(e.object, o.name), e.trust,
  coalesce(e.valid_from, t.event_from), e.valid_to, e.recorded_at,
  CASE WHEN e.valid_from IS NULL AND t.event_to > t.event_from + 1 THEN t.event_to END,
  (SELECT min(coalesce(v.effective, v.at)) FROM event v WHERE v.entry = e.rowid AND (v.detail = '' OR v.other IS NULL)
    AND v.kind IN ('superseded', 'retired') AND v.at < ?1)
FROM triple t
JOIN entry e ON e.rowid = t.entry
JOIN entity s ON s.id = t.subject
JOIN entity o ON o.id = t.object
WHERE e.recorded_at < ?1 AND """
_ALWAYS = 2**63 - 1
_OTHERS = 8  # statements that show that something else is known


def read_triples(
    db: sqlite3.Connection,
    partitions: Sequence[int],
    when: datetime | None = None,
    keys: Collection[str] | None = None,
) -> list[Triple]:
    """The statements in these partitions, in order of arrival; see ``protocol.Store.statements``."""
    until = _ALWAYS if when is None else to_micros(when)
    found: dict[tuple[int, int], Triple] = {}
    for number in partitions:
        if keys is None:
            low, high = partition_range(number)
            rows = db.execute(_SELECT + "t.entry BETWEEN ?2 AND ?3", (until, low, high)).fetchall()
            found.update(((row[1], row[2]), _triple(row)) for row in rows)
            continue
        for ids in _parts(entity_ids(db, number, keys).values()):
            marks = ", ".join("?" * len(ids))
            for column in ("subject", "object"):
                rows = db.execute(_SELECT + f"t.{column} IN ({marks})", (until, *ids)).fetchall()
                found.update(((row[1], row[2]), _triple(row)) for row in rows)
    return [found[key] for key in sorted(found)]


def read_stated(db: sqlite3.Connection, rows: Iterable[int]) -> list[Triple]:
    """The statements of the entries of these rows, in order of arrival."""
    found = []
    for part in _parts(sorted(rows)):
        marks = ", ".join("?" * len(part))
        found += db.execute(
            _SELECT + f"t.entry IN ({marks}) ORDER BY t.entry, t.place", (_ALWAYS, *part)
        ).fetchall()
    return [_triple(row) for row in found]


def read_ends(db: sqlite3.Connection, rows: Iterable[int]) -> dict[int, datetime | None]:
    """From when on the entries of these rows do not count any more; None of those without an end."""
    found: dict[int, datetime | None] = {}
    for part in _parts(rows):
        marks = ", ".join("?" * len(part))
        for row, at in db.execute(f"SELECT rowid, ends_at FROM standing WHERE rowid IN ({marks})", part):
            found[row] = _instant(at)
    return found


def rivals_of(
    db: sqlite3.Connection, partition: int, subject: str, predicate: str, upto: int, thing: str | None = None
) -> list[Triple]:
    """What a partition's rows up to one say of a subject by a predicate, in order of arrival.

    With the key of a ``thing`` only what names it as the object, and a few others: somebody may know ten thousand.
    """
    numbers = entity_ids(db, partition, [subject] if thing is None else [subject, thing])
    if subject not in numbers:
        return []
    query = _SELECT + "t.subject = ?2 AND t.predicate = ?3 AND t.entry <= ?4"
    values = (_ALWAYS, numbers[subject], predicate, upto)
    if thing is None:
        rows = db.execute(query, values).fetchall()
    else:
        same, others = query + " AND t.object = ?5", query + " AND t.object != ?5 LIMIT ?6"
        number = numbers.get(thing, 0)
        rows = db.execute(same, (*values, number)).fetchall()
        rows += db.execute(others, (*values, number, _OTHERS)).fetchall()
    return [_triple(row) for row in sorted(rows, key=lambda row: (row[1], row[2]))]


def entity_ids(db: sqlite3.Connection, partition: int, keys: Collection[str]) -> dict[str, int]:
    """The numbers of a partition's entities, by key."""
    found: dict[str, int] = {}
    for part in _parts(sorted(keys)):
        marks = ", ".join("?" * len(part))
        found.update(
            db.execute(
                f"SELECT key, id FROM entity WHERE partition = ? AND key IN ({marks})", (partition, *part)
            ).fetchall()
        )
    return found


def _parts(values: Iterable[int | str]) -> list[list[int | str]]:
    items = list(values)
    return [items[start : start + LOOKUP] for start in range(0, len(items), LOOKUP)]


def _triple(row: tuple[object, ...]) -> Triple:
    (
        entry_id,
        rowid,
        place,
        own,
        subject,
        predicate,
        thing,
        name,
        other,
        trust,
        start,
        end,
        at,
        by,
        retired,
    ) = row
    return Triple(
        entry_id=id_text(entry_id),  # type: ignore[arg-type]  # the columns' types, as the schema has them
        row=rowid,  # type: ignore[arg-type]
        place=place,  # type: ignore[arg-type]
        own=bool(own),
        subject=subject,  # type: ignore[arg-type]
        predicate=predicate,  # type: ignore[arg-type]
        object=thing,  # type: ignore[arg-type]
        names=(name, other),  # type: ignore[arg-type]
        trust=Trust(trust),  # type: ignore[arg-type]
        start=_instant(start),
        end=_instant(end),
        recorded_at=from_micros(at),  # type: ignore[arg-type]
        retired_at=_instant(retired),
        start_by=_instant(by),
    )


def _instant(value: object) -> datetime | None:
    return None if value is None else from_micros(value)  # type: ignore[arg-type]
