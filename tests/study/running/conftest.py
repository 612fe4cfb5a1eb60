"""One whole run of the sample study, which many tests look at."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from truerecall.study.design import Study
from truerecall.study.files.reading import read_study
from truerecall.study.running.options import StudyProgress
from truerecall.study.sample.making import make_study

sys.path.insert(0, str(Path(__file__).parent))

from studies import Whole, place, watched


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Study:
    folder = tmp_path_factory.mktemp("sample") / "study"
    make_study(folder)
    return read_study(folder)


@pytest.fixture(scope="session")
def whole(sample: Study, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Whole]:
    """A question and the control, each side once: every process that runs tests makes it anew."""
    told: list[StudyProgress] = []
    with place(sample, tmp_path_factory.mktemp("whole") / "run", questions=["signature", "lint"]) as here:
        yield Whole(here, here.run(**watched(told)), told)
