"""The gate without a key and without data: made conversations, asked three times in one process."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import process_time

from truerecall.bench.datasets.generator import generate_locomo, write_items
from truerecall.bench.datasets.reading import read
from truerecall.bench.datasets.records import Dataset
from truerecall.bench.gate.baseline import REPEATS, GateRecord
from truerecall.bench.gate.taking import take
from truerecall.bench.progress import Report
from truerecall.bench.retrieval import run_retrieval
from truerecall.bench.run import RunOptions
from truerecall.bench.scoring import Ruler
from truerecall.bench.systems.protocol import System
from truerecall.bench.systems.table import create
from truerecall.core.clock import Clock
from truerecall.core.config import RecallSettings

CONTROL = "bm25"
DATA = "data"
"""The folder of the made conversations, below that of the runs."""


@dataclass(frozen=True, slots=True)
class Made:
    """How much is made and asked."""

    conversations: int = 10
    sessions: int = 8
    turns: int = 12
    questions: int = 40
    seed: int = 7
    repeats: int = REPEATS


RULER = Ruler(ks=(1, 5, 10), limit=RecallSettings().limit, k=20, budgets=(1000,), seed=0)
"""The named rows need no more; each repeat is over in seconds."""


def measure_made(
    out: Path,
    system: System,
    made: Made,
    clock: Clock,
    progress: Report,
    timer: Callable[[], float] = process_time,
    control: System | None = None,
) -> GateRecord:
    """Make the conversations below ``out``, run the system beside its control as often as asked, and take it.

    Times are the process's own: on a machine that does other work those of the clock say little. A recall that waits
    is not seen so; runs that are taken by hand are timed by the clock.

    A call that was stopped goes on where it was; a latency is then left out, for its repeat is of two processes.
    """
    datasets = [made_data(out / DATA, made)]
    names = [f"repeat-{number}" for number in range(1, made.repeats + 1)]
    systems = [system, control or create(CONTROL, {})]
    for name in names:
        options = RunOptions(out, name, ruler=RULER, command="truerecall bench gate made", wiring_proof=True)
        run_retrieval(datasets, systems, options, clock, progress, timer)
    return take([out / name for name in names], system.name, systems[1].name)


def made_data(folder: Path, made: Made) -> Dataset:
    """The same conversations for the same numbers, on every platform."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"locomo-made-{made.seed}.json"
    items = generate_locomo(made.seed, made.conversations, made.sessions, made.turns, made.questions)
    write_items(path, items)
    return read(path)[0]
