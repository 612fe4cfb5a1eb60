"""Writing a run's reports: the manifest, the Markdown and the page."""

from collections.abc import Mapping
from pathlib import Path

from truerecall.bench.manifest import RetrievalManifest, manifest_json
from truerecall.bench.outputs import write_whole
from truerecall.bench.report.markdown import markdown
from truerecall.bench.report.page import page
from truerecall.bench.speed import Speed
from truerecall.errors import RunError


def write_reports(manifest: RetrievalManifest, folder: Path, speed: Speed | None = None) -> list[Path]:
    """Write ``manifest.json``, ``report.md`` and ``report.html``; each appears whole or not at all.

    ``speed`` is what benchmarks/speed.py measured; it gets a chapter of its own.

    Everything is made before anything is written: a manifest that cannot be printed leaves old reports be.

    Raises:
        RunError: a figure is not finite, or the folder cannot be written.
    """
    texts = {
        "manifest.json": manifest_json(manifest),
        "report.md": markdown(manifest, speed),
        "report.html": page(manifest, speed),
    }
    return write_all(folder, texts)


def write_all(folder: Path, texts: Mapping[str, str]) -> list[Path]:
    """Write texts by the names of their files; the folder is made where it is missing.

    Raises:
        RunError: the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            write_whole(folder / name, text)
    except OSError as error:
        raise RunError(
            f"the reports cannot be written: {error.strerror}",
            where=str(folder),
            remedy="Choose a run folder that can be written.",
        ) from error
    return [folder / name for name in texts]
