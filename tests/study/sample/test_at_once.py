"""The sample's figures do not depend on how many of its runs go on at once."""

import os
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from truerecall.core.clock import ManualClock
from truerecall.study.demo import scripted
from truerecall.study.design import SolverChoice, Study
from truerecall.study.records import RunRow
from truerecall.study.running.options import RunOptions
from truerecall.study.running.run import run_study

AGENT = SolverChoice("command", command=(sys.executable, "-m", "truerecall.study.sample.agent"))


def rows(sample: Study, out: Path, jobs: int) -> list[RunRow]:
    little = replace(
        sample,
        solver=AGENT,
        sides=tuple(side for side in sample.sides if side.kind == "none"),
        questions=tuple(question for question in sample.questions if question.id == "giving-up"),
    )
    with scripted(little) as study:
        options = RunOptions(
            out=out / "run",
            environment={"PATH": os.environ["PATH"], study.solver.key_variable: "none"},
            clock=ManualClock(datetime(2026, 12, 1, tzinfo=UTC)),
            scripted=True,
            work=out / "work",
            jobs=jobs,
        )
        return run_study(study, options).rows()


def figures_of(found: list[RunRow]) -> list[tuple[int | None, int, float | None]]:
    """Of each run, whichever came first: follow-ups until correct, calls and cost."""
    return sorted((row.correct_after, row.spent.calls, row.spent.cost) for row in found)


def test_runs_at_once_take_the_ways_of_their_side_and_cost_what_they_cost_in_turn(
    sample: Study, tmp_path: Path
) -> None:
    at_once = figures_of(rows(sample, tmp_path / "at-once", jobs=3))

    assert at_once == figures_of(rows(sample, tmp_path / "in-turn", jobs=1))
    assert [(after, calls) for after, calls, _ in at_once] == [(0, 6), (1, 7), (2, 7)]
