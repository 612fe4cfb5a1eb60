"""Writing the reports of an accuracy run."""

from pathlib import Path

from truerecall.bench.qa.manifest import QaManifest
from truerecall.bench.report.accuracy.layout import qa_markdown, qa_page
from truerecall.bench.report.writing import write_all


def write_qa_reports(manifest: QaManifest, folder: Path) -> list[Path]:
    """Write ``report.md`` and ``report.html``; each appears whole or not at all, and both are made before either.

    Raises:
        RunError: the folder cannot be written.
    """
    return write_all(folder, {"report.md": qa_markdown(manifest), "report.html": qa_page(manifest)})
