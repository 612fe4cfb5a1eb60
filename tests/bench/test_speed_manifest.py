from pathlib import Path

import pytest

from truerecall.bench.measured import record_json
from truerecall.bench.speed import Speed, at_least, at_most, read_speed
from truerecall.errors import RunError

MAKING = {
    "created": "2024-05-07T09:30:00Z", "truerecall": "0.1.0", "commit": None, "dirty": None, "python": "3.11.7",
    "sqlite": "3.40.1", "packages": {}, "machine": {"cores": 2}, "load": 0.1, "script": "python benchmarks/speed.py",
}  # fmt: skip


def test_a_bar_says_whether_it_was_met() -> None:
    assert [at_most("a", "ms", 1.5, 1.5).met, at_most("a", "ms", 1.6, 1.5).met] == [True, False]
    assert [at_least("a", "times", 0.5, 0.5).met, at_least("a", "times", 0.4, 0.5).met] == [True, False]
    # What is printed is rounded; what is decided is not.
    assert at_most("a", "ms", 1.500001, 1.5).model_dump() == {
        "name": "a", "unit": "ms", "measured": 1.5, "bound": "at most", "limit": 1.5, "met": False,
    }  # fmt: skip


def test_a_manifest_is_read_as_it_was_written(tmp_path: Path) -> None:
    made = Speed.model_validate(
        {"method": "m", "tables": [], "bars": [at_most("a", "ms", 1, 2).model_dump()], "making": MAKING}
    )
    (tmp_path / "speed.json").write_text(record_json(made), encoding="utf-8")

    assert read_speed(tmp_path / "speed.json") == made


def test_a_manifest_of_another_kind_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "speed.json").write_text('{"kind": "figures"}', encoding="utf-8")

    with pytest.raises(RunError, match=r"not one of this version.*speed\.json"):
        read_speed(tmp_path / "speed.json")
