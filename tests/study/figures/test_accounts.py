"""What became of every planned run and attempt."""

from finished_studies import a_plan, a_run, finished, studies, used
from hypothesis import given, settings

from truerecall.study.figures.figures import figures
from truerecall.study.figures.records import Confinement, DiscardedSpend, Exclusions, Figures, Told
from truerecall.study.folder import Finished
from truerecall.study.records import Discarded, Spent


def thrown(run: str, reason: str, spent: Spent, attempt: int = 1) -> Discarded:
    question, side, repeat = run.split()
    return Discarded.model_validate(
        {
            "question": question, "side": side, "repeat": int(repeat), "attempt": attempt, "reason": reason,
            "spent": spent,
        }
    )  # fmt: skip


def test_each_run_is_counted_by_how_it_ended() -> None:
    rows = [
        a_run("q0 memory 1"), a_run("q0 memory 2", None), a_run("q0 memory 3", outcome="invalid"),
        a_run("c0 memory 1", outcome="failed"), a_run("c0 memory 2", outcome="out"),
    ]  # fmt: skip
    found = figures(finished(a_plan(1, 1), rows))
    assert found.exclusions[0] == Exclusions(
        side="memory",
        kind="memory",
        planned=6,
        correct=1,
        wrong=1,
        invalid=1,
        failed=1,
        out=1,
        not_finished=1,
    )
    assert found.exclusions[2] == Exclusions(
        side="redo", kind="redo", planned=3, correct=0, wrong=0, invalid=0, failed=0, out=0, not_finished=3
    )


@settings(max_examples=20)
@given(studies())
def test_every_planned_run_is_accounted_for_once(study: Finished) -> None:
    found = figures(study)
    for one in found.exclusions:
        ended = one.correct + one.wrong + one.invalid + one.failed + one.out
        assert ended + one.not_finished == one.planned
        assert ended == sum(row.side == one.side for row in study.rows)
    assert sum(one.planned for one in found.exclusions) == len(study.plan.runs) == found.planned
    dots = [dot for question in found.headline.questions for side in question.sides for dot in side.dots]
    assert len(dots) == found.finished == len(study.rows)
    sides = [side for question in found.headline.questions for side in question.sides]
    assert sum(side.planned for side in sides) == found.planned


@settings(max_examples=20)
@given(studies())
def test_figures_can_be_written_and_read_again(study: Finished) -> None:
    found = figures(study)
    assert Figures.model_validate_json(found.model_dump_json()) == found
    assert figures(study) == found


def test_what_discarded_attempts_spent_is_told_by_side_and_reason_and_is_in_no_figure_of_a_side() -> None:
    rows = [a_run("q0 memory 1", tokens=10)]
    discarded = [
        thrown("q0 memory 1", "outside", used(100, 0.5), 1),
        thrown("q0 memory 1", "outside", used(200, 0.25), 2),
        thrown("q0 none 1", "interrupted", used(7, None)),
    ]
    found = figures(finished(a_plan(), rows, discarded))
    assert found.discarded == [
        DiscardedSpend(side="memory", reason="outside", attempts=2, tokens=300, cost=0.75, uncached_cost=1.5),
        DiscardedSpend(
            side="none", reason="interrupted", attempts=1, tokens=7, cost=None, uncached_cost=None
        ),
    ]
    assert found.headline.cost_per_correct[0].spent.tokens == 10
    assert found.confinement[0] == Confinement(side="memory", kind="memory", uses=4, denied=1, thrown_out=2)


def test_our_costs_stand_beside_what_the_solver_told() -> None:
    rows = [
        a_run("q0 memory 1", cost=0.25, told_cost=0.25), a_run("q0 memory 2", cost=0.25, told_cost=0.2501),
        a_run("q0 memory 3", cost=0.25, told_cost=0.5), a_run("q0 none 1", cost=None, told_cost=1.0),
        a_run("q0 none 2", cost=0.25),
    ]  # fmt: skip
    found = figures(finished(a_plan(), rows))
    assert found.told == Told(runs=3, differ=1, ours=0.75, told=1.0001, largest=0.25)


def test_models_without_a_price_are_named_once() -> None:
    unknown = used(5, None).model_copy(update={"unpriced": ["new-9"]})
    row = a_run("q0 memory 1").model_copy(update={"spent": unknown})
    found = figures(finished(a_plan(), [row], [thrown("q0 none 1", "failed", unknown)]))
    assert found.unpriced == ["new-9"]


def test_a_study_of_which_nothing_is_finished_has_figures_all_the_same() -> None:
    found = figures(finished(a_plan(2, 1), []))
    assert (found.planned, found.finished, found.questions, found.controls) == (33, 0, 2, 1)
    assert found.verdict.finding == "cannot tell"
    assert found.verdict.reasons[0] == "only 0 of 33 runs are finished"
