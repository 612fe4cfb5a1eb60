"""The sample study as its demo lays it out, and what a run of it needs."""

import subprocess
from collections.abc import Callable

import pytest

from truerecall.study.design import Question, Study
from truerecall.study.files.reading import read_study
from truerecall.study.sample.making import make_study


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Read from the folder that a demo writes."""
    folder = tmp_path_factory.mktemp("demo") / "study"
    make_study(folder)
    return read_study(folder)


@pytest.fixture
def questions(sample: Study) -> dict[str, Question]:
    return {question.id: question for question in sample.questions}


@pytest.fixture(scope="session")
def git(sample: Study) -> Callable[..., str]:
    """What git prints in the sample's repository."""

    def run(*arguments: str) -> str:
        return subprocess.run(
            ["git", "-C", str(sample.folder / "pigeon.git"), *arguments],
            capture_output=True,
            check=True,
            text=True,
            encoding="utf-8",
        ).stdout

    return run
