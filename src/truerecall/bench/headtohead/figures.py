"""From the retrieval run of an arm to its row."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from truerecall.bench.headtohead.manifest import Measured
from truerecall.bench.manifest import Cell, GridLevel, SystemResult

if TYPE_CHECKING:
    from truerecall.bench.headtohead.run import Ran

SHOWN: tuple[tuple[GridLevel | None, str], ...] = (
    ("turn", "any@5"),
    ("turn", "any@10"),
    ("turn", "all@10"),
    ("turn", "mrr"),
    ("session", "fractional@1"),
    ("session", "fractional@5"),
    ("session", "mrr"),
    (None, "carry@500"),
    (None, "carry@2000"),
    (None, "tokens@2000"),
)
"""The figures of an arm, over all questions and by type."""


def measured_arms(ran: "Ran", dataset: str) -> Iterator[Measured]:
    """A row for each system of the arm's run over one data set: one, or every control."""
    for result in ran.manifest.datasets:
        if f"{result.name}:{result.variant}" == dataset:
            for system in result.systems:
                yield _measured(ran, system)


def _measured(ran: "Ran", system: SystemResult) -> Measured:
    return Measured(
        **ran.arm.known(system.name).model_dump(),
        configuration=system.configuration,
        tuning=system.tuning,
        conformance=list(ran.conformance),
        cells=[_brief(cell) for cell in system.cells if (cell.level, cell.metric) in SHOWN],
        stored=system.stored,
        embedded=system.embedded,
        refused=system.refused,
        store_bytes=system.store_bytes,
        ingest_seconds=system.ingest_seconds,
        ingest_cached=system.ingest_cached,
        vectors_cached=system.vectors_cached,
        latency=system.latency,
        load=None if system.earlier_runs else ran.load,
        rows_sha256=ran.manifest.rows_sha256,
        measured=(system.earlier_runs or [ran.manifest.provenance.created])[0],
    )


def _brief(cell: Cell) -> Cell:
    """Without the chance level, which is the data set's and not the arm's."""
    return cell.model_copy(update={"chance": None})
