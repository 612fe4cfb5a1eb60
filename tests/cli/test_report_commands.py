"""``bench report`` and ``bench pages``: reports of either kind, made anew without a call."""

import sys
from pathlib import Path

import pytest

from truerecall.bench.qa.folder import qa_rows_text

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "bench"))

import accuracy_made as made

EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
"""Sha256 of no rows."""


@pytest.fixture
def judged(home: Path) -> Path:
    """A finished accuracy run, and one with another budget."""
    for name, budget in (("one", 2000), ("two", 1000)):
        path = home / "runs" / name
        path.mkdir(parents=True)
        (path / "rows.jsonl").write_text(qa_rows_text([]), "utf-8")
        manifest = made.manifest(rows_sha256=EMPTY, budget=budget)
        (path / "manifest.json").write_text(manifest.model_dump_json(), "utf-8")
    return home / "runs"


def test_the_report_of_an_accuracy_run_is_made_anew_and_is_the_same(cli, judged: Path) -> None:
    before = (judged / "one" / "manifest.json").read_bytes()
    outcomes = [cli("bench", "report", judged / "one") for _ in range(2)]
    assert [o.code for o in outcomes] == [0, 0]
    assert outcomes[0].out.split() == [str(judged / "one" / name) for name in ("report.md", "report.html")]
    assert "Accuracy report" in (judged / "one" / "report.html").read_text("utf-8")
    assert (judged / "one" / "manifest.json").read_bytes() == before


def test_a_report_of_speed_has_no_place_in_one_of_accuracy(cli, judged: Path, home: Path) -> None:
    (home / "speed.json").write_text("{}", "utf-8")
    outcome = cli("bench", "report", judged / "one", "--speed", home / "speed.json")
    assert (outcome.code, outcome.out) == (2, "")
    assert "--speed belongs to a report of retrieval" in outcome.err


def test_runs_side_by_side_are_written_below_the_named_folder(cli, judged: Path, home: Path) -> None:
    outcome = cli("bench", "pages", judged / "one", judged / "two", "--out", home / "pages")
    assert outcome.code == 0
    text = (home / "pages" / "side-by-side.md").read_text("utf-8")
    assert "| budget of the block | 2,000 | 1,000 |" in text
    assert (home / "pages" / "side-by-side.html").is_file()


@pytest.mark.parametrize(
    "command", [["report"], ["pages"], ["ledger", "add"], ["gate", "take", "--out", "b.json"]]
)
@pytest.mark.parametrize("text", ["[" * 100_000, "[]", "7", '"qa"', '{"kind": 7}'])
def test_a_file_that_is_no_manifest_is_one_clear_message(
    cli, home: Path, command: list[str], text: str
) -> None:
    (home / "some.json").write_text(text, "utf-8")
    outcome = cli("bench", *command, "some.json")
    assert (outcome.code, outcome.out) == (2, "")
    assert "the manifest is" in outcome.err and "a fault of truerecall" not in outcome.err


@pytest.mark.parametrize("arguments", [[], ["nothing"]])
def test_without_a_finished_run_there_is_one_clear_message(cli, home: Path, arguments: list[str]) -> None:
    outcome = cli("bench", "pages", *arguments)
    assert outcome.code == 2
    assert "Traceback" not in outcome.err and outcome.err
    assert not (home / "runs").exists()
