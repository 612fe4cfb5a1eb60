"""``truerecall study demo`` whole: the real Claude Code on all sides, hooks and tools for real, the model a script."""

import json
import os
import shutil
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from running import run

from truerecall.study.folder import StudyRun
from truerecall.study.ledger import disagreements

pytestmark = pytest.mark.agents

SECONDS = 900.0
"""After so long it hangs: two minutes are usual on two cores."""


def test_the_demo_plays_the_sample_study_with_the_real_command_line_and_is_quick_when_given_again(
    tmp_path: Path, commands: Any, measured: dict[str, Any]
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    path = os.pathsep.join((str(commands["claude"].parent), os.environ["PATH"]))
    environment = {"HOME": str(home), "PATH": path, "LANG": "C.UTF-8", "TMPDIR": str(tmp_path)}
    demo = [sys.executable, "-m", "truerecall", "study", "demo", "--out", "shown", "--no-open"]

    ran = run(demo, environment=environment, cwd=tmp_path, timeout=SECONDS)

    assert ran.code == 0, ran.err
    assert "A script played the solver" in ran.out
    assert "truerecall study run shown/study" in ran.out
    folder = StudyRun(tmp_path / "shown" / "run")
    rows = folder.rows()
    assert Counter(row.outcome for row in rows) == {"correct": 33}
    assert folder.discarded() == []
    others = [row for row in rows if not row.admission.per_protocol]
    # For the control nothing is recalled, so that there is nothing in whose place a placebo could stand.
    assert [(row.side, row.repeat) for row in others if row.question != "lint"] == []
    assert disagreements(folder) == []
    after = Counter((row.side, row.correct_after) for row in rows if row.question != "lint")
    assert after == {
        ("memory", 0): 3, ("memory", 1): 3,
        ("none", 0): 2, ("none", 1): 2, ("none", 2): 2,
        ("redo", 0): 4, ("redo", 1): 2,
        ("placebo", 0): 2, ("placebo", 1): 2, ("placebo", 2): 2,
    }  # fmt: skip
    misled = Counter(row.side for row in rows if any(answer.misled for answer in row.answers))
    assert misled == {"memory": 2, "none": 1, "placebo": 1}
    assert sum(row.audit.denied for row in rows) == 2
    blocks = [row.block for row in rows if row.kind == "memory" and row.question != "lint"]
    assert all(block and all(mark.hit for mark in block.marks) for block in blocks)
    report = json.loads((folder.folder / "report" / "report.json").read_text(encoding="utf-8"))
    assert report["figures"]["verdict"]["finding"] == "wiring"
    measured["calls"] = sum(row.spent.calls for row in rows)
    kept = {path: path.stat().st_mtime_ns for path in folder.folder.rglob("row.json")}

    again = run(demo, environment=environment, cwd=tmp_path, timeout=SECONDS)

    assert (again.code, again.out) == (0, ran.out)
    assert {path: path.stat().st_mtime_ns for path in folder.folder.rglob("row.json")} == kept


def test_without_claude_code_the_demo_ends_with_what_installs_it(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "git").symlink_to(shutil.which("git") or "")
    environment = {"HOME": str(tmp_path), "PATH": str(tmp_path / "bin"), "TMPDIR": str(tmp_path)}
    demo = [sys.executable, "-m", "truerecall", "study", "demo", "--no-open"]

    ran = run(demo, environment=environment, cwd=tmp_path)

    assert ran.code == 2
    assert "Claude Code is not there" in ran.err
    assert "pip install 'truerecall[study]'" in ran.err
    assert "Traceback" not in ran.err
