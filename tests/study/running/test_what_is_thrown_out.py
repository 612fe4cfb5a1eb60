"""Runs that read outside their workspace, that fail, or that were not what their side says."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from studies import Place, linked, place, side, watched

from truerecall.study.design import Study
from truerecall.study.figures.figures import figures
from truerecall.study.running.options import StudyProgress

LOOSE = {"TRUERECALL_SAMPLE_LOOSE": "1"}
"""Lets the small agent read whatever it is told to."""


def reading(tool: str, **arguments: Any) -> list[dict[str, Any]]:
    """A model that reads something at once, then answers nothing of use."""
    return [
        {
            "model": "sonnet",
            "when": r"\n\nI read it\.",
            "reply": "The lines are 100 characters long at most.",
        },
        {
            "model": "sonnet",
            "when": "",
            "reply": "I read it.",
            "tools": [{"name": tool, "arguments": arguments}],
        },
    ]


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "outside" / "secret.txt"
    path.parent.mkdir()
    path.write_text("The answer is 42.\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("tool", "argument", "value"),
    [
        ("Read", "file_path", "{secret}"),
        ("Bash", "command", "cat {secret}"),
        ("Bash", "command", "git diff --no-index /dev/null {secret}"),
    ],
)
def test_a_run_that_reads_outside_is_thrown_out_done_again_and_given_up(
    sample: Study, tmp_path: Path, secret: Path, tool: str, argument: str, value: str
) -> None:
    lines = reading(tool, **{argument: value.format(secret=secret)})
    with place(
        sample, tmp_path / "run", sides=["none"], questions=["lint"], before=lines, environment=LOOSE
    ) as here:
        run = here.run()

    (row,) = run.rows()
    assert (row.outcome, row.attempt, row.answers) == ("out", 3, [])
    assert [(one.reason, one.attempt) for one in run.discarded()] == [
        ("outside", 1),
        ("outside", 2),
        ("outside", 3),
    ]
    planned = run.plan().runs[0]
    assert "The answer is 42." in run.exchanges(planned, 1)[0].uses[0].output  # it was really read
    assert all(one.spent.tokens > 0 for one in run.discarded())
    (excluded,) = figures(run.finished()).exclusions
    assert (excluded.planned, excluded.out, excluded.correct) == (1, 1, 0)
    assert not any("42" in told for told in here.asked("claude-opus-5-5"))  # and nobody graded it


def test_a_run_that_follows_a_link_out_of_its_workspace_is_thrown_out(
    sample: Study, tmp_path: Path, secret: Path
) -> None:
    lines = reading("Read", file_path="notes.txt")
    with place(
        sample, tmp_path / "run", sides=["none"], questions=["lint"], before=lines, environment=LOOSE
    ) as here:
        run = linked(here, tmp_path / "clone", "notes.txt", str(secret)).changed(again=0).run()

    (row,) = run.rows()
    assert row.outcome == "out"
    assert "The answer is 42." in run.exchanges(run.plan().runs[0], 1)[0].uses[0].output


def test_a_run_that_reads_outside_once_counts_when_it_is_done_again(
    sample: Study, tmp_path: Path, secret: Path
) -> None:
    once = {
        "model": "sonnet",
        "when": "Which rules does ruff check here",
        "reply": "I read it.",
        "tools": [{"name": "Read", "arguments": {"file_path": str(secret)}}],
        "times": 1,
    }
    with place(
        sample, tmp_path / "run", sides=["none"], questions=["lint"], before=[once], environment=LOOSE
    ) as here:
        run = here.run()

    (row,) = run.rows()
    assert (row.outcome, row.attempt) == ("correct", 2)
    (discarded,) = figures(run.finished()).discarded
    assert (discarded.side, discarded.reason, discarded.attempts) == ("none", "outside", 1)
    assert discarded.tokens > 0


def test_an_attempt_that_is_denied_read_nothing_and_is_counted(
    sample: Study, tmp_path: Path, secret: Path
) -> None:
    with place(
        sample,
        tmp_path / "run",
        sides=["none"],
        questions=["lint"],
        before=reading("Read", file_path=str(secret)),
    ) as here:
        run = here.changed(followups=0).run()

    (row,) = run.rows()
    assert (row.outcome, row.audit.denied, row.audit.outside) == ("wrong", 1, [])


def broken(here: Place) -> Place:
    """The study with a memory whose hook is switched off."""
    sides = [one for one in here.study.sides if one.kind != "memory"]
    return here.changed(sides=(side("memory", environment={"TRUERECALL_AGENTS_OFF": "1"}), *sides))


def test_a_memory_that_never_arrived_is_in_the_headline_and_not_per_protocol(
    sample: Study, tmp_path: Path
) -> None:
    with place(sample, tmp_path / "run", sides=["memory", "none"], questions=["signature"]) as here:
        run = broken(here).run()

    row = next(row for row in run.rows() if row.side == "memory")
    assert (row.outcome, row.admission.delivered, row.admission.per_protocol) == ("correct", False, False)
    found = figures(run.finished())
    headline = {one.side: one.counted for one in found.headline.questions[0].sides}
    beside = {one.side: one.counted for one in found.per_protocol.questions[0].sides}
    assert headline == {"memory": 1, "none": 1}
    assert beside == {"memory": 0, "none": 1}


def test_a_provider_that_fails_is_asked_again_and_then_the_run_has_failed(
    sample: Study, tmp_path: Path
) -> None:
    down = {"model": "sonnet", "when": "", "fail": "400", "reply": "The credit is used up."}
    with place(sample, tmp_path / "run", sides=["none"], questions=["lint"], before=[down]) as here:
        run = here.run()

    (row,) = run.rows()
    assert row.outcome == "failed" and row.problem
    assert Counter(one.reason for one in run.discarded()) == {"failed": 3}


def test_a_server_that_does_not_answer_in_time_makes_a_failed_run_and_never_a_wrong_one(
    sample: Study, tmp_path: Path
) -> None:
    with place(sample, tmp_path / "run", sides=["none"], questions=["lint"]) as here:
        silent = replace(here.study.solver, command=("sleep", "60"), timeout=0.2)
        run = here.changed(again=0, solver=silent).run()

    (row,) = run.rows()
    assert (row.outcome, row.answers) == ("failed", [])
    assert row.problem.startswith("the model did not answer once before the time ran out")


def test_a_memory_that_cannot_be_filled_is_told_while_the_study_runs(sample: Study, tmp_path: Path) -> None:
    told: list[StudyProgress] = []
    with place(sample, tmp_path / "run", sides=["none"], questions=["lint"]) as here:
        rival = side("rival", command=("cat",), load=("false",))
        here.changed(sides=(rival, *here.study.sides)).run(**watched(told))

    (warned,) = [one.what for one in told if one.stage == "warned"]
    assert warned.startswith("lint, rival, repeat 1: its memory could not be filled: ")
