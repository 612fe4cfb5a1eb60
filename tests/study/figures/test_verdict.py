"""The one sentence, and what it never says."""

from finished_studies import a_plan, a_run, finished, of_run, studies
from hypothesis import given, settings
from hypothesis import strategies as st

from truerecall.study.figures.figures import figures
from truerecall.study.figures.records import Figures, Verdict
from truerecall.study.folder import Finished
from truerecall.study.records import Admission


def study(
    questions: int, memory: float, none: float = 1.0, wrong: tuple[str, ...] = (), scripted: bool = False
) -> Finished:
    """Each run correct at once but those named; cost and tokens in one proportion."""
    plan = a_plan(questions, sides=("memory", "none"), repeats=2, scripted=scripted)
    costs = {"memory": memory, "none": none}
    return finished(
        plan,
        [
            a_run(
                of_run(run), None if of_run(run) in wrong else 0, int(1000 * costs[run.side]), costs[run.side]
            )
            for run in plan.runs
        ],
    )


def verdict(made: Finished) -> Verdict:
    return figures(made).verdict


def test_six_questions_that_all_got_cheaper_are_enough_to_say_so() -> None:
    assert verdict(study(6, 0.6)) == Verdict(
        finding="saves",
        sentence=(
            "To the first correct answer memory was cheaper on 6 of 6 questions (saved 40 % to 40 % of the cost, median"
            " 40 %, 95 % interval of the mean 40 % to 40 %); it was correct in 12 of 12 runs (none: 12 of 12)."
        ),
        side="memory",
        reasons=[],
    )  # fmt: skip


def test_five_are_not() -> None:
    found = verdict(study(5, 0.6))
    assert found.finding == "cannot tell"
    assert found.sentence == (
        "To the first correct answer memory was cheaper on 5 of 5 questions (saved 40 % to 40 % of the cost, median"
        " 40 %); it was correct in 10 of 10 runs (none: 10 of 10). Whether that holds beyond these questions cannot"
        " be told at this n: an interval needs 6 questions that can be compared by cost, and there are only 5."
    )  # fmt: skip


def test_memory_that_is_cheaper_and_less_often_right_does_not_save() -> None:
    found = verdict(study(7, 0.6, wrong=("q6 memory 1", "q6 memory 2")))
    assert found.finding == "cannot tell"
    assert found.reasons == [
        "memory was not correct as often as none",
        "1 of 7 questions cannot be compared by cost",
    ]
    assert "cheaper on 6 of the 6 questions, of 7, that can be compared" in found.sentence


def test_memory_that_is_dearer_costs_more() -> None:
    found = verdict(study(6, 1.5))
    assert found.finding == "costs more"
    assert found.sentence == (
        "To the first correct answer memory was cheaper on 0 of 6 questions (saved −50 % to −50 %"
        " of the cost, median −50 %, 95 % interval of the mean −50 % to −50 %); it was"
        " correct in 12 of 12 runs (none: 12 of 12); it took 50 % more tokens (median)."
    )


def test_the_sign_of_each_end_and_the_harm_are_in_the_sentence() -> None:
    """A median alone would hide that one question got dearer, that memory misled, and that one waits longer."""
    plan = a_plan(2, sides=("memory", "none"), repeats=1)
    rows = [
        a_run("q0 memory 1", 0, 1110, 1.11, 30.0),
        a_run("q0 none 1", 0, 1000, 1.0, 10.0),
        a_run("q1 memory 1", 0, 360, 0.36, 15.0),
        a_run("q1 none 1", 0, 1000, 1.0, 10.0),
    ]
    misled = rows[0].answers[0].model_copy(update={"misled": True})
    rows[0] = rows[0].model_copy(update={"answers": [misled]})

    assert verdict(finished(plan, rows)).sentence == (
        "To the first correct answer memory was cheaper on 1 of 2 questions (saved −11 % to 64 % of the cost,"
        " median 26 %); it was correct in 2 of 2 runs (none: 2 of 2); it was misled in 1 run (none: 0) and it"
        " took 2.2 times the wall time (median). Whether that holds beyond these questions cannot be told at this n: an"
        " interval needs 6 questions that can be compared by cost, and there are only 2."
    )
    scripted = finished(plan.model_copy(update={"scripted": True}), rows)
    assert "wall time" not in verdict(scripted).sentence


def test_one_question_of_several_that_can_be_compared_is_told_as_one() -> None:
    found = verdict(study(2, 1.5, wrong=("q1 memory 1", "q1 memory 2")))
    assert found.sentence.startswith(
        "To the first correct answer memory was not cheaper on the one of 2 questions that can be compared (saved"
        " −50 % of the cost); it was correct in 2 of 4 runs (none: 4 of 4)"
    )


def test_without_prices_the_tokens_are_told() -> None:
    made = study(2, 0.6)
    free = [a_run(of_run(run), 0, 600 if run.side == "memory" else 1000, None) for run in made.plan.runs]
    assert verdict(finished(made.plan, free)).sentence.startswith(
        "To the first correct answer memory took fewer tokens on 2 of 2 questions (saved 40 % to 40 % of the tokens,"
        " median 40 %)"
    )


def test_a_difference_that_resampling_explains_is_none() -> None:
    made = study(6, 0.6)
    dear = [
        a_run(of_run(run), 0, 5000, 5.0)
        for run in made.plan.runs
        if (run.side, run.question) == ("memory", "q0")
    ]
    others = [row for row in made.rows if (row.side, row.question) != ("memory", "q0")]
    found = verdict(finished(made.plan, [*others, *dear]))
    assert (found.finding, found.reasons) == ("cannot tell", ["the interval of the mean saving includes 0"])


def test_a_script_proves_the_wiring_and_nothing_of_memory() -> None:
    found = verdict(study(6, 0.6, scripted=True))
    assert found.finding == "wiring"
    assert found.sentence.startswith(
        "A script played the solver, so this shows that the parts work together, and not whether memory pays: to"
        " the first correct answer memory was cheaper on 6 of 6 questions (saved 40 % to 40 % of the cost"
    )


def test_a_memory_that_never_reached_the_model_has_saved_nothing() -> None:
    made = study(6, 0.6)
    silent = Admission(delivered=False, per_protocol=False, reason="the hook said nothing")
    found = verdict(finished(made.plan, [row.model_copy(update={"admission": silent}) for row in made.rows]))
    assert (found.finding, found.reasons) == (
        "cannot tell",
        ["in no run did a text of memory reach the model"],
    )


def test_a_study_that_is_not_finished_has_no_verdict() -> None:
    made = study(7, 0.6)
    found = verdict(finished(made.plan, made.rows[:-1]))
    assert (found.finding, found.reasons[0]) == ("cannot tell", "only 27 of 28 runs are finished")


def test_a_study_without_a_memory_says_nothing_about_one() -> None:
    found = verdict(finished(a_plan(sides=("none", "redo")), []))
    assert (found.finding, found.side) == ("cannot tell", "")


def test_where_no_saving_can_be_reckoned_the_sentence_says_so() -> None:
    made = study(2, 0.6, wrong=tuple(f"q{n} memory {repeat}" for n in (0, 1) for repeat in (1, 2)))
    assert verdict(made).sentence == (
        "To the first correct answer memory can be compared on none of 2 questions; it was correct in 0 of 4 runs"
        " (none: 4 of 4). Whether that holds beyond these questions cannot be told at this n: an interval needs 6"
        " questions that can be compared by cost, and there is none."
    )


def test_a_small_saving_keeps_its_sign() -> None:
    assert (
        "memory was cheaper on this question (saved 0.4 % of the cost)" in verdict(study(1, 0.996)).sentence
    )
    found = verdict(study(1, 1.004)).sentence
    assert "memory was not cheaper on this question (saved −0.4 % of the cost)" in found
    assert (
        "it took 0.4 % more tokens (median). Whether that holds beyond this question cannot be told" in found
    )


def check(made: Finished, found: Figures) -> None:
    """What no verdict may say, in plain code over the rows."""
    said = found.verdict
    claims = said.finding in ("saves", "costs more")
    if made.plan.scripted:
        assert said.finding in ("wiring", "cannot tell")
        assert said.finding == "wiring" or said.side == ""
    if not claims:
        assert said.reasons
        return
    own = [row for row in made.rows if row.side == said.side and row.question.startswith("q")]
    assert len(made.rows) == len(made.plan.runs)
    assert len({row.question for row in own if row.outcome == "correct"}) >= 6
    if said.finding == "saves":
        for side in made.plan.sides:
            if side.kind not in ("none", "redo"):
                continue
            shares = []
            for name in (said.side, side.name):
                known = [
                    row
                    for row in made.rows
                    if row.side == name
                    and row.question.startswith("q")
                    and row.outcome in ("correct", "wrong", "failed")
                ]
                shares.append(sum(row.outcome == "correct" for row in known) / len(known))
            assert shares[0] >= shares[1] - 1e-12


@settings(max_examples=20)
@given(studies())
def test_with_fewer_than_six_questions_nothing_is_claimed(made: Finished) -> None:
    found = figures(made)
    assert found.verdict.finding in ("cannot tell", "wiring")
    assert found.verdict.sentence.endswith(".")
    check(made, found)


RUNS = [f"q{n} {side} {repeat}" for n in range(8) for side in ("memory", "none") for repeat in (1, 2)]


@settings(max_examples=20)
@given(
    st.integers(5, 8),
    st.floats(0.1, 2.0),
    st.lists(st.sampled_from(RUNS), max_size=6),
    st.booleans(),
)  # fmt: skip
def test_no_verdict_says_more_than_its_rows(
    questions: int, memory: float, wrong: list[str], scripted: bool
) -> None:
    made = study(questions, memory, wrong=tuple(wrong), scripted=scripted)
    check(made, figures(made))
