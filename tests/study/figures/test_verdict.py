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
            "On these 6 questions memory cost 40 % less and took 40 % fewer tokens to the first correct answer"
            " (medians; 95 % interval of the mean saving of cost: 40 % to 40 %), and memory was correct in 12 of 12"
            " runs, none in 12 of 12."
        ),
        side="memory",
        reasons=[],
    )  # fmt: skip


def test_five_are_not() -> None:
    found = verdict(study(5, 0.6))
    assert found.finding == "cannot tell"
    assert found.sentence == (
        "On these 5 questions memory cost 40 % less and took 40 % fewer tokens to the first correct answer (medians),"
        " and memory was correct in 10 of 10 runs, none in 10 of 10; whether that holds beyond these questions cannot"
        " be told at this n: 5 questions with a saving of cost, and an interval needs 6."
    )  # fmt: skip


def test_memory_that_is_cheaper_and_less_often_right_does_not_save() -> None:
    found = verdict(study(7, 0.6, wrong=("q6 memory 1", "q6 memory 2")))
    assert found.finding == "cannot tell"
    assert found.reasons == [
        "memory was not correct as often as none",
        "1 of 7 questions have no saving of cost",
    ]
    assert "On 6 of these 7 questions" in found.sentence


def test_memory_that_is_dearer_costs_more() -> None:
    found = verdict(study(6, 1.5))
    assert found.finding == "costs more"
    assert found.sentence.startswith(
        "On these 6 questions memory cost 50 % more and took 50 % more tokens to the"
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
        "A script played the solver, so this shows that the parts work together, and not whether memory pays: on"
        " these 6 questions memory cost 40 % less"
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
        "On none of these 2 questions can a saving of memory be reckoned, and memory was correct in 0 of 4 runs, none"
        " in 4 of 4; whether that holds beyond these questions cannot be told at this n: 0 questions with a saving of"
        " cost, and an interval needs 6."
    )


def test_a_small_saving_keeps_its_sign() -> None:
    assert "memory cost 0.4 % less and took 0.4 % fewer tokens" in verdict(study(1, 0.996)).sentence
    assert "memory cost 0.4 % more and took 0.4 % more tokens" in verdict(study(1, 1.004)).sentence


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
