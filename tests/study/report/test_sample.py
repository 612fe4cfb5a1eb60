"""The sample of a report in docs/study-sample is what the code writes today, and holds nothing of a machine."""

import re
from pathlib import Path

import pytest
from page_of import Document
from run_folders import tables

from truerecall.study.report.record import StudyReport
from truerecall.study.report.writing import report_texts
from truerecall.study.sample.making import SAMPLE as STUDY

SAMPLE = Path(__file__).resolve().parents[3] / "docs" / "study-sample"
NAMES = ("report.md", "report.json", "report.html")


@pytest.fixture(scope="module")
def sample() -> dict[str, str]:
    return {name: (SAMPLE / name).read_text(encoding="utf-8") for name in NAMES}


@pytest.fixture(scope="module")
def report(sample: dict[str, str]) -> StudyReport:
    return StudyReport.model_validate_json(sample["report.json"])


def test_nothing_else_is_kept_there() -> None:
    assert sorted(path.name for path in SAMPLE.iterdir()) == sorted(NAMES)


def test_both_layouts_are_what_the_code_makes_of_the_json(
    sample: dict[str, str], report: StudyReport
) -> None:
    assert report_texts(report) == sample


def test_the_sample_says_above_everything_that_its_figures_say_nothing(sample: dict[str, str]) -> None:
    lines = sample["report.md"].splitlines()

    assert lines[0] == "# Does memory pay for a coding agent?"
    assert lines[4].startswith(
        "> **What the solver, the rewriter and the judge say here is written in a file."
    )
    assert lines[4].endswith("its figures say nothing about memory.**")


def test_the_sample_is_of_the_whole_sample_study(report: StudyReport) -> None:
    assert (report.figures.finished, report.figures.planned) == (33, 33)
    assert sorted(one.id for one in report.plan.questions) == sorted(
        path.name for path in (STUDY / "questions").iterdir()
    )
    assert [one.side for one in report.figures.sides] == ["memory", "none", "redo", "placebo"]
    assert report.plan.solver.name == "claude-code"
    assert report.plan.scripted


def test_the_sample_holds_no_folder_and_no_address(sample: dict[str, str]) -> None:
    for name, text in sample.items():
        text = text.replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"(?<![\w.…~/])/(?:home|root|tmp|Users|work|opt|var|usr)/\w", text), name
        assert "://" not in text, name


def test_the_page_of_the_sample_is_whole(sample: dict[str, str]) -> None:
    assert Document(sample["report.html"]).open == []
    assert len(list(tables(sample["report.md"]))) > 30
