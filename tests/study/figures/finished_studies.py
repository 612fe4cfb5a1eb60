"""Finished studies, made up by hand or at random, for the tests of their figures."""

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from truerecall.study.folder import Finished
from truerecall.study.order import runs_in_order
from truerecall.study.planned import (
    Environment,
    Plan,
    PlannedFact,
    PlannedQuestion,
    PlannedRun,
    PlannedSide,
    PlannedSolver,
)
from truerecall.study.records import Admission, AnswerRow, Audit, Discarded, RunRow, Spent

SIDES = ("memory", "none", "redo", "placebo")
FACTS = [PlannedFact(number=number, text="so", place="app: a.py:1") for number in (1, 2, 3)]
SESSION = [
    PlannedFact(number=1, text="so", place="session s"),
    PlannedFact(number=2, text="not so", place="session s", wrong=True),
]


def a_question(name: str, control: bool = False) -> PlannedQuestion:
    """With three facts in its truth key, and two in its session key, of which one is not so."""
    return PlannedQuestion(
        id=name,
        text=f"What of {name}?",
        request="" if control else "Do it.",
        asked_at="2026-05-01T00:00:00Z",
        control=control,
        checkouts=[],
        session_key=[] if control else SESSION,
        truth_key=FACTS,
        approved_by="one who knows",
        approved_at="2026-05-02T00:00:00Z",
        approved_sha256="0" * 64,
    )


def a_plan(
    questions: int = 1,
    controls: int = 0,
    sides: Sequence[str] = SIDES,
    repeats: int = 3,
    **changes: Any,
) -> Plan:
    """Of sides that are called as their kind is, or KIND-SOMETHING."""
    asked = [a_question(f"q{number}") for number in range(questions)]
    asked += [a_question(f"c{number}", control=True) for number in range(controls)]
    planned = [
        PlannedSide.model_validate({"name": name, "kind": name.split("-")[0], "delivery": "none"})
        for name in sides
    ]
    plan = Plan(
        name="made up",
        scripted=False,
        solver=PlannedSolver(
            name="claude-code", model="claude-sonnet-5-5", version="2", arguments=[], max_turns=40, timeout=60
        ),
        rewriter="rules",
        judge="scripted:judge.json",
        checker="scripted:judge.json",
        repeats=repeats,
        followups=3,
        again=2,
        seed=0,
        questions=asked,
        sides=planned,
        runs=runs_in_order(asked, planned, repeats, 0),
        memory={},
        extraction_cost=None,
        prices_dated="2026-11-30",
        prices_sha256="0" * 64,
        prices={},
    )
    return plan.model_copy(update=changes)


def used(tokens: int, cost: float | None, uncached: float | None = None) -> Spent:
    """Tokens past the cache, and what they cost."""
    twice = None if cost is None else 2 * cost
    return Spent(calls=1, input=tokens, cost=cost, uncached_cost=twice if uncached is None else uncached)


def answered(followups: int, correct: bool, spent: Spent, seconds: float, **changes: Any) -> AnswerRow:
    """One answer; a correct one has all three facts, another one."""
    row = AnswerRow(
        followups=followups,
        correct=correct,
        truth_hits=3 if correct else 1,
        session_hits=1,
        misled=False,
        blind="clean",
        suspects=0,
        flips=None,
        spent=spent,
        seconds=seconds,
    )
    return row.model_copy(update=changes)


def a_run(
    run: str,
    after: int | None = 0,
    tokens: int = 1000,
    cost: float | None = 0.1,
    seconds: float = 10.0,
    outcome: str = "",
    **changes: Any,
) -> RunRow:
    """A run called ``QUESTION SIDE REPEAT``; each answer takes as many tokens, dollars and seconds as the first.

    ``after`` is after how many follow-ups it was correct; None: never, with all three follow-ups used up.
    """
    question, side, repeat = run.split()
    outcome = outcome or ("wrong" if after is None else "correct")
    last = 3 if after is None else after
    answers = [] if outcome in ("failed", "out") else [
        answered(
            number,
            outcome == "correct" and number == last,
            used(tokens * (number + 1), None if cost is None else cost * (number + 1)),
            seconds * (number + 1),
        )
        for number in range(last + 1)
    ]  # fmt: skip
    kind = side.split("-")[0]
    row = {
        "question": question, "side": side, "kind": kind, "repeat": int(repeat), "attempt": 1, "position": 0,
        "outcome": outcome, "answers": answers,
        "admission": Admission(delivered=kind == "memory", per_protocol=True),
        "audit": Audit(uses=4, denied=1),
        "spent": answers[-1].spent if answers else used(tokens, cost),
        "seconds": answers[-1].seconds if answers else seconds,
    }  # fmt: skip
    return RunRow.model_validate({**row, **changes})


def of_run(run: PlannedRun) -> str:
    """What ``a_run`` calls it."""
    return f"{run.question} {run.side} {run.repeat}"


def finished(plan: Plan, rows: Sequence[RunRow], discarded: Sequence[Discarded] = ()) -> Finished:
    """A run folder of these rows."""
    environment = Environment(
        created="2026-11-30T00:00:00Z", truerecall="1", commit=None, dirty=None, python="3", system="Linux",
        cores=None, command="truerecall study run",
    )  # fmt: skip
    return Finished(plan, environment, list(rows), list(discarded), [], [])


MILLIONTHS = st.integers(0, 2_000_000).map(lambda number: number / 1_000_000)
"""No money or time is measured in less, and shares of it do not overflow."""


@st.composite
def studies(draw: st.DrawFn, least: int = 1, most: int = 4) -> Finished:
    """Any study: sides and repeats of any number, runs of any outcome, some of them not finished."""
    sides = draw(
        st.lists(st.sampled_from([*SIDES, "grep", "memory-b", "none-b"]), min_size=1, max_size=5, unique=True)
    )
    plan = a_plan(
        draw(st.integers(least, most)),
        draw(st.integers(0, 2)),
        sides,
        draw(st.integers(1, 4)),
        scripted=draw(st.booleans()),
        extraction_cost=draw(st.none() | MILLIONTHS),
    )
    rows = []
    for run in plan.runs:
        outcome = draw(
            st.sampled_from(["correct", "correct", "correct", "wrong", "invalid", "failed", "out", "missing"])
        )
        if outcome == "missing":
            continue
        row = a_run(
            of_run(run),
            draw(st.integers(0, 3)) if outcome in ("correct", "invalid") else None,
            draw(st.integers(0, 5000)),
            draw(MILLIONTHS | st.just(0.5)) if draw(st.integers(0, 9)) else None,
            draw(MILLIONTHS),
            outcome,
        )
        delivered = Admission(delivered=draw(st.booleans()), per_protocol=draw(st.booleans()))
        rows.append(row.model_copy(update={"admission": delivered}))
    return finished(plan, rows)
