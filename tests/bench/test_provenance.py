"""A run says where it was made, and nothing of the place or the person."""

import json
import os
from pathlib import Path

import pytest
from tiny import CLOCK, run

from truerecall.bench.provenance import provenance, without_paths
from truerecall.bench.systems.bm25 import Bm25


def test_a_manifest_holds_no_path_no_host_and_no_user(tmp_path: Path) -> None:
    run(tmp_path, [Bm25()], command=f"truerecall bench retrieval --data={tmp_path}/data --out {tmp_path} x/y")
    written = (tmp_path / "trial" / "manifest.json").read_text(encoding="utf-8")

    assert f"--data=data --out {tmp_path.name} x/y" in written
    assert str(tmp_path.parent) not in written
    assert os.uname().nodename not in written
    assert json.loads(written)["provenance"]["created"] == "2024-05-07T12:00:00Z"


@pytest.mark.parametrize(
    ("command", "kept"),
    [
        ("bench --data /data/locomo/dev.json", "bench --data dev.json"),
        ("bench --data ~/data --k=5", "bench --data data --k=5"),
        ("bench --data 'C:\\Users\\kim\\data'", "bench --data 'data'"),
        ("bench --system bm25 --seed 1", "bench --system bm25 --seed 1"),
        ("bench --data runs/a", "bench --data runs/a"),
        ("bench --data '/home/Jane Doe/my data'", "bench --data 'my data'"),
        ("bench '--data=/home/Jane Doe/d' --k 5", "bench '--data=d' --k 5"),
        (
            "bench --system 'command,command=python3 /srv/a.py --model /data/m'",
            "bench --system 'command,command=python3 a.py --model m'",
        ),
    ],
)
def test_absolute_paths_are_cut_from_the_command(command: str, kept: str) -> None:
    assert without_paths(command) == kept


def test_a_secret_in_the_command_is_masked() -> None:
    made = provenance(CLOCK, 3, "turn", "bound-1", "bench --api-key sk-ant-api03-Zx9Qw8Er7Ty6Ui5Op4As3Df2")

    assert "Zx9Qw8" not in made.command
    assert made.command.startswith("bench --api-key [masked:")


def test_provenance_knows_commit_packages_and_machine() -> None:
    made = provenance(CLOCK, 3, "turn", "bound-1", "bench")

    assert {"truerecall", "numpy", "pydantic"} <= set(made.packages)
    assert set(made.machine) == {"cores", "memory_gib", "system", "architecture", "implementation"}
    assert made.harness == "truerecall-bench 1"
