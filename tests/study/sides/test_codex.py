"""What a side puts into Codex: the hooks that installing writes, and no plugin of another agent."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from truerecall.agents.install import codex
from truerecall.agents.install.programs import setup_of
from truerecall.errors import StudyError
from truerecall.study.design import Question, Side, SolverChoice, Study
from truerecall.study.seats import Seats
from truerecall.study.sides.preview import preview
from truerecall.study.sides.stage import Stage
from truerecall.study.sides.table import equip, planned_side
from truerecall.study.solvers.protocol import Equipment, Seat

MEMORY = Side("memory", "memory")
EARLY = "Retries of the upload queue end after five tries, since the gateway drops the sixth."
Fired = Callable[[Seat, Equipment, str], dict[str, str]]


@pytest.fixture
def for_codex(study: Study) -> Study:
    return replace(study, solver=SolverChoice("codex", "gpt-5.1", key_variable="OPENAI_API_KEY"))


@contextmanager
def staged(study: Study, question: Question, cut_path: Path, seats: Seats) -> Iterator[Stage]:
    with seats.seat(1, study, question, cut_path.parent / "out") as seat:
        yield Stage(study, question, seat, cut_path)


def test_our_memory_is_the_hooks_that_installing_writes(
    for_codex: Study, question: Question, cut_path: Path, seats: Seats, fired: Fired
) -> None:
    with staged(for_codex, question, cut_path, seats) as stage:
        equipment = equip(MEMORY, stage)

        assert equipment.plugin_dir == stage.seat.home / "plugin"
        assert dict(equipment.environment) == {"TRUERECALL_HOOK_NOW": "2026-11-22T09:05:00Z"}
        told = json.loads((equipment.plugin_dir / "hooks/hooks.json").read_text(encoding="utf-8"))
        written = codex.hook_entries(setup_of(stage.seat.environment))
        assert told == {"hooks": {event: [{"hooks": [entry]}] for event, entry in written.items()}}
        assert (stage.seat.home / ".local/share/truerecall/memory.db").read_bytes() == cut_path.read_bytes()
        said = fired(stage.seat, equipment, question.text)["1"]

    assert EARLY in said
    assert "heronlike" not in said


def test_what_it_recalls_can_be_looked_at_beforehand(
    for_codex: Study, question: Question, cut_path: Path, seats: Seats
) -> None:
    assert EARLY in preview(for_codex, question, MEMORY, cut_path, seats).block


def test_a_plugin_of_claude_code_is_refused_before_anything_runs(for_codex: Study) -> None:
    side = Side("rival", "memory", plugin_dir="plugins/other")

    with pytest.raises(StudyError, match="a plugin for Claude Code, which Codex cannot load") as refused:
        planned_side(side, for_codex)

    assert "mcp" in refused.value.remedy and "command" in refused.value.remedy


def test_a_memory_of_another_kind_is_planned_alike_for_both(for_codex: Study, study: Study) -> None:
    sides = (
        Side("none", "none"),
        Side("placebo", "placebo"),
        Side("asked", "memory", mcp=("rival", "serve")),
        Side("told", "memory", command=("rival", "recall")),
    )

    assert [planned_side(side, for_codex) for side in sides] == [planned_side(side, study) for side in sides]


def test_the_plan_of_our_memory_tells_the_two_agents_apart(for_codex: Study, study: Study) -> None:
    ours, other = planned_side(MEMORY, for_codex), planned_side(MEMORY, study)

    assert ours.sha256 != other.sha256
    assert (ours.delivery, ours.marker) == (other.delivery, other.marker)
