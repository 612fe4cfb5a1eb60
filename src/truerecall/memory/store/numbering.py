"""Names that many rows share, by number, so that arrays can hold them: the sessions and speakers of a partition.

Each has a table (``partition, number, name``); the column of that name holds the name in ``entry``, and in
``standing`` the number.
"""

import sqlite3
from collections.abc import Iterable
from typing import Literal, get_args

from truerecall.memory.store.rows import PARTITION_BITS, partition_range

Numbered = Literal["session", "speaker"]


def number_of(db: sqlite3.Connection, table: Numbered, partition: int, name: str) -> int:
    """The number of a name in its partition, given on first use."""
    query = f"SELECT number FROM {table} WHERE partition = ? AND name = ?"
    found = db.execute(query, (partition, name)).fetchone()
    if found is None:
        # By VALUES: an INSERT from a SELECT has a savepoint, at which FTS5 writes out all that it holds back.
        db.execute(
            f"INSERT INTO {table} (partition, number, name) VALUES"
            f" (?1, coalesce((SELECT max(number) + 1 FROM {table} WHERE partition = ?1), 0), ?2)",
            (partition, name),
        )
        found = db.execute(query, (partition, name)).fetchone()
    return int(found[0])


def numbered(db: sqlite3.Connection, table: Numbered, partition: int) -> list[tuple[int, str]]:
    """A partition's names with their numbers, ascending."""
    return db.execute(
        f"SELECT number, name FROM {table} WHERE partition = ? ORDER BY number", (partition,)
    ).fetchall()


def forget_unused(db: sqlite3.Connection, rowids: Iterable[int]) -> None:
    """Remove the names of which the partitions of these rows have no entry left."""
    for partition in {rowid >> PARTITION_BITS for rowid in rowids}:
        for table in get_args(Numbered):
            db.execute(
                f"DELETE FROM {table} WHERE partition = ? AND number NOT IN"
                f" (SELECT {table} FROM standing WHERE rowid BETWEEN ? AND ? AND {table} IS NOT NULL)",
                (partition, *partition_range(partition)),
            )


def number_missing(db: sqlite3.Connection) -> None:
    """Give a number to every name that has none, in the order of their first entries."""
    for table in get_args(Numbered):
        db.execute(
            f"INSERT INTO {table} (partition, number, name)"
            f" SELECT partition, coalesce((SELECT max(number) FROM {table} t WHERE t.partition = n.partition), -1)"
            " + row_number() OVER (PARTITION BY partition ORDER BY first), name FROM"
            f" (SELECT rowid >> 32 AS partition, {table} AS name, min(rowid) AS first FROM entry"
            f" WHERE {table} IS NOT NULL GROUP BY 1, 2) n"
            f" WHERE NOT EXISTS (SELECT 1 FROM {table} t WHERE t.partition = n.partition AND t.name = n.name)"
        )


def number_faults(db: sqlite3.Connection) -> list[str]:
    """The entries whose name has no number."""
    faults = []
    for table in get_args(Numbered):
        (count,) = db.execute(
            f"SELECT count(*) FROM entry e WHERE {table} IS NOT NULL AND NOT EXISTS"
            f" (SELECT 1 FROM {table} t WHERE t.partition = e.rowid >> 32 AND t.name = e.{table})"
        ).fetchone()
        if count:
            faults.append(f"{count} entries of a {table} without a number")
    return faults
