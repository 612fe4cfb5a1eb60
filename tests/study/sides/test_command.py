"""Any command can be a memory: it gets the event of the prompt, and what it prints goes before the model."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from truerecall.study.design import Side, Study
from truerecall.study.sides.inject import CUT, fitting
from truerecall.study.sides.table import equip

Staged = Callable[..., Any]


def written(study: Study, program: str) -> tuple[str, ...]:
    """A command whose program lies in the folder of the study."""
    (study.folder / "recall.py").write_text(program, encoding="utf-8")
    return (sys.executable, "./recall.py")


def side(*command: str) -> Side:
    return Side("other", "memory", command=command)


def test_it_gets_the_event_and_what_it_prints_is_injected(study: Study, staged: Staged, fired: Any) -> None:
    program = "import json, sys; print('Ünïted: ' + json.load(sys.stdin)['prompt'])"
    with staged() as stage:
        texts = fired(stage.seat, equip(side(*written(study, program)), stage), "How often?")

    assert texts == {"1": "Ünïted: How often?"}


def test_it_finds_the_cut_and_works_where_the_solver_does(study: Study, staged: Staged, fired: Any) -> None:
    program = """
import json, os, pathlib
export = pathlib.Path(os.environ["TRUERECALL_CUT_EXPORT"])
lines = (export / "entries.jsonl").read_text().splitlines()
print(len(lines), pathlib.Path(os.environ["TRUERECALL_CUT"]).exists(), os.environ["TRUERECALL_CUT_ASKED_AT"])
print(sorted(os.listdir()))
"""
    with staged() as stage:
        texts = fired(stage.seat, equip(side(*written(study, program)), stage))

    assert texts == {"1": "5 True 2026-11-22T09:05:00Z\n['.git', 'retry.py']"}


def test_what_is_too_long_is_cut_and_says_so(study: Study, staged: Staged, fired: Any) -> None:
    with staged() as stage:
        texts = fired(stage.seat, equip(side(*written(study, "print('x' * 20_000)")), stage))

    assert texts == {"1": "x" * (9_500 - len(CUT)) + CUT}
    assert len(texts["1"]) == 9_500


def test_signs_of_two_units_count_twice_and_are_not_halved() -> None:
    assert fitting("😀" * 50, 100) == "😀" * 50
    cut = fitting("😀" * 51, 100)
    assert cut == "😀" * ((100 - len(CUT)) // 2) + CUT


@pytest.mark.parametrize(
    "program", ["import sys; print('half'); sys.exit(3)", "import os; os.abort()", "print('  ')"]
)
def test_a_command_that_fails_injects_nothing_and_holds_no_prompt_up(
    program: str, study: Study, staged: Staged, fired: Any
) -> None:
    with staged() as stage:
        assert fired(stage.seat, equip(side(*written(study, program)), stage)) == {"1": ""}


def test_a_program_that_is_not_there_injects_nothing(staged: Staged, fired: Any) -> None:
    with staged() as stage:
        assert fired(stage.seat, equip(side("no-such-program"), stage)) == {"1": ""}


def test_the_generated_plugin_is_one_as_claude_code_reads_it(staged: Staged) -> None:
    with staged() as stage:
        plugin: Path | None = equip(side("recall"), stage).plugin_dir
        assert plugin is not None
        manifest = json.loads((plugin / ".claude-plugin/plugin.json").read_text(encoding="utf-8"))
        hooks = json.loads((plugin / "hooks/hooks.json").read_text(encoding="utf-8"))["hooks"]

    assert sorted(manifest) == ["author", "description", "name", "version"]
    assert list(hooks) == ["UserPromptSubmit"]
    ((entry,),) = [group["hooks"] for group in hooks["UserPromptSubmit"]]
    assert (entry["type"], entry["timeout"]) == ("command", 30)
    assert entry["command"].endswith('"${CLAUDE_PLUGIN_ROOT}/hooks/inject-1.json"')
