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
    return read_qa_manifest(run) if _kind(run) == "qa" else read_manifest(run)


def _kind(run: Path) -> object:
    """The manifest's own word; None where there is none to read: reading it whole says why."""
    path = run / "manifest.json" if run.is_dir() else run
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found.get("kind") if isinstance(found, dict) else None
