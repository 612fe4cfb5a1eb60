"""The manifest of what a hook costs: read as it was written, refused where it is another's."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from truerecall.bench.hook_times import HookRow, HookTimes, read_hook_times
from truerecall.bench.measured import making
from truerecall.core.clock import ManualClock
from truerecall.errors import RunError

TIMES = HookTimes(
    kind="hook",
    entries=100_000,
    external=40_012,
    sessions=2_500,
    store_bytes=170_000_000,
    seed=1,
    budget=0.15,
    making=making(ManualClock(datetime(2024, 5, 7, tzinfo=UTC)), "python benchmarks/hook.py", ()),
    measurements=[
        HookRow(
            prompt="short",
            runs=40,
            injected=40,
            p50=0.09,
            p95=0.11,
            most=0.12,
            beyond_bare_p50=0.08,
            beyond_bare_p95=0.1,
            bare_p50=0.01,
            ratio=9.0,
            within=True,
        )
    ],
)


def test_a_manifest_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "hook.json"
    path.write_text(TIMES.model_dump_json(indent=2), encoding="utf-8")

    assert read_hook_times(path) == TIMES


@pytest.mark.parametrize("text", ["", "{}", TIMES.model_dump_json().replace('"hook"', '"budgets"')])
def test_what_is_no_manifest_of_this_version_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "hook.json"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(RunError, match=r"not one of this version \(hook\.json\)"):
        read_hook_times(path)
