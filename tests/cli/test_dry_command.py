import shutil
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from truerecall.bench.dry import steps as protocol
from truerecall.bench.dry.steps import SCRIPTS, Step, lay_out, steps
from truerecall.cli import dry
from truerecall.cli.main import main
from truerecall.errors import RunError
from truerecall.models.scripted.file import scripted_chat


def fails(out: Path) -> str:
    raise RunError("it is not so", remedy="Look again.")


def planned(monkeypatch: pytest.MonkeyPatch, *chosen: Step) -> None:
    monkeypatch.setattr(dry, "steps", lambda: chosen)


def test_every_step_of_the_protocol_is_a_command_that_exists() -> None:
    for step in steps():
        command: click.Command = main
        context = click.Context(command, **command.context_settings)
        words = list(step.arguments)
        while isinstance(command, click.Group):
            found = command.get_command(context, words.pop(0))
            assert found is not None, step.arguments
            command, context = found, click.Context(found, parent=context)
        # It fails on an option that the command does not take, or on an argument that is missing.
        command.make_parser(context).parse_args(words)


def test_each_step_is_run_in_the_folder_and_what_it_prints_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned(monkeypatch, Step("read the data sets", ("bench", "data", "check", "data")))

    result = CliRunner().invoke(main, ["bench", "dry", "--out", str(tmp_path / "dry")])

    assert result.exit_code == 0
    assert "1/1 read the data sets" in result.output
    assert "all 1 steps did what they must" in result.output
    assert "Wiring proof, not a result" in result.output
    assert "locomo" in (tmp_path / "dry" / "step-01.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("step", "problem"),
    [
        (Step("a command that is none", ("bench", "nothing")), "exit code 2, not 0"),
        (Step("one that ought to fail", ("--version",), code=1), "exit code 0, not 1"),
        (Step("one whose result is wrong", ("--version",), check=fails), "it is not so. Look again."),
    ],
    ids=["wrong exit code", "no failure where there must be one", "a check that fails"],
)
def test_a_step_that_does_not_do_what_it_must_ends_the_run_with_exit_code_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: Step, problem: str
) -> None:
    planned(monkeypatch, step, Step("the next one", ("--version",)))

    result = CliRunner().invoke(main, ["bench", "dry", "--out", str(tmp_path)])

    assert result.exit_code == 1
    assert f"FAILED: {problem}" in result.output
    assert "2/2 the next one" in result.output
    assert "1 of 2 steps failed" in result.output


def test_the_scripted_models_of_the_protocol_can_be_read(tmp_path: Path) -> None:
    lay_out(tmp_path / "dry")

    assert all(scripted_chat(tmp_path / "dry" / f"{name}.jsonl").free for name in SCRIPTS)
    assert sorted(path.name for path in (tmp_path / "dry" / protocol.DATA).iterdir()) == [
        "locomo.json",
        "longmemeval.json",
    ]


def test_laying_out_again_leaves_what_was_measured(tmp_path: Path) -> None:
    lay_out(tmp_path)
    (tmp_path / "runs").mkdir()
    shutil.rmtree(tmp_path / "data")

    lay_out(tmp_path)

    assert (tmp_path / "runs").is_dir()
    assert (tmp_path / "data" / "locomo.json").is_file()


def test_the_served_system_runs_on_the_interpreter_that_is_in_use() -> None:
    (step,) = [step for step in steps() if "head-to-head" in step.arguments]

    (served,) = [word for word in step.arguments if word.startswith("command,")]
    assert sys.executable in served
