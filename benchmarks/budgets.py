"""What starting costs beyond a bare interpreter: `import truerecall` and `truerecall --help`.

Bare and measured runs alternate in pairs, so that a slow moment of the machine falls on both; the median of
the paired differences is held against the budget. Run by `make bench`; exits 1 over a budget, 2 if a command
fails.
"""

import argparse
import os
import platform
import subprocess
import sys
import sysconfig
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from statistics import median, quantiles

from truerecall.bench.budgets import BudgetRow, Budgets

RECORD = Path(__file__).resolve().parent / "manifests" / "budgets.json"
BARE = (sys.executable, "-c", "pass")
LEAST_PAIRS = 15


@dataclass(frozen=True, slots=True)
class Budget:
    """A command and the seconds that it may take beyond a bare interpreter."""

    name: str
    command: tuple[str, ...]
    seconds: float


def budgets() -> tuple[Budget, ...]:
    """The budgets of docs/architecture.md, for the environment that runs this file."""
    script = str(Path(sysconfig.get_path("scripts")) / "truerecall")
    return (
        Budget("import truerecall", (sys.executable, "-c", "import truerecall"), 0.10),
        Budget("truerecall --help", (script, "--help"), 0.15),
    )


def seconds(command: Sequence[str]) -> float:
    """Wall time of one run of ``command``, start of the process included."""
    start = time.perf_counter()
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, capture_output=True)
    return time.perf_counter() - start


def measure(budget: Budget, pairs: int) -> BudgetRow:
    """Run the pairs, in alternating order, after one run each that only fills the caches."""
    seconds(BARE), seconds(budget.command)
    bare: list[float] = []
    whole: list[float] = []
    for number in range(pairs):
        if number % 2:
            whole.append(seconds(budget.command))
            bare.append(seconds(BARE))
        else:
            bare.append(seconds(BARE))
            whole.append(seconds(budget.command))
    beyond = [after - before for before, after in zip(bare, whole, strict=True)]
    lower, _, upper = quantiles(beyond, n=4)
    return BudgetRow(
        name=budget.name,
        budget=budget.seconds,
        beyond_bare=round(median(beyond), 4),
        quartiles=(round(lower, 4), round(upper, 4)),
        bare=round(median(bare), 4),
        whole=round(median(whole), 4),
        ratio=round(median(whole) / median(bare), 2),
        pairs=pairs,
        within=median(beyond) <= budget.seconds,
    )


def describe(result: BudgetRow) -> str:
    """One line for a reader."""
    verdict = "within" if result.within else "OVER"
    return (
        f"{result.name}: {result.beyond_bare * 1000:.0f} ms beyond a bare interpreter "
        f"(quartiles {result.quartiles[0] * 1000:.0f} to {result.quartiles[1] * 1000:.0f}; "
        f"{result.ratio:.2f} times its {result.bare * 1000:.0f} ms; {result.pairs} pairs): "
        f"{verdict} the budget of {result.budget * 1000:.0f} ms"
    )


def record(results: Sequence[BudgetRow]) -> Budgets:
    """The manifest: what was measured, with which versions, on what kind of machine; no names, no paths."""
    return Budgets(
        kind="budgets",
        truerecall=metadata.version("truerecall"),
        python=platform.python_version(),
        system=platform.system(),
        machine=platform.machine(),
        cores=os.cpu_count(),
        measurements=list(results),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and with ``--write`` keep the record."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write benchmarks/manifests/budgets.json")
    parser.add_argument("--pairs", type=int, default=21, help=f"pairs of runs, at least {LEAST_PAIRS}")
    options = parser.parse_args(arguments)
    if options.pairs < LEAST_PAIRS:
        parser.error(f"--pairs {options.pairs}: fewer than {LEAST_PAIRS} say little")
    results = []
    for budget in budgets():
        try:
            results.append(measure(budget, options.pairs))
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"{budget.name} cannot be measured: {error}", file=sys.stderr)
            return 2
        print(describe(results[-1]), flush=True)
    if options.write:
        RECORD.parent.mkdir(exist_ok=True)
        RECORD.write_text(record(results).model_dump_json(indent=2) + "\n", encoding="utf-8")
    return 0 if all(result.within for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
