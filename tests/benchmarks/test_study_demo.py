"""What a demo of the study takes: how a process is measured, what is kept of it, and what is not published."""

import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "study" / "figures"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "study" / "report"))

from run_folders import a_study, ask, thrown, written
from study_demo import (
    Measured,
    Together,
    demonstrated,
    keep_sample,
    measured,
    of_this_machine,
    proportional,
    record,
    stray,
    tree,
)  # fmt: skip

from truerecall.bench.measured import making, record_json
from truerecall.bench.report.study_demo import study_demo_block
from truerecall.bench.study_demo import read_study_demo
from truerecall.core.clock import ManualClock
from truerecall.errors import RunError
from truerecall.study.folder import Finished
from truerecall.study.report.writing import write_report

MACHINE = making(ManualClock(datetime(2026, 12, 1, tzinfo=UTC)), "benchmarks/study_demo.py --write", ())
LINUX = pytest.mark.skipif(not Path("/proc/self/smaps_rollup").is_file(), reason="read from /proc of Linux")


DEMO = """
import sys
from pathlib import Path
sys.path[:0] = {folders!r}
from run_folders import a_study, written
from truerecall.study.report.writing import write_report
study = a_study(1, 0, repeats=1)
named = study.plan.model_copy(update={{"name": {name!r}}})
write_report(written(Path("demo/run"), study.__class__(named, study.environment, study.rows, [], [], [])))
"""
"""Does in a moment what a demo leaves behind in minutes."""


def demo(name: str) -> list[str]:
    folders = [str(Path(__file__).resolve().parents[1] / "study" / part) for part in ("report", "figures")]
    return [sys.executable, "-c", DEMO.format(folders=folders, name=name)]


def made(folder: Path) -> Path:
    """The record of a study that never ran, in a file."""
    study = a_study(2, 1, repeats=1)
    run = written(folder / "run", Finished(study.plan, study.environment, study.rows,
                                           [thrown("q0 none 1", "outside", 2)], [], []))  # fmt: skip
    ask(run.folder, "judge", "anthropic:opus", 5)
    write_report(run)
    path = folder / "study-demo.json"
    path.write_text(record_json(record(run, Measured(171.26, 402.31, 611.51, 0), MACHINE)), encoding="utf-8")
    return path


def test_what_was_measured_is_kept_with_what_the_run_folder_says(tmp_path: Path) -> None:
    found = read_study_demo(made(tmp_path))

    assert (found.seconds, found.largest_mb, found.together_mb) == (171.3, 402.3, 611.5)
    assert (found.questions, found.controls, found.sides, found.repeats) == (2, 1, 4, 1)
    assert (found.runs, found.discarded, found.solver) == (11, 1, "claude-code 2")
    assert (found.solver_calls, found.solver_tokens) == (11, 3 * 500 + 8 * 1000)
    assert found.grading_calls == {"judge": 5}


def test_the_block_of_the_page_prints_the_record_and_nothing_else(tmp_path: Path) -> None:
    block = study_demo_block("study-demo.json", read_study_demo(made(tmp_path)))

    lines = block.splitlines()
    assert lines[:4] == [
        "| what | one demo |",
        "| --- | ---: |",
        "| wall time, to the finished report | 171 s |",
        "| most memory of one process | 402 MB |",
    ]
    assert "| most memory of all processes at once | 612 MB |" in lines
    assert "| runs | 11: 2 questions and 1 control, 4 sides, 1 repeat |" in lines
    assert "| calls of the model by claude-code 2 | 11 with 9,500 tokens |" in lines
    assert "| calls that graded | 5 of the judge |" in lines
    assert lines[-1].startswith(f"On {MACHINE.machine['cores']} cores (load average before: ")
    assert "[study-demo.json](../benchmarks/manifests/study-demo.json)" in lines[-1]


def test_without_a_record_the_page_says_so() -> None:
    assert study_demo_block("study-demo.json", None) == "Not measured: no manifest of it is committed yet.\n"


def test_a_record_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "study-demo.json"
    path.write_text('{"kind": "figures"}', encoding="utf-8")
    with pytest.raises(RunError, match="not one of this version"):
        read_study_demo(path)


def test_a_command_is_measured_with_all_that_it_starts(tmp_path: Path) -> None:
    child = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'x = bytearray(60_000_000)'])"
    took = measured([sys.executable, "-c", child], tmp_path, os.environ)

    assert took.code == 0
    assert took.seconds > 0.0
    assert took.largest_mb > 60.0


def test_a_command_that_fails_is_told_by_its_code(tmp_path: Path) -> None:
    assert measured([sys.executable, "-c", "raise SystemExit(3)"], tmp_path, os.environ).code == 3


@LINUX
def test_processes_below_a_process_are_seen_with_their_memory() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        assert {os.getpid(), child.pid} <= set(tree(os.getpid()))
        assert tree(child.pid) == [child.pid]
        assert proportional(os.getpid()) > 1_000_000
        child.communicate(b"\n")
    assert child.pid not in tree(os.getpid())
    assert proportional(child.pid) == 0


@LINUX
def test_the_most_memory_of_all_at_once_is_kept() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        together = Together(child.pid)
        together.start()
        while together.most is None:
            os.sched_yield()
        child.communicate(b"\n")
    most = together.stop()
    assert most is not None
    assert 1.0 < most < 1000.0


def test_words_of_this_machine_are_found_before_anything_is_published(tmp_path: Path) -> None:
    words = of_this_machine(tmp_path)

    assert str(tmp_path) in words
    assert str(Path.home()) in words
    assert stray({"a.md": f"See {tmp_path}/x", "b.md": "See pigeon/x.py"}, [str(tmp_path)]) == [
        f"a.md: {tmp_path}"
    ]


def test_a_demo_leaves_its_record_and_the_three_forms_of_its_report(tmp_path: Path) -> None:
    shown = demonstrated(demo("a sample"), os.environ, MACHINE)

    path = tmp_path / "study-demo.json"
    path.write_text(shown.record, encoding="utf-8")
    found = read_study_demo(path)
    assert (found.runs, found.solver_tokens) == (4, 500 + 3 * 1000)
    assert found.seconds > 0.0
    assert shown.stray == []
    keep_sample(shown.texts, tmp_path / "sample")
    assert sorted(path.name for path in (tmp_path / "sample").iterdir()) == [
        "report.html", "report.json", "report.md",
    ]  # fmt: skip
    assert "The study “a sample”" in (tmp_path / "sample" / "report.md").read_text(encoding="utf-8")


def test_a_report_that_names_this_machine_is_told() -> None:
    user = "a-user-of-this-machine"
    shown = demonstrated(demo(f"the study of {user}"), os.environ, MACHINE)

    assert stray(shown.texts, [user]) == [f"{name}: {user}" for name in sorted(shown.texts)]


def test_a_demo_that_fails_ends_with_its_code() -> None:
    with pytest.raises(SystemExit) as left:
        demonstrated([sys.executable, "-c", "raise SystemExit(2)"], os.environ, MACHINE)
    assert left.value.code == 2
