"""Made sessions of a coding agent."""

import hashlib
import json
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from truerecall.bench.datasets.generate_coding import coding_sessions, write_coding_sessions
from truerecall.cli.main import main


def made(count: int = 40, seed: int = 1) -> list[list[dict[str, Any]]]:
    return [
        [json.loads(line) for line in one.lines] for one in coding_sessions(seed, count, "/home/dev/made")
    ]


def blocks(lines: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [
        block
        for line in lines
        if isinstance(line["message"]["content"], list)
        for block in line["message"]["content"]
        if block["type"] == kind
    ]


def test_the_same_seed_gives_the_same_bytes_on_every_python() -> None:
    text = "\n".join(line for one in coding_sessions(7, 3, "/home/dev/made") for line in one.lines)

    assert hashlib.sha256(text.encode()).hexdigest()[:16] == "8813fabd0ddc7056"
    assert made(3, 7) == made(3, 7) != made(3, 8)


def test_sessions_come_in_the_order_of_their_time_and_their_lines_too() -> None:
    firsts = [datetime.fromisoformat(lines[0]["timestamp"]) for lines in made()]

    assert firsts == sorted(firsts)
    for lines in made(5):
        times = [line["timestamp"] for line in lines]
        assert times == sorted(times)


def test_each_call_of_a_tool_has_its_result() -> None:
    for lines in made(10):
        calls = [block["id"] for block in blocks(lines, "tool_use")]
        results = [block["tool_use_id"] for block in blocks(lines, "tool_result")]
        assert calls == results and len(set(calls)) == len(calls)


def test_a_session_begins_with_what_somebody_asks_and_ends_with_what_came_of_it() -> None:
    for lines in made(10):
        assert isinstance(lines[0]["message"]["content"], str)
        assert lines[-1]["message"]["content"][0]["text"].startswith("Done.\n\n- ")
        assert not any("{" in block["text"] for block in blocks(lines, "text")), "a placeholder was left"


def test_ids_are_distinct() -> None:
    counts = Counter(line["uuid"] for lines in made() for line in lines)

    assert max(counts.values()) == 1


def test_an_interrupted_run_leaves_nothing_that_looks_whole(tmp_path: Path) -> None:
    def broken() -> Any:
        yield from coding_sessions(1, 2, "/home/dev/made")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_coding_sessions(tmp_path / "pool", broken())
    assert not (tmp_path / "pool").exists()

    write_coding_sessions(tmp_path / "pool", coding_sessions(1, 2, "/home/dev/made"))
    assert len(list((tmp_path / "pool").iterdir())) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["pool"]


def test_the_command_writes_a_folder_of_transcripts(tmp_path: Path) -> None:
    arguments = ["generate", "--shape", "coding", "--sessions", "3", "--out", str(tmp_path)]

    result = CliRunner().invoke(main, ["bench", "data", *arguments])

    assert result.exit_code == 0, result.output
    assert len(list((tmp_path / "coding-made-1").glob("*.jsonl"))) == 3
    again = CliRunner().invoke(main, ["bench", "data", *arguments])
    assert again.exception is not None, "what is there is not written over"
