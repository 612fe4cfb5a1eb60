"""What a study may cost, said before any money is spent."""

import pytest

from truerecall.measure.prices import shipped
from truerecall.study.estimate import Range, estimate, expected_run
from truerecall.study.order import runs_in_order
from truerecall.study.planned import Plan, PlannedFact, PlannedQuestion, PlannedSide, PlannedSolver
from truerecall.study.records import Admission, Audit, RunRow, Spent
from truerecall.study.tally import price_rows

MODELS = ("claude-sonnet-5-5", "anthropic:claude-haiku-5-5", "anthropic:claude-opus-5-5")
FACTS = [PlannedFact(number=number, text="so", place="app: a.py:1") for number in (1, 2, 3)]


def question(name: str, control: bool = False) -> PlannedQuestion:
    return PlannedQuestion(
        id=name,
        text="?",
        request="",
        asked_at="2026-05-01T00:00:00Z",
        control=control,
        checkouts=[],
        session_key=[] if control else FACTS,
        truth_key=FACTS,
        approved_by="",
        approved_at="",
        approved_sha256="",
    )


def plan(
    solver: str = MODELS[0],
    rewriter: str = MODELS[1],
    judge: str = MODELS[2],
    scripted: bool = False,
    followups: int = 3,
    max_turns: int = 40,
    kinds: tuple[str, ...] = ("memory", "none", "redo"),
) -> Plan:
    questions = [question("a"), question("b"), question("c", control=True)]
    sides = [PlannedSide.model_validate({"name": kind, "kind": kind, "delivery": "none"}) for kind in kinds]
    return Plan(
        name="small",
        scripted=scripted,
        solver=PlannedSolver(
            name="claude-code", model=solver, version="2", arguments=[], max_turns=max_turns, timeout=60
        ),
        rewriter=rewriter,
        judge=judge,
        checker=judge,
        repeats=3,
        followups=followups,
        again=2,
        seed=0,
        questions=questions,
        sides=sides,
        runs=runs_in_order(questions, sides, 3, 0),
        memory={},
        extraction_cost=None,
        prices_dated="2026-11-30",
        prices_sha256="",
        prices=price_rows([solver, rewriter, judge], shipped()),
    )


def finished(question: str, side: str, repeat: int, cost: float | None) -> RunRow:
    return RunRow.model_validate(
        {
            "question": question, "side": side, "kind": side, "repeat": repeat, "attempt": 1, "position": 0,
            "outcome": "correct", "admission": Admission(delivered=False, per_protocol=True),
            "audit": Audit(uses=0, denied=0), "spent": Spent(cost=cost), "seconds": 1.0,
        }
    )  # fmt: skip


def test_every_planned_run_is_counted_by_side() -> None:
    found = estimate(plan())
    assert [(one.side, one.runs, one.left) for one in found.sides] == [
        ("memory", 9, 9),
        ("none", 9, 9),
        ("redo", 6, 6),
    ]
    assert (found.runs, found.left) == (24, 24)


def test_one_round_without_follow_ups_costs_what_it_costs_by_hand() -> None:
    found = estimate(plan(followups=0, max_turns=1))
    # 13,000 x 2.5 + 250 x 10 = 35,000 millionths of a dollar; 16,000 x 2.5 + 700 x 10 = 47,000; nine runs each
    assert found.sides[1].cost == Range(pytest.approx(9 * 0.035), pytest.approx(9 * 0.047))
    # a block of 300 and of 2,500 tokens, written to the cache
    assert found.sides[0].cost == Range(pytest.approx(9 * 0.03575), pytest.approx(9 * 0.05325))
    # the first request too: 13,000 read, 1,750 written and 250 answered; 16,000, 3,700 and 700
    assert found.sides[2].cost == Range(
        pytest.approx(6 * (0.035 + 0.0013 + 0.004375 + 0.0025)),
        pytest.approx(6 * (0.047 + 0.0016 + 0.00925 + 0.007)),
    )


def test_the_whole_is_the_sum_of_its_parts_and_low_is_below_high() -> None:
    found = estimate(plan())
    assert found.solver is not None
    assert found.grading is not None
    assert found.total is not None
    parts = [one.cost for one in found.sides if one.cost is not None]
    assert found.solver == Range(sum(one.low for one in parts), sum(one.high for one in parts))
    assert found.total.low == pytest.approx(found.solver.low + found.grading.low)
    assert found.total.high == pytest.approx(found.solver.high + found.grading.high)
    assert all(0.0 < one.low < one.high for one in [*parts, found.grading])


def test_a_redo_run_is_dearer_than_one_without_its_request() -> None:
    sides = {one.side: one for one in estimate(plan()).sides}
    none, redo = sides["none"], sides["redo"]
    assert none.cost is not None
    assert redo.cost is not None
    assert none.cost.low / none.runs < redo.cost.low / redo.runs


def test_finished_runs_take_the_place_of_assumptions_and_are_not_run_again() -> None:
    rows = [finished("a", "memory", 1, 0.2), finished("b", "memory", 1, 0.5), finished("a", "none", 1, None)]
    found = estimate(plan(), rows)
    memory, none, _ = found.sides
    assert (memory.left, memory.measured, memory.cost) == (
        7,
        2,
        Range(pytest.approx(1.4), pytest.approx(3.5)),
    )
    assert (none.left, none.measured) == (8, 0)
    assert (found.runs, found.left) == (24, 21)
    assert found.assumptions[0].startswith("A side with finished runs")


def test_runs_of_an_earlier_study_tell_what_a_run_costs_and_are_still_to_be_done() -> None:
    found = estimate(plan(), (), [finished("a", "memory", 1, 0.2), finished("a", "memory", 2, 0.5)])
    memory = found.sides[0]
    assert (memory.left, memory.measured) == (9, 2)
    assert memory.cost == Range(pytest.approx(1.8), pytest.approx(4.5))


def test_nothing_left_costs_nothing_more() -> None:
    planned = plan()
    rows = [finished(run.question, run.side, run.repeat, 0.1) for run in planned.runs]
    assert estimate(planned, rows).total == Range(0.0, 0.0)


def test_a_price_that_nobody_knows_is_no_estimate_and_the_model_is_named() -> None:
    found = estimate(plan(solver="claude-new-9"))
    assert (found.solver, found.total, found.unpriced) == (None, None, ("claude-new-9",))
    assert found.grading is not None
    graded = estimate(plan(judge="openai:new"))
    assert (graded.grading, graded.total, graded.unpriced) == (None, None, ("openai:new",))
    assert graded.solver is not None


def test_rules_and_scripted_models_grade_for_nothing() -> None:
    found = estimate(plan(rewriter="rules", judge="scripted:judge.json", scripted=True))
    assert found.grading == Range(0.0, 0.0)
    assert found.unpriced == ()
    assert "no money is spent" in found.assumptions[0]


def test_a_run_is_expected_to_cost_the_middle_of_the_dearest_side() -> None:
    assert expected_run(plan(followups=0, max_turns=1)) == pytest.approx((0.043175 + 0.06485) / 2)
    assert expected_run(plan(scripted=True)) == 0.0
    assert expected_run(plan(solver="claude-new-9")) == 0.0
