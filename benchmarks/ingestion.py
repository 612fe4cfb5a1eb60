"""Remembering against the same work without us: the same rows by ``executemany``, and the embedder alone.

Exits 1 if a bar is missed.
"""

import argparse
import gc
import shlex
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from performance.corpus import BLOCK, Corpus
from performance.output import report, table
from performance.statistics import document
from performance.stores import drafts

from truerecall import Memory, Settings
from truerecall.bench.measured import FiguresTable, making
from truerecall.bench.speed import Bar, Speed, at_least
from truerecall.core.clock import system_clock
from truerecall.core.config import StoreSettings, WriteSettings
from truerecall.core.entry import Draft
from truerecall.memory.store.database import Database, open_database
from truerecall.memory.store.migrations import create_schema
from truerecall.models.protocols import Embedder, TokenEmbedder
from truerecall.models.registry import embedder, installed

PACKAGES = ("numpy", "onnxruntime", "tokenizers")
_SLICE = 50
"""Texts that are embedded each way in turn."""
METHOD = (
    "Each repeat writes a new file each way, in turn; medians of {repeats}. The rows of `executemany` are those that "
    f"remembering left in every table and text index, prepared, {BLOCK:,} entries a transaction, the pragmas the same. "
    "Without an embedder nothing is extracted from the texts either (benchmarks/every_lane.py measures that). "
    "The inputs of both ways are kept out of garbage collection. "
    f"The embedder alone is given the same texts, {_SLICE} at a time, in turn with remembering them."
)


@dataclass(frozen=True, slots=True)
class Rows:
    """A table's content, as it is inserted."""

    statement: str
    values: list[tuple[object, ...]]

    def share(self, number: int, of: int) -> list[tuple[object, ...]]:
        """The rows of one of so many transactions."""
        return self.values[number * len(self.values) // of : (number + 1) * len(self.values) // of]


def rows_of(path: Path) -> list[Rows]:
    """All that a store holds beyond an empty one, table by table as they were made (a row before what names it)."""
    with (
        closing(sqlite3.connect(path)) as db,
        closing(sqlite3.connect(":memory:", isolation_level=None)) as new,
    ):
        create_schema(new, system_clock())
        kinds = {name: kind for _, name, kind, *_ in db.execute("PRAGMA main.table_list")}
        names = [
            name
            for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid")
        ]
        found = []
        for name in names:
            if kinds[name] not in ("table", "virtual") or name.startswith("sqlite_"):
                continue
            columns = [row[1] for row in db.execute(f"PRAGMA table_info({name})")]
            if kinds[name] == "virtual":
                columns.insert(0, "rowid")
            told = ", ".join(columns)
            known = set(new.execute(f"SELECT {told} FROM {name}"))
            values = [row for row in db.execute(f"SELECT {told} FROM {name}") if row not in known]
            if values and name not in ("meta", "migration"):
                marks = ", ".join("?" * len(columns))
                found.append(Rows(f"INSERT INTO {name} ({told}) VALUES ({marks})", values))
    return found


def insert_all(database: Database, content: Sequence[Rows], transactions: int) -> None:
    """Insert prepared rows; tables with few of them go first, since others name them."""
    few = [rows for rows in content if len(rows.values) < transactions]
    with database.writing() as db:
        for rows in few:
            db.executemany(rows.statement, rows.values)
    for number in range(transactions):
        with database.writing() as db:
            for rows in content:
                if len(rows.values) >= transactions:
                    db.executemany(rows.statement, rows.share(number, transactions))


def seconds(call: Callable[..., object], *given: object) -> float:
    """Wall time of one call; what stands before it is not looked through by the garbage collection meanwhile."""
    gc.collect()
    gc.freeze()
    start = time.perf_counter()
    call(*given)
    return time.perf_counter() - start


def remembering(
    model: Embedder | str, what: Sequence[Draft], path: Path, settings: Settings | None = None
) -> float:
    """Seconds in which a new memory takes these in."""
    with Memory.open(path, embedder=model, seed=7, settings=settings) as memory:
        return seconds(memory.remember, what)


def inserting(content: Sequence[Rows], transactions: int, path: Path) -> float:
    """Seconds in which a new store takes these rows in, without a memory around it."""
    with closing(
        open_database(path, StoreSettings(), lambda db: create_schema(db, system_clock()))
    ) as database:
        return seconds(insert_all, database, content, transactions)


def plain(turns: int, repeats: int) -> tuple[FiguresTable, list[Bar]]:
    """Rows a second without an embedder, nor extraction: what that costs has a record of its own."""
    settings = Settings(write=WriteSettings(extract=False))
    what = [draft for block in Corpus().turns(turns) for draft in drafts(block)]
    ours: list[float] = []
    theirs: list[float] = []
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "memory.db")
            ours.append(turns / remembering("none", what, path, settings))
            theirs.append(turns / inserting(rows_of(path), turns // BLOCK, Path(folder, "plain.db")))
    rows = [("remember", ours), ("executemany", theirs)]
    found = table(
        f"{turns:,} turns without an embedder",
        "what",
        [("turns/s", 0), ("slowest", 0)],
        [(name, [round(median(rates), 1), round(min(rates), 1)]) for name, rates in rows],
    )
    name = "rate of remembering without an embedder to executemany"
    return found, [at_least(name, "times", median(ours) / median(theirs), 0.5)]


def embedded(model: Embedder, turns: int, repeats: int) -> tuple[FiguresTable, list[Bar]]:
    """Texts a second with the local model; each repeat has texts of its own.

    Remembering is held against the call that it makes, which also gives token vectors where the model has them.
    """
    alone: dict[str, Callable[[list[str]], object]] = {"the embedder alone": model.embed}
    if isinstance(model, TokenEmbedder):
        alone["the embedder alone, with token vectors"] = model.embed_with_tokens
    rates: dict[str, list[float]] = {name: [] for name in ("remember", *alone)}
    for block in Corpus().turns(BLOCK * repeats):
        for start in range(0, turns, _SLICE):
            some = block[start : min(start + _SLICE, turns)]
            texts = [document(turn) for turn in some]
            for name, call in alone.items():
                rates[name].append(len(some) / seconds(call, texts))
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder, "memory.db")
                rates["remember"].append(len(some) / remembering(model, drafts(some), path))
    found = table(
        f"{turns * repeats:,} turns with {model.identity.name}, {_SLICE} at a time",
        "what",
        [("turns/s", 1), ("slowest", 1)],
        [(name, [round(median(each), 2), round(min(each), 2)]) for name, each in rates.items()],
    )
    name = "rate of remembering to that of the embedder alone"
    return found, [at_least(name, "times", median(rates["remember"]) / median(rates[[*alone][-1]]), 0.9)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and with ``--write`` keep the record."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--turns", type=int, default=20_000, help="without an embedder, in whole thousands")
    parser.add_argument(
        "--embedded", type=int, default=300, help="with the local model, where it is installed"
    )
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--write", action="store_true", help="write benchmarks/manifests/ingestion.json")
    options = parser.parse_args(arguments)
    command = shlex.join(["python", "benchmarks/ingestion.py", *sys.argv[1:]])
    machine = making(system_clock, command, PACKAGES)
    measured = [plain(options.turns, options.repeats)]
    local = embedder("local") if installed() else None
    if local is not None:
        measured.append(embedded(local, options.embedded, options.repeats))
    made = Speed(
        method=METHOD.format(repeats=options.repeats),
        tables=[found for found, _ in measured],
        bars=[bar for _, bars in measured for bar in bars],
        making=machine,
    )
    return report(made, "ingestion.json", options.write)


if __name__ == "__main__":
    sys.exit(main())
