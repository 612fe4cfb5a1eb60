"""A rival that is installed without a package index: the example, or a script of the test, on this Python."""

import sys
from dataclasses import replace
from pathlib import Path

from truerecall.bench.rivals.installing import Installed, requirements_sha256
from truerecall.bench.rivals.table import FOLDER, Rival, rival

HEAD = """
import os, sys
sys.path.insert(0, {folder!r})
import line
from line import Asked, Census, Item, Recalled, serve
class Other:
    name = "other"
    configuration = {{"version": 1}}
    def __init__(self, options): self.options, self.kept = options, []
    def open(self, folder, tenant, space, user): self.kept = []
    def ingest(self, items):
        self.kept += [f"{{i.session}}.{{i.position}}" for i in items]
        return self.kept
    def recall(self, asked): return Recalled(self.kept[: asked.k], {{}}, {{}})
    def delete(self, handles): pass
    def census(self): return Census(len(self.kept))
    def close(self): pass
"""


def installed(root: Path, which: Rival | None = None) -> Path:
    """Put an environment with its stamp below ``root``, without making one; the root."""
    row = which or rival("example")
    inside = root / row.name / ("Scripts" if sys.platform == "win32" else "bin")
    inside.mkdir(parents=True)
    (inside / "python").symlink_to(sys.executable)
    stamp = Installed(requirements_sha256=requirements_sha256(row), python="3", packages={})
    (root / row.name / "installed.json").write_text(stamp.model_dump_json(), encoding="utf-8")
    return root


def script(folder: Path, body: str = "") -> Path:
    """A script with an adapter that ``body`` changes."""
    path = folder / "other_adapter.py"
    path.write_text(HEAD.format(folder=str(FOLDER)) + body + "\nserve(Other)\n", encoding="utf-8")
    return path


def scripted(path: Path, **changes: object) -> Rival:
    """The example's row with another script, and whatever else is changed."""
    return replace(rival("example"), adapter=str(path), **changes)  # type: ignore[arg-type]
