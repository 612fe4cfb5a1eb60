"""What one reader may see at one instant, as ``view`` gives it, in plain lists: which rows count, and their lengths.

Rows of a partition get places of their own by their sequence, whether or not something still stands there, so that a
posting needs no search. Of the packed blocks (``standing``) only the columns that are asked for are taken apart.
"""

import json
import sqlite3
import struct
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache, cached_property
from itertools import compress, pairwise, repeat
from operator import add
from typing import NamedTuple

from truerecall.core.entry import Entry, Scope
from truerecall.errors import NotAStore
from truerecall.memory.store.matching import match_query
from truerecall.memory.store.numbering import numbered
from truerecall.memory.store.partitions import readable_partitions
from truerecall.memory.store.rows import partition_range, read_entries, read_tie_keys

BLOCK = 1024  # rows, as in ``standing``
NEVER = -(2**63)
_ALWAYS = 2**63 - 1
_COLUMNS = 12
_ROWID, _TRUST, _STARTS, _ENDS, HAPPENED, _LENGTH, _SESSION, POSITION, SPEAKER, TRAITS = range(10)
TRUST = _TRUST
_SELECT = (
    f"SELECT rowid, trust, coalesce(starts_at, {NEVER}), coalesce(ends_at, {_ALWAYS}),"
    f" coalesce(happened_at, {NEVER}), length, coalesce(session, -1), coalesce(position, -1),"
    " coalesce(speaker, -1), traits"
    " FROM standing WHERE rowid BETWEEN ? AND ? ORDER BY rowid"
)
_HIGHEST = "SELECT coalesce(max(number), -1) FROM {table} WHERE partition = ?"
_MANY = 24  # values of one block that are sooner read all at once
_FORMATS = {1: "B", 2: "H", 4: "I", 8: "Q"}
_IN_ORDER = struct.pack(f"<{BLOCK}H", *range(BLOCK))


class _Packed:
    """A full block. Columns are least values, the widths of what is added to them, then that, one after the other."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._least = struct.unpack_from(f"<{_COLUMNS}q", content)
        widths = content[8 * _COLUMNS : 9 * _COLUMNS]
        if len(widths) < _COLUMNS or not {1, 2, 4, 8}.issuperset(widths):
            raise ValueError("widths")
        self.size, rest = divmod(len(content) - 9 * _COLUMNS, sum(widths))
        if rest:
            raise ValueError("size")
        self._widths = widths
        self._starts = [9 * _COLUMNS + self.size * sum(widths[:number]) for number in range(_COLUMNS)]

    def raw(self, number: int) -> bytes:
        start = self._starts[number]
        return self._content[start : start + self.size * self._widths[number]]

    def least(self, number: int) -> int:
        return int(self._least[number])

    def added(self, number: int) -> Sequence[int]:
        """What is added to the least value."""
        return _values(self.raw(number), self._widths[number])

    def column(self, number: int) -> Sequence[int]:
        least, width = self.least(number), self._widths[number]
        if not least:
            return self.added(number)
        ones = _ones(width, self.size)
        all_added = int.from_bytes(self.raw(number), "little")
        half = 1 << (8 * width - 1)
        if 0 < least < half and not all_added & half * ones:
            # No value of them can run over, so all are added to as one number: in a quarter of the time.
            raw = (all_added + least * ones).to_bytes(self.size * width, "little")
            return _values(raw, width)
        return list(map(add, self.added(number), repeat(least)))

    def at(self, number: int, row: int) -> int:
        width = self._widths[number]
        start = self._starts[number] + row * width
        return self.least(number) + int.from_bytes(self._content[start : start + width], "little")

    def rows(self) -> Sequence[int]:
        """Row numbers, ascending."""
        if self._widths[_ROWID] == 2 and self.raw(_ROWID) == _IN_ORDER[: 2 * self.size]:
            return range(self.least(_ROWID), self.least(_ROWID) + self.size)
        return self.column(_ROWID)

    def allowed(self, when: int, trust: frozenset[int]) -> bytes:
        """One byte a row: 1 where it may be recalled."""
        if self._widths[_TRUST] == 1:
            found = self.raw(_TRUST).translate(_table(self.least(_TRUST), trust))
        else:
            found = bytes(each in trust for each in self.column(_TRUST))
        for number, holds in ((_STARTS, when.__ge__), (_ENDS, when.__lt__)):
            raw = self.raw(number)
            if raw == bytes(len(raw)):  # the same of all rows, as it mostly is
                found = found if holds(self.least(number)) else bytes(self.size)
            else:
                found = bytes(a and holds(b) for a, b in zip(found, self.column(number), strict=True))
        return found


def _values(raw: bytes, width: int) -> Sequence[int]:
    return raw if width == 1 else struct.unpack(f"<{len(raw) // width}{_FORMATS[width]}", raw)


@cache
def _ones(width: int, size: int) -> int:
    """So many ones, each as wide as a value."""
    return int.from_bytes((1).to_bytes(width, "little") * size, "little")


@cache
def _table(least: int, trust: frozenset[int]) -> bytes:
    """1 for each byte that stands for a trusted tier."""
    return bytes(least + each in trust for each in range(256))


class _Loose:
    """Rows that are in no packed block."""

    def __init__(self, rows: list[tuple[int, ...]]) -> None:
        self._rows = rows
        self.size = len(rows)

    def least(self, number: int) -> int:
        return min((row[number] for row in self._rows), default=0)

    def added(self, number: int) -> Sequence[int]:
        least = self.least(number)
        return [row[number] - least for row in self._rows]

    def column(self, number: int) -> Sequence[int]:
        return [row[number] for row in self._rows]

    def at(self, number: int, row: int) -> int:
        return self._rows[row][number]

    def rows(self) -> Sequence[int]:
        return self.column(_ROWID)

    def allowed(self, when: int, trust: frozenset[int]) -> bytes:
        return bytes(row[_TRUST] in trust and row[_STARTS] <= when < row[_ENDS] for row in self._rows)


# Tuples with names, here and in ``recall.lean_*``: a dataclass takes half a millisecond to define, at every prompt.
class _Part(NamedTuple):
    """A partition's stretch of places."""

    number: int
    low: int
    """The row that place ``first`` stands for."""
    first: int
    size: int
    sessions: int
    """What is added to the number of a session, so that it stands for no session of another partition."""
    speakers: int
    """Likewise."""


class _Stretch(NamedTuple):
    """A block with the places of its rows."""

    part: _Part
    places: Sequence[int]
    """Ascending."""
    block: _Packed | _Loose


class LeanRows:
    """A reader's rows; valid only while the store is open."""

    def __init__(self, db: sqlite3.Connection, scope: Scope, when: int, trust: frozenset[int]) -> None:
        """``when`` is in microseconds, ``trust`` names tiers by their numbers."""
        self._db = db
        self.parts: list[_Part] = []
        self._stretches: list[_Stretch] = []
        self._given = [0, 0]
        first = 0
        for number in readable_partitions(db, scope):
            (given,) = db.execute("SELECT sequence FROM partition WHERE id = ?", (number,)).fetchone()
            self.parts.append(_Part(number, partition_range(number)[0], first, given + 1, *self._given))
            first += given + 1
            self._given = [
                before + db.execute(_HIGHEST.format(table=table), (number,)).fetchone()[0] + 1
                for before, table in zip(self._given, ("session", "speaker"), strict=True)
            ]
        self.allowed = bytearray(first)
        """Shape (places,): 1 where the row may be recalled: trusted and valid at the instant."""
        self.lengths = [0] * first
        """Shape (places,): words in the text index."""
        for part in self.parts:
            for block in _blocks(db, part):
                rows, away = block.rows(), part.first - part.low
                if isinstance(rows, range):
                    places: Sequence[int] = range(rows.start + away, rows.stop + away)
                    inside = slice(rows.start + away, rows.stop + away)
                    self.allowed[inside] = block.allowed(when, trust)
                    self.lengths[inside] = block.column(_LENGTH)
                else:
                    places = [row + away for row in rows]
                    known = zip(places, block.allowed(when, trust), block.column(_LENGTH), strict=True)
                    for place, may, length in known:
                        self.allowed[place] = may
                        self.lengths[place] = length
                self._stretches.append(_Stretch(part, places, block))

    def rowid(self, place: int) -> int:
        """The row at a place."""
        part = next(part for part in reversed(self.parts) if part.first <= place)
        return part.low + place - part.first

    def holding(self, term: str, after: int = -1, most: int = -1) -> list[int]:
        """Places, ascending and later than ``after``, of at most so many rows that hold a term, allowed or not."""
        table, query = match_query(term)
        found: list[int] = []
        for part in self.parts:
            start = max(0, after + 1 - part.first)
            if start < part.size and len(found) != most:
                span = (part.low + start, part.low + part.size - 1, most - len(found) if most >= 0 else -1)
                # As one text of JSON: row by row takes three times as long.
                (text,) = self._db.execute(
                    f"SELECT group_concat(place) FROM (SELECT rowid - ? AS place FROM {table}"
                    f" WHERE {table} MATCH ? AND rowid BETWEEN ? AND ? LIMIT ?)",
                    (part.low - part.first, query, *span),
                ).fetchone()
                if text:
                    found += json.loads(f"[{text}]")
        return found

    def values(self, number: int, places: Collection[int]) -> dict[int, int]:
        """A column's values at these places."""
        found: dict[int, int] = {}
        for stretch, inside in self._touched(places):
            if len(inside) < _MANY:
                found.update((place, stretch.block.at(number, row)) for place, row in inside)
            else:
                column = stretch.block.column(number)
                found.update((place, column[row]) for place, row in inside)
        return found

    @cached_property
    def sessions(self) -> list[int]:
        """Shape (places,): the number of each row's session among all that are read here; -1 where it has none."""
        found = [-1] * len(self.allowed)
        for part, places, block in self._stretches:
            column = block.column(_SESSION)
            if part.sessions:
                column = [number + part.sessions if number >= 0 else -1 for number in column]
            if isinstance(places, range):
                found[places.start : places.stop] = column
            else:
                for place, number in zip(places, column, strict=True):
                    found[place] = number
        return found

    def sessions_of(self, places: Collection[int]) -> dict[int, int]:
        """By place the number of its session, as ``sessions`` has it, for a few of them."""
        return self._numbered(_SESSION, places, [part.sessions for part in self.parts])

    def in_sessions(self) -> tuple[int, int]:
        """How many sessions there are, and the length of all of their rows that may be recalled."""
        query = "SELECT count(*) FROM session WHERE partition = ?"
        count = sum(self._db.execute(query, (part.number,)).fetchone()[0] for part in self.parts)
        whole = sum(compress(self.lengths, self.allowed))
        for _, places, block in self._stretches:
            if len(places) and block.least(_SESSION) < 0:
                alone = (p for p in places if self.sessions[p] < 0 and self.allowed[p])
                whole -= sum(map(self.lengths.__getitem__, alone))
        return count, whole

    def speakers(self) -> list[tuple[int, str]]:
        """Who is named as a speaker, with the number that ``speakers_of`` gives."""
        return [
            (part.speakers + number, name)
            for part in self.parts
            for number, name in numbered(self._db, "speaker", part.number)
        ]

    def speakers_of(self, places: Collection[int]) -> dict[int, int]:
        """By place the number of who said the row; -1 of those that name nobody."""
        return self._numbered(SPEAKER, places, [part.speakers for part in self.parts])

    def _numbered(self, number: int, places: Collection[int], before: Sequence[int]) -> dict[int, int]:
        """A column's numbers at these places, after those of the partitions before; -1 where there is none."""
        found: dict[int, int] = {}
        for part, least in zip(self.parts, before, strict=True):
            inside = [place for place in places if part.first <= place < part.first + part.size]
            named = self.values(number, inside)
            found |= {place: least + which if which >= 0 else -1 for place, which in named.items()}
        return found

    def heard(self, speakers: Collection[int]) -> set[int]:
        """Those of these speakers that an allowed row names."""
        found: set[int] = set()
        for part, places, block in self._stretches:
            wanted = {number - part.speakers for number in speakers if number >= part.speakers}
            if wanted.isdisjoint(column := block.column(SPEAKER)):
                continue
            found.update(
                who + part.speakers
                for place, who in zip(places, column, strict=True)
                if who in wanted and self.allowed[place]
            )
        return found

    def _touched(self, places: Collection[int]) -> Iterator[tuple[_Stretch, list[tuple[int, int]]]]:
        """The blocks that these places are in; each with the places and where they stand in it."""
        ordered, at = sorted(places), 0
        for stretch in self._stretches:
            end = bisect_right(ordered, stretch.places[-1], at) if len(stretch.places) else at
            if end > at:
                yield stretch, [(place, stretch.places.index(place)) for place in ordered[at:end]]
                at = end

    def tie_keys(self, places: Sequence[int]) -> dict[int, tuple[str, int, bytes]]:
        """Session, position and id of the entries at these places: what decides between equals."""
        rowids = {self.rowid(place): place for place in places}
        return {rowids[row]: key for row, key in read_tie_keys(self._db, list(rowids)).items()}

    def entries(self, places: Sequence[int]) -> list[Entry]:
        """The entries at these places, in this order."""
        rowids = [self.rowid(place) for place in places]
        found = read_entries(self._db, rowids)
        if len(found) < len(set(rowids)):
            raise NotAStore(
                "the store has lost entries that its derived rows still name",
                remedy="Run `truerecall doctor`; restore a copy or an export.",
            )
        return [found[rowid] for rowid in rowids]

    def sessions_called(self, name: str) -> set[int]:
        """The numbers of a session and of those below it (``NAME/…``: its subagents)."""
        return {
            part.sessions + number
            for part in self.parts
            for (number,) in self._db.execute(
                "SELECT number FROM session WHERE partition = ? AND (name = ? OR substr(name, 1, ?) = ?)",
                (part.number, name, len(name) + 1, f"{name}/"),
            )
        }

    def of_sessions(self, wanted: Collection[int]) -> dict[int, list[int]]:
        """By number of a session the places of its rows, allowed or not, ascending."""
        found: dict[int, list[int]] = {number: [] for number in wanted}
        if not found:
            return found
        for part, places, block in self._stretches:
            least = block.least(_SESSION) + part.sessions
            here = {number - least for number in found if number >= part.sessions}
            added = block.added(_SESSION)
            if not here.isdisjoint(added):
                chosen = list(map(here.__contains__, added))
                for place, number in zip(compress(places, chosen), compress(added, chosen), strict=True):
                    found[number + least].append(place)
        return found


def _blocks(db: sqlite3.Connection, part: _Part) -> Iterable[_Packed | _Loose]:
    """A partition's rows in their order; what is packed wrongly is read from the rows, as in ``standing``."""
    at, high = part.low, part.low + part.size - 1
    for first, content in db.execute(
        "SELECT first, CAST(content AS BLOB) FROM standing_block WHERE first BETWEEN ? AND ? ORDER BY first",
        (at, high),
    ):
        block = _checked(first, content) if content else None
        if content and block is None:
            continue
        if at < first:
            yield _loose(db, at, first - 1)
        if block is not None:
            yield block
        at = first + BLOCK
    yield _loose(db, at, high)


def _loose(db: sqlite3.Connection, low: int, high: int) -> _Loose:
    return _Loose(db.execute(_SELECT, (low, high)).fetchall())


def _checked(first: int, content: bytes) -> _Packed | None:
    try:
        block = _Packed(content)
    except (ValueError, struct.error):
        return None
    rows = block.rows()
    inside = len(rows) and first <= rows[0] and rows[-1] < first + BLOCK
    if inside and not isinstance(rows, range):
        inside = all(one < other for one, other in pairwise(rows))
    return block if inside else None
