"""The stores that are measured, made once in a folder of the user's and made on where that was interrupted.

Beside the memory lies what it is held against: the same texts in a plain table of FTS5, in a file of its own, and the
same vectors as one float32 array.
"""

import contextlib
import shutil
import sqlite3
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.lib.format import open_memmap
from numpy.typing import NDArray

from performance.corpus import BLOCK, Corpus, Turn
from performance.embedder import DIMENSION, WordTable, WordTokens
from performance.statistics import document
from truerecall import Memory
from truerecall.bench.systems.bm25 import TOKENIZE
from truerecall.core.entry import Draft, EventTime, Source
from truerecall.memory.store.migrations import MIGRATIONS
from truerecall.models.protocols import Embedder, token_identity

WORK = Path("runs", "speed")
MOST_MATCHED = 100_000
"""Rows of the largest store with token vectors: two kilobytes a turn."""


@dataclass(frozen=True, slots=True)
class Made:
    """A memory of so many turns and its rivals."""

    rows: int
    memory: Path
    control: Path
    vectors: Path

    def open_control(self) -> sqlite3.Connection:
        """The plain table, read-only."""
        return sqlite3.connect(f"{self.control.resolve().as_uri()}?mode=ro", uri=True)

    def load_vectors(self) -> NDArray[np.float32]:
        """Shape (rows, 384), in memory."""
        vectors: NDArray[np.float32] = np.load(self.vectors)
        return vectors

    def copy_memory(self, folder: Path) -> Path:
        """A copy of the memory's file that may be written to."""
        return Path(shutil.copy(self.memory, folder / "memory.db"))


def make(work: Path, rows: int, model: Embedder | None = None) -> Made:
    """The memory and its rivals of this many rows, below ``work``; what is there already is used.

    With a ``model`` the memory looks as if that one had embedded it. Token vectors go in up to ``MOST_MATCHED`` rows.
    """
    identity = None if model is None else model.identity
    table = WordTokens(identity, token_identity(model)) if rows <= MOST_MATCHED else WordTable(identity)
    corpus = Corpus()
    folder = work / "-".join([str(rows), str(len(MIGRATIONS)), corpus.identity, *_models(table)])
    folder.mkdir(parents=True, exist_ok=True)
    made = Made(rows, folder / "memory.db", folder / "control.db", folder / "vectors.npy")
    _make_memory(made, corpus, table)
    _make_control(made, corpus)
    if not made.vectors.exists():
        _make_vectors(made, corpus, table)
    return made


def _models(table: WordTable) -> list[str]:
    """What tells the stores of one model from those of another."""
    tokens = token_identity(table)
    name = table.identity.name.partition(":")[0]
    return [name] if tokens is None else [name, f"tokens.{tokens.weights[:6]}"]


def drafts(turns: list[Turn]) -> list[Draft]:
    """The turns as they are remembered."""
    return [
        Draft(
            text=turn.text,
            source=Source(speaker=turn.speaker, session=turn.session, position=turn.position),
            happened_at=EventTime(turn.at),
        )
        for turn in turns
    ]


def size_of(path: Path) -> int:
    """Bytes of a file of SQLite with its log."""
    return sum(p.stat().st_size for p in (path, path.with_name(path.name + "-wal")) if p.exists())


def _make_memory(made: Made, corpus: Corpus, table: WordTable) -> None:
    with Memory.open(made.memory, embedder=table, seed=7) as memory:
        done = memory.counts().entries
        progress = _Progress(f"memory of {made.rows:,}", made.rows, done)
        for turns in corpus.turns(made.rows, start=done):
            memory.remember(drafts(turns))
            progress.add(len(turns))
    if done < made.rows:
        _settle(made.memory)


def _make_control(made: Made, corpus: Corpus) -> None:
    with contextlib.closing(sqlite3.connect(made.control, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute(f"CREATE VIRTUAL TABLE IF NOT EXISTS document USING fts5 (body, tokenize = '{TOKENIZE}')")
        done = db.execute("SELECT count(*) FROM document").fetchone()[0]
        progress = _Progress(f"plain FTS5 of {made.rows:,}", made.rows, done)
        for turns in corpus.turns(made.rows, start=done):
            db.execute("BEGIN")
            db.executemany("INSERT INTO document (body) VALUES (?)", [(document(turn),) for turn in turns])
            db.execute("COMMIT")
            progress.add(len(turns))
    if done < made.rows:
        _settle(made.control)


def _make_vectors(made: Made, corpus: Corpus, table: WordTable) -> None:
    draft = made.vectors.with_suffix(".new")
    array = open_memmap(draft, mode="w+", dtype=np.float32, shape=(made.rows, DIMENSION))
    progress = _Progress(f"vectors of {made.rows:,}", made.rows, 0)
    for number, turns in enumerate(corpus.turns(made.rows)):
        array[number * BLOCK : number * BLOCK + len(turns)] = table.embed([document(turn) for turn in turns])
        progress.add(len(turns))
    array.flush()
    draft.replace(made.vectors)


def _settle(path: Path) -> None:
    """Bring all that was written out of the log into the file."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


class _Progress:
    """A line a few seconds, on the error stream."""

    def __init__(self, what: str, total: int, done: int) -> None:
        self._what, self._total, self._first, self._done = what, total, done, done
        self._start = self._shown = time.monotonic()

    def add(self, count: int) -> None:
        self._done += count
        now = time.monotonic()
        if now - self._shown > 5 or self._done == self._total:
            self._shown = now
            left = (self._total - self._done) * (now - self._start) / max(1, self._done - self._first)
            print(f"{self._what}: {self._done:,} made, {left:.0f} s left", file=sys.stderr, flush=True)
