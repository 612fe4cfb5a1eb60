"""Many processes write one store, and one that is killed leaves whole entries only."""

import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from whole_store import Opener, texts

from truerecall import Filter, Memory
from truerecall.errors import TruerecallError

WRITER = """
import sys
from truerecall import Memory
path, name, batches, size, embedder = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
print("ready", flush=True)
sys.stdin.readline()
with Memory.open(path, embedder=embedder) as memory:
    for batch in range(batches):
        results = memory.remember([f"heron {name} batch{batch} number{n} end" for n in range(size)], session=name)
        assert [r.status for r in results] == ["stored"] * size, results
        print(batch, flush=True)
"""


def writer(path: Path, name: str, batches: int, size: int, embedder: str = "none") -> subprocess.Popen[str]:
    arguments = [sys.executable, "-c", WRITER, str(path), name, str(batches), str(size), embedder]
    return subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def start(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def finish(process: subprocess.Popen[str]) -> int:
    process.communicate()
    return process.returncode


def test_eight_processes_with_a_reader_lose_nothing(store: Path, opened: Opener) -> None:
    writers = [writer(store, f"w{number}", 20, 50) for number in range(8)]
    reader = opened()
    for process in writers:
        assert line(process) == "ready"
    for process in writers:
        start(process)
    seen = [0]
    while any(process.poll() is None for process in writers):
        seen.append(reader.counts().entries)
        assert len(reader.recall("heron", limit=5).hits) == min(5, seen[-1]) or seen[-1] < 5

    assert [finish(process) for process in writers] == [0] * 8
    assert seen == sorted(seen)
    assert reader.counts().entries == 8 * 1000
    entries = reader.list(Filter(newest=10_000))
    assert len({entry.text for entry in entries}) == 8000
    assert len({entry.id for entry in entries}) == 8000
    assert reader.doctor().healthy


def test_processes_that_make_the_same_store_at_once_share_one(store: Path, opened: Opener) -> None:
    writers = [writer(store, f"w{number}", 1, 5) for number in range(4)]
    for process in writers:
        assert line(process) == "ready"
    for process in writers:
        start(process)

    assert [finish(process) for process in writers] == [0] * 4
    assert opened().counts().entries == 20
    assert [path.name for path in store.parent.iterdir() if path.name.endswith(".new")] == []


@pytest.mark.parametrize("embedder", ["none", "hashing"])
@pytest.mark.parametrize("after", [0, 2, 5])
def test_a_process_that_is_killed_leaves_whole_batches_only(
    store: Path, opened: Opener, after: int, embedder: str
) -> None:
    process = writer(store, "w", 10_000, 25, embedder)
    line(process)
    start(process)
    for _ in range(after + 1):
        reported = int(line(process))
    process.kill()
    process.communicate()
    memory = opened(embedder=embedder)
    entries = memory.list(Filter(newest=100_000))

    assert len(entries) % 25 == 0
    assert len(entries) >= 25 * (reported + 1)
    assert all(entry.text.endswith(" end") for entry in entries)
    assert memory.doctor().healthy
    found = [hit for hit in memory.recall("batch0", limit=100).hits if "lexical" in hit.lanes]
    assert len(found) == 25
    assert memory.remember("written afterwards")[0].status == "stored"


def test_two_threads_share_a_memory(opened: Opener) -> None:
    memory = opened(embedder="hashing")
    failures: list[BaseException] = []

    def work(name: str) -> None:
        try:
            for number in range(50):
                (result,) = memory.remember(f"heron {name} {number}")
                assert result.status == "stored"
                assert memory.get(str(result.id)).text == f"heron {name} {number}"
                assert len(memory.recall(f"{name} {number}", limit=3).hits) >= 1
                if number % 10 == 0:
                    memory.forget(str(result.id))
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(name,)) for name in ("ada", "bob")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failures == []
    assert (memory.counts().entries, memory.counts().ended) == (100, 10)
    assert memory.doctor().healthy


def test_a_memory_can_be_used_and_closed_by_another_thread(opened: Opener) -> None:
    memory = opened()
    found: list[list[str]] = []

    def work() -> None:
        memory.remember("the heron came back")
        found.append(texts(memory.recall("heron")))
        memory.close()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()

    assert found == [["the heron came back"]]


def test_a_reader_keeps_its_snapshot_while_others_write(store: Path, opened: Opener) -> None:
    reader, other = opened(), opened()
    reader.remember([f"heron {number}" for number in range(3)])
    with reader._store.snapshot(reader.scope) as all_of_it:
        next(all_of_it.entries)
        other.remember("written meanwhile")
        rest = [entry.text for entry, _ in all_of_it.entries]

    assert rest == ["heron 1", "heron 2"]
    assert texts(reader.recall("meanwhile")) == ["written meanwhile"]


def test_a_log_that_grew_while_a_reader_was_open_shrinks_again(store: Path, opened: Opener) -> None:
    memory = opened()
    log = store.with_name("m.db-wal")
    memory.remember("the heron came back")
    reader = sqlite3.connect(store, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM entry").fetchone()
    memory.remember([f"{number} {'x' * 2_000_000}" for number in range(6)])
    grown = log.stat().st_size
    reader.close()
    for number in range(3):
        memory.remember(f"a small heron {number}")

    assert grown > 20_000_000
    assert log.stat().st_size <= 16 << 20
    assert memory.counts().entries == 10


def test_seeded_memories_of_one_store_do_not_lose_writes_to_equal_ids(opened: Opener) -> None:
    first, second = opened(seed=1), opened(seed=1)
    first.remember("the heron came back")
    try:
        assert second.remember("the weir is closed")[0].status == "stored"
    except TruerecallError as error:
        assert [entry.text for entry in first.list()] == ["the heron came back"], error


def test_closing_one_memory_leaves_the_other_open(opened: Opener) -> None:
    first, second = opened(), opened()
    first.remember("the heron came back")
    first.close()

    assert isinstance(second, Memory)
    assert texts(second.recall("heron")) == ["the heron came back"]


def _elsewhere(store: Path, text: str) -> str:
    """Remember a text in a process of its own; what it says."""
    code = (
        "import sys; from truerecall import Memory\n"
        "with Memory.open(sys.argv[1], embedder='none') as memory:\n"
        "    print(memory.remember(sys.argv[2])[0].status)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, store, text], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_a_second_opening_in_one_process_costs_another_process_no_write(store: Path, opened: Opener) -> None:
    # Closing any descriptor of the file drops all locks of the process on it, and others then delete the log.
    memory = opened()
    memory.remember("one")
    opened().close()
    said = [_elsewhere(store, "two")]
    memory.remember("three")
    said.append(_elsewhere(store, "four"))
    memory.remember("five")
    memory.close()

    assert said == ["stored", "stored"]
    assert sorted(entry.text for entry in opened().list()) == ["five", "four", "one", "three", "two"]


def test_a_forked_child_is_told_to_open_the_memory_itself(store: Path) -> None:
    # In a process without threads: forking a threaded one is not safe.
    code = (
        "import os, sys; from truerecall import Memory; from truerecall.errors import StoreError\n"
        "memory = Memory.open(sys.argv[1], embedder='none'); memory.remember('one')\n"
        "child = os.fork()\n"
        "if not child:\n"
        "    try: memory.remember('two')\n"
        "    except StoreError as error: print(error.remedy, flush=True)\n"
        "    os._exit(0)\n"
        "os.waitpid(child, 0)\n"
        "print(memory.remember('three')[0].status, len(memory.list()))"
    )
    done = subprocess.run([sys.executable, "-c", code, store], capture_output=True, text=True, check=True)

    assert done.stdout == "Open it again in this process.\nstored 2\n"
