"""The files of a finished accuracy run: ``rows.jsonl`` and the ``manifest.json`` that was made from it."""

from collections.abc import Iterable
from pathlib import Path

from truerecall.bench.finished import finished_manifest, finished_rows
from truerecall.bench.qa.manifest import QaManifest
from truerecall.bench.qa.records import QaRow


def qa_rows_text(rows: Iterable[QaRow]) -> str:
    """Rows as JSON lines."""
    return "".join(row.model_dump_json() + "\n" for row in rows)


def read_qa_rows(run: Path, manifest: QaManifest) -> list[QaRow]:
    """The rows of a finished run's folder; ``RunError`` if they are not those that its manifest was made from."""
    again = "Give the run's command again: what is stored is not asked again."
    return finished_rows(run, QaRow, manifest.rows_sha256, again)


def read_qa_manifest(run: Path) -> QaManifest:
    """The manifest of a finished run's folder, or of a manifest file; ``RunError`` if there is none."""
    foreign = "the manifest is not one of this version, or not of an accuracy run"
    again = "Name an accuracy run, or make it again; what is stored is not asked again."
    return finished_manifest(run, QaManifest, foreign, again)
