"""Rows become figures: every question is accounted for, and nothing that failed passes for wrong."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judged_rows import ANSWER, ONE, TWO, Penny, arm, asked, dataset_of, facts, lost, row

from truerecall.bench.datasets.records import Exclusion
from truerecall.bench.manifest import ExclusionRow, Interval, Latency
from truerecall.bench.qa.aggregate import MOST_REASONS, qa_dataset, relation
from truerecall.bench.qa.errata import Correction, Errata
from truerecall.bench.qa.manifest import Agreement, Arm, QaCell, QaDataset, Sample, Usage
from truerecall.bench.qa.records import Called, Judged, QaRow
from truerecall.errors import RunError

QUESTIONS = [
    asked("q1", "c1"),
    asked("q2", "c1"),
    asked("q3", "c2"),
    asked("q4", "c2", "temporal"),
    asked("q5", "c3", "temporal"),
]


def made(rows: list[QaRow], **changes: Any) -> Arm:
    """The only arm of a data set of these rows."""
    return whole(rows, **changes).arms[0]


def whole(rows: list[QaRow], **changes: Any) -> QaDataset:
    return qa_dataset(dataset_of(QUESTIONS), None, rows, [arm()], facts(**changes))


def rows_of(one: str, two: str) -> list[QaRow]:
    """A row a question, with the verdicts of both judges by their letters."""
    return [row(question, one=x, two=y) for question, x, y in zip(QUESTIONS, one, two, strict=True)]


def cell_of(found: Arm, judge: str, kind: str) -> QaCell:
    cells = next(result.cells for result in found.judges if result.judge == judge)
    return next(cell for cell in cells if cell.type == kind)


def agreement_of(found: Arm, kind: str) -> Agreement:
    return next(agreement for agreement in found.agreements if agreement.type == kind)


def test_accuracy_is_over_valid_verdicts_and_its_bounds_over_all() -> None:
    rows = [*rows_of("ccwif", "ccccc")[:4], lost(QUESTIONS[4])]
    assert cell_of(made(rows), ONE.name, "all") == QaCell(
        type="all",
        n=5,
        correct=2,
        wrong=1,
        invalid=1,
        failed=1,
        accuracy=0.666667,
        by_question=Interval(low=0.20766, high=0.938508),
        by_conversation=Interval(low=-4.980535, high=6.313869),
        clusters=2,
        conversations={"c1": 1.0, "c2": 0.0},
        low=0.4,
        high=0.8,
    )
    assert cell_of(made(rows), ONE.name, "temporal") == QaCell(
        type="temporal",
        n=2,
        correct=0,
        wrong=0,
        invalid=1,
        failed=1,
        accuracy=None,
        by_question=None,
        by_conversation=None,
        clusters=0,
        low=0.0,
        high=1.0,
    )


def test_a_failed_answer_is_failed_for_every_judge_and_makes_the_arm_incomplete() -> None:
    found = made([*rows_of("ccccc", "ccccc")[:4], lost(QUESTIONS[4])])
    assert (found.asked, found.answered, found.failed, found.complete) == (5, 4, 1, False)
    assert [cell_of(found, judge.name, "all").failed for judge in (ONE, TWO)] == [1, 1]
    assert cell_of(found, ONE.name, "all").accuracy == 1.0


def test_a_judge_that_failed_or_was_never_asked_makes_the_arm_incomplete() -> None:
    rows = rows_of("ccccc", "ccccf")
    assert not made(rows).complete
    rows[4] = rows[4].model_copy(update={"verdicts": {ONE.name: rows[4].verdicts[ONE.name]}})
    found = made(rows)
    assert (found.complete, found.failed, cell_of(found, TWO.name, "all").failed) == (False, 0, 1)
    assert made(rows_of("ccccc", "ccccc")).complete


@pytest.mark.parametrize(("invalid", "unsound"), [(0, False), (1, False), (2, True)])
def test_more_than_two_per_cent_of_invalid_verdicts_are_unsound(invalid: int, unsound: bool) -> None:
    questions = [asked(f"q{number}", "c") for number in range(50)]
    rows = [row(question, one="i" if place < invalid else "c") for place, question in enumerate(questions)]
    found = qa_dataset(dataset_of(questions), None, rows, [arm()], facts()).arms[0]
    assert [result.unsound for result in found.judges] == [unsound, False]


def test_judges_are_compared_on_what_both_judged_validly() -> None:
    found = made(rows_of("ccwci", "cwwcc"))
    assert agreement_of(found, "all") == Agreement(
        a=ONE.name,
        b=TWO.name,
        type="all",
        n=4,
        correct_a=3,
        correct_b=2,
        disagreements=1,
        only_a=1,
        only_b=0,
        spread=25.0,
        stable=False,
        raw=0.75,
        kappa=0.5,
        kappa_interval=Interval(low=-0.234986, high=1.0),
        p=1.0,
        one_question=25.0,
    )
    temporal = agreement_of(found, "temporal")
    assert (temporal.n, temporal.stable, temporal.kappa, temporal.raw) == (1, True, None, 1.0)
    assert (found.types_stable, found.types) == (1, 2)


def test_it_does_not_matter_which_of_both_judges_has_no_valid_verdict() -> None:
    for one, two in (("cwcci", "cwccc"), ("cwccc", "cwccf")):
        found = agreement_of(made(rows_of(one, two)), "all")
        assert (found.n, found.correct_a, found.correct_b, found.raw) == (4, 3, 3, 1.0)


def test_a_type_that_one_judge_lacks_is_no_agreement() -> None:
    missing = agreement_of(made(rows_of("cccii", "ccccc")), "temporal")
    assert (missing.n, missing.stable, missing.spread, missing.raw, missing.p) == (0, False, None, None, None)
    assert made(rows_of("cccii", "ccccc")).types_stable == 1


def test_with_one_judge_nothing_is_stable() -> None:
    rows = [row(question) for question in QUESTIONS]
    found = made(rows, judges=(ONE,))
    assert (found.agreements, found.types_stable, found.types) == ([], 0, 2)


def test_every_pair_of_three_judges_must_agree() -> None:
    three = TWO.model_copy(update={"name": "x:three", "model": "three", "identity": "4"})
    rows = [
        one.model_copy(update={"verdicts": {**one.verdicts, "x:three": Judged(verdict="wrong")}})
        for one in rows_of("ccccc", "ccccc")
    ]
    found = made(rows, judges=(ONE, TWO, three))
    assert len(found.agreements) == 3 * 3
    assert found.types_stable == 0


VERDICTS = st.lists(
    st.tuples(
        st.sampled_from(["user", "temporal", "all of it"]),
        st.sampled_from(["c1", "c2", "c3"]),
        st.sampled_from("cwif"),
        st.sampled_from("cwif"),
        st.booleans(),
        st.booleans(),
    ),
    min_size=1,
    max_size=25,
)


@settings(max_examples=60, deadline=None)
@given(VERDICTS, st.integers(0, 3))
def test_every_planned_question_is_accounted_for(
    found: list[tuple[str, str, str, str, bool, bool]], adversarial: int
) -> None:
    questions = [asked(f"q{number}", given[1], given[0]) for number, given in enumerate(found)]
    rows = [
        lost(question) if fails else row(question, one=one, two=two)
        for question, (_, _, one, two, fails, _) in zip(questions, found, strict=True)
    ]
    corrections = {
        question.id: Correction(broken=True, why="so")
        for (_, question), (*_, broken) in zip(questions, found, strict=True)
        if broken
    }
    exclusions = tuple(Exclusion(f"x{number}", "adversarial", "", True) for number in range(adversarial))
    data = dataset_of(questions, exclusions=exclusions, planned=len(questions) + adversarial)
    errata = Errata({"longmemeval": corrections}, "ab")
    result = qa_dataset(data, None, rows, [arm()], facts(errata=errata))

    assert result.planned == result.asked + sum(1 for left in result.exclusions if left.drops_question)
    for judged in result.arms[0].judges:
        total, *types = judged.cells
        for cell in judged.cells:
            assert cell.n == cell.correct + cell.wrong + cell.invalid + cell.failed
            assert 0.0 <= cell.low <= cell.high <= 1.0
            if cell.accuracy is not None:
                assert cell.low <= cell.accuracy <= cell.high
        assert total.n == result.asked == sum(cell.n for cell in types)
        assert [cell.n + cell.left_out for cell in judged.errata_cells] == [cell.n for cell in judged.cells]
        assert judged.errata_cells[0].left_out == len(corrections)
    assert all(one.stable <= (one.n > 0) for one in result.arms[0].agreements)


def test_errata_stand_beside_the_figure_by_the_gold_as_it_is() -> None:
    rows = rows_of("wwccc", "wwccc")
    again = {judge.name: Judged(verdict="correct", key="again") for judge in (ONE, TWO)}
    rows[0] = rows[0].model_copy(update={"errata": True, "errata_verdicts": again})
    rows[1] = rows[1].model_copy(update={"errata": True})
    corrections = {"q1": Correction(answer="Robin", why="so"), "q2": Correction(broken=True, why="so")}
    found = made(rows, errata=Errata({"longmemeval": corrections}, "ab")).judges[0]
    by_gold, corrected = found.cells[0], found.errata_cells[0]
    assert (by_gold.accuracy, by_gold.n, by_gold.left_out) == (0.6, 5, 0)
    assert (corrected.accuracy, corrected.n, corrected.left_out) == (1.0, 4, 1)
    assert made(rows).judges[0].errata_cells == []


def test_a_question_without_evidence_is_asked_and_what_is_left_out_stays_listed() -> None:
    exclusions = (
        Exclusion("q1", "empty gold", "no evidence is named", True),
        Exclusion("q9", "adversarial", "category 5 is left out by convention", True),
    )
    data = dataset_of(QUESTIONS, exclusions=exclusions, planned=6)
    result = qa_dataset(data, None, rows_of("ccccc", "ccccc"), [arm()], facts())
    assert result.exclusions == [
        ExclusionRow(
            item="q1",
            reason="empty gold",
            detail="no evidence is named; it is asked, for accuracy needs no evidence",
            drops_question=False,
        ),
        ExclusionRow(
            item="q9",
            reason="adversarial",
            detail="category 5 is left out by convention",
            drops_question=True,
        ),
    ]


def test_a_question_that_no_arm_was_asked_is_listed_unless_a_sample_says_so() -> None:
    rows = rows_of("ccccc", "ccccc")[:4]
    left = qa_dataset(dataset_of(QUESTIONS), None, rows, [arm()], facts()).exclusions
    assert [(one.item, one.reason, one.drops_question) for one in left] == [("q5", "not asked", True)]
    sample = Sample(
        of=5, drawn=4, seed=0, by_type={"user": 3, "temporal": 1}, questions=["q1", "q2", "q3", "q4"]
    )
    result = qa_dataset(dataset_of(QUESTIONS), sample, rows, [arm()], facts())
    assert (result.exclusions, result.asked, result.sample) == ([], 4, sample)


@pytest.mark.parametrize(
    "rows",
    [
        [row(QUESTIONS[0]), row(QUESTIONS[0])],
        [row(QUESTIONS[0]), row(QUESTIONS[1]), row(QUESTIONS[0], "bm25")],
        [row(asked("q77", "c1")), row(asked("q77", "c1"), "bm25")],
    ],
)
def test_arms_that_were_not_asked_the_same_questions_are_refused(rows: list[QaRow]) -> None:
    with pytest.raises(RunError, match="rows of"):
        qa_dataset(dataset_of(QUESTIONS), None, rows, [arm(), arm("bm25", control=True)], facts())


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, "independent"),
        ({"provider": "anthropic"}, "same provider"),
        ({"identity": "1"}, "self-judged"),
        ({"model": "Writer"}, "self-judged"),
        ({"answered_as": ["writer-2024-05-07"]}, "self-judged"),
    ],
)
def test_how_near_a_judge_stands_to_the_answering_model(changes: dict[str, Any], expected: str) -> None:
    answer = ANSWER.model_copy(update={"answered_as": ["writer-2024-05-07"]})
    assert relation(answer, ONE.model_copy(update=changes)) == expected


def test_usage_counts_the_calls_that_the_rows_stand_on() -> None:
    rows = rows_of("ccccc", "ccccc")
    told = Called(text="x", tokens_in=1_000, tokens_cached=400, tokens_out=50, tokens_reasoning=10)
    called = {one.answer_key: told for one in rows[:3]} | {rows[3].answer_key: Called(failure="timeout")}
    called |= {one.verdicts[ONE.name].key: told for one in rows} | {"of another arm": told}
    found = made(
        rows,
        called=called,
        pricing={ANSWER.name: Penny()}.get,
        priced_on="2026-11-01",
        free=[TWO.name],
    )
    assert found.usage == {
        "answer": Usage(
            calls=4,
            uncounted=1,
            tokens_in=3_000,
            tokens_cached=1_200,
            tokens_out=150,
            tokens_reasoning=30,
            cost=0.021,
            priced="2026-11-01 anthropic:writer; 1 of 4 calls told no tokens and are not in it",
        ),
        ONE.name: Usage(
            calls=5,
            uncounted=0,
            tokens_in=5_000,
            tokens_cached=2_000,
            tokens_out=250,
            tokens_reasoning=50,
            cost=None,
            priced="no price of openai:one is known",
        ),
        TWO.name: Usage(
            calls=0,
            uncounted=0,
            tokens_in=0,
            tokens_cached=0,
            tokens_out=0,
            tokens_reasoning=0,
            cost=0.0,
            priced="free",
        ),
    }
    assert found.cost_per_question == pytest.approx(0.021 / 5)


def test_calls_that_told_no_tokens_have_no_cost() -> None:
    rows = rows_of("ccccc", "ccccc")
    found = made(
        rows, called={one.answer_key: Called(text="x") for one in rows}, pricing=lambda name: Penny()
    )
    assert (found.usage["answer"].cost, found.usage["answer"].uncounted) == (None, 5)
    assert found.cost_per_question is None


def test_judging_by_corrected_gold_is_paid_for_too() -> None:
    rows = rows_of("ccccc", "ccccc")
    again = {ONE.name: Judged(verdict="correct", key="again")}
    rows[0] = rows[0].model_copy(update={"errata": True, "errata_verdicts": again})
    called = {"again": Called(text="x", tokens_in=7, tokens_out=1)}
    assert made(rows, called=called).usage[ONE.name].tokens_in == 7


def test_latencies_are_of_recall_answer_judges_and_both_together() -> None:
    rows = [*rows_of("ccccc", "ccccc")[:4], lost(QUESTIONS[4], ms_recall=50.0)]
    rows[0] = rows[0].model_copy(update={"ms_answer": 900.0})
    found = made(rows)
    assert found.recall == Latency(p50=5.0, p95=50.0, recalls=5)
    assert found.answer == Latency(p50=100.0, p95=900.0, recalls=4)
    assert found.end_to_end == Latency(p50=105.0, p95=905.0, recalls=4)
    assert found.judge == {judge.name: Latency(p50=20.0, p95=20.0, recalls=4) for judge in (ONE, TWO)}


def test_failures_are_counted_by_their_reasons() -> None:
    rows = [
        lost(QUESTIONS[0]),
        lost(QUESTIONS[1]),
        row(QUESTIONS[2], one="f"),
        *rows_of("ccccc", "ccccc")[3:],
    ]
    called = {rows[0].answer_key: Called(failure="timeout"), rows[1].answer_key: Called(text="")}
    called[rows[2].verdicts[ONE.name].key] = Called(failure="429")
    assert made(rows, called=called).failures == {
        "answer: the answer is empty": 1,
        "answer: timeout": 1,
        "openai:one: 429": 1,
    }


def test_many_reasons_are_not_all_listed_but_all_counted() -> None:
    questions = [asked(f"q{number}", "c") for number in range(30)]
    rows = [lost(question) for question in questions]
    called = {one.answer_key: Called(failure=f"failure {place:02}") for place, one in enumerate(rows)}
    found = qa_dataset(dataset_of(questions), None, rows, [arm()], facts(called)).arms[0].failures
    assert (len(found), sum(found.values()), found["other reasons"]) == (MOST_REASONS + 1, 30, 10)


def test_contexts_and_cut_answers_are_told() -> None:
    rows = [
        row(QUESTIONS[0], gold_recalled=True, cut=True),
        row(QUESTIONS[1], gold_recalled=False, context_tokens=200),
        *rows_of("ccccc", "ccccc")[2:],
    ]
    found = made(rows)
    assert (found.cut, found.gold_in_context, found.context_tokens_mean) == (1, 0.5, 120.0)


def test_arms_that_were_left_out_keep_their_reason_and_have_no_figure() -> None:
    result = whole(rows_of("ccccc", "ccccc"), not_measured={"zep": "it needs a server"})
    assert result.not_measured == {"zep": "it needs a server"}
    assert [one.system for one in result.arms] == ["truerecall"]


def test_the_same_rows_give_the_same_bytes() -> None:
    rows = rows_of("ccwif", "cwwcc")
    assert whole(rows).model_dump_json() == whole(list(rows)).model_dump_json()
