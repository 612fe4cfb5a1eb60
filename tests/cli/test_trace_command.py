"""``trace summary``."""

import json
import os
import sys
from pathlib import Path

import pytest


@pytest.fixture
def traced(cli, home: Path) -> Path:
    """The traces of three recalls."""
    cli(
        "remember",
        "Ana repaired the weir in April",
        "We counted nine herons at dawn",
        "Herons nest at the mill",
    )
    for query in ("weir", "herons at the mill", "nothing of it"):
        cli("recall", query, "--trace", "traces.jsonl")
    return home / "traces.jsonl"


def test_the_summary_shows_every_stage(cli, traced: Path) -> None:
    outcome = cli("trace", "summary", traced)

    lines = outcome.out.splitlines()
    assert (outcome.code, outcome.err) == (0, "")
    assert lines[0] == "3 recalls, 3 candidates"
    assert lines[1].startswith("rerank-lift-realized 0.")
    assert any(line.startswith("trust ") and line.split()[1:] == ["0", "0.0000", "0"] for line in lines)
    assert [line.split()[1:4] for line in lines if line.startswith("lexical ")] == [["3", "3", "3"]]
    assert [line.split()[-1] for line in lines if line.startswith("vector ")] == ["3"]
    assert [line for line in lines if line.startswith("  vector: no embedder is open")]
    assert "no factor moved a score" in lines
    assert [line.split()[1:] for line in lines if line.startswith("hits ")] == [["3", "0", "1", "2", "2"]]
    assert "3 of 3 recalls were degraded" in lines


def test_json_is_one_object_with_the_same_numbers(cli, traced: Path) -> None:
    made = json.loads(cli("trace", "summary", traced, "--json").out)

    assert (made["recalls"], made["malformed"], made["candidates"], made["degraded"]) == (3, 0, 3, 3)
    assert made["hits"] == {"n": 3, "least": 0, "median": 1, "p95": 2, "most": 2}
    assert sorted(made) == [
        "candidates", "degradations", "degraded", "diversify", "dropped", "factors", "hits", "lanes", "malformed",
        "recalls", "rerank", "tokens",
    ]  # fmt: skip


def test_factors_that_moved_scores_are_shown_with_their_spread(cli, home: Path) -> None:
    (home / "on.toml").write_text("[factors]\ntrust = 1.0\n", "utf-8")
    cli("remember", "herons at dawn", "--trust", "system")
    cli("remember", "herons at noon", "--trust", "external")
    tiers = ("--trust", "system", "--trust", "external")
    cli("recall", "herons", *tiers, "--trace", "t.jsonl", "--settings", "on.toml")

    lines = cli("trace", "summary", "t.jsonl").out.splitlines()

    assert [line.split()[1:] for line in lines if line.startswith("trust  ")] == [
        ["0", "0.0000", "0"],
        ["2", "0.500", "0.500", "1.500", "1.500"],
    ]
    assert [line for line in lines if line.startswith(("recency", "temporal"))] == []


def test_what_diversifying_changed_is_shown_where_it_is_on(cli, home: Path) -> None:
    (home / "on.toml").write_text("[recall]\ndiversity = 0.5\n", "utf-8")
    cli("remember", "herons at dawn", "herons at the dawn", "herons nest at the mill")
    model = ("--embedder", "hashing", "--settings", "on.toml")
    cli("reembed", "--embedder", "hashing")
    cli("recall", "herons at dawn", *model, "--trace", "t.jsonl")

    lines = cli("trace", "summary", "t.jsonl").out.splitlines()

    assert "diversifying changed the order in 1 of 1 recalls, 2 of 3 places" in lines


def test_malformed_lines_are_counted_and_skipped(cli, traced: Path) -> None:
    with traced.open("ab") as handle:
        handle.write(b'\xff\xfe\n{"name": "other"}\n{"query_sha256": "ab')

    outcome = cli("trace", "summary", traced)

    assert outcome.code == 0
    assert outcome.out.splitlines()[0] == "3 recalls, 3 candidates; 3 malformed lines skipped"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "no trace in t.jsonl: it is empty"),
        (b"\n\n", "no trace in t.jsonl: it is empty"),
        (b"{}\nnothing\n\x00", "no trace in t.jsonl: all of its 3 lines are malformed"),
    ],
)
def test_a_file_without_a_trace_ends_with_exit_code_1_and_says_so(
    cli, home: Path, content: bytes, said: str
) -> None:
    (home / "t.jsonl").write_bytes(content)

    outcome = cli("trace", "summary", "t.jsonl")
    assert (outcome.code, outcome.out, outcome.err) == (1, "", said + "\n")

    outcome = cli("trace", "summary", "t.jsonl", "--json")
    assert (outcome.code, json.loads(outcome.out)["recalls"], outcome.err) == (1, 0, said + "\n")


def test_a_file_that_cannot_be_read_is_bad_input(cli, home: Path) -> None:
    (home / "folder").mkdir()
    for name in ("missing.jsonl", "folder"):
        outcome = cli("trace", "summary", name)
        assert (outcome.code, outcome.out) == (2, "")
        assert "Traceback" not in outcome.err and "unexpected" not in outcome.err and name in outcome.err


@pytest.mark.skipif(sys.platform == "win32", reason="a console there has other controls")
def test_what_stands_in_a_trace_cannot_drive_the_terminal(cli, traced: Path) -> None:
    evil = "\x1b]52;c;AAAA\x07\x9b2J\nrefused"
    values = json.loads(traced.read_text("utf-8").splitlines()[0])
    values["counter"] = evil
    values["degradations"] = [evil]
    values["dropped"] = [{"id": "a", "reason": evil, "kept": None}]
    values["lanes"][0]["name"] = values["lanes"][0]["note"] = evil
    values["scored"] = [{"id": "a", "fused": 1.0, "factors": {evil: 0.5}, "score": 1.0}]
    traced.write_text(json.dumps(values) + "\n", "utf-8")

    out = cli("trace", "summary", traced).out

    assert out.count("refused") == 7
    assert not any((ord(c) < 32 and c != "\n") or 127 <= ord(c) < 160 for c in out), repr(out)
    assert not [line for line in out.splitlines() if line.startswith("refused")]


@pytest.mark.skipif(os.name != "posix", reason="file modes")
def test_a_file_that_may_not_be_read_says_so(cli, traced: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    traced.chmod(0)

    outcome = cli("trace", "summary", traced)

    assert (outcome.code, len(outcome.err.splitlines())) == (2, 1) or "Error: Invalid value" in outcome.err
