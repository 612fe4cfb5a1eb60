from pathlib import Path

import pytest
from performance import output
from performance.output import report, table

from truerecall.bench.measured import making
from truerecall.bench.speed import Speed, at_most, read_speed
from truerecall.core.clock import system_clock


def measured(limit: float) -> Speed:
    return Speed(
        method="by hand",
        tables=[
            table("Two things", "what", [("ms", 1), ("rows", 0)], [("one", [1.25, 1000]), ("two", [None, 2])])
        ],
        bars=[at_most("one", "ms", 1.25, limit)],
        making=making(system_clock, "python benchmarks/speed.py", ("numpy",)),
    )


def test_figures_and_bars_are_told_and_a_missed_bar_is_an_exit_code_of_1(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert report(measured(2), "speed.json", write=False) == 0
    assert capsys.readouterr().out == (
        "\nTwo things\n  one: ms 1.2; rows 1,000\n  two: ms -; rows 2\n\nmet: one: 1.250 ms, at most 2.000\n"
    )
    assert report(measured(1), "speed.json", write=False) == 1
    assert capsys.readouterr().out.endswith("\n\nMISSED: one: 1.250 ms, at most 1.000\n")


def test_a_manifest_is_written_where_that_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output, "MANIFESTS", tmp_path)
    made = measured(2)

    report(made, "speed.json", write=True)

    assert read_speed(tmp_path / "speed.json") == made
