import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from ingestion import insert_all, rows_of
from performance import stores
from performance.corpus import Corpus
from performance.embedder import Given, WordTable
from performance.stores import drafts, make
from speed import plain, scan

from truerecall import Memory, Settings
from truerecall.core.clock import system_clock
from truerecall.core.config import StoreSettings, WriteSettings
from truerecall.memory.store.database import open_database
from truerecall.memory.store.migrations import create_schema


def test_the_memory_and_its_rivals_hold_the_same_turns(tmp_path: Path) -> None:
    made = make(tmp_path, 2000)

    with Memory.open(made.memory, embedder=WordTable()) as memory:
        counts = memory.counts()
        last = memory.list()[0]
    with closing(made.open_control()) as control:
        bodies = [body for (body,) in control.execute("SELECT body FROM document ORDER BY rowid")]
    assert (counts.entries, counts.embedded) == (2000, 2000)
    assert bodies[-1] == f"{last.source.speaker}: {last.text}"
    assert bodies[:2] == [f"{turn.speaker}: {turn.text}" for turn in Corpus().block(0)[:2]]
    assert made.load_vectors().shape == (2000, 384)
    np.testing.assert_allclose(made.load_vectors()[-1], WordTable().embed_query(bodies[-1]), atol=1e-6)


def test_making_goes_on_where_it_was_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Memory.remember
    calls = 0

    def stopping(self: Memory, what: list[object]) -> object:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise KeyboardInterrupt
        return real(self, what)  # type: ignore[arg-type]

    monkeypatch.setattr(Memory, "remember", stopping)
    with pytest.raises(KeyboardInterrupt):
        make(tmp_path, 3000)

    made = make(tmp_path, 3000)

    assert calls == 4  # one that was kept, one that was stopped, and the two that were left
    with Memory.open(made.memory, embedder=WordTable()) as memory:
        assert memory.counts().entries == 3000


def test_what_is_made_is_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = make(tmp_path, 1000)
    monkeypatch.setattr(stores, "drafts", None)

    assert make(tmp_path, 1000) == first


def test_the_rivals_give_a_hundred_rows_best_first(tmp_path: Path) -> None:
    made = make(tmp_path, 1000)
    (query,) = Corpus().queries(1000, 1)
    vectors, vector = made.load_vectors(), Given([query]).vectors[query]

    with closing(made.open_control()) as control:
        rows = plain(control, query)

    assert len(set(rows)) == 100
    assert scan(vectors, vector).tolist() == np.argsort(-(vectors @ vector))[:100].tolist()


def test_rows_inserted_plainly_make_the_same_store(tmp_path: Path) -> None:
    plain = Settings(write=WriteSettings(extract=False))  # as the benchmark holds them against each other
    with Memory.open(tmp_path / "memory.db", embedder="none", seed=7, settings=plain) as memory:
        memory.remember([draft for block in Corpus().turns(2000) for draft in drafts(block)])
    other = open_database(
        tmp_path / "plain.db", StoreSettings(), lambda db: create_schema(db, system_clock())
    )

    with closing(other):
        insert_all(other, rows_of(tmp_path / "memory.db"), 2)

    assert content(tmp_path / "plain.db") == content(tmp_path / "memory.db")
    with Memory.open(tmp_path / "plain.db", embedder="none") as memory:
        assert memory.counts().entries == 2000
        assert memory.recall(Corpus().queries(2000, 1)[0]).hits
        assert memory.doctor().healthy


def content(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Every table but the parts of the text indexes and the record of how the file was made."""
    with closing(sqlite3.connect(path)) as db:
        kinds = {name: kind for _, name, kind, *_ in db.execute("PRAGMA main.table_list")}
        return {
            name: sorted(db.execute(f"SELECT * FROM {name}"), key=repr)
            for name, kind in kinds.items()
            if kind in ("table", "virtual") and name not in ("meta", "migration", "sqlite_schema")
        }
