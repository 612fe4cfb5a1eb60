"""Reading a finished run of either kind: its manifest says which it is."""

import json
from pathlib import Path

from truerecall.bench.manifest import RetrievalManifest
from truerecall.bench.qa.folder import read_qa_manifest
from truerecall.bench.qa.manifest import QaManifest
from truerecall.bench.run import read_manifest

Manifest = RetrievalManifest | QaManifest


def read_run(run: Path) -> Manifest:
    """The manifest of a finished run's folder, or of a manifest file.

    Raises:
        RunError: there is none, or it is not one of this version.
    """
    return read_qa_manifest(run) if kind_of(run) == "qa" else read_manifest(run)


def kind_of(run: Path) -> str:
    """What a manifest says that it is; nothing where there is none to read: reading it whole says why."""
    path = run / "manifest.json" if run.is_dir() else run
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return ""
    return str(found.get("kind", "")) if isinstance(found, dict) else ""
