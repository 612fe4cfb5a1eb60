"""The outline of a report: what Markdown and the page lay out, field by field from the manifest."""

from dataclasses import dataclass

from truerecall.bench.manifest import DatasetResult, RetrievalManifest
from truerecall.bench.report import quality, setting
from truerecall.bench.report.disclosed import disclosed
from truerecall.bench.report.figures import arranged, title
from truerecall.bench.report.speed import speed_section
from truerecall.bench.report.tables import Section, Table, table
from truerecall.bench.report.words import MEANINGS, NOT_POOLED, WIRING_PROOF, licence, warnings
from truerecall.bench.speed import Speed


@dataclass(frozen=True, slots=True)
class Chapter:
    """One data set, or our own speed."""

    key: str
    title: str
    warnings: tuple[str, ...]
    sections: tuple[Section, ...]


@dataclass(frozen=True, slots=True)
class Outline:
    """A whole report; nothing that is not here can be printed."""

    title: str
    banners: tuple[str, ...]
    """What must stand above everything."""
    sentence: str
    made: str
    chapters: tuple[Chapter, ...]
    meanings: Table
    provenance: Table
    licences: tuple[str, ...]
    command: str
    verdict: str = ""
    """The answer in one sentence, before everything else; empty where a report has none."""


def outline(manifest: RetrievalManifest, speed: Speed | None = None) -> Outline:
    """Arrange a manifest; our own speed, where it was measured, is the last chapter."""
    made = manifest.provenance
    return Outline(
        title="Retrieval report",
        banners=(WIRING_PROOF,) if manifest.wiring_proof else (),
        sentence=NOT_POOLED,
        made=disclosed(f"{made.created}, {made.harness}, {made.granularity} granularity, seed {made.seed}"),
        chapters=(
            *(_chapter(at, arranged(dataset)) for at, dataset in enumerate(manifest.datasets, start=1)),
            *([] if speed is None else [Chapter("speed", "Our own speed", (), (speed_section(speed),))]),
        ),
        meanings=table("What each number is, and what it is not", ["number", "meaning"], MEANINGS, words=2),
        provenance=setting.provenance(made),
        licences=tuple(dict.fromkeys(disclosed(licence(dataset)) for dataset in manifest.datasets)),
        command=disclosed(made.command),
    )


def _chapter(at: int, dataset: DatasetResult) -> Chapter:
    return Chapter(
        key=f"data-{at}",
        title=disclosed(title(dataset)),
        warnings=tuple(disclosed(line) for line in warnings(dataset)),
        sections=(
            quality.short_answer(dataset),
            *quality.tuning(dataset),
            quality.blocks(dataset),
            quality.by_type(dataset),
            quality.by_conversation(dataset),
            setting.latency(dataset),
            setting.lanes(dataset),
            quality.grids(dataset),
            setting.data(dataset),
            setting.left_out(dataset),
            setting.configurations(dataset),
        ),
    )
