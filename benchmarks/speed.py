"""Recall at several sizes against the same work without us: plain FTS5 ``bm25()`` and an exact numpy scan.

Also what opening a store costs a new process, and how much memory and disk it takes. Exits 1 if a bar is missed.
"""

import argparse
import os
import shlex
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from statistics import median

if (
    __name__ == "__main__"
):  # not where a test imports it: what that starts would have other threads than itself
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # read when numpy loads

import numpy as np
from numpy.typing import NDArray
from performance.corpus import Corpus
from performance.embedder import Given, GivenTokens
from performance.output import report, table
from performance.statistics import table as statistics_table
from performance.stores import MOST_MATCHED, WORK, Made, make, size_of
from performance.timing import TAKES, in_turn, spread, summed

from truerecall import Memory
from truerecall.bench.measured import FiguresTable, making
from truerecall.bench.speed import Bar, Speed, at_most
from truerecall.core.clock import system_clock
from truerecall.memory.recall.query import understand
from truerecall.models.protocols import Embedder, token_identity
from truerecall.models.registry import embedder, installed

PACKAGES = ("numpy", "numkong", "onnxruntime", "tokenizers")
DEPTH = 100
"""Rows that each rival gives, as each of our lanes does at least."""
COLUMNS = [("median ms", 2), ("p95 ms", 2), ("p99 ms", 2)]
MATCHED = "recall with token vectors"
STARTS = 9
STARTED = 100_000
"""Rows of the store that is opened in a new process."""
METHOD = (
    "For each query in turn: a recall whose query vector is given, the same words to bm25() of a plain FTS5 table in a "
    f"file of its own (OR, the best {DEPTH}), and a scan of the same vectors as one float32 array by numpy (the best "
    f"{DEPTH}); warm, numpy with one thread; each query's time is the least of {TAKES}. Vectors are random projections "
    f"of words. A new process is timed from its start to its end, the file in the system's cache, {STARTS} times; the "
    "local model is loaded without graph optimisation, as for one query."
)
ONCE = {
    "lexical": """
import sys
from truerecall import Memory
Memory.open(sys.argv[1], embedder="none").recall(sys.argv[2])
""",
    "local": """
import sys
from truerecall import Memory
from truerecall.models.local import LocalEmbedder
Memory.open(sys.argv[1], embedder=LocalEmbedder(one_shot=True)).recall(sys.argv[2])
""",
}
"""Programs that open a store and recall once."""
LIMITS = {"lexical": 0.25, "local": 0.6}
PEAK = """
from pathlib import Path
print(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0])
"""
"""Of this program alone, in KiB: what getrusage tells holds the memory of the process that started it."""


def against(made: Made, model: Embedder | None, count: int, named: bool) -> tuple[FiguresTable, list[Bar]]:
    """Recall and its rivals on one store, by questions that name a speaker or by the same without the name."""
    queries = Corpus().queries(made.rows, count, named)
    identity = None if model is None else model.identity
    given, tokens = Given(queries, identity), GivenTokens(queries, identity, token_identity(model))
    vectors = made.load_vectors()
    lanes: dict[str, dict[str, list[float]]] = {}
    with (
        Memory.open(made.memory, embedder="none") as words,
        Memory.open(made.memory, embedder=given) as memory,
        Memory.open(made.memory, embedder=tokens) as matching,
        closing(made.open_control()) as control,
    ):

        def asked(query: str) -> None:
            for lane in memory.recall(query).lanes:
                lanes.setdefault(lane.name, {}).setdefault(query, []).append(lane.milliseconds)

        ways: dict[str, Callable[[str], object]] = {
            "recall": asked,
            "recall without vectors": words.recall,
            "bm25()": lambda query: plain(control, query),
            "scan": lambda query: scan(vectors, given.vectors[query]),
        }
        if made.rows <= MOST_MATCHED:
            ways[MATCHED] = matching.recall
        taken = in_turn(ways, queries)
    both = summed(taken["bm25()"], taken["scan"])
    best = {name: [min(times) for times in by_query.values()] for name, by_query in lanes.items()}
    rows = [
        *((name, spread(times)) for name, times in taken.items()),
        ("bm25() and scan together", spread(both)),
        *((f"of the recall, the {name} lane", spread(times)) for name, times in best.items()),
    ]
    kind = "that name a speaker" if named else "without the name"
    found = table(f"{made.rows:,} turns, {count} questions {kind}", "what", COLUMNS, rows)
    return found, bars_of(made.rows, kind, {**taken, "both": both})


def plain(control: sqlite3.Connection, query: str) -> list[tuple[int]]:
    """The best of a plain FTS5 table for the words that a recall looks up."""
    match = " OR ".join(f'"{term}"' for term in understand(query).terms)
    return control.execute(
        f"SELECT rowid FROM document WHERE document MATCH ? ORDER BY bm25(document) LIMIT {DEPTH}", (match,)
    ).fetchall()


def scan(vectors: NDArray[np.float32], query: NDArray[np.float32]) -> NDArray[np.intp]:
    """The nearest rows, best first."""
    cosines = vectors @ query
    first = np.argpartition(cosines, -DEPTH)[-DEPTH:]
    nearest: NDArray[np.intp] = first[np.argsort(-cosines[first])]
    return nearest


def bars_of(rows: int, kind: str, taken: Mapping[str, Sequence[float]]) -> list[Bar]:
    """What is asked at this size: below 100,000 turns the fixed cost of a recall counts, above its share."""
    recall, both = median(taken["recall"]), median(taken["both"])
    name = f"recall of {rows:,} turns, questions {kind}, to bm25() and scan"
    if rows < STARTED:
        bars = [at_most(f"{name} and 3 ms", "ms", recall, both + 3)]
    else:
        bars = [at_most(name, "times", recall / both, 1.5)]
    if MATCHED in taken:
        more = median(taken[MATCHED]) - recall
        bars.append(
            at_most(f"token vectors in a recall of {rows:,} turns, questions {kind}", "ms more", more, 60)
        )
    return bars


def starts(made: Made, modes: Sequence[str]) -> tuple[FiguresTable, list[Bar]]:
    """Seconds of a new process that opens the store and recalls once, in turn with a bare interpreter."""
    (query,) = Corpus().queries(made.rows, 1)
    commands = {"bare interpreter": "pass", **{mode: ONCE[mode] for mode in modes}}
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    for _ in range(STARTS + 1):
        for name, code in commands.items():
            taken[name].append(whole_process([sys.executable, "-c", code, str(made.memory), query]))
    columns = [("median s", 3), ("least s", 3), ("processor s, median", 3)]
    rows = []
    for name, times in taken.items():
        wall, processor = zip(*times[1:], strict=True)  # the first fills the caches
        rows.append((name, [round(figure, 4) for figure in (median(wall), min(wall), median(processor))]))
    found = table(f"A new process opens {made.rows:,} turns and recalls once", "what", columns, rows)
    told = f"opening {made.rows:,} turns and one recall in a new process"
    return found, [
        at_most(f"{told}, {name}", "s", seconds, LIMITS[name])
        for name, (seconds, *_) in rows
        if name in modes
    ]


def whole_process(command: Sequence[str]) -> tuple[float, float]:
    """Wall and processor seconds of a process, from its start to its end."""
    before = os.times()
    start = time.perf_counter()
    subprocess.run(command, check=True)
    wall, after = time.perf_counter() - start, os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return wall, spent


def sizes(stores: Sequence[Made], modes: Sequence[str]) -> FiguresTable:
    """Megabytes on disk, and at most in memory of a process that recalls once."""
    rows: list[tuple[str, list[float | None]]] = []
    for made in stores:
        (query,) = Corpus().queries(made.rows, 1)
        figures: list[float | None] = [
            round(size_of(made.memory) / 1e6, 1),
            round(size_of(made.control) / 1e6, 1),
        ]
        for mode in ONCE:
            figures.append(peak(made, mode, query) if mode in modes else None)
        rows.append((f"{made.rows:,} turns", figures))
    columns = ["file", "plain FTS5's file", "peak memory, lexical", "peak memory, local"]
    return table("Megabytes", "store", [(name, 0) for name in columns], rows)


def peak(made: Made, mode: str, query: str) -> float | None:
    """Megabytes that a process needed at most; None where the system does not tell."""
    if not Path("/proc/self/status").exists():
        return None
    command = [sys.executable, "-c", ONCE[mode] + PEAK, str(made.memory), query]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return round(int(told) * 1024 / 1e6, 1)


def measure(options: argparse.Namespace) -> Speed:
    """All of it."""
    command = shlex.join(["python", "benchmarks/speed.py", *sys.argv[1:]])
    machine = making(system_clock, command, PACKAGES)
    local = embedder("local") if installed() else None
    modes = ["lexical", "local"] if local is not None else ["lexical"]
    stores = [make(options.work, rows, local) for rows in options.rows]
    tables, bars = [statistics_table(options.data)], []
    for made in stores:
        measured = [against(made, local, options.queries, named) for named in (True, False)]
        if made.rows == STARTED:
            measured.append(starts(made, modes))
        for found, asked in measured:
            tables.append(found)
            bars.extend(asked)
    tables.append(sizes(stores, modes))
    return Speed(method=METHOD, tables=tables, bars=bars, making=machine)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and with ``--write`` keep the record."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--work", type=Path, default=WORK, help=f"where stores are made and kept (default: {WORK})"
    )
    parser.add_argument(
        "--rows", type=int, nargs="+", default=[10_000, 100_000], help="sizes, in whole thousands"
    )
    parser.add_argument("--queries", type=int, default=100, help="of each size, at least 50")
    parser.add_argument("--data", type=Path, help="a folder with LoCoMo's file, for a row on its postings")
    parser.add_argument("--write", action="store_true", help="write benchmarks/manifests/speed.json")
    options = parser.parse_args(arguments)
    if options.queries < 50:
        parser.error(f"--queries {options.queries}: fewer than 50 say little of the slow ones")
    return report(measure(options), "speed.json", options.write)


if __name__ == "__main__":
    sys.exit(main())
