"""Whether memory reached the model, what it brought, whether it misled, and how far the marks can be relied on."""

from dataclasses import replace

from finished_studies import a_plan, a_run, finished

from truerecall.study.figures.figures import figures
from truerecall.study.figures.records import Blocks, Claims, Delivery, Grading, Recalled
from truerecall.study.records import Admission, Confirmed, Mark, Marking, RunRow


def with_answer(row: RunRow, place: int, **changes: object) -> RunRow:
    """With one of its answers changed."""
    answers = list(row.answers)
    answers[place] = answers[place].model_copy(update=changes)
    return row.model_copy(update={"answers": answers})


def marked(*hits: bool) -> Marking:
    marks = [Mark(fact=number, hit=hit) for number, hit in enumerate(hits, start=1)]
    return Marking(key="session", state="valid", marks=marks)


def admitted(block: str = "b1", **changes: bool) -> Admission:
    return Admission(delivered=bool(block), per_protocol=True, block=block, block_sha256=block).model_copy(
        update=changes
    )


def test_deliveries_are_counted_over_all_finished_runs() -> None:
    lost = Admission(delivered=False, per_protocol=False, reason="the hook said nothing")
    rows = [
        a_run("q0 memory 1", admission=admitted()),
        a_run("q0 memory 2", admission=lost),
        a_run("c0 memory 1", admission=admitted("", nothing_found=True)),
    ]
    assert figures(finished(a_plan(1, 1), rows)).delivery[0] == Delivery(
        side="memory", kind="memory", runs=3, delivered=1, nothing_found=1, per_protocol=2, tool_calls=0,
        reasons={"the hook said nothing": 1},
    )  # fmt: skip


def test_a_frozen_memory_that_says_something_else_in_a_repeat_is_seen() -> None:
    rows = [
        a_run("q0 memory 1", admission=admitted("b1")), a_run("q0 memory 2", admission=admitted("b1")),
        a_run("q1 memory 1", admission=admitted("b1")), a_run("q1 memory 2", admission=admitted("b2")),
        a_run("q1 memory 3", admission=admitted("")),
    ]  # fmt: skip
    assert figures(finished(a_plan(2), rows)).blocks == [
        Blocks(question="q0", side="memory", runs=2, different=1),
        Blocks(question="q1", side="memory", runs=2, different=2),
    ]


def test_recall_is_measured_on_the_block_and_apart_from_it_on_the_first_answer() -> None:
    rows = [
        with_answer(a_run("q0 memory 1", 1, block=marked(True, True)), 1, session_hits=2),
        with_answer(a_run("q0 memory 2", None, block=marked(True, False)), 0, session_hits=None),
        a_run("q0 memory 3", 0),  # nothing was injected
        a_run("q1 memory 1", 0, block=Marking(key="session", state="invalid")),
        a_run("q1 memory 2", 0, outcome="invalid", block=marked(True, True)),
        a_run("q1 memory 3", outcome="failed"),
        a_run("c0 memory 1"),
    ]
    assert figures(finished(a_plan(2, 1), rows)).recalled[0] == Recalled(
        side="memory",
        kind="memory",
        runs=4,
        block_hits=3,
        block_facts=6,
        block_unknown=1,
        answer_hits=3,
        answer_facts=6,
        answer_unknown=1,
        first_truth_hits=1 + 1 + 3 + 3,
        last_truth_hits=3 + 1 + 3 + 3,
        truth_facts=12,
        misled=0,
        misled_of=4,
    )


def test_a_side_without_a_memory_has_no_block_to_measure() -> None:
    found = figures(finished(a_plan(), [a_run("q0 none 1")])).recalled[1]
    assert (found.side, found.block_facts, found.answer_facts, found.truth_facts) == ("none", 0, 2, 3)


def test_memory_misled_is_counted_by_runs_of_questions_whose_session_was_wrong() -> None:
    plan = a_plan(2)
    right = plan.questions[1].model_copy(update={"session_key": plan.questions[1].session_key[:1]})
    plan = plan.model_copy(update={"questions": [plan.questions[0], right]})
    rows = [
        with_answer(a_run("q0 memory 1", 2), 1, misled=True),
        a_run("q0 memory 2", 0),
        a_run("q1 memory 1", 0),
    ]
    found = figures(finished(plan, rows))
    assert (found.recalled[0].misled, found.recalled[0].misled_of) == (1, 2)
    assert [dot.misled for dot in found.headline.questions[0].sides[0].dots] == [True, False]
    assert [question.wrong_facts for question in found.headline.questions] == [1, 0]


def test_a_claim_is_wrong_only_where_a_person_says_so() -> None:
    rows = [
        with_answer(a_run("q0 memory 1", 1), 0, suspects=3),
        with_answer(a_run("q0 none 1"), 0, suspects=1),
    ]
    base = {"question": "q0", "side": "memory", "repeat": 1, "followups": 0}
    confirmed = [
        Confirmed.model_validate({**base, "quote": "a", "verdict": "wrong"}),
        Confirmed.model_validate({**base, "quote": "b", "verdict": "not wrong"}),
        Confirmed.model_validate({**base, "quote": "c", "verdict": "unconfirmed"}),
        Confirmed.model_validate(
            {**base, "quote": "d", "verdict": "wrong", "repeat": 3}
        ),  # of no finished run
    ]
    study = replace(finished(a_plan(), rows), confirmed=confirmed)
    assert figures(study).claims[:2] == [
        Claims(side="memory", kind="memory", suspects=3, wrong=1, not_wrong=1, unconfirmed=1),
        Claims(side="none", kind="none", suspects=1, wrong=0, not_wrong=0, unconfirmed=1),
    ]


def test_flips_are_told_of_the_marks_that_were_made_twice_and_answers_that_were_blinded_by_rules() -> None:
    first = with_answer(a_run("q0 memory 1", 1), 0, flips=2, blind="marked")
    rows = [first, with_answer(a_run("c0 memory 1"), 0, flips=0), a_run("q0 memory 2", 0)]
    assert figures(finished(a_plan(1, 1), rows)).grading[0] == Grading(
        side="memory", kind="memory", answers=4, blind_marked=1, twice=2, marks=6, flips=2
    )


def test_a_dot_shows_what_the_run_was() -> None:
    row = with_answer(a_run("q0 memory 2", 1, block=marked(True, False), admission=admitted()), 0, suspects=2)
    dot = figures(finished(a_plan(), [row])).headline.questions[0].sides[0].dots[0]
    assert (dot.repeat, dot.outcome, dot.correct_after, dot.answers) == (2, "correct", 1, 2)
    assert (dot.truth_hits, dot.session_hits, dot.block_hits, dot.suspects, dot.denied) == (3, 1, 1, 2, 1)
    ungraded = figures(finished(a_plan(), [a_run("q0 memory 1", 0, outcome="invalid")]))
    assert ungraded.headline.questions[0].sides[0].dots[0].truth_hits is None
    assert ungraded.headline.questions[0].sides[0].dots[0].correct_after is None
