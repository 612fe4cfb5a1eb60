"""Writing a run's reports: the manifest, the Markdown and the page."""

import json
import os
from pathlib import Path

from truerecall.bench.manifest import RetrievalManifest
from truerecall.bench.report.markdown import markdown
from truerecall.bench.report.page import page
from truerecall.errors import RunError


def manifest_json(manifest: RetrievalManifest) -> str:
    """The manifest with sorted keys: the same run gives the same bytes.

    Raises:
        RunError: a figure is not a finite number.
    """
    try:
        text = json.dumps(
            manifest.model_dump(mode="json"), sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False
        )
    except ValueError as error:
        raise RunError(
            "a figure of the manifest is not a finite number",
            remedy="Leave out what was not measured (None) instead of writing NaN or infinity.",
        ) from error
    return text + "\n"


def write_reports(manifest: RetrievalManifest, folder: Path) -> list[Path]:
    """Write ``manifest.json``, ``report.md`` and ``report.html``; each appears whole or not at all.

    Everything is made before anything is written: a manifest that cannot be printed leaves old reports be.

    Raises:
        RunError: a figure is not finite, or the folder cannot be written.
    """
    texts = {
        "manifest.json": manifest_json(manifest),
        "report.md": markdown(manifest),
        "report.html": page(manifest),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return [_replace(folder / name, text) for name, text in texts.items()]
    except OSError as error:
        raise RunError(
            f"the reports cannot be written: {error.strerror}",
            where=str(folder),
            remedy="Choose a run folder that can be written.",
        ) from error


def _replace(path: Path, text: str) -> Path:
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return path
