"""The benchmark at LongMemEval's full size: time, memory, and what is left after kill -9; with what a cache saves.

Makes the data, runs the command line over them in processes of its own, kills each run once and gives its command
again. With ``--local`` embedding is measured as well, for some minutes before the kill and after it.
"""

import argparse
import os
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from performance.output import MANIFESTS, table

from truerecall.bench.datasets.reading import read
from truerecall.bench.measured import Figures, FiguresTable, making, record_json
from truerecall.bench.vectors import VECTORS
from truerecall.core.clock import system_clock

RECORD = MANIFESTS / "full-size.json"
Row = tuple[str, list[float | None]]
PACKAGES = ("numpy", "onnxruntime", "tokenizers")
ESTIMATE = re.compile(r"embedding takes about .*: ([\d,]+) of ([\d,]+) texts at (\d+) a second")
MEGABYTE = 1e6


@dataclass(frozen=True, slots=True)
class Process:
    """What a process took."""

    seconds: float
    processor_seconds: float
    peak_mb: float
    told: str
    """Its standard error."""


def ran(arguments: Sequence[str], until: Callable[[], bool] = lambda: False) -> Process:
    """One command of truerecall, to its end, or killed as soon as ``until`` says so."""
    command = [sys.executable, "-m", "truerecall", *arguments]
    with tempfile.TemporaryFile("w+", encoding="utf-8") as told:
        started = time.monotonic()
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=told)
        killed = False
        while True:
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            if pid:
                break
            if not killed and until():
                os.kill(child.pid, signal.SIGKILL)
                killed = True
            time.sleep(0.1)
        seconds = time.monotonic() - started
        child.returncode = os.waitstatus_to_exitcode(status)
        told.seek(0)
        text = told.read()
    if child.returncode not in (0, -signal.SIGKILL if killed else 0):
        raise SystemExit(f"{' '.join(command)} ended with {child.returncode}:\n{text}")
    unit = 1 if sys.platform == "darwin" else 1024
    return Process(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * unit / MEGABYTE, text)


def retrieval(data: Path, out: Path, embedder: str) -> list[str]:
    """The command of a run."""
    system = f"truerecall,embedder={embedder}"
    return [
        "bench",
        "retrieval",
        "--data",
        f"{data}",
        "--out",
        f"{out}",
        "--name",
        embedder,
        "--system",
        system,
    ]


def finished(out: Path, name: str) -> int:
    """Conversations of a run that are kept, over all systems."""
    return len(list((out / name / "chunks").glob("*.jsonl")))


def made(folder: Path, questions: int) -> tuple[FiguresTable, Row, int]:
    """Make the data; what they are, what that took, and how many chunks a whole run has."""
    sizes = ["--questions", f"{questions}"]
    took = ran(["bench", "data", "generate", "--shape", "longmemeval", "--out", f"{folder}", *sizes])
    (dataset,) = read(folder)
    sessions = [session for conversation in dataset.conversations for session in conversation.sessions]
    turns = [turn for session in sessions for turn in session.turns]
    amounts = {
        "questions, each with a haystack": len(dataset.conversations),
        "sessions in a haystack": len(sessions) / len(dataset.conversations),
        "turns in a haystack": len(turns) / len(dataset.conversations),
        "words in a haystack": sum(len(turn.text.split()) for turn in turns) / len(dataset.conversations),
        "distinct sessions in all": len({session.ref for session in sessions}),
        "distinct turns in all": len({(turn.speaker, turn.text) for turn in turns}),
        "megabytes of the file": sum(file.stat().st_size for file in folder.iterdir()) / MEGABYTE,
    }
    rows = [(name, [round(amount)]) for name, amount in amounts.items()]
    return (
        table("The data", "what", [("amount", 0)], rows),
        process_row("making the data", took),
        len(dataset.conversations),
    )


def process_row(name: str, process: Process, kept: int | None = None) -> Row:
    """One process in the table of processes."""
    figures = (process.seconds, process.processor_seconds, process.peak_mb)
    return name, [*(round(figure) for figure in figures), kept]


def lexical(data: Path, out: Path, conversations: int) -> list[Row]:
    """The run without a model, killed when half of it is kept, and gone on with."""
    command = retrieval(data, out, "none")
    half = conversations * 7 // 2  # the memory and six controls
    first = ran(command, until=lambda: finished(out, "none") >= half)
    kept = finished(out, "none")
    second = ran(command)
    both = Process(
        first.seconds + second.seconds,
        first.processor_seconds + second.processor_seconds,
        max(first.peak_mb, second.peak_mb),
        "",
    )
    return [
        process_row("lexical run, until kill -9", first, kept),
        process_row("the same command again, to the end", second, finished(out, "none")),
        process_row("both", both),
    ]


def local(data: Path, out: Path, minutes: float) -> FiguresTable:
    """The run with the local model: some minutes, kill -9, the same command for as long again, kill -9."""
    rows: list[Row] = []
    for name in ("until kill -9", "the same command again"):
        ends = time.monotonic() + minutes * 60
        process = ran(retrieval(data, out, "local"), until=lambda ends=ends: time.monotonic() > ends)
        told = ESTIMATE.search(process.told)
        waiting, texts, pace = (int(part.replace(",", "")) for part in told.groups()) if told else (0, 0, 0)
        with closing(sqlite3.connect(out / VECTORS)) as db:
            (vectors,) = db.execute("select count(*) from kept where kind = 'vector'").fetchone()
        left = round(waiting / pace / 60) if pace else None
        figures = [texts, waiting, pace, left, vectors, round(process.peak_mb), finished(out, "local")]
        rows.append((name, figures))
    columns = (
        "texts", "not yet embedded", "a second, by the sample", "minutes, as told first",
        "vectors in the file at the end", "peak MB", "conversations kept, all systems",
    )  # fmt: skip
    return table(
        f"With the local model, {minutes:g} minutes and again", "run", [(c, 0) for c in columns], rows
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and with ``--write`` keep the record."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help=f"write benchmarks/manifests/{RECORD.name}")
    parser.add_argument("--questions", type=int, default=500)
    parser.add_argument("--local", type=float, metavar="MINUTES", help="embed with the local model, too")
    options = parser.parse_args(arguments)
    script = "benchmarks/full_size.py --write" + (f" --local {options.local:g}" if options.local else "")
    machine = making(system_clock, script, PACKAGES)
    with tempfile.TemporaryDirectory() as folder:
        data, out = Path(folder, "data"), Path(folder, "runs")
        set_, making_it, conversations = made(data, options.questions)
        processes = [making_it, *lexical(data, out, conversations)]
        columns = ("seconds", "processor seconds", "peak MB", "conversations kept, all systems")
        tables = [set_, table("Processes", "process", [(c, 0) for c in columns], processes)]
        if options.local:
            tables.append(local(data, out, options.local))
    figures = Figures(
        method="One run each, memory as the system counts it (maximum resident set).",
        tables=tables,
        making=machine,
    )
    for each in tables:
        print("\n" + " | ".join([each.rows_are, *(column.name for column in each.columns)]))
        for row in each.rows:
            print(" | ".join([row.name, *("-" if f is None else f"{f:,.0f}" for f in row.figures)]))
    if options.write:
        RECORD.write_text(record_json(figures), encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
