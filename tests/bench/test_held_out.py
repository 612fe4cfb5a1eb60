"""Each run on held-out data leaves a line that says so."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tiny import conversation, dataset, run

from truerecall.bench.datasets.records import Dataset
from truerecall.bench.provenance import checkout
from truerecall.bench.systems.bm25 import Bm25
from truerecall.bench.systems.null import Null
from truerecall.errors import RunError

REPOSITORY = Path(__file__).resolve().parents[2]


def data(split: str, *ids: str) -> Dataset:
    """A data set of conversations that are called so."""
    found = [replace(conversation(id), id=id) for id in ids]
    return replace(dataset(*found), split=split)


def lines(out: Path) -> list[dict[str, Any]]:
    log = out / "held-out.jsonl"
    return [json.loads(line) for line in log.read_text("utf-8").splitlines()] if log.exists() else []


@pytest.mark.parametrize(
    ("given", "logged"),
    [
        (data("dev", "conv-26"), []),
        (data("held-out", "conv-44"), ["held-out"]),
        (data("all", "conv-26", "conv-44"), ["all"]),
        (data("all", "talk-01", "0a1b2c3d"), []),
    ],
)
def test_a_run_is_logged_where_held_out_conversations_are_in_it(
    given: Dataset, logged: list[str], tmp_path: Path
) -> None:
    manifest = run(tmp_path, [Bm25(), Null()], [given])

    assert [line["split"] for line in lines(tmp_path)] == logged
    assert manifest.datasets[0].split == given.split


def test_a_line_says_when_on_what_with_what_and_by_which_code(tmp_path: Path) -> None:
    for name in ("first", "second"):
        run(tmp_path, [Bm25(), Null()], [data("held-out", "conv-44")], name=name)

    assert lines(tmp_path) == 2 * [
        {
            "time": "2024-05-07T12:00:00Z",
            "sha256": "ab" * 32,
            "split": "held-out",
            "systems": ["bm25", "null"],
            "commit": checkout(REPOSITORY)[0],
        }
    ]


def test_a_log_that_is_a_link_out_of_the_output_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "held-out.jsonl").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(RunError, match="leads out of the output folder"):
        run(tmp_path / "out", [Bm25()], [data("held-out", "conv-44")])
    assert not (tmp_path / "elsewhere").exists()
