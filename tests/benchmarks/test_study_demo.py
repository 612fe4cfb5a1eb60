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
from study_demo import Measured, Together, measured, of_this_machine, proportional, record, stray, tree

from truerecall.bench.measured import making, record_json
from truerecall.bench.report.study_demo import study_demo_block
from truerecall.bench.study_demo import read_study_demo
from truerecall.core.clock import ManualClock
from truerecall.errors import RunError
from truerecall.study.folder import Finished
from truerecall.study.report.writing import write_report

MACHINE = making(ManualClock(datetime(2026, 12, 1, tzinfo=UTC)), "benchmarks/study_demo.py --write", ())
LINUX = pytest.mark.skipif(not Path("/proc/self/smaps_rollup").is_file(), reason="read from /proc of Linux")


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
