"""What `truerecall study demo` takes, and the sample of its report that docs/study-sample keeps.

Runs the demo as a user does, with the real Claude Code command line, in a process and an empty folder of its own:
wall time, the most memory of one process, and of all processes at one moment. ``claude`` is looked for in the
checkout's .agents-cli, where `make test-agents` puts it, then in PATH. ``--again`` runs nothing: it lays the sample
out anew after a change of the report's layout.
"""

import argparse
import getpass
import os
import platform
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from performance.output import MANIFESTS

from truerecall.bench.measured import Making, making, record_json
from truerecall.bench.study_demo import StudyDemo
from truerecall.core.clock import system_clock
from truerecall.study.folder import StudyRun
from truerecall.study.report.record import StudyReport
from truerecall.study.report.writing import REPORT, report_texts

REPOSITORY = Path(__file__).resolve().parents[1]
SAMPLE = REPOSITORY / "docs" / "study-sample"
RECORD = MANIFESTS / "study-demo.json"
AGENTS = REPOSITORY / ".agents-cli" / "node_modules" / ".bin"
OUT = "demo"
MEGABYTE = 1e6
EVERY = 0.2
"""Seconds between two looks at the memory of all processes."""
METHOD = (
    "One demo in an empty folder, its models played by a script, so that no time is spent at a provider. Memory of one "
    "process as the system counts it (maximum resident set); of all at once as the sum of proportional sets, looked at "
    f"every {EVERY:g} s."
)


@dataclass(frozen=True, slots=True)
class Measured:
    """What the demo took."""

    seconds: float
    largest_mb: float
    together_mb: float | None
    code: int


class Together(threading.Thread):
    """Looks at the memory of a process and all below it, until told to stop; Linux only."""

    def __init__(self, process: int) -> None:
        super().__init__(daemon=True)
        self._process = process
        self._over = threading.Event()
        self.most: float | None = None

    def run(self) -> None:
        """Look every now and then."""
        while not self._over.wait(EVERY):
            now = sum(proportional(process) for process in tree(self._process))
            if now:
                self.most = max(self.most or 0.0, now / MEGABYTE)

    def stop(self) -> float | None:
        """The most that was seen, in megabytes; None where nothing can be seen."""
        self._over.set()
        self.join()
        return self.most


def tree(process: int) -> list[int]:
    """A process and all below it, where /proc tells."""
    below: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            told = path.read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue  # it ended in between
        parent = int(told.rpartition(")")[2].split()[1])
        below.setdefault(parent, []).append(int(path.parent.name))
    found, waiting = [], [process]
    while waiting:
        found.append(waiting.pop())
        waiting += below.get(found[-1], [])
    return found


def proportional(process: int) -> int:
    """Bytes of a process, what it shares divided by those that share it; 0 where that cannot be read."""
    try:
        told = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii")
    except OSError:
        return 0
    lines = [line.split() for line in told.splitlines()]
    return sum(1024 * int(line[1]) for line in lines if line[0] == "Pss:")


def measured(command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> Measured:
    """One command in a folder, to its end."""
    started = time.monotonic()
    child = subprocess.Popen(command, cwd=folder, env=dict(environment), stdin=subprocess.DEVNULL)
    together = Together(child.pid)
    together.start()
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.monotonic() - started
    child.returncode = os.waitstatus_to_exitcode(status)
    unit = 1 if sys.platform == "darwin" else 1024
    return Measured(seconds, usage.ru_maxrss * unit / MEGABYTE, together.stop(), child.returncode)


def record(run: StudyRun, took: Measured, machine: Making) -> StudyDemo:
    """What was measured, with what the run folder says of it."""
    report = StudyReport.model_validate_json((run.folder / REPORT / "report.json").read_bytes())
    rows, figures, solver = run.rows(), report.figures, report.plan.solver
    return StudyDemo(
        method=METHOD,
        seconds=round(took.seconds, 1),
        largest_mb=round(took.largest_mb, 1),
        together_mb=None if took.together_mb is None else round(took.together_mb, 1),
        questions=figures.questions,
        controls=figures.controls,
        sides=len(figures.sides),
        repeats=figures.repeats,
        runs=figures.finished,
        discarded=len(report.discarded),
        solver=f"{solver.name} {solver.version}",
        solver_calls=sum(row.spent.calls for row in rows),
        solver_tokens=sum(row.spent.tokens for row in rows),
        grading_calls={one.role: one.calls for one in report.behind.grading},
        making=machine,
    )


def of_this_machine(folder: Path) -> tuple[str, ...]:
    """Words that must stand in nothing that is published."""
    words = [str(folder), str(folder.resolve()), str(Path.home()), str(REPOSITORY), tempfile.gettempdir()]
    names = [platform.node(), getpass.getuser()]
    # A name that is a common word, such as root, would be found everywhere: the paths hold it with their slashes.
    return tuple(dict.fromkeys([*words, *(name for name in names if len(name) > len("root"))]))


def stray(texts: Mapping[str, str], words: Sequence[str]) -> list[str]:
    """Which text holds which of the words."""
    return [f"{name}: {word}" for name, text in texts.items() for word in words if word in text]


@dataclass(frozen=True, slots=True)
class Shown:
    """What a demo left."""

    record: str
    texts: Mapping[str, str]
    """The report, by the names of its files."""
    stray: list[str]
    """Words of this machine in any of them."""


def demonstrated(command: Sequence[str], environment: Mapping[str, str], machine: Making) -> Shown:
    """Run a demo that writes into the folder ``OUT`` below an empty one; ``SystemExit`` with its code if it fails."""
    with tempfile.TemporaryDirectory(prefix="study-demo-") as name:
        folder = Path(name)
        took = measured(command, folder, environment)
        if took.code:
            raise SystemExit(took.code)
        run = StudyRun(folder / OUT / "run")
        made = record_json(record(run, took, machine))
        texts = {file.name: file.read_text("utf-8") for file in sorted((run.folder / REPORT).iterdir())}
        return Shown(made, texts, stray({**texts, RECORD.name: made}, of_this_machine(folder)))


def keep_sample(texts: Mapping[str, str], folder: Path) -> None:
    """Write docs/study-sample."""
    folder.mkdir(parents=True, exist_ok=True)
    for file, text in texts.items():
        (folder / file).write_text(text, encoding="utf-8", newline="\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and with ``--write`` keep the record and the sample."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--write", action="store_true", help=f"write benchmarks/manifests/{RECORD.name} and docs/study-sample"
    )
    parser.add_argument(
        "--again",
        action="store_true",
        help="lay out the sample anew from its report.json; the demo is not run",
    )
    options = parser.parse_args(arguments)
    if options.again:
        keep_sample(
            report_texts(StudyReport.model_validate_json((SAMPLE / "report.json").read_bytes())), SAMPLE
        )
        return 0
    machine = making(system_clock, "benchmarks/study_demo.py --write", ("pydantic", "jinja2", "numpy"))
    path = os.pathsep.join([str(AGENTS)] * AGENTS.is_dir() + [os.environ.get("PATH", os.defpath)])
    command = [sys.executable, "-m", "truerecall", "study", "demo", "--out", OUT, "--no-open"]
    shown = demonstrated(command, {**os.environ, "PATH": path}, machine)
    print(shown.record)
    for one in shown.stray:
        print(f"NOT TO BE PUBLISHED: {one}")
    if shown.stray:
        return 1
    if options.write:
        RECORD.write_text(shown.record, encoding="utf-8", newline="\n")
        keep_sample(shown.texts, SAMPLE)
    return 0


if __name__ == "__main__":
    sys.exit(main())
