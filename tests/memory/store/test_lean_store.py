"""A store that is opened to be read once: refused in our words where it cannot be, and never changed."""

import shutil
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from truerecall import ManualClock, Memory, Scope
from truerecall.core.clock import to_micros
from truerecall.errors import NotAStore, StoreError, StoreLocked, StoreTooNew
from truerecall.memory.recall.lean import LeanRequest, newest_facts, recall_lean
from truerecall.memory.store.identity import SCHEMA
from truerecall.memory.store.lean import lean_store
from truerecall.memory.store.lean_rows import LeanRows
from truerecall.memory.store.migrations import MIGRATIONS

NOON = datetime(2024, 5, 7, 12, tzinfo=UTC)
SCOPE = Scope("local", "default", "me")
REQUEST = LeanRequest("the heron by the weir", NOON, busy_timeout=0.05)
FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "a ?#% store.db"
    with Memory.open(path, embedder="none", clock=ManualClock(NOON), seed=1) as memory:
        memory.remember("the heron stands by the weir")
    return path


def sql(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(statement)


def test_the_schema_that_a_reader_knows_is_the_newest() -> None:
    assert len(MIGRATIONS) == SCHEMA


def test_a_store_is_read_and_left_as_it_was(store: Path) -> None:
    before = store.read_bytes()

    recalled = recall_lean(store, SCOPE, REQUEST)

    assert [hit.entry.text for hit in recalled.hits] == ["the heron stands by the weir"]
    assert store.read_bytes() == before
    log = store.with_name(f"{store.name}-wal")  # SQLite's own, which only a writer removes
    assert not log.exists() or log.read_bytes() == b""


def test_nothing_can_be_written_through_it(store: Path) -> None:
    with pytest.raises(StoreError), lean_store(store, 1.0) as db:
        db.execute("DELETE FROM entry")


def test_a_store_that_is_written_meanwhile_is_read(store: Path) -> None:
    with closing(sqlite3.connect(store, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        other.execute("UPDATE partition SET epoch = epoch + 1")

        assert len(recall_lean(store, SCOPE, REQUEST).hits) == 1


def test_a_missing_store_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no store"):
        recall_lean(tmp_path / "none.db", SCOPE, REQUEST)

    assert list(tmp_path.iterdir()) == []


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


BROKEN: dict[str, tuple[Callable[[Path], object], type[StoreError]]] = {
    "empty": (lambda path: path.write_bytes(b""), NotAStore),
    "a text": (lambda path: path.write_text("not a store " * 999, encoding="utf-8"), NotAStore),
    "a folder": (folder, NotAStore),
    "cut": (lambda path: path.write_bytes(path.read_bytes()[:20_000]), NotAStore),
    "another program's": (lambda path: sql(path, "PRAGMA application_id = 7"), NotAStore),
    "newer": (lambda path: sql(path, f"PRAGMA user_version = {SCHEMA + 1}"), StoreTooNew),
    "older": (lambda path: sql(path, f"PRAGMA user_version = {SCHEMA - 1}"), StoreError),
    "of another analysis": (
        lambda path: sql(path, "UPDATE meta SET value = '0' WHERE key = 'analysis_version'"),
        StoreError,
    ),
    "without an index": (lambda path: sql(path, "DROP TABLE lexical"), StoreError),
    "without entries": (lambda path: sql(path, "DELETE FROM entry"), NotAStore),
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_store_that_cannot_be_read_is_an_error_of_the_family(store: Path, how: str) -> None:
    harm, error = BROKEN[how]
    with closing(sqlite3.connect(store)) as db:
        db.execute("PRAGMA journal_mode = DELETE")
    harm(store)

    with pytest.raises(error) as caught:
        recall_lean(store, SCOPE, REQUEST)

    assert isinstance(caught.value, StoreError)
    assert caught.value.remedy


@pytest.mark.parametrize("name", ["store_schema_1.db", "store_schema_4.db"])
def test_an_older_store_is_refused_and_not_brought_forward(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    shutil.copy(FIXTURES / name, path)
    before = path.read_bytes()

    with pytest.raises(StoreError, match="older version"):
        recall_lean(path, SCOPE, REQUEST)

    assert path.read_bytes() == before


def test_a_store_that_another_holds_alone_is_locked(store: Path) -> None:
    held, release = threading.Event(), threading.Event()

    def hold() -> None:
        with closing(sqlite3.connect(store, isolation_level=None)) as other:
            other.execute("PRAGMA locking_mode = EXCLUSIVE")
            other.execute("BEGIN EXCLUSIVE")
            other.execute("UPDATE partition SET epoch = epoch + 1")
            held.set()
            release.wait(20)
            other.execute("COMMIT")

    thread = threading.Thread(target=hold)
    thread.start()
    try:
        assert held.wait(20)
        with pytest.raises(StoreLocked):
            recall_lean(store, SCOPE, REQUEST)
        with pytest.raises(StoreLocked):
            newest_facts(store, SCOPE, ["decided"], NOON, 5, 0.05)
    finally:
        release.set()
        thread.join()


@pytest.mark.parametrize("longest", [100, 130, 131, 258, 40_000])
def test_the_lengths_of_a_packed_block_are_those_of_its_rows(tmp_path: Path, longest: int) -> None:
    path, scope = tmp_path / "memory.db", Scope("local", "api", "ada")
    texts = ["a heron stands", *[f"heron number {n} stands still" for n in range(1022)], "heron " * longest]
    with Memory.open(path, user="ada", space="api", embedder="none", clock=ManualClock(NOON)) as memory:
        memory.remember(texts)
    with lean_store(path, 1.0) as db:
        rows = LeanRows(db, scope, to_micros(NOON), frozenset({1, 2}))
        table = dict(db.execute("SELECT rowid & 0xffffffff, length FROM standing").fetchall())

        assert db.execute("SELECT count(*) FROM standing_block").fetchone() == (1,)
    assert {place: rows.lengths[place] for place in table} == table
    assert max(table.values()) == longest
