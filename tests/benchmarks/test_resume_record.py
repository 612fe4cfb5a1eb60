"""A killed accuracy run goes on: nothing is asked twice but what was under way, and the figures are the same."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from resume_record import BEFORE, KEPT, KILLS, UNDER_WAY, Kill, Resumed, resumed, table, undisturbed

from truerecall.cli.main import run

pytestmark = pytest.mark.skipif(os.name != "posix", reason="kill -9 of POSIX")
FAST = "--uncalibrated"
"""Saves the trial of the judges, which is 128 calls; benchmarks/resume_record.py kills that too."""


def go(given: Sequence[str]) -> int:
    """The command in this process, which has imported everything already."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["truerecall", *given])
        patch.setattr(sys, "stdout", None)
        with pytest.raises(SystemExit) as left:
            run()
    return int(left.value.code or 0)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> tuple[int, Any]:
    return undisturbed(tmp_path_factory.mktemp("alone"), FAST, go=go)


@pytest.mark.parametrize(
    ("kill", "before", "after", "lost"),
    [
        (Kill("recall", BEFORE, 1), 0, 9, 0),
        (Kill("answer", UNDER_WAY, jobs=3), 3, 9, 3),
        (Kill("answer", BEFORE), 2, 8, 1),
        (Kill("judge", KEPT), 5, 4, 0),
        (Kill("figures", BEFORE, 1), 9, 0, 0),
    ],
    ids=lambda value: f"{value.stage} {value.moment}" if isinstance(value, Kill) else None,
)
def test_a_killed_run_goes_on_and_asks_nothing_twice_but_what_was_under_way(
    tmp_path: Path, alone: tuple[int, Any], kill: Kill, before: int, after: int, lost: int
) -> None:
    found = resumed(kill, tmp_path, *alone, FAST, go=go)
    assert found == Resumed(kill, before, after, lost, undisturbed=9, same=True)
    assert found.holds


def test_the_table_says_what_does_not_hold() -> None:
    twice = Resumed(KILLS[0], before=3, after=9, lost=1, undisturbed=9, same=True)
    other = Resumed(KILLS[-1], before=9, after=0, lost=0, undisturbed=9, same=False)
    fine = Resumed(Kill("answer", KEPT), before=4, after=5, lost=0, undisturbed=9, same=True)
    assert [line.split()[-2:] for line in table([twice, other, fine]).split("\n")[1:]] == [
        ["yes", "NO"],
        ["NO", "NO"],
        ["yes", "yes"],
    ]
