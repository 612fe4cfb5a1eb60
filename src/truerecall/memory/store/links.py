"""What ties a reader's rows together: entities that they name, statements, causes, and how useful they were.

Everything is restricted to rows that may be recalled: an alias that only a hidden row states joins nothing.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from truerecall.memory.store.rows import LOOKUP, partition_range, read_ids
from truerecall.memory.store.standing import Standing
from truerecall.memory.store.triples import Triple, entity_ids, read_stated

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MOST_FOLDED = 1000  # keys of alias classes that are followed: a text could state any number


@dataclass(frozen=True, slots=True)
class CausalLink:
    """One row is a cause of another."""

    cause: int
    """Its place in the view's arrays."""
    effect: int
    confidence: float


@dataclass(frozen=True, slots=True)
class Usefulness:
    """What became of an entry after it had been recalled."""

    by_intent: Mapping[str, tuple[int, int, int]]
    """How often it was used, ignored, and failed, by the intent of the query."""


@dataclass(frozen=True, slots=True)
class About:
    """What is stated about an entity."""

    count: int
    """How many statements there are."""
    triples: tuple[tuple[int, Triple], ...]
    """Those that were read, each with its row's place, in order of arrival."""


class Links:
    """The links of a view; valid as long as it is."""

    def __init__(
        self, db: sqlite3.Connection, partitions: Sequence[int], rows: Standing, allowed: "NDArray[np.bool_]"
    ) -> None:
        self._db = db
        self._partitions = partitions
        self._rows = rows
        self._allowed = allowed

    def folded(self, keys: Collection[str]) -> dict[str, str]:
        """Each key's representative: the least key of all that the rows say are one entity."""
        classes = self._classes(keys)
        return {key: min(classes[key]) for key in keys}

    def mentioned(self, places: Sequence[int]) -> list[frozenset[str]]:
        """The entities that each of these rows names, by the representatives of their keys."""
        named: dict[int, set[str]] = {place: set() for place in places}
        by_row = {int(self._rows.rowids[place]): place for place in places}
        for part in _parts(by_row):
            marks = ", ".join("?" * len(part))
            for row, key in self._db.execute(
                f"SELECT m.entry, e.key FROM mention m JOIN entity e ON e.id = m.entity WHERE m.entry IN ({marks})",
                part,
            ):
                named[by_row[row]].add(key)
        folded = self.folded(set().union(*named.values()))
        return [frozenset(folded[key] for key in named[place]) for place in places]

    def mentioning(self, keys: Collection[str], most: int) -> "dict[str, NDArray[np.intp]]":
        """Of each key the rows that name it or an alias of it, ascending: of each name and partition the newest."""
        found = {}
        for key, names in self._classes(keys).items():
            parts = [
                self._newest(number, most)
                for partition in self._partitions
                for number in entity_ids(self._db, partition, names).values()
            ]
            places = np.unique(np.concatenate(parts)) if parts else np.empty(0, np.intp)
            if len(places):
                found[key] = places
        return found

    def similar(self, keys: Collection[str]) -> list[tuple[str, str, float]]:
        """Pairs of a key of these and another that is written alike, with how much."""
        found: dict[tuple[str, str], float] = {}
        for partition in self._partitions:
            for key, number in entity_ids(self._db, partition, keys).items():
                for other, weight in self._db.execute(
                    "SELECT e.key, s.weight FROM similar s JOIN entity e ON e.id = s.other WHERE s.entity = ?1"
                    " UNION SELECT e.key, s.weight FROM similar s JOIN entity e ON e.id = s.entity WHERE s.other = ?1",
                    (number,),
                ):
                    found[key, other] = max(weight, found.get((key, other), 0.0))
        return [(*pair, weight) for pair, weight in sorted(found.items())]

    def stated_by(self, places: Sequence[int]) -> "list[tuple[int, Triple]]":
        """The statements of these rows, each with its row's place, in order of arrival."""
        by_row = {int(self._rows.rowids[place]): place for place in places}
        return [(by_row[triple.row], triple) for triple in read_stated(self._db, by_row)]

    def stated_about(self, keys: Collection[str], most: int) -> dict[str, About]:
        """What is stated about each of these entities, as subject or object, aliases included; not those without any.

        Of many the statements of the highest trust, and of these the last learned.
        """
        classes = self._classes(keys)
        names = set[str]().union(*classes.values())
        numbers = [entity_ids(self._db, partition, names) for partition in self._partitions]
        chosen: dict[str, tuple[int, list[int]]] = {}
        for key, of_one in classes.items():
            rows = [
                self._entries(f"{column} = ?", (known[name],))
                for known in numbers
                for name in sorted(of_one & known.keys())
                for column in ("subject", "object")
            ]
            if count := sum(len(part) for part in rows):
                first, count = self._leading(np.concatenate(rows), most)
                chosen[key] = (count, first)
        said = self.stated_by(self._places_of({row for _, first in chosen.values() for row in first}))
        found = {}
        for key, (count, first) in chosen.items():
            wanted, of_one = set(first), classes[key]
            about = [
                (place, triple)
                for place, triple in said
                if triple.row in wanted and (triple.subject in of_one or triple.object in of_one)
            ]
            if about:
                found[key] = About(count, tuple(about))
        return found

    def rivals(self, questions: Collection[tuple[str, str]], most: int) -> "list[tuple[int, Triple]]":
        """What is stated of each subject by each predicate, aliases included; of many as in ``stated_about``."""
        classes = self._classes({subject for subject, _ in questions})
        rows: set[int] = set()
        for subject, predicate in sorted(questions):
            for partition in self._partitions:
                for number in entity_ids(self._db, partition, classes[subject]).values():
                    found = self._entries("subject = ? AND predicate = ?", (number, predicate))
                    rows.update(self._leading(found, most)[0])
        wanted = {(name, predicate) for subject, predicate in questions for name in classes[subject]}
        said = self.stated_by(self._places_of(rows))
        return [(place, triple) for place, triple in said if (triple.subject, triple.predicate) in wanted]

    def _entries(self, condition: str, arguments: tuple[object, ...]) -> "NDArray[np.int64]":
        """Of the statements that meet a condition the rows that make them; one that makes two stands here twice."""
        (rows,) = self._db.execute(
            f"SELECT group_concat(entry) FROM triple WHERE {condition}", arguments
        ).fetchone()
        return np.fromstring(rows or "", dtype=np.int64, sep=",")

    def _leading(self, rowids: "NDArray[np.int64]", most: int) -> tuple[list[int], int]:
        """The rows of the highest trust and learned last, as many as wanted, and how many there are."""
        places = self._places(rowids)
        order = np.lexsort((-self._rows.rowids[places], -self._rows.trust[places]))[:most]
        return [int(row) for row in self._rows.rowids[places[order]]], len(places)

    def _places_of(self, rowids: Collection[int]) -> list[int]:
        places: list[int] = self._places(np.array(sorted(rowids), dtype=np.int64)).tolist()
        return places

    def causes(self, places: Sequence[int]) -> list[CausalLink]:
        """Causal links with an end among these rows; of links that were made twice the surest."""
        rows = [int(self._rows.rowids[place]) for place in places]
        ids = dict(read_ids(self._db, rows))
        found: dict[tuple[int, int], float] = {}
        for part in _parts(rows):
            marks = ", ".join("?" * len(part))
            links = self._db.execute(
                f"""SELECT v.kind, v.entry, e.rowid, v.detail FROM event v JOIN entry e ON e.id = v.other
                WHERE v.kind IN ('caused_by', 'causes') AND (v.entry IN ({marks}) OR v.other IN ({marks}))""",
                (*part, *(ids[row] for row in part if row in ids)),
            ).fetchall()
            for kind, entry, other, detail in links:
                pair = (other, entry) if kind == "caused_by" else (entry, other)
                found[pair] = max(float(detail), found.get(pair, 0.0))
        ends, known = self._rows.find(np.array([row for pair in found for row in pair], dtype=np.int64))
        usable = known & self._allowed[ends] if len(ends) else known
        return [
            CausalLink(int(ends[2 * i]), int(ends[2 * i + 1]), sure)
            for i, sure in enumerate(found.values())
            if usable[2 * i] and usable[2 * i + 1]
        ]

    def usefulness(self, places: Sequence[int]) -> dict[int, Usefulness]:
        """What became of those of these rows that feedback was given on."""
        slot = {"used": 0, "ignored": 1, "failed": 2}
        found: dict[int, dict[str, list[int]]] = defaultdict(lambda: defaultdict(lambda: [0, 0, 0]))
        by_row = {int(self._rows.rowids[place]): place for place in places}
        for part in _parts(by_row):
            marks = ", ".join("?" * len(part))
            for row, kind, intent, count in self._db.execute(
                f"SELECT entry, kind, detail, count(*) FROM event WHERE entry IN ({marks})"
                " AND kind IN ('used', 'ignored', 'failed') GROUP BY 1, 2, 3",
                part,
            ):
                found[by_row[row]][intent][slot[kind]] += count
        return {
            place: Usefulness({intent: (c[0], c[1], c[2]) for intent, c in sorted(counts.items())})
            for place, counts in found.items()
        }

    def proofs(self, places: Sequence[int]) -> dict[int, int]:
        """How many other entries say the same, of those of these rows of which some do."""
        by_row = {int(self._rows.rowids[place]): place for place in places}
        found: dict[int, int] = {}
        for part in _parts(by_row):
            marks = ", ".join("?" * len(part))
            for row, count in self._db.execute(
                f"SELECT entry, count(*) FROM event WHERE entry IN ({marks}) AND kind = 'proof' GROUP BY 1",
                part,
            ):
                found[by_row[row]] = count
        return found

    def _newest(self, entity: int, most: int) -> "NDArray[np.intp]":
        """The newest rows that name an entity and may be recalled: hidden ones do not count against the number."""
        size = most
        while True:
            (rows,) = self._db.execute(
                "SELECT group_concat(entry) FROM"
                " (SELECT entry FROM mention WHERE entity = ? ORDER BY entry DESC LIMIT ?)",
                (entity, size),
            ).fetchone()
            rowids = np.fromstring(rows or "", dtype=np.int64, sep=",")
            places = self._places(rowids)[:most]
            if len(places) == most or len(rowids) < size:
                return places
            size *= 8

    def _places(self, rowids: "NDArray[np.int64]") -> "NDArray[np.intp]":
        places, known = self._rows.find(rowids)
        places = places[known]
        return places[self._allowed[places]]

    def _classes(self, keys: Collection[str]) -> dict[str, set[str]]:
        """Of each key all keys that are one entity with it, itself included."""
        joined: dict[str, set[str]] = {key: {key} for key in keys}
        if not keys or not self._has_aliases:
            return joined
        pending, seen = set(keys), set(keys)
        while pending and len(seen) < _MOST_FOLDED:
            following = set()
            for key, other in self._aliases(pending):
                whole = joined.setdefault(key, {key}) | joined.setdefault(other, {other})
                for one in whole:
                    joined[one] = whole
                following |= {key, other} - seen
            seen |= following
            pending = following
        return {key: joined[key] for key in keys}

    @cached_property
    def _has_aliases(self) -> bool:
        return any(
            self._db.execute(
                "SELECT 1 FROM alias WHERE entry BETWEEN ? AND ? LIMIT 1", partition_range(partition)
            ).fetchone()
            for partition in self._partitions
        )

    def _aliases(self, keys: Iterable[str]) -> list[tuple[str, str]]:
        """Pairs that a row says are one, with an end among these keys."""
        found: dict[tuple[str, str], int] = {}
        for partition in self._partitions:
            for number in entity_ids(self._db, partition, set(keys)).values():
                for row, key, other in self._db.execute(
                    "SELECT l.entry, a.key, b.key FROM alias l JOIN entity a ON a.id = l.entity"
                    " JOIN entity b ON b.id = l.other WHERE ? IN (l.entity, l.other)",
                    (number,),
                ):
                    if len(self._places(np.array([row], dtype=np.int64))):
                        found[key, other] = row
        return sorted(found)


def _parts(rows: Iterable[int]) -> list[list[int]]:
    items = list(rows)
    return [items[start : start + LOOKUP] for start in range(0, len(items), LOOKUP)]
