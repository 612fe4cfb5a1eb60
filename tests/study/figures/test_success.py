"""How often the sides were correct, and what a correct answer cost with the failures counted."""

import pytest
from finished_studies import a_plan, a_run, finished, studies
from hypothesis import given, settings
from statsmodels.stats.proportion import proportion_confint

from truerecall.study.figures.figures import figures
from truerecall.study.figures.records import Amounts, CostPerCorrect, Figures
from truerecall.study.folder import Finished


def curve(found: Figures, side: str) -> list[tuple[int, int]]:
    return [(one.correct, one.n) for one in found.headline.success if one.side == side]


def per_correct(found: Figures, side: str) -> CostPerCorrect:
    return next(one for one in found.headline.cost_per_correct if one.side == side)


def test_success_is_counted_at_each_number_of_follow_ups() -> None:
    rows = [
        a_run("q0 memory 1", 0), a_run("q0 memory 2", 2), a_run("q0 memory 3", None),
        a_run("q1 memory 1", 0), a_run("q1 memory 2", outcome="invalid"), a_run("q1 memory 3", outcome="failed"),
        a_run("c0 memory 1", 0),
    ]  # fmt: skip
    found = figures(finished(a_plan(2, 1), rows))
    assert curve(found, "memory") == [(2, 5), (2, 5), (3, 5), (3, 5)]
    assert curve(found, "none") == [(0, 0)] * 4
    none = next(one for one in found.headline.success if one.side == "none")
    assert (none.share, none.interval) == (None, None)


def test_a_correct_answer_costs_what_the_wrong_and_the_failed_runs_cost_too() -> None:
    rows = [
        a_run("q0 memory 1", 0, 100, 0.25, 1.0), a_run("q0 memory 2", None, 100, 0.25, 1.0),  # four answers
        a_run("q0 memory 3", tokens=50, cost=0.125, seconds=2.0, outcome="failed"),
        a_run("q1 memory 1", 1, 100, 0.25, 1.0),
        a_run("q1 memory 2", 0, 900, 4.0, 9.0, "invalid"), a_run("q1 memory 3", 0, 70, 1.0, 3.0, "out"),
    ]  # fmt: skip
    found = figures(finished(a_plan(2), rows))
    assert per_correct(found, "memory") == CostPerCorrect(
        side="memory",
        kind="memory",
        runs=4,
        correct=2,
        spent=Amounts(tokens=750, cost=1.875, uncached_cost=3.75, seconds=9.0),
        per_correct=Amounts(tokens=375, cost=0.9375, uncached_cost=1.875, seconds=4.5),
        unknown_runs=2,
        unknown_spent=Amounts(tokens=970, cost=5.0, uncached_cost=10.0, seconds=12.0),
    )


def test_where_none_was_correct_there_is_no_cost_of_a_correct_answer() -> None:
    found = figures(finished(a_plan(), [a_run("q0 none 1", None)]))
    assert (per_correct(found, "none").per_correct, per_correct(found, "none").spent.tokens) == (None, 4000)


def test_a_cost_that_is_not_known_is_in_no_sum() -> None:
    found = figures(finished(a_plan(), [a_run("q0 none 1"), a_run("q0 none 2", cost=None)]))
    each = per_correct(found, "none").per_correct
    assert each is not None
    assert (each.tokens, each.cost, each.uncached_cost) == (1000, None, None)


def test_controls_are_in_no_success_and_in_no_cost_of_a_correct_answer() -> None:
    found = figures(finished(a_plan(1, 1), [a_run("c0 none 1")]))
    assert curve(found, "none") == [(0, 0)] * 4
    assert per_correct(found, "none").runs == 0


@settings(max_examples=20)
@given(studies())
def test_success_never_falls_with_more_follow_ups_and_its_interval_is_that_of_wilson(study: Finished) -> None:
    found = figures(study)
    for view in (found.headline, found.per_protocol):
        for side in study.plan.sides:
            own = [one for one in view.success if one.side == side.name]
            assert [one.followups for one in own] == [0, 1, 2, 3]
            assert [one.correct for one in own] == sorted(one.correct for one in own)
            assert len({one.n for one in own}) == 1
        for one in view.success:
            if one.n:
                low, high = proportion_confint(one.correct, one.n, method="wilson")
                assert one.interval is not None
                assert (one.interval.low, one.interval.high) == pytest.approx((low, high), abs=1e-9)
    for spent in found.headline.cost_per_correct:
        final = next(one for one in found.headline.success if (one.side, one.followups) == (spent.side, 3))
        assert (spent.runs, spent.correct) == (final.n, final.correct)
