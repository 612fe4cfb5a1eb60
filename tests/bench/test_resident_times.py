"""The manifest of the resident process's times: read as it was written, refused where it is another's."""

from pathlib import Path

import pytest

from truerecall.bench.resident_times import ResidentRow, ResidentTimes, read_resident_times
from truerecall.errors import RunError

TIMES = ResidentTimes(
    kind="resident",
    truerecall="0.1.0",
    python="3.11.7",
    sqlite="3.40.1",
    system="Linux",
    machine="x86_64",
    cores=2,
    embedder="hashing:256",
    entries=10_000,
    seed=1,
    started=0.4,
    first=0.1,
    resident_bytes=90_000_000,
    measurements=[
        ResidentRow(
            prompt="short",
            runs=40,
            injected=40,
            late=0,
            answer_p50=0.01,
            answer_p95=0.02,
            beyond_bare_p50=0.05,
            beyond_bare_p95=0.06,
            lean_beyond_bare_p50=0.04,
            lean_beyond_bare_p95=0.05,
            ratio=1.2,
        )
    ],
)


def test_a_manifest_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "resident.json"
    path.write_text(TIMES.model_dump_json(), encoding="utf-8")

    assert read_resident_times(path) == TIMES


@pytest.mark.parametrize("text", ["", "{}", '{"kind": "hook"}', TIMES.model_dump_json()[:-1]])
def test_anything_else_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "resident.json"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(RunError, match=r"resident\.py --write"):
        read_resident_times(path)
