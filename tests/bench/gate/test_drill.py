"""The drill: each planted regression goes red, through the real runs, and a gate that sees nothing is found out."""

import pytest
from tiny import CLOCK

from truerecall.bench.gate import drill as drilling
from truerecall.bench.gate.drill import Drilled, drill, drill_text
from truerecall.bench.gate.report import GateReport


@pytest.fixture(scope="module")
def drilled(tmp_path_factory: pytest.TempPathFactory) -> list[Drilled]:
    return drill(tmp_path_factory.mktemp("drill"), CLOCK, lambda done, total: None)


def test_every_kind_of_regression_is_caught_and_nothing_else_is_called_one(drilled: list[Drilled]) -> None:
    assert [(one.kind, one.report.verdict, one.report.exit_code(strict=False)) for one in drilled] == [
        (None, "pass", 0),
        ("retrieval", "regressed", 1),
        ("accuracy", "regressed", 1),
        ("latency", "regressed", 1),
        ("cost", "regressed", 1),
        ("cost", "regressed", 1),
        ("size", "regressed", 1),
        (None, "cannot tell", 0),
    ]
    assert all(one.caught for one in drilled)


def test_the_planted_amounts_are_those_that_are_measured(drilled: list[Drilled]) -> None:
    found = {
        one.what: next((line.change for line in one.report.lines if line.verdict == "regressed"), None)
        for one in drilled
    }

    assert found["a recall takes twice its time"] == pytest.approx(1.0)
    assert found["an answer takes a fifth more tokens"] == pytest.approx(0.2)
    assert found["a store keeps a tenth more bytes"] == pytest.approx(0.1, abs=0.001)


def test_too_few_answers_say_how_many_could_tell(drilled: list[Drilled]) -> None:
    (line,) = [line for line in drilled[-1].report.lines if line.verdict == "cannot tell"]

    assert (line.dimension, line.n) == ("accuracy", 12)
    assert line.needed is not None and line.needed > 24
    assert f"about {line.needed} questions could" in line.why


def test_the_table_says_what_was_planted_and_what_came_of_it(drilled: list[Drilled]) -> None:
    lines = drill_text(drilled).splitlines()

    assert [line.split()[0] for line in lines[1:9]] == ["right", *["caught"] * 6, "right"]
    assert lines[-1].startswith("8 drills, 0 missed")


def test_a_gate_that_passes_everything_is_shown_as_missing_all_of_it(drilled: list[Drilled]) -> None:
    blind = [
        Drilled(
            one.kind, one.what, one.must,
            GateReport(
                system=one.report.system, wiring_proof=True, notes=[],
                lines=[line.model_copy(update={"verdict": "pass"}) for line in one.report.lines],
            ),
        )
        for one in drilled
    ]  # fmt: skip
    lines = drill_text(blind).splitlines()

    assert [line.split()[0] for line in lines[1:9]] == ["right", *["MISSED"] * 7]
    assert lines[-1].startswith("8 drills, 7 missed")


def test_the_production_path_is_whole_again_after_a_drill(drilled: list[Drilled]) -> None:
    from truerecall.memory.recall import pipeline
    from truerecall.memory.recall.lanes import running

    assert drilled
    assert pipeline.fused is running.fused
    assert drilling.SMALL.repeats == 3
