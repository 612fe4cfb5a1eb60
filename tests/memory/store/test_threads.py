"""Threads of one memory: each reads in a snapshot of its own, and nobody waits for a writer."""

import contextlib
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from whole_store import Opener, holding, texts

from truerecall import Entry, Memory, Settings
from truerecall.core.config import StoreSettings
from truerecall.core.entry import DEFAULT_TRUST
from truerecall.errors import StoreError
from truerecall.memory.store.cache import PartitionCache, PartitionState
from truerecall.memory.store.vectors import TextVectors
from truerecall.memory.store.writing import Prepared

PATIENCE = 60.0  # seconds: how long a thread that is never to wait may take before the test calls it stuck


def elsewhere(call: Callable[[], object]) -> object:
    """What a call gives in a thread of its own; ``AssertionError`` if it waits for the present thread."""
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(call)
        return future.result(PATIENCE)


def rows_of(memory: Memory) -> int:
    with memory._store.view(memory.scope, memory._clock(), DEFAULT_TRUST) as view:
        return len(view.rowids)


def test_sixty_four_threads_ask_at_once_and_each_gets_its_answer(opened: Opener) -> None:
    memory = opened(embedder="hashing")
    memory.remember([f"heron {number} stands by the weir" for number in range(300)])
    start = threading.Barrier(64)

    def ask(number: int) -> str:
        start.wait()
        return texts(memory.recall(f"heron {number}", limit=1))[0]

    with ThreadPoolExecutor(64) as pool:
        answers = list(pool.map(ask, range(64)))

    assert answers == [f"heron {number} stands by the weir" for number in range(64)]
    assert memory.doctor().healthy


def test_readers_go_on_while_another_thread_is_writing(opened: Opener) -> None:
    memory = opened()
    memory.remember("the heron came back")
    seen: list[object] = []

    def items() -> Iterator[Prepared]:
        # Within the transaction that writes.
        seen.append(elsewhere(lambda: texts(memory.recall("heron"))))
        seen.append(elsewhere(lambda: memory.counts().entries))
        yield from ()

    memory._store.restore(memory.scope, items(), ())

    assert seen == [["the heron came back"], 1]


def test_a_writer_goes_on_while_another_thread_reads_and_does_not_show_there(opened: Opener) -> None:
    memory = opened()
    memory.remember(["heron 1", "heron 2"])
    with memory._store.snapshot(memory.scope) as all_of_it:
        assert elsewhere(lambda: memory.remember("heron 3")[0].status) == "stored"
        assert elsewhere(lambda: len(memory.recall("heron").hits)) == 3, "others see it, and load it"
        assert rows_of(memory) == 2, "this thread's reads share its snapshot"
        assert len(memory.recall("heron").hits) == 2
        read: list[tuple[Entry, TextVectors | None]] = list(all_of_it.entries)

    assert [entry.text for entry, _ in read] == ["heron 1", "heron 2"]
    assert rows_of(memory) == 3


def test_an_older_snapshot_keeps_its_rows_when_another_thread_has_loaded_an_ended_one(opened: Opener) -> None:
    memory = opened()
    (first, _) = memory.remember(["heron 1", "heron 2"])
    with memory._store.snapshot(memory.scope):
        elsewhere(lambda: memory.forget(str(first.id)))
        assert elsewhere(lambda: texts(memory.recall("heron"))) == ["heron 2"]
        assert sorted(texts(memory.recall("heron"))) == ["heron 1", "heron 2"]

    assert texts(memory.recall("heron")) == ["heron 2"]


def test_a_write_inside_a_read_of_the_same_thread_is_refused(memory: Memory) -> None:
    with (
        pytest.raises(StoreError, match="a write began inside a read"),
        memory._store.snapshot(memory.scope),
    ):
        memory.remember("the heron came back")

    assert memory.remember("the weir is closed")[0].status == "stored"


def test_more_readers_than_connections_take_turns(opened: Opener) -> None:
    memory = opened()
    memory.remember("the heron came back")
    release = threading.Event()
    ready = threading.Barrier(9)

    def hold() -> None:
        with memory._store.snapshot(memory.scope):
            ready.wait()
            release.wait()

    with ThreadPoolExecutor(9) as pool:
        held = [pool.submit(hold) for _ in range(8)]
        ready.wait()
        waiting = pool.submit(lambda: texts(memory.recall("heron")))
        assert not waiting.done()
        release.set()
        assert waiting.result(PATIENCE) == ["the heron came back"]
        assert [one.result(PATIENCE) for one in held] == [None] * 8


def test_connections_that_read_before_do_not_hold_a_purge_up(store: Path, opened: Opener) -> None:
    memory = opened()
    said = memory.remember([f"heron {number}" for number in range(3)])
    start = threading.Barrier(4)

    def ask() -> int:
        start.wait()
        return len(memory.recall("heron").hits)

    with ThreadPoolExecutor(4) as pool:
        assert [one.result() for one in [pool.submit(ask) for _ in range(4)]] == [3] * 4
    purged = memory.purge(str(said[1].id))

    assert not purged.pending
    assert holding(store, "heron 1") == []


def test_a_purge_is_done_while_other_threads_go_on_reading(store: Path, opened: Opener) -> None:
    memory = opened()
    said = memory.remember([f"heron {number}" for number in range(3)])
    stop = threading.Event()

    def ask() -> list[str]:
        while True:
            last = stop.is_set()
            found = sorted(texts(memory.recall("heron")))
            if last:
                return found

    with ThreadPoolExecutor(4) as pool:
        asking = [pool.submit(ask) for _ in range(4)]
        purged = memory.purge(str(said[1].id))
        stop.set()
        assert [one.result(PATIENCE) for one in asking] == [["heron 0", "heron 2"]] * 4

    assert not purged.pending
    assert holding(store, "heron 1") == []


def test_a_purge_that_another_thread_keeps_from_the_file_is_finished_later(
    store: Path, opened: Opener
) -> None:
    memory = opened(settings=Settings(store=StoreSettings(busy_timeout=0.001)))
    (said,) = memory.remember("the heron came back")
    with memory._store.snapshot(memory.scope) as all_of_it:
        assert elsewhere(lambda: memory.purge(str(said.id)).pending) is True
        assert [entry.text for entry, _ in all_of_it.entries] == ["the heron came back"]
    opened()

    assert holding(store, "heron") == []


def test_a_thread_that_reads_when_the_memory_is_closed_may_finish(store: Path, opened: Opener) -> None:
    memory = opened()
    memory.remember("the heron came back")
    with memory._store.snapshot(memory.scope) as all_of_it:
        elsewhere(memory.close)
        assert [entry.text for entry, _ in all_of_it.entries] == ["the heron came back"]

    with pytest.raises(StoreError, match="the memory is closed"):
        memory.recall("heron")
    assert [path.name for path in store.parent.iterdir()] == ["m.db"], (
        "the last connection clears its log away"
    )


def test_a_reader_made_later_does_not_read_another_file_in_the_place_of_the_store(
    tmp_path: Path, store: Path, opened: Opener
) -> None:
    memory = opened()
    memory.remember("the heron came back")
    other = opened(tmp_path / "other.db")
    other.remember("a stranger's heron")
    other.close()
    with memory._store.snapshot(memory.scope):
        (tmp_path / "other.db").replace(store)
        with pytest.raises(StoreError, match="another file has taken the place of the store"):
            elsewhere(lambda: memory.recall("heron"))


def test_readers_find_a_relative_path_again_from_another_folder(
    tmp_path: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    memory = opened("here.db")
    memory.remember("the heron came back")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    with memory._store.snapshot(memory.scope):
        assert elsewhere(lambda: texts(memory.recall("heron"))) == ["the heron came back"]

    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_query_of_a_hundred_kilobytes_is_answered(memory: Memory) -> None:
    memory.remember(["the heron came back", "彼女は東京に住んでいます"])
    long = " ".join(f"word{number}" for number in range(12_000))

    assert len(long) > 100_000
    assert texts(memory.recall(f"{long} heron")) == ["the heron came back"]
    assert texts(memory.recall("京" * 100_000 + "東京に")) == ["彼女は東京に住んでいます"]
    assert texts(memory.recall("?" * 100_000)) == []


# what threads share


def test_what_many_threads_need_at_once_is_loaded_by_one() -> None:
    cache: PartitionCache[list[int]] = PartitionCache(lambda value, sequence: value[:sequence])
    start, second = threading.Barrier(16), threading.Barrier(2)
    loads: list[list[int] | None] = []

    def load(known: list[int] | None) -> list[int]:
        loads.append(known)
        with contextlib.suppress(threading.BrokenBarrierError):
            second.wait(0.2)  # for another thread, which would have to load as well
        return [*(known or []), 1, 2]

    def get(_: int) -> list[int]:
        start.wait()
        return cache.get(PartitionState(1, 2, 0), load)

    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(get, range(16))) == [[1, 2]] * 16
    assert loads == [None]


def test_a_later_state_is_loaded_onto_what_is_held_and_an_earlier_one_cut_from_it() -> None:
    cache: PartitionCache[list[int]] = PartitionCache(lambda value, sequence: value[:sequence])
    known: list[list[int] | None] = []

    def loading(result: list[int]) -> Callable[[list[int] | None], list[int]]:
        def load(held: list[int] | None) -> list[int]:
            known.append(held)
            return result

        return load

    assert cache.get(PartitionState(1, 2, 0), loading([1, 2])) == [1, 2]
    assert cache.get(PartitionState(1, 4, 0), loading([1, 2, 3, 4])) == [1, 2, 3, 4]
    assert cache.get(PartitionState(1, 3, 0), loading([])) == [1, 2, 3]
    assert cache.get(PartitionState(1, 4, 1), loading([9])) == [9], "a change that is no append: all anew"
    assert cache.get(PartitionState(1, 4, 0), loading([5])) == [5], (
        "from before it: not what is held, nor kept"
    )
    assert cache.get(PartitionState(1, 4, 1), loading([])) == [9]
    assert cache.get(PartitionState(2, 4, 1), loading([7])) == [7]
    assert known == [None, [1, 2], None, None, None]
