"""A study that was killed counts what its solver had used: it stands in the transcript that the home still holds."""

import shutil
from pathlib import Path

from studies import SOLVER, place

from truerecall.study.design import SolverChoice, Study
from truerecall.study.folder import StudyRun
from truerecall.study.records import Exchange
from truerecall.study.running.salvage import leave_mark, salvage
from truerecall.study.solvers.claude_code import ClaudeCode
from truerecall.study.solvers.protocol import Seat

RECORDING = Path(__file__).resolve().parents[2] / "fixtures" / "agents" / "claude" / "2.1.332_resumed.jsonl"
SESSION = "e7387a30-bf33-4ba4-bdbb-d4e4e8121950"


def left_by_a_kill(run: StudyRun, work: Path) -> None:
    """As if the one run of a study had been killed within its first prompt, with a transcript in its home."""
    (planned,) = run.plan().runs
    (run.place(planned) / "row.json").unlink()
    shutil.rmtree(run.attempt(planned, 1))
    left_in(run, work, 1)


def left_in(run: StudyRun, work: Path, attempt: int) -> None:
    """The same, with all that was there before."""
    (planned,) = run.plan().runs
    run.attempt(planned, attempt).mkdir()
    home = work / "1" / "home"
    transcript = home / ".claude" / "projects" / "-ws-app" / f"{SESSION}.jsonl"
    transcript.parent.mkdir(parents=True)
    shutil.copy(RECORDING, transcript)
    leave_mark(Seat(home, work, work, (), {}, work), planned, attempt)


def salvaged(run: StudyRun, work: Path) -> list[Exchange]:
    salvage(work, run, run.plan(), ClaudeCode(SolverChoice(), {}))
    return run.exchanges(run.plan().runs[0], 1)


def test_what_was_used_is_kept_once_and_the_run_is_done_anew(sample: Study, tmp_path: Path) -> None:
    work = tmp_path / "work"
    with place(sample, tmp_path / "run", sides=["none"], questions=["lint"]) as here:
        run = here.run()
        left_by_a_kill(run, work)

        (first,) = salvaged(run, work)
        (again,) = salvaged(run, work)
        assert first == again
        assert (first.ended, {call.model for call in first.calls}) == ("failed", {SOLVER})
        used = sum(call.input + call.cache_read + call.cache_write_5m + call.output for call in first.calls)
        assert used > 0

        here.run()

    (row,) = run.rows()
    (discarded,) = run.discarded()
    assert (row.outcome, row.attempt) == ("correct", 2)
    assert (discarded.reason, discarded.attempt, discarded.spent.tokens) == ("interrupted", 1, used)


def test_what_an_attempt_had_used_beside_a_row_that_still_stands_is_kept(
    sample: Study, tmp_path: Path
) -> None:
    # A run whose attempts never reached the model has one while it is done anew.
    work = tmp_path / "work"
    with place(sample, tmp_path / "run", sides=["none"], questions=["lint"]) as here:
        run = here.run()
        before = run.exchanges(run.plan().runs[0], 1)
        left_in(run, work, 2)

        assert salvaged(run, work) == before
        (kept,) = run.exchanges(run.plan().runs[0], 2)

    assert (kept.ended, {call.model for call in kept.calls}) == ("failed", {SOLVER})


def test_the_home_of_another_attempt_is_not_counted(sample: Study, tmp_path: Path) -> None:
    work = tmp_path / "work"
    with place(sample, tmp_path / "run", sides=["none"], questions=["lint"]) as here:
        run = here.run()
        left_by_a_kill(run, work)
        (planned,) = run.plan().runs
        leave_mark(
            Seat(work / "1" / "home", work, work, (), {}, work), planned.model_copy(update={"repeat": 2}), 1
        )

        assert salvaged(run, work) == []
