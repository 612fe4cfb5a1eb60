"""``truerecall study plan``, ``run``, ``status``, ``audit`` and ``report``, as a user calls them."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from truerecall.cli.main import main
from truerecall.cli.study_progress import RunDisplay, duration
from truerecall.models.scripted import Scenario, ScriptedServer
from truerecall.study.running.options import StudyProgress
from truerecall.study.sample.making import SAMPLE, make_study


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A part of the sample study on disk, with the small agent and a scripted server for its models."""
    folder = tmp_path_factory.mktemp("cli") / "study"
    make_study(folder)
    for name in ("giving-up", "signature"):
        for path in (folder / "questions" / name).iterdir():
            path.unlink()
        (folder / "questions" / name).rmdir()
    with ScriptedServer(Scenario.read(SAMPLE / "scenario.jsonl")) as server:
        settings = folder / "study.toml"
        text = settings.read_text(encoding="utf-8")
        text = re.sub(r"\[solver\].*?\n\n", solver_table(server.root), text, flags=re.DOTALL)
        text = re.sub(r'"(anthropic:[\w-]+)"', rf'"\1,base_url={server.root}"', text)
        text = text.replace("repeats = 3", "repeats = 1")
        text = text.replace('[[side]]\nname = "redo"\nkind = "redo"\n', "")
        text = text.replace('[[side]]\nname = "placebo"\nkind = "placebo"\n', "")
        settings.write_text(text, encoding="utf-8")
        yield folder


def solver_table(root: str) -> str:
    return (
        "[solver]\n"
        'name = "command"\n'
        'model = "claude-sonnet-5-5"\n'
        f'command = ["{sys.executable}", "-m", "truerecall.study.sample.agent"]\n'
        f'environment = {{ ANTHROPIC_BASE_URL = "{root}" }}\n\n'
    )


def called(*arguments: str | Path) -> Result:
    return CliRunner().invoke(
        main, ["study", *map(str, arguments)], env={"ANTHROPIC_API_KEY": "scripted"}, catch_exceptions=False
    )


def test_a_plan_says_what_would_be_run_and_what_it_may_cost(study: Path) -> None:
    done = called("plan", study)

    assert done.exit_code == 0
    assert done.output.splitlines()[0] == (
        "sample: 0 questions and 1 control, 2 sides, 1 repeat: 2 runs, 0 of them finished"
    )
    assert "2 of 2 runs left" not in done.output and "1 of 1 runs left" in done.output
    assert "all that is left: $" in done.output
    assert not (study / "runs").exists()


def test_a_study_is_run_looked_at_audited_and_reported(study: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"

    done = called("run", study, "--out", out)
    assert done.exit_code == 0
    assert "sample: 2 of 2 runs finished" in done.output
    assert f"report: {out / 'report' / 'report.html'}" in done.output

    status = called("status", out)
    assert status.exit_code == 0
    assert status.output.splitlines()[:3] == [
        "sample: 2 of 2 runs finished",
        "  memory  1 of 1: 1 correct",
        "  none    1 of 1: 1 correct",
    ]

    audit = called("audit", out)
    assert audit.exit_code == 0
    assert audit.output.endswith("every row of the ledger is what its transcript makes it\n")

    report = called("report", out)
    assert report.exit_code == 0
    assert [Path(line).name for line in report.output.splitlines()] == [
        "report.md",
        "report.json",
        "report.html",
    ]

    row = out / "lint" / "none" / "1" / "row.json"
    row.write_text(row.read_text(encoding="utf-8").replace('"outcome": "correct"', '"outcome": "wrong"'))
    changed = called("audit", out)
    assert changed.exit_code == 1
    assert "DISAGREES: lint, none, repeat 1: its outcome is not what its exchanges and marks make it" in (
        changed.output
    )


def test_a_limit_that_allows_nothing_ends_with_1_and_says_so(study: Path, tmp_path: Path) -> None:
    done = called("run", study, "--out", tmp_path / "run", "--max-cost", "0.000001")

    assert done.exit_code == 1
    assert "0 of 2 runs finished" in done.output
    assert "could pass the limit of the costs" in done.stderr


def progress(stage: str, **more: object) -> StudyProgress:
    told = {"done": 1, "total": 4, "what": "q, none, repeat 1", **more}
    return StudyProgress(stage, **told)  # type: ignore[arg-type]


def test_progress_tells_runs_time_and_money(capsys: pytest.CaptureFixture[str]) -> None:
    display = RunDisplay()
    display(progress("finished", seconds_left=200.0, spent=1.234, left=8.766))
    display(progress("warned", what="a link leads out"))
    display(progress("stopping"))
    display.end()

    assert capsys.readouterr().err.splitlines() == [
        "1/4 runs, about 3 min left, $1.23 spent, $8.77 of the limit left: finished q, none, repeat 1",
        "careful: a link leads out",
        "stopping: the next run could pass the limit of the costs; run again with a higher --max-cost",
    ]


def test_durations_are_read_at_a_glance() -> None:
    assert [duration(seconds) for seconds in (0.4, 89.0, 90.0, 5399.0, 7200.0)] == [
        "0 s",
        "89 s",
        "2 min",
        "90 min",
        "2.0 h",
    ]
