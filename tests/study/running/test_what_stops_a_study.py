"""What a study refuses to begin with, and the limit of its costs."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from studies import SOLVER, linked, place, watched

from truerecall.errors import RunError, StudyError
from truerecall.study.design import Study
from truerecall.study.folder import StudyRun
from truerecall.study.ledger import disagreements
from truerecall.study.running.options import StudyProgress
from truerecall.study.running.run import plan_study


def test_a_key_that_nobody_approved_stops_the_run_before_anything_is_asked(
    sample: Study, tmp_path: Path
) -> None:
    with place(sample, tmp_path / "run") as here:
        first, *others = here.study.questions
        unapproved = here.changed(questions=(replace(first, approval=None), *others))

        with pytest.raises(StudyError, match=first.id):
            unapproved.run()

    assert here.server.calls == ()
    assert not (tmp_path / "run").exists()


def test_a_key_that_was_edited_after_its_approval_stops_the_run(sample: Study, tmp_path: Path) -> None:
    with place(sample, tmp_path / "run") as here:
        first, *others = here.study.questions
        fact, *rest = first.truth_key
        softer = replace(first, truth_key=(replace(fact, text=f"{fact.text} Or so."), *rest))

        with pytest.raises(StudyError, match=first.id):
            here.changed(questions=(softer, *others)).run()

    assert here.server.calls == ()


def test_a_folder_belongs_to_one_plan(sample: Study, tmp_path: Path) -> None:
    with place(sample, tmp_path / "run", sides=["none"], questions=["lint"]) as here:
        here.run()

        with pytest.raises(StudyError, match="another repeats, runs"):
            here.changed(repeats=2).run()


def test_a_folder_with_something_else_in_it_is_left_alone(sample: Study, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "thesis.md").write_text("Mine.", encoding="utf-8")

    with place(sample, tmp_path / "run") as here, pytest.raises(StudyError, match="no run of a study"):
        here.run()

    assert [path.name for path in (tmp_path / "run").iterdir()] == ["thesis.md"]


def test_a_limit_of_costs_ends_it_cleanly_and_a_higher_one_goes_on(sample: Study, tmp_path: Path) -> None:
    told: list[StudyProgress] = []
    dear = {  # at 2 dollars a million tokens each run costs 0.10
        "model": "sonnet",
        "when": "",
        "reply": "Ruff checks the rules E, F, I and B, and a line may be 100 characters long.",
        "usage": {"tokens_in": 50_000, "tokens_out": 10},
    }
    asked = ["lint", "signature"]
    with place(sample, tmp_path / "run", sides=["none"], questions=asked, before=[dear]) as once:
        here = once.changed(followups=0)
        # A judge's reply may cost 0.16 at most: so much must be left before it is asked.
        run = here.run(max_cost=0.30, **watched(told))
        first = run.rows()
        solver = len(here.asked(SOLVER))

        assert len(first) == 1
        assert told[-1].stage == "stopping"

        here.run(max_cost=5.0)

    assert len(run.rows()) == 2 and first[0] in run.rows()
    assert run.discarded() == []
    # The second answer was there and waited for its judge: its solver is not paid again.
    assert len(here.asked(SOLVER)) == solver


def test_a_limit_without_a_price_is_refused(sample: Study, tmp_path: Path) -> None:
    with place(sample, tmp_path / "run", sides=["none"], questions=["lint"]) as here:
        unknown = replace(here.study.solver, model="a-model-of-ours")

        with pytest.raises(StudyError, match="the price of a-model-of-ours is not known"):
            here.changed(solver=unknown).run(max_cost=1.0)


def test_two_processes_do_not_work_on_one_run(sample: Study, tmp_path: Path) -> None:
    from truerecall.bench.locking import locked

    (tmp_path / "run").mkdir()
    with (
        place(sample, tmp_path / "run", sides=["none"], questions=["lint"]) as here,
        locked((tmp_path / "run").resolve()),
        pytest.raises(RunError, match="another process"),
    ):
        here.run()


def test_several_runs_at_once_leave_what_one_after_the_other_leaves(sample: Study, tmp_path: Path) -> None:
    rows = []
    for jobs in (1, 2):
        with place(
            sample, tmp_path / f"run-{jobs}", sides=["none", "memory"], questions=["signature"]
        ) as here:
            run = here.run(jobs=jobs, work=tmp_path / "work")
            rows.append(
                [
                    (row.question, row.side, row.outcome, row.admission.delivered, row.admission.block_sha256)
                    for row in run.rows()
                ]
            )

    assert rows[0] == rows[1]


def test_links_that_lead_out_of_a_workspace_are_told_before_anything_is_asked(
    sample: Study, tmp_path: Path
) -> None:
    told: list[StudyProgress] = []

    with place(sample, tmp_path / "run", sides=["none"], questions=["lint"]) as here:
        linked(here, tmp_path / "clone", "settings", "../../elsewhere").run(**watched(told))

    warned = [one.what for one in told if one.stage == "warned"]
    assert warned == [
        "the workspace of lint holds links that lead out, and a run that follows one is thrown out:"
        " pigeon/settings -> ../../elsewhere"
    ]
    stages = [one.stage for one in told]
    assert stages.index("warned") < stages.index("begun")


def test_a_provider_that_is_down_stops_the_study_and_its_runs_are_done_anew(
    sample: Study, tmp_path: Path
) -> None:
    down = {"model": "sonnet", "when": "", "fail": "401", "times": 2}
    sides = ["none", "redo", "placebo"]
    with place(sample, tmp_path / "run", sides=sides, questions=["signature"], before=[down]) as once:
        here = once.changed(again=0)
        with pytest.raises(RunError, match="2 attempts in a row failed before the model answered"):
            here.run()
        burned = [row.outcome for row in StudyRun(here.out).rows()]
        run = here.run()

    assert burned == ["failed"]
    assert [(row.side, row.outcome) for row in run.rows()] == [
        (planned.side, "correct") for planned in run.plan().runs
    ]
    assert Counter(one.reason for one in run.discarded()) == {"failed": 2}
    assert disagreements(run) == []


def test_a_question_that_is_a_command_of_the_solver_is_refused(sample: Study, tmp_path: Path) -> None:
    with place(sample, tmp_path / "run") as here:
        first, *others = here.study.questions
        command = replace(first, text="/compact and go on")

        with pytest.raises(StudyError, match=r"/compact is a command of the solver"):
            plan_study(here.changed(questions=(command, *others)).study, here.options())

        path = replace(first, text="/etc/app.conf says what?")
        plan_study(here.changed(questions=(path, *others)).study, here.options())


def test_a_memory_of_the_day_that_was_damaged_is_built_anew(sample: Study, tmp_path: Path) -> None:
    with place(sample, tmp_path / "run", sides=["none"], questions=["lint"]) as here:
        run = here.run()
        before, store = run.cuts(), tmp_path / "run" / "cuts" / "lint.db"
        whole = store.read_bytes()
        store.write_bytes(whole[: len(whole) // 2])

        here.run()

        assert store.read_bytes() == whole
        assert run.cuts() == before
