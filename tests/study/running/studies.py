"""Studies that tests run: the sample with the small agent in the place of a command line, and a scripted model."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
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
from truerecall.study.keys.approving import approved_digest
from truerecall.study.records import RunRow
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
    with ScriptedServer(Scenario(lines), caching=True) as server:
        study = with_agent(sample, server.root, environment or {})
        yield Place(part(replace(study, repeats=repeats), sides, questions), out, server)


def with_agent(study: Study, root: str, environment: Mapping[str, str]) -> Study:
    """A study with the small agent as its solver, and the server at this address for every model."""
    told = {"ANTHROPIC_BASE_URL": root, **environment}
    graders = replace(
        study.graders,
        rewriter=f"{study.graders.rewriter},base_url={root}",
        judge=f"{study.graders.judge},base_url={root}",
    )
    solver = SolverChoice("command", SOLVER, AGENT, timeout=60.0, environment=told)
    return replace(study, solver=solver, graders=graders)


def part(study: Study, sides: Sequence[str], questions: Sequence[str]) -> Study:
    """A study with these sides and questions alone."""
    return replace(
        study,
        sides=tuple(side for side in study.sides if side.name in sides),
        questions=tuple(one for one in study.questions if one.id in questions),
    )


def linked(here: Place, clone: Path, name: str, target: str) -> Place:
    """The same with a link in the repository of its one question, committed and approved."""
    (question,), (repository,) = here.study.questions, here.study.repositories
    (checkout,) = question.checkouts

    def git(*arguments: str) -> str:
        named = ["-c", "user.name=Dev", "-c", "user.email=dev@team.example"]
        done = subprocess.run(
            ["git", "-C", str(clone), *named, *arguments], check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    clone.mkdir()
    git("clone", "-q", str(here.study.folder / "pigeon.git"), ".")
    git("checkout", "-q", checkout.commit)
    (clone / name).symlink_to(target)
    git("add", name)
    git("commit", "-q", "-m", "Link it")
    moved = replace(question, checkouts=(replace(checkout, commit=git("rev-parse", "HEAD")),))
    assert question.approval is not None
    approved = replace(moved, approval=replace(question.approval, sha256=approved_digest(moved)))
    return here.changed(questions=(approved,), repositories=(replace(repository, source=str(clone)),))


@dataclass(frozen=True, slots=True)
class Whole:
    """A finished run."""

    place: Place
    run: StudyRun
    told: list[StudyProgress]

    def row(self, question: str, side: str, repeat: int = 1) -> RunRow:
        return next(
            row for row in self.run.rows() if (row.question, row.side, row.repeat) == (question, side, repeat)
        )


def side(name: str, **details: Any) -> Side:
    """A memory side of another name."""
    return Side(name, "memory", **details)


def watched(told: list[StudyProgress]) -> dict[str, Any]:
    """An option that keeps what was reported."""
    return {"report": told.append}


def again(told: dict[str, Any]) -> tuple[Study, RunOptions]:
    """The study and the options of a place that another process made; see ``test_resume``."""
    study = with_agent(read_study(Path(told["folder"])), told["root"], {})
    study = part(replace(study, repeats=1), told["sides"], told["questions"])
    out = Path(told["out"])
    options = RunOptions(
        out=out,
        environment=GIVEN,
        clock=ManualClock(datetime(2026, 12, 1, tzinfo=UTC)),
        scripted=True,
        work=out.parent / "work",
    )
    return study, options
