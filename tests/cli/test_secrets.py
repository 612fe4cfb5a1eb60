"""A secret that comes near a command reaches no output and no file that is written."""

from pathlib import Path

import pytest

SECRET = "sk-proj-" + "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAb7cDe0f" + "Gh3i"


def holding(home: Path, *outcomes) -> list[str]:
    """Where the secret is found: in files (contents and names), or in what was printed."""
    files = [path for path in home.rglob("*") if path.is_file()]
    found = [str(path) for path in files if SECRET.encode() in path.read_bytes()]
    return found + [o.out + o.err for o in outcomes if SECRET in o.out + o.err]


def test_a_secret_in_a_text_is_masked_everywhere(cli, home: Path) -> None:
    first = cli("remember", f"the key is {SECRET} for the ledger", "--speaker", SECRET, "--session", SECRET)
    assert first.out.startswith("stored, 1 secrets masked  ")
    outcomes = [
        first,
        cli("remember", stdin=f"by mail: {SECRET}".encode()),
        cli("correct", first.out.split()[-1], f"the new key is {SECRET}"),
        cli("list", "--json", "--ended"),
        cli("recall", "key ledger", "--json"),
        cli("recall", "key", "--explain", "--trace", "t.jsonl"),
        cli("export", "out"),
        cli("doctor"),
    ]
    assert [outcome.code for outcome in outcomes] == [0] * len(outcomes)
    assert holding(home, *outcomes) == []


def test_a_secret_in_a_query_is_not_repeated(cli, home: Path) -> None:
    cli("remember", "the key is in the ledger")
    outcomes = [
        cli("recall", f"key {SECRET}", *how, "--trace", "t.jsonl")
        for how in ((), ("--json",), ("--explain",))
    ]
    assert [outcome.code for outcome in outcomes] == [0, 0, 0]
    assert "ledger" in outcomes[0].out
    assert holding(home, *outcomes) == []


def test_a_secret_around_a_run_is_in_none_of_its_files(
    cli, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", SECRET)
    settings = home / f"{SECRET}.toml"
    settings.write_text("[recall]\nlimit = 10\n", encoding="utf-8")
    sizes = ["--conversations", "1", "--sessions", "2", "--turns", "4", "--questions", "5"]
    cli("bench", "data", "generate", "--shape", "locomo", "--out", "made", *sizes)
    outcomes = [
        cli(
            "bench",
            "retrieval",
            "--data",
            "made",
            "--name",
            "r",
            "--system",
            f"truerecall,embedder=none,settings={where}",
        )
        for where in (settings, settings.name)
    ]
    outcomes += [cli("bench", "compare", "runs/r"), cli("bench", "report", "runs/r")]
    assert [outcome.code for outcome in outcomes] == [0] * 4
    assert holding(home, *outcomes) == []


def test_a_path_with_a_space_leaves_no_part_of_it_in_a_manifest(cli, home: Path) -> None:
    there = home / "Some Body" / "kept here"
    sizes = ["--conversations", "1", "--sessions", "2", "--turns", "4", "--questions", "5"]
    cli("bench", "data", "generate", "--shape", "locomo", "--out", there, *sizes)
    assert (
        cli("bench", "retrieval", "--data", there, "--name", "r", "--system", "truerecall,embedder=none").code
        == 0
    )
    for path in (home / "runs" / "r").rglob("*"):
        if path.is_file():
            assert "Body" not in path.read_text(encoding="utf-8"), path.name
