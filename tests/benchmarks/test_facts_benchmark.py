"""benchmarks/facts.py as it is run."""

import json
from pathlib import Path

import facts
import pytest


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with one made session."""
    said = ("We decided to use zod because yup is slow.", "TODO: handle the empty cart.")
    lines = [
        {
            "type": "assistant",
            "uuid": f"u{number}",
            "sessionId": "t",
            "timestamp": f"2026-01-01T10:00:0{number}Z",
            "cwd": "/home/dev/x",
            "message": {"id": f"m{number}", "role": "assistant", "content": [{"type": "text", "text": text}]},
        }
        for number, text in enumerate(said)
    ]
    (tmp_path / "data" / "claude_code").mkdir(parents=True)
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (tmp_path / "data" / "claude_code" / "t.jsonl").write_text(text, encoding="utf-8")
    return tmp_path / "data"


def test_what_is_drawn_can_be_labelled_and_measured(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert facts.main(["sample", "--data", str(data), "--count", "9", "--out", str(tmp_path / "out")]) == 0
    assert capsys.readouterr().out == "2 of 2 facts, in facts.jsonl\n"
    rows = [
        json.loads(line)
        for line in (tmp_path / "out" / "facts.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    assert {(row["kind"], row["text"], row["source"]) for row in rows} == {
        ("decision",) + ("We decided to use zod because yup is slow.",) * 2,
        ("open_end",) + ("TODO: handle the empty cart.",) * 2,
    }
    labels = tmp_path / "labels.jsonl"
    labels.write_text(
        "".join(json.dumps({"id": row["id"], "correct": row["kind"] == "decision"}) + "\n" for row in rows),
        encoding="utf-8",
    )
    monkeypatch.setattr(facts, "RECORD", tmp_path / "facts.json")
    assert facts.main(["measure", "--data", str(data), "--labels", str(labels), str(labels), "--write"]) == 0
    out = capsys.readouterr().out
    assert "precision by both, all: 1 of 2 = 0.500" in out
    assert "labellers agree on 2 of 2; Cohen's kappa 1.00" in out
    assert json.loads((tmp_path / "facts.json").read_text(encoding="utf-8"))["facts"] == 2


def test_nothing_is_drawn_into_the_repository(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = facts.REPOSITORY / "benchmarks" / "drawn"
    assert facts.main(["sample", "--data", str(data), "--out", str(out)]) == 2
    assert not out.exists()
    assert "outside of it" in capsys.readouterr().err


def test_missing_data_and_files_are_exit_code_2(data: Path, tmp_path: Path) -> None:
    assert facts.main(["measure", "--data", str(tmp_path / "none")]) == 2
    assert facts.main(["measure", "--data", str(data), "--labels", str(tmp_path / "none.jsonl")]) == 2
    assert facts.main(["measure", "--data", str(data), "--gold", "a", "b", "c"]) == 2
    assert facts.main(["sample", "--data", str(data), "--count", "0", "--out", str(tmp_path / "o")]) == 2
