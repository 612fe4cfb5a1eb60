"""What decides whether a row may be recalled, and what stands beside it: a partition's rows as arrays.

The table ``standing`` has a row for each entry. To hand over a hundred thousand of them one by one takes a fifth of a
second, so that full blocks of them are kept packed as well (table ``standing_block``). A trigger drops a block as soon
as one of its rows changes: a block that is there is right, and one that is not is read from the rows.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from truerecall.memory.store.rows import PARTITION_BITS, ROW_MASK, partition_range

if TYPE_CHECKING:
    from numpy.typing import NDArray

BLOCK = 1024  # rows; the triggers of the schema know it as well

NEVER = -(2**63)
"""Stands for a time that is not known."""
_ALWAYS = 2**63 - 1
_COLUMNS = 12
_EXPRESSIONS = (
    "rowid",
    "trust",
    f"coalesce(starts_at, {NEVER})",
    f"coalesce(ends_at, {_ALWAYS})",
    f"coalesce(happened_at, {NEVER})",
    "length",
    "coalesce(session, -1)",
    "coalesce(position, -1)",
    "coalesce(speaker, -1)",
    "traits",
    f"coalesce(event_from, {NEVER})",
    f"coalesce(event_to, {NEVER})",
)
# Each column as one text: handing rows to Python one by one takes twice as long.
_SELECT = (
    f"SELECT {', '.join(f'group_concat({each})' for each in _EXPRESSIONS)} FROM"
    " (SELECT rowid, * FROM standing WHERE rowid BETWEEN ? AND ? ORDER BY rowid)"
)


@dataclass(frozen=True, slots=True)
class Standing:
    """Rows in their order, of one partition or of all that a reader sees. Threads share them: nobody writes here."""

    table: "NDArray[np.int64]"
    """Shape (12, n): the columns that the properties name."""
    before: "NDArray[np.intp]"
    """Shape (n,): where the row's neighbour in its session stands, by position and row; -1 where it has none."""
    after: "NDArray[np.intp]"
    """The other neighbour, likewise."""

    @property
    def rowids(self) -> "NDArray[np.int64]":
        """Ascending."""
        return self._column(0)

    @property
    def trust(self) -> "NDArray[np.int64]":
        """The tier."""
        return self._column(1)

    @property
    def starts(self) -> "NDArray[np.int64]":
        """Microseconds; the smallest integer where validity has no beginning."""
        return self._column(2)

    @property
    def ends(self) -> "NDArray[np.int64]":
        """Microseconds, exclusive; the largest integer where it has no end."""
        return self._column(3)

    @property
    def happened(self) -> "NDArray[np.int64]":
        """Microseconds; the smallest integer where no event time is known."""
        return self._column(4)

    @property
    def lengths(self) -> "NDArray[np.int64]":
        """Words in the text index."""
        return self._column(5)

    @property
    def session(self) -> "NDArray[np.int64]":
        """The number of the row's session, from 0; -1 where it has none."""
        return self._column(6)

    @property
    def position(self) -> "NDArray[np.int64]":
        """Its place in the session as the source told it; -1 where it told none."""
        return self._column(7)

    @property
    def speaker(self) -> "NDArray[np.int64]":
        """The number of who said it, from 0; -1 where nobody is named."""
        return self._column(8)

    @property
    def traits(self) -> "NDArray[np.int64]":
        """The bits of ``memory.traits.Trait``, 0 to 255."""
        return self._column(9)

    @property
    def event_from(self) -> "NDArray[np.int64]":
        """Microseconds: when what the row tells of began; ``NEVER`` where no time is known."""
        return self._column(10)

    @property
    def event_to(self) -> "NDArray[np.int64]":
        """Its end, exclusive; ``NEVER`` where no time is known."""
        return self._column(11)

    def _column(self, number: int) -> "NDArray[np.int64]":
        column: NDArray[np.int64] = self.table[number]
        return column

    @property
    def last(self) -> int:
        """The last sequence that is loaded."""
        return int(self.rowids[-1]) & ROW_MASK if len(self.rowids) else 0

    @property
    def sessions(self) -> int:
        """One more than the largest number of a session."""
        return int(self.session.max(initial=-1)) + 1

    @property
    def speakers(self) -> int:
        """One more than the largest number of a speaker."""
        return int(self.speaker.max(initial=-1)) + 1

    def find(self, rowids: "NDArray[np.int64]") -> tuple["NDArray[np.intp]", "NDArray[np.bool_]"]:
        """The place of each row, and whether it is there: a damaged store may have lost a row's standing."""
        rows = self.rowids
        if not len(rows):
            return np.zeros(len(rowids), np.intp), np.zeros(len(rowids), np.bool_)
        # Unless rows were purged they follow each other, and need not be searched for.
        gaps = rows[-1] - rows[0] >= len(rows)
        places = np.searchsorted(rows, rowids) if gaps else rowids - rows[0]
        places = np.clip(places, 0, len(rows) - 1)
        return places, rows[places] == rowids

    def upto(self, sequence: int) -> "Standing":
        """The rows of one partition as an earlier reader sees them: those up to a sequence."""
        size = int(np.searchsorted(self.rowids & ROW_MASK, sequence, side="right"))
        fewer = Standing(self.table[:, :size], self.before[:size].copy(), self.after[:size].copy())
        fewer._link(self.session[size:])
        return fewer

    def extended(self, parts: Iterable["NDArray[np.int64]"], most: int) -> "Standing":
        """With at most so many further rows of the same partition, each part of shape (12, some)."""
        size = len(self.rowids)
        table = np.empty((_COLUMNS, size + most), np.int64)
        table[:, :size] = self.table
        for part in parts:
            table[:, size : size + part.shape[1]] = part
            size += part.shape[1]
        unknown = np.full(size - len(self.before), -1, dtype=np.intp)
        more = Standing(
            table[:, :size], np.concatenate([self.before, unknown]), np.concatenate([self.after, unknown])
        )
        more._link(more.session[len(self.before) :])
        return more

    def _link(self, sessions: "NDArray[np.int64]") -> None:
        """Find the neighbours of the rows of these sessions; only before anybody else has the arrays."""
        most = int(max(self.session.max(initial=-1), sessions.max(initial=-1)))
        changed = np.zeros(most + 2, np.bool_)
        changed[sessions] = True
        changed[-1] = False  # where rows without a session look
        rows = np.flatnonzero(changed[self.session])
        session, position = self.session[rows], self.position[rows]
        following = session[1:] > session[:-1]
        following |= (session[1:] == session[:-1]) & (position[1:] >= position[:-1])
        if not following.all():  # as they mostly do
            rows = rows[np.lexsort((position, session))]  # stable: equal positions stay in the order of rows
        self.before[rows] = self.after[rows] = -1
        pairs = np.flatnonzero(self.session[rows[1:]] == self.session[rows[:-1]])
        self.before[rows[pairs + 1]] = rows[pairs]
        self.after[rows[pairs]] = rows[pairs + 1]


def load_standing(db: sqlite3.Connection, number: int, known: Standing | None) -> Standing:
    """A partition's rows; only what was appended, where ``known`` holds the rest."""
    (given,) = db.execute("SELECT sequence FROM partition WHERE id = ?", (number,)).fetchone()
    held = known or _empty()
    return held.extended(_appended(db, number, held.last), max(given - held.last, 0))


def _appended(db: sqlite3.Connection, number: int, last: int) -> Iterator["NDArray[np.int64]"]:
    low, high = partition_range(number)
    at = low + last + 1 if last else low  # sequences begin at 1, blocks at 0
    for first, content in db.execute(
        "SELECT first, CAST(content AS BLOB) FROM standing_block WHERE first BETWEEN ? AND ? ORDER BY first",
        (at, high),
    ):
        block = _unpacked(first, content)
        if block is not None:
            if at < first:
                yield _rows(db, at, first - 1)
            yield block
            at = first + BLOCK
    yield _rows(db, at, high)


def join(parts: Sequence[Standing]) -> Standing:
    """All that a reader sees, as one; sessions, speakers and neighbours are renumbered to be those of the whole."""
    if len(parts) == 1:
        return parts[0]
    tables, before, after = [_empty().table], [], []
    rows = sessions = speakers = 0
    for part in parts:
        table = part.table.copy()
        table[6] += np.where(part.session < 0, 0, sessions)
        table[8] += np.where(part.speaker < 0, 0, speakers)
        tables.append(table)
        before.append(np.where(part.before < 0, -1, part.before + rows))
        after.append(np.where(part.after < 0, -1, part.after + rows))
        rows += len(part.rowids)
        sessions += part.sessions
        speakers += part.speakers
    none = _empty().before
    return Standing(
        np.concatenate(tables, axis=1), np.concatenate([none, *before]), np.concatenate([none, *after])
    )


def _empty() -> Standing:
    return Standing(np.empty((_COLUMNS, 0), np.int64), np.empty(0, np.intp), np.empty(0, np.intp))


def seal(db: sqlite3.Connection, rowids: Iterable[int]) -> None:
    """Pack the blocks in which these rows stand, those that no further row can come into."""
    for first in sorted({rowid & -BLOCK for rowid in rowids}):
        number = first >> PARTITION_BITS
        (given,) = db.execute("SELECT sequence FROM partition WHERE id = ?", (number,)).fetchone()
        if given >= (first & ROW_MASK) + BLOCK - 1:
            content = _packed(_rows(db, first, first + BLOCK - 1))
            db.execute(
                "INSERT OR REPLACE INTO standing_block (first, content) VALUES (?, ?)", (first, content)
            )


def seal_missing(db: sqlite3.Connection) -> None:
    """Pack every full block of the store that is not packed."""
    for number, given in db.execute("SELECT id, sequence FROM partition").fetchall():
        low, high = partition_range(number)
        full = {low + start for start in range(0, given + 2 - BLOCK, BLOCK)}
        packed = db.execute("SELECT first FROM standing_block WHERE first BETWEEN ? AND ?", (low, high))
        seal(db, full.difference(row[0] for row in packed.fetchall()))


def blocks_missing(db: sqlite3.Connection) -> int:
    """How many full blocks are not packed."""
    full, packed = db.execute(
        f"SELECT (SELECT coalesce(sum((sequence + 1) / {BLOCK}), 0) FROM partition),"
        " (SELECT count(*) FROM standing_block)"
    ).fetchone()
    return int(full - packed)


def block_faults(db: sqlite3.Connection) -> list[str]:
    """What is wrong with the packed blocks: they hold other rows than the table, or some are not there."""
    missing = blocks_missing(db)
    faults = [f"{missing} packed blocks are missing"] if missing else []
    for first, content in db.execute(
        "SELECT first, CAST(content AS BLOB) FROM standing_block ORDER BY first"
    ):
        block = _unpacked(first, content)
        if block is None or not np.array_equal(block, _rows(db, first, first + BLOCK - 1)):
            faults.append(f"the packed block of row {first} is wrong")
    return faults


def _rows(db: sqlite3.Connection, low: int, high: int) -> "NDArray[np.int64]":
    """Shape (12, rows), in the order of the fields."""
    columns = db.execute(_SELECT, (low, high)).fetchone()
    return np.array([np.fromstring(column or "", dtype=np.int64, sep=",") for column in columns])


def _packed(rows: "NDArray[np.int64]") -> bytes:
    """Each column's least value, the width of its differences from it, then these; little-endian. Empty of no rows."""
    if not rows.size:
        return b""
    least = rows.min(axis=1)
    # Modulo 2**64, as the differences can be larger than an int64.
    offsets = rows.view(np.uint64) - least.view(np.uint64)[:, None]
    narrow = [column.astype(np.min_scalar_type(column.max()).newbyteorder("<")) for column in offsets]
    widths = bytes(column.itemsize for column in narrow)
    return b"".join([least.astype("<i8").tobytes(), widths, *(column.tobytes() for column in narrow)])


def _unpacked(first: int, content: bytes) -> "NDArray[np.int64] | None":
    """A block's rows, shape (12, rows); None where they cannot be."""
    if not content:
        return np.empty((_COLUMNS, 0), np.int64)
    head, widths = 8 * _COLUMNS, content[8 * _COLUMNS : 9 * _COLUMNS]
    size, rest = divmod(len(content) - 9 * _COLUMNS, sum(widths) or 1)
    if len(widths) < _COLUMNS or rest or not {1, 2, 4, 8}.issuperset(widths):
        return None
    rows = np.empty((_COLUMNS, size), np.uint64)
    rows[:] = np.frombuffer(content[:head], dtype="<i8").view(np.uint64)[:, None]
    at = 9 * _COLUMNS
    for column, width in zip(rows, widths, strict=True):
        column += np.frombuffer(content, dtype=f"<u{width}", count=size, offset=at)
        at += size * width
    block = rows.view(np.int64)
    inside = (block[0] >= first) & (block[0] < first + BLOCK) & (np.diff(block[0], prepend=first - 1) > 0)
    return block if inside.all() else None
