"""A memory of another kind is filled before each run; that it cannot be is a result, and stops nothing."""

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from truerecall.study.design import Side
from truerecall.study.folder import read_record
from truerecall.study.sides.loading import Loading, load
from truerecall.study.sides.table import equip

Staged = Callable[..., Any]


def side(program: str, **more: Any) -> Side:
    return Side("other", "memory", command=("recall",), load=(sys.executable, "-c", program), **more)


def kept(outputs: Path) -> Loading:
    return read_record(outputs / "load.json", Loading)


def test_it_is_told_where_the_cut_is_and_works_in_the_home(staged: Staged) -> None:
    program = """
import os, pathlib, sqlite3
print(pathlib.Path.cwd() == pathlib.Path(os.environ["HOME"]), os.environ["COLOUR"], "AWS" in os.environ)
db = sqlite3.connect(os.environ["TRUERECALL_CUT"])
print(db.execute("SELECT count(*) FROM entry").fetchone()[0])
pathlib.Path("filled").write_text("yes")
"""
    with staged() as stage:
        equip(side(program, environment={"COLOUR": "red"}), stage)

        assert (stage.seat.home / "filled").read_text(encoding="utf-8") == "yes"
        loading = kept(stage.seat.outputs)
    assert (loading.ok, loading.problem, loading.output) == (True, "", "True red False\n5\n")
    assert loading.seconds > 0


@pytest.mark.parametrize(
    ("program", "problem"),
    [
        ("import sys; sys.exit('no room')", "it ended with code 1"),
        ("import os; os.abort()", "it ended with code -6"),
    ],
)
def test_a_failure_is_kept_and_the_run_goes_on(program: str, problem: str, staged: Staged) -> None:
    with staged() as stage:
        equipment = equip(side(program), stage)

        assert equipment.plugin_dir is not None
        assert (kept(stage.seat.outputs).ok, kept(stage.seat.outputs).problem) == (False, problem)


def test_a_program_that_is_not_there_is_a_failure_too(staged: Staged) -> None:
    with staged() as stage:
        loading = load(replace(side(""), load=("no-such-program",)), stage)

    assert loading.problem == "it cannot be started: No such file or directory"


def test_one_that_takes_too_long_is_ended(staged: Staged) -> None:
    with staged() as stage:
        loading = load(side("import time; time.sleep(60)"), stage, seconds=0.05)

    assert (loading.ok, loading.problem) == (False, "it took longer than 0.05 s")


def test_it_gets_no_key_and_secrets_that_it_prints_are_not_kept(staged: Staged) -> None:
    secret = "ghp_" + "a1B2" * 9
    with staged() as stage:
        loading = load(side(f"import os; print('ANTHROPIC_API_KEY' in os.environ, {secret!r})"), stage)

    assert loading.output.startswith("False ")
    assert secret not in loading.output


def test_what_it_does_to_its_copy_does_not_reach_the_cut(staged: Staged, cut_path: Path) -> None:
    before = cut_path.read_bytes()
    with staged() as stage:
        load(side("import os; open(os.environ['TRUERECALL_CUT'], 'w').close()"), stage)

    assert cut_path.read_bytes() == before
