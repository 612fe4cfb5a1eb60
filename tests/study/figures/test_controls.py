"""What memory costs where it has nothing to say, and how often it must be asked to pay."""

import pytest
from finished_studies import a_plan, a_run, finished
from hypothesis import given
from hypothesis import strategies as st

from truerecall.study.figures.controls import break_even
from truerecall.study.figures.figures import figures
from truerecall.study.figures.records import BreakEven, Extraction, SavingOverall, Tax


def tax(amount: float | None) -> Tax:
    return Tax(side="memory", measure="cost", questions=1, n=1, memory=1, none=1, tax=amount, low=0, high=0)


def saved(amount: float | None) -> SavingOverall:
    return SavingOverall(
        side="memory", measure="cost", questions=1, n=1, cheaper=1, median=0.1, low=0.1, high=0.1, mean=0.1,
        interval=None, median_amount=amount,
    )  # fmt: skip


def even(saving: float | None, of_tax: float | None) -> BreakEven:
    return break_even([tax(of_tax)], [saved(saving)])[0]


def test_the_tax_of_a_prompt_is_memory_less_none_up_to_the_first_answer_whether_it_is_right_or_not() -> None:
    plan = a_plan(0, 2, repeats=3)
    rows = [
        *(a_run(f"c0 memory {n}", None, 100 + n, 0.5) for n in (1, 2, 3)),
        *(a_run(f"c0 none {n}", 0, 90, 0.25) for n in (1, 2, 3)),
        a_run("c1 memory 1", 0, 200, 1.0), a_run("c1 memory 2", 2, 220, 1.0),
        a_run("c1 none 1", 0, 150, 0.5), a_run("c1 none 2", outcome="failed"),
    ]  # fmt: skip
    found = figures(finished(plan, rows))
    assert found.taxes[0] == Tax(
        side="memory", measure="tokens", questions=2, n=2, memory=156, none=120, tax=36, low=12, high=60
    )
    assert (found.taxes[1].measure, found.taxes[1].tax) == ("cost", 0.375)


def test_a_control_that_one_side_did_not_answer_is_not_in_the_tax() -> None:
    rows = [a_run("c0 memory 1"), a_run("c1 memory 1", tokens=500), a_run("c1 none 1", tokens=400)]
    found = figures(finished(a_plan(0, 2), rows))
    assert (found.taxes[0].questions, found.taxes[0].n, found.taxes[0].tax) == (2, 1, 100)


def test_without_controls_or_a_side_without_a_memory_there_is_no_tax() -> None:
    assert figures(finished(a_plan(1), [])).taxes == []
    assert figures(finished(a_plan(1, 1, sides=("memory", "redo")), [])).taxes == []
    empty = figures(finished(a_plan(1, 1), [])).taxes[0]
    assert (empty.n, empty.tax, empty.low) == (0, None, None)


def test_memory_breaks_even_where_what_is_saved_makes_up_for_the_tax_of_the_other_prompts() -> None:
    found = even(0.3, 0.1)
    assert found.rate == pytest.approx(0.25)
    assert (
        found.words == "Memory breaks even where 25.0 % of the prompts ask again for what was settled before."
    )


@given(st.floats(1e-3, 1e3), st.floats(1e-3, 1e3))
def test_at_the_rate_of_breaking_even_gains_and_taxes_are_the_same(saving: float, of_tax: float) -> None:
    rate = even(saving, of_tax).rate
    assert rate is not None
    assert 0.0 <= rate <= 1.0
    assert rate * saving == pytest.approx((1.0 - rate) * of_tax, rel=1e-6)


@pytest.mark.parametrize(
    ("saving", "of_tax", "words"),
    [
        (
            0.3,
            0.0,
            "Memory saves on re-asked questions and costs no more on other prompts: it pays at any rate.",
        ),
        (
            0.3,
            -0.1,
            "Memory saves on re-asked questions and costs no more on other prompts: it pays at any rate.",
        ),
        (-0.3, 0.1, "Memory saves nothing on re-asked questions: there is no rate at which it pays."),
        (0.0, 0.0, "Memory saves nothing on re-asked questions: there is no rate at which it pays."),
        (-0.3, -0.1, "Memory cost no less on re-asked questions and less on others: no rate can be said."),
        (None, 0.1, "There is no saving to reckon with."),
        (0.3, None, "There is no control question to reckon with."),
    ],
)
def test_elsewhere_there_is_no_rate_but_words(saving: float | None, of_tax: float | None, words: str) -> None:
    found = even(saving, of_tax)
    assert (found.rate, found.words) == (None, words)


def test_extraction_is_a_line_of_its_own_and_amortised() -> None:
    plan = a_plan(2, 1, ("memory", "memory-b", "none"), 1, extraction_cost=3.0)
    costs = {"memory": 0.5, "memory-b": 1.5, "none": 1.0}
    rows = [a_run(f"q{n} {side} 1", cost=cost) for n in (0, 1) for side, cost in costs.items()]
    found = figures(finished(plan, rows))
    assert found.extraction == Extraction(
        cost=3.0, questions=2, per_question=1.5, paid_back_after={"memory": 6.0}
    )
    spent = [one.spent.cost for one in found.headline.cost_per_correct]
    assert spent == [1.0, 3.0, 2.0]


def test_what_extraction_cost_may_not_be_known() -> None:
    found = figures(finished(a_plan(), [a_run("q0 memory 1"), a_run("q0 none 1", cost=1.0)]))
    assert found.extraction == Extraction(cost=None, questions=1, per_question=None, paid_back_after={})
