"""Marks that a failed call of the judge left out are asked for again by the next start, and nothing else is."""

from pathlib import Path
from typing import Any

from studies import JUDGE, SOLVER, place

from truerecall.study.design import Study
from truerecall.study.ledger import disagreements
from truerecall.study.running.salvage import GRADED_LATE


def failing(when: str = "") -> dict[str, Any]:
    """A judge of whom three calls fail: one request, as often as it is made."""
    return {"model": "opus", "when": when, "fail": "400", "reply": "No.", "times": 3}


def test_an_answer_is_marked_by_the_next_start_and_its_solver_is_not_asked(
    sample: Study, tmp_path: Path
) -> None:
    with place(sample, tmp_path / "run", sides=["none"], questions=["lint"], before=[failing()]) as here:
        run = here.run()
        (invalid,) = run.rows()
        solver, judge = len(here.asked(SOLVER)), len(here.asked(JUDGE))

        here.run()
        (row,) = run.rows()
        assert (len(here.asked(SOLVER)), len(here.asked(JUDGE))) == (solver, judge + 1)

        here.run()
        assert len(here.asked(JUDGE)) == judge + 1, "there is no gap any more"

    assert (invalid.outcome, invalid.answers[0].truth_hits) == ("invalid", 0)
    assert (row.outcome, row.attempt, row.answers[0].truth_hits) == ("correct", 1, 2)
    assert row.spent == invalid.spent
    assert run.discarded() == []
    assert disagreements(run) == []


def test_the_session_key_on_an_answer_and_on_what_was_recalled_is_marked_later(
    sample: Study, tmp_path: Path
) -> None:
    before = [
        failing(
            r"Facts:\n=+\n1\. A delivery is given up after 8[\s\S]*Text:\n=+\nA delivery is given up after 8"
        ),
        failing(r"Text:\n=+\n- We decided to store times"),
    ]
    with place(sample, tmp_path / "run", sides=["memory"], questions=["giving-up"], before=before) as here:
        run = here.run()
        (gaps,) = run.rows()
        solver, judge = len(here.asked(SOLVER)), len(here.asked(JUDGE))
        here.run()
        (row,) = run.rows()

    assert ([one.session_hits for one in gaps.answers], gaps.block and gaps.block.state) == (
        [None, 3],
        "invalid",
    )
    assert ([one.session_hits for one in row.answers], row.block and row.block.state) == ([4, 3], "valid")
    assert (
        (row.outcome, row.attempt, row.spent) == (gaps.outcome, 1, gaps.spent) == ("correct", 1, gaps.spent)
    )
    assert (len(here.asked(SOLVER)), len(here.asked(JUDGE))) == (solver, judge + 2)
    assert disagreements(run) == []


def test_a_run_whose_conversation_would_have_to_go_on_is_done_anew(sample: Study, tmp_path: Path) -> None:
    with place(
        sample, tmp_path / "run", sides=["memory"], questions=["giving-up"], before=[failing()]
    ) as here:
        run = here.run()
        (invalid,) = run.rows()
        here.run()
        (row,), (discarded,) = run.rows(), run.discarded()

    assert (invalid.outcome, invalid.attempt, len(invalid.answers)) == ("invalid", 1, 1)
    assert (discarded.reason, discarded.detail, discarded.spent) == (
        "interrupted",
        GRADED_LATE,
        invalid.spent,
    )
    assert (row.outcome, row.attempt) == ("correct", 2)
    assert disagreements(run) == []
