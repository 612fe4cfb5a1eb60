"""Recall with every lane and factor on against recall as shipped, and what extraction costs a text at write.

Exits 1 if a bar is missed.
"""

import argparse
import os
import shlex
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from statistics import median

if (
    __name__ == "__main__"
):  # not where a test imports it: what that starts would have other threads than itself
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # read when numpy loads

from ingestion import seconds
from performance.corpus import BLOCK, Corpus
from performance.embedder import Given, WordTable
from performance.linked import FACTS, LINKS, linked
from performance.output import report, table
from performance.stores import WORK, drafts, make
from performance.timing import TAKES, in_turn, spread

from truerecall import Draft, Memory, Settings
from truerecall.bench.datasets.reading import read
from truerecall.bench.history import prepare
from truerecall.bench.measured import FiguresTable, making
from truerecall.bench.speed import Bar, Speed, at_most
from truerecall.bench.systems.truerecall import draft_of
from truerecall.core.clock import system_clock
from truerecall.core.config import FactorWeights, LaneWeights, WriteSettings
from truerecall.models.protocols import ModelIdentity
from truerecall.models.registry import embedder, installed

PACKAGES = ("numpy", "numkong", "onnxruntime", "tokenizers")
COLUMNS = [("median ms", 2), ("p95 ms", 2), ("p99 ms", 2)]
METHOD = (
    f"The store of benchmarks/speed.py with {FACTS:,} facts and {LINKS:,} causal links added. For each query in turn a "
    f"recall as shipped, one with every lane on, and one with every lane, factor and stage; the query vector is given; "
    f"each query's time is the least of {TAKES}; warm. Extraction: the same texts remembered in turn with and "
    "without it, without an embedder, a thousand a transaction; the difference of the medians, a text."
)


SHIPPED = "as shipped"
LANES = "every lane"
EVERYTHING = "every lane, factor and stage"


def switched_on() -> dict[str, Settings]:
    """All lanes, and all that there is."""
    shipped = Settings()
    lanes = LaneWeights(**{f.name: getattr(shipped.lanes, f.name) or 1.0 for f in fields(LaneWeights)})
    return {
        LANES: Settings(lanes=lanes),
        EVERYTHING: Settings(
            recall=replace(shipped.recall, synonyms=True, intent_boost=1.5, diversity=0.7),
            lanes=lanes,
            factors=FactorWeights(**{f.name: 0.1 for f in fields(FactorWeights)}),
        ),
    }


def against(
    path: Path, identity: ModelIdentity | None, rows: int, count: int, named: bool
) -> tuple[FiguresTable, list[Bar]]:
    """Both on one store."""
    queries = Corpus().queries(rows, count, named)
    given = Given(queries, identity)
    lanes: dict[str, dict[str, list[float]]] = {}
    settings = switched_on()
    with (
        Memory.open(path, embedder=given) as shipped,
        Memory.open(path, embedder=given, settings=settings[LANES]) as with_lanes,
        Memory.open(path, embedder=given, settings=settings[EVERYTHING]) as whole,
    ):

        def asked(query: str) -> None:
            for lane in with_lanes.recall(query).lanes:
                lanes.setdefault(lane.name, {}).setdefault(query, []).append(lane.milliseconds)

        taken = in_turn({SHIPPED: shipped.recall, LANES: asked, EVERYTHING: whole.recall}, queries)
    kind = "that name a speaker" if named else "without the name"
    found = [
        *((name, spread(times)) for name, times in taken.items()),
        *(
            (f"the {name} lane", spread([min(times) for times in by_query.values()]))
            for name, by_query in lanes.items()
        ),
    ]
    bars = [
        at_most(
            f"{name} on, to as shipped, {rows:,} turns, questions {kind}",
            "times",
            median(taken[name]) / median(taken[SHIPPED]),
            2.0,
        )
        for name in settings
    ]
    return table(f"{rows:,} turns, {count} questions {kind}", "recall", COLUMNS, found), bars


def extraction(texts: dict[str, list[Draft]], repeats: int) -> FiguresTable:
    """Microseconds a text."""
    found: list[tuple[str, list[float | None]]] = []
    for name, what in texts.items():
        taken: dict[bool, list[float]] = {True: [], False: []}
        for number in range(repeats):
            for on in (number % 2 == 0, number % 2 != 0):
                taken[on].append(_remembering(what, on) * 1e6 / len(what))
        own = [median(taken[False]), median(taken[True])]
        found.append((name, [round(figure, 2) for figure in (*own, own[1] - own[0])]))
    return table(
        "Remembering a text, µs", "texts", [("without", 1), ("with extraction", 1), ("extraction", 1)], found
    )


def _remembering(what: Sequence[Draft], on: bool) -> float:
    settings = Settings(write=WriteSettings(extract=on))
    with (
        tempfile.TemporaryDirectory() as folder,
        Memory.open(Path(folder, "memory.db"), embedder="none", seed=7, settings=settings) as memory,
    ):
        return seconds(memory.remember, what)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and with ``--write`` keep the record."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--work", type=Path, default=WORK, help="where stores are made and kept")
    parser.add_argument("--rows", type=int, default=100_000, help="turns, in whole thousands")
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--data", type=Path, help="a folder with LoCoMo's file, for a row on its turns")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--write", action="store_true", help="write benchmarks/manifests/every-lane.json")
    options = parser.parse_args(arguments)
    machine = making(
        system_clock, shlex.join(["python", "benchmarks/every_lane.py", *sys.argv[1:]]), PACKAGES
    )
    local = embedder("local") if installed() else None
    made = make(options.work, options.rows, local)
    identity = None if local is None else local.identity
    path = linked(made, WordTable(identity))
    measured = [against(path, identity, options.rows, options.queries, named) for named in (True, False)]
    texts = {"of the corpus": [d for block in Corpus().turns(5 * BLOCK) for d in drafts(block)]}
    if options.data is not None:
        (dataset,) = [one for one in read(options.data, split="dev") if one.name == "locomo"]
        items = [item for c in dataset.conversations for item in prepare(c, "turn").items]
        texts["LoCoMo, development split"] = [draft_of(item) for item in items]
    result = Speed(
        method=METHOD,
        tables=[*(found for found, _ in measured), extraction(texts, options.repeats)],
        bars=[bar for _, bars in measured for bar in bars],
        making=machine,
    )
    return report(result, "every-lane.json", options.write)


if __name__ == "__main__":
    sys.exit(main())
