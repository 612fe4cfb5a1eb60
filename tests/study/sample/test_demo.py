"""The demo: the sample study from nothing to its report; here in little, with the sample's own agent."""

import importlib.util
import os
import sys
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from truerecall.core.clock import ManualClock
from truerecall.errors import StudyError
from truerecall.study.demo import can_open, prepared, show
from truerecall.study.design import SolverChoice, Study
from truerecall.study.files.reading import read_study
from truerecall.study.folder import StudyRun
from truerecall.study.ledger import disagreements
from truerecall.study.running.options import StudyProgress

AGENT = SolverChoice("command", command=(sys.executable, "-m", "truerecall.study.sample.agent"))
GIVEN = {"PATH": os.environ["PATH"]}


def little(study: Study) -> Study:
    """One question, two sides, once each, and the agent that needs no installation."""
    sides = tuple(side for side in study.sides if side.kind in ("memory", "none"))
    questions = tuple(question for question in study.questions if question.id == "giving-up")
    return replace(study, solver=AGENT, sides=sides, questions=questions, repeats=1)


def files_of(folder: Path) -> dict[str, int]:
    return {str(path): path.stat().st_mtime_ns for path in folder.rglob("row.json")}


def broken_off(progress: StudyProgress) -> None:
    if progress.stage == "finished":
        raise KeyboardInterrupt


def test_the_demo_goes_on_where_it_was_broken_off_and_is_not_run_twice(tmp_path: Path) -> None:
    clock = ManualClock(datetime(2026, 12, 1, 9, tzinfo=UTC))
    told: list[StudyProgress] = []
    with pytest.raises(KeyboardInterrupt):
        show(tmp_path, GIVEN, broken_off, clock=clock, adapt=little)
    (first,) = files_of(tmp_path / "run").items()
    shown = show(tmp_path, GIVEN, told.append, clock=clock, adapt=little)

    run = StudyRun(tmp_path / "run")
    rows = {row.side: row for row in run.rows()}
    assert {side: row.outcome for side, row in rows.items()} == {"memory": "correct", "none": "correct"}
    memory, none = rows["memory"], rows["none"]
    assert [(answer.correct, answer.misled) for answer in memory.answers] == [(False, True), (True, False)]
    assert [answer.correct for answer in none.answers] == [True]
    assert (memory.admission.per_protocol, none.admission.per_protocol) == (True, True)
    assert memory.block is not None
    assert [mark.hit for mark in memory.block.marks] == [True, True, True, True]
    assert disagreements(run) == []
    assert run.plan().scripted
    assert "whether memory pays" in shown.verdict
    assert shown.page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert Counter(progress.stage for progress in told)["finished"] == 1
    assert first in files_of(run.folder).items()

    before = files_of(run.folder)
    told.clear()
    again = show(tmp_path, GIVEN, told.append, clock=clock, adapt=little)

    assert again == shown
    assert files_of(run.folder) == before
    assert [progress.stage for progress in told] == []


def test_the_study_is_laid_out_once_and_what_was_edited_stays(tmp_path: Path) -> None:
    folder = prepared(tmp_path)
    (folder / "study.toml").write_text(
        (folder / "study.toml").read_text(encoding="utf-8").replace("repeats = 3", "repeats = 1"),
        encoding="utf-8",
    )

    assert prepared(tmp_path) == folder == tmp_path / "study"
    assert read_study(folder).repeats == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["study"]


def test_a_place_that_cannot_be_written_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")

    with pytest.raises(StudyError, match="the sample study cannot be written"):
        prepared(tmp_path / "file")


@pytest.mark.skipif(
    importlib.util.find_spec("claude_agent_sdk") is not None, reason="the extra brings a Claude Code"
)
def test_without_claude_code_the_demo_says_what_installs_it(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    with pytest.raises(StudyError) as error:
        show(tmp_path / "out", {"PATH": str(tmp_path / "bin")})

    assert error.value.problem == "Claude Code is not there"
    assert "pip install 'truerecall[study]'" in str(error.value)


@pytest.mark.parametrize(
    ("environment", "platform", "shown"),
    [
        ({}, "linux", False),
        ({"DISPLAY": ""}, "linux", False),
        ({"DISPLAY": ":0"}, "linux", True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", True),
        ({}, "darwin", True),
        ({}, "win32", True),
    ],
)
def test_a_browser_is_opened_only_where_there_is_a_display(
    environment: dict[str, str], platform: str, shown: bool
) -> None:
    assert can_open(environment, platform) is shown
