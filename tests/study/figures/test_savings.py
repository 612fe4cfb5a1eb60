"""Medians to the first correct answer, and what memory saved: by hand, and against plain code at random."""

import math
from itertools import product
from statistics import fmean, median

import pytest
from finished_studies import a_plan, a_run, finished, studies
from hypothesis import given, settings
from hypothesis import strategies as st

from truerecall.study.figures.figures import figures
from truerecall.study.figures.medians import median_reached
from truerecall.study.figures.records import Figures, Saving, SavingOverall
from truerecall.study.folder import Finished
from truerecall.study.records import RunRow


def saving(found: Figures, question: str = "q0", side: str = "memory", measure: str = "cost") -> Saving:
    one = next(one for one in found.headline.questions if one.question == question)
    return next(own for own in one.savings if (own.side, own.measure) == (side, measure))


def overall(found: Figures, side: str = "memory", measure: str = "cost") -> SavingOverall:
    return next(one for one in found.headline.savings if (one.side, one.measure) == (side, measure))


def state(found: Figures, side: str) -> tuple[str, float | None]:
    one = next(own for own in found.headline.questions[0].sides if own.side == side)
    return one.medians[0].state, one.medians[0].value


@given(st.lists(st.none() | st.floats(0, 1e9), max_size=9))
def test_a_median_is_reached_if_more_than_half_of_the_values_are(values: list[float | None]) -> None:
    found = median_reached(values)
    known = [value for value in values if value is not None]
    assert (found is not None) == (2 * len(known) > len(values))
    if found is not None:
        plain = median([math.inf if value is None else value for value in values])
        assert found == pytest.approx(plain, rel=1e-12)


def test_of_three_runs_one_may_never_get_there_and_of_two_or_four_none_or_one() -> None:
    assert median_reached([4.0, None, 2.0]) == 4.0
    assert median_reached([None, None, 2.0]) is None
    assert median_reached([2.0, None]) is None
    assert median_reached([2.0, 4.0]) == 3.0
    assert median_reached([8.0, 2.0, None, 4.0]) == 6.0
    assert median_reached([2.0, 4.0, None, None]) is None
    assert median_reached([]) is None


def test_memory_is_held_against_the_cheaper_of_none_and_redo_by_each_measure() -> None:
    found = figures(
        finished(
            a_plan(),
            [
                *(a_run(f"q0 memory {n}", 0, 600, 0.03, 9) for n in (1, 2, 3)),
                *(
                    a_run(f"q0 none {n}", 1, 500, 0.04, 9) for n in (1, 2, 3)
                ),  # twice of each by the second answer
                *(a_run(f"q0 redo {n}", 0, 1200, 0.06, 8) for n in (1, 2, 3)),
            ],
        )
    )
    assert saving(found, measure="tokens") == Saving(
        question="q0", side="memory", measure="tokens", memory=600, against="none", other=1000,
        amount=400, saved=0.4,
    )  # fmt: skip
    assert saving(found) == Saving(
        question="q0", side="memory", measure="cost", memory=0.03, against="redo", other=0.06,
        amount=0.03, saved=0.5,
    )  # fmt: skip
    seconds = saving(found, measure="seconds")
    assert (seconds.against, seconds.other, seconds.amount, seconds.saved) == ("redo", 8, -1, -0.125)


def test_what_a_run_spent_after_its_first_correct_answer_and_before_it_is_told_apart() -> None:
    row = a_run("q0 memory 1", 1, 500, 0.02)
    longer = row.model_copy(update={"spent": row.spent.model_copy(update={"input": 9000})})
    found = figures(finished(a_plan(repeats=1), [longer]))
    dot = found.headline.questions[0].sides[0].dots[0]
    assert dot.to_correct is not None
    assert (dot.to_correct.tokens, dot.whole.tokens, dot.correct_after) == (1000, 9000, 1)


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (["none 1 0", "redo 1 0"], "no run of memory counts"),
        (["memory 1 x", "memory 2 x", "none 1 0"], "memory never got it right"),
        (["memory 1 0", "memory 2 x", "none 1 0"], "memory got it right in 1 of 2 runs, not in more than half"),
        (["memory 1 0", "none 1 x", "redo 1 x"], "neither none nor redo got it right"),
        (["memory 1 0"], "neither none nor redo got it right"),
        (["memory 1 0", "none 1 0", "none 2 x"], "neither none nor redo got it right in more than half of the runs"),
        (["memory 1 0", "placebo 1 0"], "neither none nor redo got it right"),
    ],
)  # fmt: skip
def test_no_saving_is_printed_where_memory_or_both_others_did_not_get_it_right(
    rows: list[str], reason: str
) -> None:
    made = [
        a_run(f"q0 {side} {repeat}", None if after == "x" else int(after))
        for side, repeat, after in (row.split() for row in rows)
    ]
    found = saving(figures(finished(a_plan(), made)))
    assert (found.saved, found.amount, found.reason) == (None, None, reason)


def test_one_other_side_that_got_it_right_is_enough() -> None:
    rows = [a_run("q0 memory 1", 0, cost=0.1), a_run("q0 none 1", None), a_run("q0 redo 1", 0, cost=0.4)]
    found = saving(figures(finished(a_plan(repeats=1), rows)))
    assert (found.against, found.saved, found.reason) == ("redo", 0.75, "")


def test_without_a_side_to_compare_with_there_is_no_saving() -> None:
    plan = a_plan(sides=("memory", "placebo", "grep"))
    rows = [a_run("q0 memory 1"), a_run("q0 placebo 1"), a_run("q0 grep 1")]
    found = saving(figures(finished(plan, rows)))
    assert (found.saved, found.reason) == (None, "there is no side without a memory to compare with")


def test_a_price_that_is_not_known_takes_away_the_savings_of_cost_alone() -> None:
    rows = [a_run("q0 memory 1", cost=None), a_run("q0 none 1", tokens=2000), a_run("q0 redo 1")]
    found = figures(finished(a_plan(repeats=1), rows))
    assert saving(found).reason == "the price of a model is not known"
    assert saving(found, measure="tokens").saved == 0.0
    assert overall(found).n == 0


def test_a_run_that_could_not_be_graded_is_in_no_median_and_one_that_failed_is_one_that_never_got_there() -> (
    None
):
    rows = [
        a_run("q0 memory 1", 0, 700), a_run("q0 memory 2", outcome="invalid"), a_run("q0 memory 3", outcome="out"),
        a_run("q0 none 1", 0, 900), a_run("q0 none 2", outcome="failed"), a_run("q0 none 3", outcome="failed"),
    ]  # fmt: skip
    found = figures(finished(a_plan(), rows))
    assert state(found, "memory") == ("reached", 700)
    assert state(found, "none") == ("not reached", None)
    assert state(found, "redo") == ("no runs", None)


def test_over_all_questions_there_is_a_median_a_range_and_from_six_on_an_interval() -> None:
    plan = a_plan(6, repeats=1)
    costs = (0.1, 0.2, 0.3, 0.4, 0.5, 1.2)
    rows = [a_run(f"q{n} memory 1", cost=cost) for n, cost in enumerate(costs)]
    rows += [a_run(f"q{n} none 1", cost=1.0) for n in range(6)]
    found = overall(figures(finished(plan, rows)))
    assert (found.questions, found.n) == (6, 6)
    assert (found.median, found.low, found.high) == (
        pytest.approx(0.65),
        pytest.approx(-0.2),
        pytest.approx(0.9),
    )
    assert found.mean == pytest.approx(0.55)
    # every draw of six of the six savings, equally likely
    means = sorted(fmean(draw) for draw in product([1.0 - cost for cost in costs], repeat=6))
    assert found.interval is not None
    assert found.interval.low == pytest.approx(means[int(0.025 * len(means))])
    assert found.interval.high == pytest.approx(means[-1 - int(0.025 * len(means))])
    fewer = overall(figures(finished(plan, [row for row in rows if row.question != "q5"])))
    assert (fewer.questions, fewer.n, fewer.interval) == (6, 5, None)


def test_controls_are_in_no_saving() -> None:
    plan = a_plan(1, 1, repeats=1)
    rows = [a_run("c0 memory 1"), a_run("c0 none 1", cost=9.0)]
    found = figures(finished(plan, rows))
    assert overall(found).n == 0
    assert found.headline.questions[1].savings == []
    assert [side.side for side in found.headline.questions[1].sides] == ["memory", "none", "placebo"]


def test_placebo_and_grep_are_contrasts_and_no_savings() -> None:
    plan = a_plan(2, sides=("memory", "none", "placebo", "grep"), repeats=1)
    rows = [a_run(f"q{n} memory 1", tokens=500) for n in (0, 1)]
    rows += [a_run(f"q{n} none 1", tokens=1000) for n in (0, 1)]
    rows += [a_run("q0 placebo 1", tokens=100), a_run("q1 placebo 1", tokens=1000), a_run("q0 grep 1", None)]
    found = figures(finished(plan, rows))
    assert overall(found, measure="tokens").median == 0.5
    tokens = [one for one in found.headline.contrasts if one.measure == "tokens"]
    assert [(one.other, one.n, one.median, one.low, one.high) for one in tokens] == [
        ("placebo", 2, -1.75, -4.0, 0.5),
        ("grep", 0, None, None, None),
    ]


def test_the_per_protocol_figures_stand_beside_and_the_headline_takes_runs_as_they_were() -> None:
    lost = a_run("q0 memory 2", None)
    lost = lost.model_copy(
        update={
            "admission": lost.admission.model_copy(update={"per_protocol": False, "reason": "no text came"})
        }
    )
    rows = [a_run("q0 memory 1", 0, 500), lost, a_run("q0 none 1", 0, 1000)]
    found = figures(finished(a_plan(repeats=2), rows))
    assert (
        saving(found, measure="tokens").reason == "memory got it right in 1 of 2 runs, not in more than half"
    )
    beside = found.per_protocol.questions[0].savings[0]
    assert (beside.measure, beside.saved, beside.reason) == ("tokens", 0.5, "")
    assert found.delivery[0].reasons == {"no text came": 1}


def plain_median(rows: list[RunRow], question: str, side: str) -> float | None:
    """Of tokens; None where it is infinite or there are no runs."""
    reached = []
    for row in rows:
        if (row.question, row.side) == (question, side) and row.outcome in ("correct", "wrong", "failed"):
            right = [answer for answer in row.answers if answer.correct]
            reached.append(float(right[0].spent.tokens) if right else math.inf)
    return None if not reached or math.isinf(median(reached)) else median(reached)


@settings(max_examples=20)
@given(studies())
def test_savings_are_what_plain_code_makes_of_the_rows(study: Finished) -> None:
    found = figures(study)
    for question in found.headline.questions:
        for one in question.savings:
            if one.measure != "tokens":
                continue
            own = plain_median(study.rows, question.question, one.side)
            others = [
                value
                for side in study.plan.sides
                if side.kind in ("none", "redo")
                and (value := plain_median(study.rows, question.question, side.name)) is not None
            ]
            if own is None or not others or min(others) == 0:
                assert one.saved is None
                assert one.reason
            else:
                assert one.saved == pytest.approx(1 - own / min(others))
                assert one.reason == ""
    for total in found.headline.savings:
        shares = [
            one.saved
            for question in found.headline.questions
            for one in question.savings
            if (one.side, one.measure) == (total.side, total.measure) and one.saved is not None
        ]
        assert total.n == len(shares)
        assert total.median == (median(shares) if shares else None)
        assert total.interval is None
