from pathlib import Path

import concurrency
import pytest
from performance.corpus import Corpus
from performance.stores import Made, make

from truerecall import Memory


@pytest.fixture
def made(tmp_path: Path) -> Made:
    return make(tmp_path, 1000)


def test_recalls_end_while_a_write_is_held_open(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concurrency, "HELD", 0.3)

    found, bars = concurrency.held(made, Corpus().queries(1000, 5))

    assert [row.name for row in found.rows] == [
        "recall beside another memory's write",
        "recall beside the same memory's write",
    ]
    assert all(bar.met and bar.measured >= 1 for bar in bars)


def test_an_answer_that_differs_under_many_threads_misses_the_bar(
    made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(concurrency, "THREADS", 8)
    queries = Corpus().queries(1000, 8)
    _, (same,) = concurrency.crowd(made, queries)
    asked: list[str] = []
    recall = Memory.recall

    def forgetful(self: Memory, query: str) -> object:
        asked.append(query)
        return recall(self, query, limit=10 if len(asked) <= len(queries) else 9)

    monkeypatch.setattr(Memory, "recall", forgetful)
    _, (different,) = concurrency.crowd(made, queries)

    assert (same.measured, same.met) == (0, True)
    assert (different.measured, different.met) == (8, False)


def test_readers_and_a_writer_share_a_memory(made: Made) -> None:
    reads, writes = concurrency.in_threads(made.memory, Corpus().queries(1000, 20), 0.2, writers=1)

    assert len(reads) >= 2
    assert len(writes) >= 1
