"""The section "Against plain BM25": a committed comparison as tables, in the words of the comparison itself."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from truerecall.bench.compare import CompareReport, RowResult
from truerecall.bench.manifest import DatasetResult, RetrievalManifest
from truerecall.bench.measured import Sweep
from truerecall.bench.report.design import UNMEASURED, block
from truerecall.bench.report.figures import (
    MISSING,
    count,
    find,
    heading,
    number,
    signed,
    split_row,
    value,
)
from truerecall.bench.report.tables import Section, Table, section, table
from truerecall.errors import RunError
from truerecall.measure.comparing import Comparison

PREFIX = "compare-"
"""Of the files of comparisons; what follows is the name of the run's manifest."""

_REPORT = TypeAdapter(CompareReport)
_TOLERANCE = 1e-6
"""A manifest keeps six decimals of a mean."""


@dataclass(frozen=True, slots=True)
class Against:
    """A comparison laid out, and the file that it comes from."""

    file: str
    section: Section


def read_comparison(path: Path) -> CompareReport:
    """The comparison in a file that ``truerecall bench compare --json`` wrote.

    Raises:
        RunError: it is not one of this version.
    """
    try:
        return _REPORT.validate_json(path.read_text(encoding="utf-8"))
    except (ValidationError, UnicodeDecodeError):
        raise RunError(
            "the comparison is not one of this version",
            where=path.name,
            remedy="Write it anew: truerecall bench compare RUN --json.",
        ) from None


def against(name: str, dataset: DatasetResult, report: CompareReport, sweeps: Mapping[str, Sweep]) -> Against:
    """The comparison of two systems on one data set of the manifest ``name``.

    Raises:
        RunError: the comparison was made of another run than the manifest.
    """
    file = f"{PREFIX}{name}.json"
    label = f"{dataset.name}:{dataset.variant}"
    own = replace(
        report,
        rows=tuple(row for row in report.rows if row.dataset == label),
        reported=tuple(row for row in report.reported if row.dataset == label),
        tuned={name: words for name, words in report.tuned.items() if name == label},
    )
    for row in own.rows:
        _check_same_run(dataset, own, row, file)
    a, b = report.system_a, report.system_b
    sentences = [
        f"{a} against {b}, paired by question; differences are {a} less {b}. p is adjusted by Holm over "
        f"{len(own.rows)} rows; the level is {report.alpha:g}.",
        *_how_tuned(own, dataset, sweeps),
    ]
    tables = [_differences(own), _conversations(own), _verdicts(own), _reported(own)]
    return Against(file, section("against", "Against plain BM25", sentences, tables))


def against_block(
    name: str,
    manifest: RetrievalManifest | None,
    report: CompareReport | None,
    sweeps: Mapping[str, Sweep],
) -> str:
    """The same as a block of docs/design: every data set of the manifest ``name``."""
    if manifest is None or report is None:
        return UNMEASURED
    sections = [against(name, dataset, report, sweeps).section for dataset in manifest.datasets]
    tables = [made for found in sections for made in found.tables]
    told = " ".join(sentence for found in sections for sentence in found.sentences)
    run = manifest.provenance
    return block(f"{PREFIX}{name}.json", tables, told, run.commit, run.dirty)


def _how_tuned(report: CompareReport, dataset: DatasetResult, sweeps: Mapping[str, Sweep]) -> list[str]:
    """As the systems declare it; of one that declares nothing, what the committed sweeps looked at."""
    declared = [
        f"{name}: {words}."
        for told in report.tuned.values()
        for name, words in zip((report.system_a, report.system_b), told, strict=True)
    ]
    silent = all(system.tuning.scheme == "none" for system in dataset.systems)
    return [*declared, *([_chosen_here(sweeps)] if silent and dataset.split == "dev" else [])]


def _chosen_here(sweeps: Mapping[str, Sweep]) -> str:
    tried = [
        f"{sweep.tried} values of {sweep.setting} ({name}.json)" for name, sweep in sorted(sweeps.items())
    ]
    looked = "; ".join([*tried, "and five stop lists, tried before manifests were kept of such trials"])
    return (
        "In-sample: lane weight, length weight and stop list were chosen on this very split, and no p accounts for "
        f"that choice. Configurations looked at: {looked}."
    )


def _differences(report: CompareReport) -> Table:
    rows = [
        (
            _title(result.row),
            *_difference_cells(result.comparison),
            f"{result.p_holm:.2g}",
            "yes" if result.comparison.same_sign else "no",
        )
        for result in report.rows
    ]
    columns = ["row", *_columns(report), "Holm p", "same sign in every conversation"]
    return table("Paired differences", columns, rows)


def _reported(report: CompareReport) -> Table:
    rows = [(row.type, _title(row.row), *_difference_cells(row.comparison)) for row in report.reported]
    caption = "Reported only, outside Holm: too few questions for a claim"
    return table(caption, ["type", "row", *_columns(report)], rows, words=2)


def _columns(report: CompareReport) -> list[str]:
    return [
        report.system_a, report.system_b, "difference", "95 % by conversation", "n",
        "smallest detectable difference", "test", "p",
    ]  # fmt: skip


def _difference_cells(made: Comparison) -> tuple[str, ...]:
    bounds = made.interval
    return (
        number(made.mean_a),
        number(made.mean_b),
        signed(made.difference),
        MISSING if bounds is None else f"{signed(bounds.low)} to {signed(bounds.high)}",
        count(made.n),
        number(made.smallest_detectable),
        made.test,
        f"{made.p:.2g}",
    )


def _conversations(report: CompareReport) -> Table:
    names = list(
        dict.fromkeys(
            f"{part.cluster} (n {count(part.n)})"
            for result in report.rows
            for part in result.comparison.clusters
        )
    )
    rows = []
    for result in report.rows:
        own = {f"{part.cluster} (n {count(part.n)})": part.difference for part in result.comparison.clusters}
        rows.append((_title(result.row), *(signed(own.get(name)) for name in names)))
    return table("Each conversation's own difference", ["row", *names], rows)


def _verdicts(report: CompareReport) -> Table:
    rows = [(_title(result.row), _verdict(report, result)) for result in report.rows]
    return table("What may be said", ["row", "verdict"], rows, words=2)


def _verdict(report: CompareReport, result: RowResult) -> str:
    """The comparison's own last sentence on a row."""
    return replace(report, rows=(result,), missing=()).as_text().splitlines()[-1].strip()


def _check_same_run(dataset: DatasetResult, report: CompareReport, result: RowResult, file: str) -> None:
    level, metric = split_row(result.row)
    for name, mean in (
        (report.system_a, result.comparison.mean_a),
        (report.system_b, result.comparison.mean_b),
    ):
        known = [value(find(system, level, metric)) for system in dataset.systems if system.name == name]
        if not any(found is not None and abs(found - mean) < _TOLERANCE for found in known):
            raise RunError(
                f"the comparison was made of another run: its {result.row} of {name} is not the manifest's",
                where=file,
                remedy="Compare the run of the manifest again.",
            )


def _title(name: str) -> str:
    return heading(*split_row(name))
