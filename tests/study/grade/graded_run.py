"""A run folder with finished runs of four sides, whose answers are graded."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from scripted_judge import QUESTION

from truerecall.study.folder import PLAN, ROW, StudyRun, keep
from truerecall.study.planned import Plan, PlannedRun, PlannedSide, PlannedSolver
from truerecall.study.records import (
    Admission,
    Audit,
    Blinded,
    Graded,
    Marking,
    RunRow,
    Spent,
    Suspect,
)

SIDES = (
    PlannedSide(name="truerecall-memory", kind="memory", delivery="plugin", marker="<truerecall-block>"),
    PlannedSide(name="bare", kind="none", delivery="none"),
    PlannedSide(name="asked-again", kind="redo", delivery="none"),
    PlannedSide(name="neutral", kind="placebo", delivery="plugin"),
)
RUNS = tuple(
    PlannedRun(question=QUESTION.id, side=side.name, repeat=repeat) for repeat in (1, 2, 3) for side in SIDES
)


def plan(seed: int = 0) -> Plan:
    return Plan(
        name="wonder-study",
        scripted=True,
        solver=PlannedSolver(
            name="command", model="none", version="1", arguments=[], max_turns=1, timeout=1.0
        ),
        rewriter="rules",
        judge="scripted:j.jsonl",
        checker="",
        repeats=3,
        followups=3,
        again=2,
        seed=seed,
        questions=[QUESTION],
        sides=list(SIDES),
        runs=list(RUNS),
        memory={},
        extraction_cost=None,
        prices_dated="2026-08-05",
        prices_sha256="d" * 64,
        prices={},
    )


def row(run: PlannedRun, attempt: int = 1, outcome: str = "wrong") -> RunRow:
    return RunRow.model_validate(
        {
            "question": run.question,
            "side": run.side,
            "kind": next(side.kind for side in SIDES if side.name == run.side),
            "repeat": run.repeat,
            "attempt": attempt,
            "position": RUNS.index(run),
            "outcome": outcome,
            "admission": Admission(delivered=False, per_protocol=True),
            "audit": Audit(uses=0, denied=0),
            "spent": Spent(),
            "seconds": 1.0,
        }
    )


def graded(*suspects: Suspect, followups: int = 0) -> Graded:
    return Graded(
        exchange=followups,
        followups=followups,
        blinded=Blinded(text="An answer.", state="clean"),
        truth=Marking(key="truth", state="valid"),
        suspects=list(suspects),
    )


def finished_run(folder: Path, answers: Mapping[PlannedRun, Sequence[Graded]], attempt: int = 1) -> StudyRun:
    """A folder with these answers of these runs, each run finished at that attempt."""
    folder.mkdir(exist_ok=True)
    run = StudyRun(folder)
    keep(folder / PLAN, plan())
    for planned, given in answers.items():
        for one in given:
            keep(run.attempt(planned, attempt) / f"graded-{one.exchange}.json", one)
        keep(run.place(planned) / ROW, row(planned, attempt))
    return run
