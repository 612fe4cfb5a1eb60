"""Runs as they are read for one page, and which of their data sets may share a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from truerecall.bench.manifest import DatasetResult, RetrievalManifest
from truerecall.bench.qa.folder import read_qa_rows
from truerecall.bench.qa.manifest import QaDataset, QaManifest
from truerecall.bench.qa.records import QaRow
from truerecall.bench.report.disclosed import disclosed
from truerecall.bench.report.reading import Manifest, read_run

Data = DatasetResult | QaDataset


@dataclass(frozen=True, slots=True)
class ReadRun:
    """A finished run."""

    name: str
    """Of its folder; no two runs of a page have one name."""
    manifest: Manifest
    rows: tuple[QaRow, ...] | None = None
    """Of an accuracy run; None where only its manifest is at hand."""


@dataclass(frozen=True, slots=True)
class Shared:
    """Data sets of several runs that may share a table: the same questions of the same file, stored alike."""

    kind: str
    granularity: str
    members: tuple[tuple[ReadRun, Data], ...]


def read_runs(paths: Sequence[Path]) -> list[ReadRun]:
    """Read runs in their order, each under a name of its own.

    Raises:
        RunError: one of them is not a finished run of this version, or its rows are not those of its manifest.
    """
    runs: list[ReadRun] = []
    for path in paths:
        manifest = read_run(path)
        rows = None
        if isinstance(manifest, QaManifest) and path.is_dir() and (path / "rows.jsonl").is_file():
            rows = tuple(read_qa_rows(path, manifest))
        runs.append(ReadRun(_name(path, [run.name for run in runs]), manifest, rows))
    return runs


def shared(runs: Sequence[ReadRun]) -> list[Shared]:
    """Every data set of every run, grouped by what may share a table; groups in the order of their first run."""
    groups: dict[tuple[object, ...], list[tuple[ReadRun, Data]]] = {}
    for run in runs:
        for data in run.manifest.datasets:
            groups.setdefault(_key(run.manifest, data), []).append((run, data))
    return [Shared(str(key[0]), str(key[1]), tuple(members)) for key, members in groups.items()]


def _key(manifest: Manifest, data: Data) -> tuple[object, ...]:
    drawn = tuple(data.sample.questions) if isinstance(data, QaDataset) and data.sample else ()
    kind = "retrieval" if isinstance(manifest, RetrievalManifest) else "accuracy"
    made = manifest.provenance
    return (kind, made.granularity, data.sha256, data.name, data.variant, data.split, data.asked, drawn)


def _name(path: Path, taken: Sequence[str]) -> str:
    own = path.resolve()
    name = own.parent.name if own.name == "manifest.json" else own.stem if own.is_file() else own.name
    name = disclosed(name) or "run"
    known = sum(other == name or other.startswith(f"{name} (") for other in taken)
    return name if not known else f"{name} ({known + 1})"
