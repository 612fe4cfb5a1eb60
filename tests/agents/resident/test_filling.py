"""Vectors for what has none: one text at a time, so that who asks is answered in between."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from truerecall import ManualClock, Memory
from truerecall.agents.resident.filling import Filling
from truerecall.errors import ModelError
from truerecall.memory.store.lean import lean_store
from truerecall.models.hashing import HashingEmbedder
from truerecall.models.protocols import ModelIdentity
from truerecall.models.quantised import Int8Rows


class Choosy(HashingEmbedder):
    """Fails on some texts, and counts the calls."""

    def __init__(self) -> None:
        super().__init__()
        self.given: list[str] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.given += texts
        if any("unspeakable" in text for text in texts):
            raise ModelError("it cannot", remedy="Say something else.")
        return super().embed(texts)


class WithTokens(HashingEmbedder):
    """Gives a vector for each token as well."""

    @property
    def token_identity(self) -> ModelIdentity:
        return ModelIdentity("tokens", 8, "w", "")

    def embed_with_tokens(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], list[Int8Rows]]:
        return self.embed(texts), [Int8Rows.of(np.eye(2, 8, dtype=np.float32)) for _ in texts]

    def query_tokens(self, text: str) -> NDArray[np.float32]:
        return np.eye(2, 8, dtype=np.float32)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "m.db"


def remember(store: Path, clock: ManualClock, *texts: str) -> None:
    with Memory.open(store, embedder="none", clock=clock) as memory:
        memory.remember(texts)


def vectors(store: Path, table: str = "vector") -> int:
    with lean_store(store, 1.0) as db:
        return int(db.execute(f"SELECT count(DISTINCT entry) FROM {table}").fetchone()[0])


def test_every_entry_gets_its_vector_and_somebody_is_looked_for_before_each_text(
    store: Path, clock: ManualClock
) -> None:
    texts = [f"text {number}" for number in range(20)]
    remember(store, clock, *texts)
    seen: list[int] = []
    model = Choosy()

    def attend() -> bool:
        seen.append(len(model.given))
        return True

    filling = Filling(model, clock, attend)
    filling.want(store)

    assert filling.run()
    assert not filling.waiting
    assert sorted(model.given) == sorted(texts)
    assert set(range(20)) <= set(seen)
    assert vectors(store) == 20


def test_between_two_texts_nothing_is_held_that_keeps_others_from_reading_or_writing(
    store: Path, clock: ManualClock
) -> None:
    remember(store, clock, "one", "two")
    with Memory.open(store, embedder="hashing", clock=clock) as other:

        def attend() -> bool:
            other.remember("said meanwhile", position=1, session="s")
            return bool(other.recall("one").hits)

        filling = Filling(HashingEmbedder(), clock, attend)
        filling.want(store)
        assert filling.run()

    assert vectors(store) == 3


def test_one_that_is_to_stop_keeps_what_it_has_written(store: Path, clock: ManualClock) -> None:
    remember(store, clock, *(f"text {number}" for number in range(40)))
    model = Choosy()
    filling = Filling(model, clock, lambda: len(model.given) < 20)
    filling.want(store)
    filling.run()

    assert vectors(store) == 16

    other = Filling(HashingEmbedder(), clock, lambda: True)
    other.want(store)
    other.run()
    assert vectors(store) == 40


def test_a_text_that_the_model_fails_on_spoils_no_other_and_is_not_tried_again(
    store: Path, clock: ManualClock
) -> None:
    remember(store, clock, "one", "unspeakable", "two")
    model = Choosy()
    filling = Filling(model, clock, lambda: True)
    filling.want(store)
    filling.run()
    tried = model.given.count("unspeakable")
    remember(store, clock, "three")
    filling.want(store)
    filling.run()

    assert vectors(store) == 3
    assert model.given.count("unspeakable") == tried


def test_a_store_that_somebody_writes_to_is_tried_again(store: Path, clock: ManualClock) -> None:
    remember(store, clock, "one")
    filling = Filling(HashingEmbedder(), clock, lambda: True)
    filling.want(store)
    with closing(sqlite3.connect(store, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert not filling.run()
        assert filling.waiting
        other.execute("ROLLBACK")

    assert filling.run()
    assert vectors(store) == 1


def test_a_store_of_another_model_is_left_as_it_is(store: Path, clock: ManualClock) -> None:
    with Memory.open(store, embedder=HashingEmbedder(64), clock=clock) as memory:
        memory.remember("one")
    remember(store, clock, "two")
    filling = Filling(HashingEmbedder(), clock, lambda: True)
    filling.want(store)

    assert filling.run()
    assert vectors(store) == 1


@pytest.mark.parametrize("content", [None, b""])
def test_where_there_is_no_store_none_is_made(content: Any, store: Path, clock: ManualClock) -> None:
    if content is not None:
        store.write_bytes(content)
    filling = Filling(HashingEmbedder(), clock, lambda: True)
    filling.want(store)

    assert filling.run()
    assert (store.read_bytes() if store.exists() else None) == content


def test_vectors_of_tokens_are_made_as_well(store: Path, clock: ManualClock) -> None:
    remember(store, clock, "one", "two")
    filling = Filling(WithTokens(), clock, lambda: True)
    filling.want(store)
    filling.run()

    assert (vectors(store), vectors(store, "token_vector")) == (2, 2)


def test_a_store_that_nobody_wrote_to_is_not_looked_through_again(
    store: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Memory.open(store, embedder="none", clock=clock) as memory:  # as the process has it open
        memory.remember("one")
        filling = Filling(HashingEmbedder(), clock, lambda: True)
        filling.want(store)
        filling.run()
        opened: list[Path] = []
        monkeypatch.setattr(
            "truerecall.agents.resident.filling.SqliteStore.open", lambda path, *_: opened.append(path)
        )
        filling.want(store)

        assert filling.run()
        assert opened == []
        memory.remember("two")
        filling.want(store)
        with pytest.raises(AttributeError):  # what is opened in its place is nothing
            filling.run()
        assert opened == [store]
