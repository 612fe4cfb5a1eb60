"""One setting at several values over LoCoMo's development split, measured by the harness beside plain BM25.

Run as ``python benchmarks/sweep.py NAME --data DIR``; a run that was stopped goes on when it is given again. The
figures are in-sample: the split is the one that defaults may be chosen on.
"""

import argparse
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from truerecall.bench.datasets.reading import read
from truerecall.bench.manifest import DatasetResult, RetrievalManifest, SystemResult
from truerecall.bench.measured import SWEPT, Sweep, SweepRow, record_json
from truerecall.bench.retrieval import run_retrieval
from truerecall.bench.run import RunOptions
from truerecall.bench.systems.table import create
from truerecall.bench.systems.truerecall import Truerecall
from truerecall.cli.progress import Display
from truerecall.core.clock import system_clock
from truerecall.core.config import Settings
from truerecall.errors import TruerecallError
from truerecall.models.registry import embedder

MANIFESTS = Path(__file__).resolve().parent / "manifests"
CONTROL = "bm25"
IN_SAMPLE = "In-sample: the default was chosen on this very split, by looking at these values. Its figures flatter it."


@dataclass(frozen=True, slots=True)
class Swept:
    """A setting, its values and the embedder that it is looked at with."""

    setting: str
    values: tuple[float, ...]
    embedder: str

    def settings(self, value: float) -> Settings:
        """The shipped settings but for this one."""
        group, name = self.setting.split(".")
        shipped = Settings()
        return replace(shipped, **{group: replace(getattr(shipped, group), **{name: value})})

    @property
    def default(self) -> float:
        """The value that the package ships with."""
        group, name = self.setting.split(".")
        return float(getattr(getattr(Settings(), group), name))


SWEEPS = {
    "vector-weight": Swept("lanes.vector", (0.0, 0.25, 0.5, 0.75, 1.0, 1.5), "local"),
    "length-weight": Swept("recall.length_weight", (0.0, 0.2, 0.4, 0.75), "none"),
}


def measure(name: str, data: Path, out: Path) -> Sweep:
    """Run every value, or go on where a stopped run was."""
    swept = SWEEPS[name]
    model = embedder(swept.embedder)
    named = {value: f"truerecall {swept.setting}={value:g}" for value in swept.values}
    systems = [Truerecall(model, swept.settings(value), named[value]) for value in swept.values]
    datasets = [dataset for dataset in read(data, split="dev") if dataset.name.casefold() == "locomo"]
    command = shlex.join(["python", "benchmarks/sweep.py", *sys.argv[1:]])
    options = RunOptions(out, f"sweep-{name}", command=command)
    manifest = run_retrieval(datasets, [*systems, create(CONTROL)], options, system_clock, Display())
    return compact(swept, named, manifest, None if model is None else model.identity.name)


def compact(swept: Swept, named: dict[float, str], manifest: RetrievalManifest, model: str | None) -> Sweep:
    """The few figures of a run that are published."""
    (dataset,) = manifest.datasets
    systems = {system.name: system for system in dataset.systems}
    return Sweep(
        setting=swept.setting,
        embedder=model,
        tried=len(swept.values),
        in_sample=IN_SAMPLE,
        dataset=dataset.name,
        split=dataset.split,
        sha256=dataset.sha256,
        recognised=dataset.recognised,
        n=dataset.asked,
        conversations=dataset.conversations,
        rows=[
            SweepRow(value=value, default=value == swept.default, figures=figures(systems[name], dataset))
            for value, name in named.items()
        ],
        control=SweepRow(value=None, default=False, figures=figures(systems[CONTROL], dataset)),
        provenance=manifest.provenance,
    )


def figures(system: SystemResult, dataset: DatasetResult) -> dict[str, float]:
    """Means over all questions; each was asked all of them, or the sweep says nothing."""
    found = {
        f"{cell.level} {cell.metric}": cell
        for cell in system.cells
        if cell.type == "all" and (cell.level, cell.metric) in SWEPT
    }
    for row, cell in found.items():
        if cell.mean is None or cell.n != dataset.asked:
            raise SystemExit(f"{system.name}: {row} rests on {cell.n} of {dataset.asked} questions")
    return {f"{level} {metric}": found[f"{level} {metric}"].mean or 0.0 for level, metric in SWEPT}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure one sweep and write its manifest."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("name", choices=SWEEPS)
    parser.add_argument("--data", type=Path, required=True, help="the folder with LoCoMo's file")
    parser.add_argument(
        "--out", type=Path, default=Path("runs"), help="where the run is kept (default: runs)"
    )
    options = parser.parse_args(arguments)
    try:
        made = measure(options.name, options.data, options.out)
    except TruerecallError as error:
        print(f"sweep: {error}", file=sys.stderr)
        return 2
    path = MANIFESTS / f"sweep-{options.name}.json"
    path.write_text(record_json(made), encoding="utf-8", newline="\n")
    print(f"wrote {path.name}: {made.tried} values, n = {made.n}, in-sample")
    return 0


if __name__ == "__main__":
    sys.exit(main())
