"""Studies that tests run: the sample with the small agent in the place of a command line, and a scripted model."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from truerecall.core.clock import ManualClock
from truerecall.models.scripted import Scenario, ScriptedServer
from truerecall.study.design import Side, SolverChoice, Study
from truerecall.study.files.reading import read_study
from truerecall.study.folder import StudyRun
from truerecall.study.running.options import RunOptions, StudyProgress
from truerecall.study.running.run import run_study
from truerecall.study.sample.making import SAMPLE

AGENT = (sys.executable, "-m", "truerecall.study.sample.agent")
SOLVER, REWRITER, JUDGE = "claude-sonnet-5-5", "claude-haiku-5-5", "claude-opus-5-5"
GIVEN = {"PATH": os.environ["PATH"], "ANTHROPIC_API_KEY": "scripted"}


@dataclass(frozen=True, slots=True)
class Place:
    """A study that can be run, and the server that speaks for its models."""

    study: Study
    out: Path
    server: ScriptedServer

    def run(self, **options: Any) -> StudyRun:
        """Run what is not finished."""
        return run_study(self.study, self.options(**options))

    def options(self, **options: Any) -> RunOptions:
        """Those of the test, with what every test wants."""
        told: dict[str, Any] = {
            "out": self.out,
            "environment": GIVEN,
            "clock": ManualClock(datetime(2026, 12, 1, tzinfo=UTC)),
            "scripted": True,
            "work": self.out.parent / "work",
            **options,
        }
        return RunOptions(**told)

    def asked(self, model: str) -> list[str]:
        """What a model was told, a text a call."""
        return [call.said for call in self.server.calls if call.model == model]

    def changed(self, **changes: Any) -> "Place":
        """The same with another study."""
        return replace(self, study=replace(self.study, **changes))


@contextmanager
def place(
    sample: Study,
    out: Path,
    *,
    sides: Sequence[str] = ("memory", "none", "redo", "placebo"),
    questions: Sequence[str] = ("giving-up", "signature", "lint"),
    repeats: int = 1,
    before: Sequence[dict[str, Any]] = (),
    environment: dict[str, str] | None = None,
) -> Iterator[Place]:
    """The sample study, or a part of it; the lines of ``before`` come before those of its scenario."""
    lines = Scenario.of(*before).lines + Scenario.read(SAMPLE / "scenario.jsonl").lines
    with ScriptedServer(Scenario(lines)) as server:
        solver = SolverChoice(
            "command",
            SOLVER,
            AGENT,
            timeout=60.0,
            environment={"ANTHROPIC_BASE_URL": server.root, **(environment or {})},
        )
        graders = replace(
            sample.graders,
            rewriter=f"{sample.graders.rewriter},base_url={server.root}",
            judge=f"{sample.graders.judge},base_url={server.root}",
        )
        study = replace(
            sample,
            solver=solver,
            graders=graders,
            repeats=repeats,
            sides=tuple(side for side in sample.sides if side.name in sides),
            questions=tuple(one for one in sample.questions if one.id in questions),
        )
        yield Place(study, out, server)


def side(name: str, **details: Any) -> Side:
    """A memory side of another name."""
    return Side(name, "memory", **details)


def watched(told: list[StudyProgress]) -> dict[str, Any]:
    """An option that keeps what was reported."""
    return {"report": told.append}


def again(told: dict[str, Any]) -> tuple[Study, RunOptions]:
    """The study and the options of a place that another process made; see ``test_resume``."""
    study = read_study(Path(told["folder"]))
    solver = SolverChoice(
        "command", SOLVER, AGENT, timeout=60.0, environment={"ANTHROPIC_BASE_URL": told["root"]}
    )
    graders = replace(
        study.graders,
        rewriter=f"{study.graders.rewriter},base_url={told['root']}",
        judge=f"{study.graders.judge},base_url={told['root']}",
    )
    study = replace(
        study,
        solver=solver,
        graders=graders,
        repeats=1,
        sides=tuple(side for side in study.sides if side.name in told["sides"]),
        questions=tuple(one for one in study.questions if one.id in told["questions"]),
    )
    out = Path(told["out"])
    options = RunOptions(
        out=out,
        environment=GIVEN,
        clock=ManualClock(datetime(2026, 12, 1, tzinfo=UTC)),
        scripted=True,
        work=out.parent / "work",
    )
    return study, options
