"""Recall while others write: two readers and a writer at once, a write that is held open, and 64 threads asking.

Exits 1 if a bar is missed.
"""

import argparse
import multiprocessing
import shlex
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from performance.corpus import BLOCK, Corpus
from performance.embedder import Given, WordTable
from performance.output import report, table
from performance.stores import WORK, Made, drafts, make

from truerecall import Memory
from truerecall.bench.measured import FiguresTable, making
from truerecall.bench.speed import Bar, Speed, at_least, at_most
from truerecall.core.clock import system_clock
from truerecall.core.config import Settings
from truerecall.core.entry import Entry, Scope
from truerecall.core.ids import IdSource
from truerecall.measure.latency import percentile
from truerecall.memory.store.protocol import Filter
from truerecall.memory.store.sqlite import SqliteStore
from truerecall.memory.store.writing import Prepared

READERS = 2
THREADS = 64
BATCH = 10
"""Turns a write: what an agent remembers after an exchange."""
HELD = 2.0
"""Seconds for which a write is held open."""
LONGEST = 120.0
"""Seconds until a start that hangs is given up."""
METHOD = (
    f"{READERS} readers ask as fast as they can, alone and beside a writer that remembers {BATCH} turns at a time as "
    "fast as it can: as processes of their own, and as threads that share one memory. All vectors are given; none is "
    f"of a model. The write that is held open stays in its transaction for {HELD:.0f} s, while recalls are asked one "
    f"after the other. {THREADS} threads ask one memory at once, and each answer is held against one thread's alone."
)
COLUMNS = [("recalls", 0), ("median ms", 1), ("p95 ms", 1), ("p99 ms", 1), ("longest ms", 1)]


@dataclass(frozen=True, slots=True)
class Meeting:
    """Where those who work at once meet: they begin together, and the writer ends when it is told."""

    ready: Any
    """A barrier, and an event: of threads or of processes."""
    stop: Any


def figures(taken: Sequence[float]) -> list[float]:
    """How many, median, p95, p99 and the longest."""
    return [len(taken), *(round(percentile(taken, q), 2) for q in (50, 95, 99, 100))]


def ask(memory: Memory, queries: Sequence[str], seconds: float, meeting: Meeting) -> list[float]:
    """Recall one query after the other for a time; milliseconds of each."""
    taken: list[float] = []
    memory.recall(queries[0])
    meeting.ready.wait(LONGEST)
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        memory.recall(queries[len(taken) % len(queries)])
        taken.append((time.perf_counter() - start) * 1000)
    return taken


def write(memory: Memory, meeting: Meeting) -> list[float]:
    """Remember small batches until told to stop; milliseconds of each."""
    taken: list[float] = []
    texts = [draft for block in Corpus(seed=8).turns(20 * BLOCK) for draft in drafts(block)]
    meeting.ready.wait(LONGEST)
    for start in range(0, len(texts), BATCH):
        if meeting.stop.is_set():
            break
        began = time.perf_counter()
        memory.remember(texts[start : start + BATCH])
        taken.append((time.perf_counter() - began) * 1000)
    return taken


_meeting: Meeting
"""Of this process: what processes meet at can only be given to them as they start."""


def _join(meeting: Meeting) -> None:
    global _meeting
    _meeting = meeting


def _ask_alone(path: Path, queries: Sequence[str], seconds: float) -> list[float]:
    with Memory.open(path, embedder=Given(queries)) as memory:
        return ask(memory, queries, seconds, _meeting)


def _write_alone(path: Path) -> list[float]:
    with Memory.open(path, embedder=WordTable()) as memory:
        return write(memory, _meeting)


def in_processes(
    path: Path, queries: Sequence[str], seconds: float, writers: int
) -> tuple[list[float], list[float]]:
    """Milliseconds of each recall and each write, every reader and writer with a process of its own."""
    spawn = multiprocessing.get_context("spawn")
    meeting = Meeting(spawn.Barrier(READERS + writers), spawn.Event())
    with ProcessPoolExecutor(READERS + writers, spawn, _join, (meeting,)) as pool:
        return _gather(
            meeting,
            [pool.submit(_ask_alone, path, queries[number * 7 :], seconds) for number in range(READERS)],
            [pool.submit(_write_alone, path) for _ in range(writers)],
        )


def in_threads(
    path: Path, queries: Sequence[str], seconds: float, writers: int
) -> tuple[list[float], list[float]]:
    """Milliseconds of each recall and each write, of threads that share one memory."""
    meeting = Meeting(threading.Barrier(READERS + writers), threading.Event())
    with Memory.open(path, embedder=Given(queries)) as memory, ThreadPoolExecutor(READERS + writers) as pool:
        return _gather(
            meeting,
            [pool.submit(ask, memory, queries[number * 7 :], seconds, meeting) for number in range(READERS)],
            [pool.submit(write, memory, meeting) for _ in range(writers)],
        )


def _gather(
    meeting: Meeting, readers: Sequence[Future[list[float]]], writers: Sequence[Future[list[float]]]
) -> tuple[list[float], list[float]]:
    try:
        reads = [each for reader in readers for each in reader.result()]
    finally:
        meeting.stop.set()
    return reads, [each for writer in writers for each in writer.result()]


def together(made: Made, queries: Sequence[str], seconds: float) -> FiguresTable:
    """Readers with and without a writer."""
    rows: list[tuple[str, list[float]]] = []
    for name, way in (("processes", in_processes), ("threads of one memory", in_threads)):
        for writers, beside in ((0, "alone"), (1, "beside a writer")):
            with tempfile.TemporaryDirectory() as folder:
                reads, writes = way(made.copy_memory(Path(folder)), queries, seconds, writers)
            rows.append((f"recall, {name}, {beside}", figures(reads)))
            if writes:
                rows.append((f"the writer beside {name}, {BATCH} turns", figures(writes)))
    return table(f"{READERS} readers of {made.rows:,} turns", "who", COLUMNS, rows)


def held(made: Made, queries: Sequence[str]) -> tuple[FiguresTable, list[Bar]]:
    """Recalls while a write is in the middle of its transaction: by another connection, and by the same memory."""
    rows: list[tuple[str, list[float]]] = []
    bars = []
    for name, shared in (("another memory's", False), ("the same memory's", True)):
        with tempfile.TemporaryDirectory() as folder:
            taken = _beside_a_held_write(made.copy_memory(Path(folder)), queries, shared)
        rows.append((f"recall beside {name} write", figures(taken) if taken else [0, *[None] * 4]))  # type: ignore[list-item]
        bars.append(at_least(f"recalls that end while {name} write is held open", "recalls", len(taken), 1))
    return table(f"A write held open for {HELD:.0f} s, {made.rows:,} turns", "who", COLUMNS, rows), bars


def _beside_a_held_write(path: Path, queries: Sequence[str], shared: bool) -> list[float]:
    """Milliseconds of each recall that ends before the write does."""
    given, settings, scope = Given(queries), Settings(), Scope("local", "default", "me")
    store, other = (SqliteStore.open(path, settings.store, system_clock, given.identity) for _ in range(2))
    memory = Memory(store, scope, given, settings, system_clock, IdSource(system_clock))
    memory.recall(queries[0])
    begun = threading.Event()
    ended: list[float] = []

    def items() -> Iterator[Prepared]:
        yield Prepared(fresh, None)
        begun.set()
        time.sleep(HELD)
        ended.append(time.perf_counter())

    (known,) = memory.list(Filter(newest=1))
    fresh: Entry = replace(known, id=IdSource(system_clock)())
    writer = threading.Thread(target=(store if shared else other).restore, args=(scope, items(), ()))
    writer.start()
    begun.wait(LONGEST)
    finished: list[tuple[float, float]] = []
    while not ended:
        start = time.perf_counter()
        memory.recall(queries[len(finished) % len(queries)])
        finished.append((time.perf_counter(), (time.perf_counter() - start) * 1000))
    writer.join()
    memory.close()
    other.close()
    return [spent for at, spent in finished if at < ended[0]]


def crowd(made: Made, queries: Sequence[str]) -> tuple[FiguresTable, list[Bar]]:
    """The answers of many threads that share a memory, against one's."""
    with Memory.open(made.memory, embedder=Given(queries)) as memory:

        def answer(query: str) -> list[tuple[str, float]]:
            return [(hit.entry.id, hit.score) for hit in memory.recall(query).hits]

        alone = [answer(query) for query in queries]
        ready = threading.Barrier(THREADS)

        def several(number: int) -> tuple[list[float], int]:
            taken: list[float] = []
            differing = 0
            ready.wait(LONGEST)
            for place in range(number, len(queries), THREADS):
                start = time.perf_counter()
                differing += answer(queries[place]) != alone[place]
                taken.append((time.perf_counter() - start) * 1000)
            return taken, differing

        with ThreadPoolExecutor(THREADS) as pool:
            results = list(pool.map(several, range(THREADS)))
    taken = [each for times, _ in results for each in times]
    name = f"answers of {THREADS} threads that differ from one thread's, of {len(queries):,}"
    found = table(
        f"{THREADS} threads at once, {made.rows:,} turns", "who", COLUMNS, [("recall", figures(taken))]
    )
    return found, [at_most(name, "answers", sum(differing for _, differing in results), 0)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and with ``--write`` keep the record."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--work", type=Path, default=WORK, help=f"where stores are made and kept (default: {WORK})"
    )
    parser.add_argument("--rows", type=int, default=100_000, help="turns of the store, in whole thousands")
    parser.add_argument("--seconds", type=float, default=20, help="of each way of reading")
    parser.add_argument("--write", action="store_true", help="write benchmarks/manifests/concurrency.json")
    options = parser.parse_args(arguments)
    command = shlex.join(["python", "benchmarks/concurrency.py", *sys.argv[1:]])
    machine = making(system_clock, command, ("numpy", "numkong"))
    made = make(options.work, options.rows)
    queries = Corpus().queries(made.rows, 4 * THREADS)
    held_table, bars = held(made, queries)
    crowd_table, more = crowd(made, queries)
    tables = [together(made, queries, options.seconds), held_table, crowd_table]
    return report(
        Speed(method=METHOD, tables=tables, bars=[*bars, *more], making=machine),
        "concurrency.json",
        options.write,
    )


if __name__ == "__main__":
    sys.exit(main())
