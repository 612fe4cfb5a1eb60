"""Bad input gets one clear line, exit code 2, and nothing is changed or made."""

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

READING = (["list"], ["recall", "x"], ["show", "00000000"], ["doctor"], ["export", "out"])


def check(outcome, said: str) -> None:
    assert outcome.code == 2
    lines = [line for line in outcome.err.splitlines() if not line.startswith("note: ")]
    assert len(lines) == 1, outcome.err
    assert lines[0].startswith("truerecall: ")
    assert "Traceback" not in outcome.err and "unexpected" not in outcome.err
    assert said in lines[0]


@pytest.mark.parametrize("command", READING, ids=lambda command: command[0])
def test_reading_makes_no_store(cli, home: Path, command: list[str]) -> None:
    check(cli(*command, "--store", "none.db"), "there is no store yet (none.db)")
    assert list(home.iterdir()) == []


@pytest.fixture
def stores(cli, home: Path) -> Path:
    cli("remember", "one")
    sound = (home / "truerecall.db").read_bytes()
    (home / "empty.db").write_bytes(b"")
    (home / "text.db").write_bytes(b"hello\n" * 50)
    (home / "truncated.db").write_bytes(sound[:5000])
    (home / "stub.db").write_bytes(sound[:99])
    (home / "folder.db").mkdir()
    with sqlite3.connect(home / "foreign.db") as db:
        db.execute("CREATE TABLE t (x)")
    db.close()
    (home / "newer.db").write_bytes(sound)
    with sqlite3.connect(home / "newer.db") as db:
        db.execute("INSERT INTO migration VALUES (999, 'm999_later', 0)")
        db.execute("PRAGMA user_version = 999")
    db.close()
    return home


@pytest.mark.parametrize("command", [["list"], ["doctor"], ["remember", "x"]], ids=lambda command: command[0])
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("empty", "the file is empty"),
        ("text", "not an SQLite file"),
        ("truncated", "damaged or truncated"),
        ("stub", "damaged or truncated"),
        ("folder", "this is a folder"),
        ("foreign", "an SQLite file of another program"),
        ("newer", "Upgrade"),
    ],
)
def test_what_is_no_usable_store_is_left_as_it_is(cli, stores: Path, name: str, said: str, command) -> None:
    file = stores / f"{name}.db"
    before = file.read_bytes() if file.is_file() else None
    check(cli(*command, "--store", file), said)
    assert (file.read_bytes() if file.is_file() else None) == before


@pytest.fixture
def read_only(cli, home: Path) -> Iterator[Path]:
    place = home / "mount"
    place.mkdir()
    if shutil.which("mount") is None:
        pytest.skip("no mount command here")
    options = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", os.fspath(place)]
    if subprocess.run(options, capture_output=True, check=False).returncode != 0:
        pytest.skip("mounting a tmpfs is not permitted here")
    try:
        cli("remember", "one", "--store", place / "m.db")
        subprocess.run(["mount", "-o", "remount,ro", os.fspath(place)], check=True)
        yield place
    finally:
        subprocess.run(["umount", "--lazy", os.fspath(place)], check=True)


def test_a_read_only_folder_is_named(cli, read_only: Path) -> None:
    check(cli("remember", "two", "--store", read_only / "m.db"), "cannot be written")
    check(cli("remember", "two", "--store", read_only / "new.db"), "cannot be written")
    check(cli("export", read_only / "out"), "there is no store yet")
    assert cli("remember", "here").code == 0
    check(cli("export", read_only / "out"), "cannot be written")


def test_a_locked_store_is_reported_after_the_busy_time_out(cli, home: Path) -> None:
    cli("remember", "one")
    (home / "s.toml").write_text("[store]\nbusy_timeout = 0.05\n", encoding="utf-8")
    other = sqlite3.connect(home / "truerecall.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    check(cli("remember", "two", "--settings", "s.toml"), "another process is writing")
    assert "one" in cli("recall", "one", "--settings", "s.toml").out
    other.execute("ROLLBACK")
    other.close()
    assert cli("remember", "two", "--settings", "s.toml").code == 0


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        (b"x = ", "are not TOML"),
        (b"\xff", "are not TOML"),
        (b"lanes = 1", "this is a table"),
        (b"unknown = 1", "unknown setting"),
        (b"[recall]\nlimt = 3", "Did you mean limit?"),
        (b"[recall]\nlimit = 0", "limit is 0"),
        (b"[recall]\nlimit = '3'", "is not a whole number"),
        (b"[recall]\ncounter = 'zz'", "no token counter is called 'zz'"),
        (b"[lanes]\nvector = nan", "a finite number"),
        (b"[store]\nmode = 0o400", "mode is"),
        (b"a = " + b"[" * 100_000, "are not TOML"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_settings_are_read_strictly(cli, home: Path, toml: bytes, said: str) -> None:
    (home / "s.toml").write_bytes(toml)
    check(cli("remember", "x", "--settings", "s.toml"), said)
    assert [path.name for path in home.iterdir()] == ["s.toml"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["list", "--settings", "none.toml"], "No such file"),
        (["list", "--settings", "."], "Is a directory"),
        (["list", "--user", ""], "user is empty"),
        (["list", "--user", "*"], "user '*' is a wildcard"),
        (["list", "--tenant", "%"], "wildcard"),
        (["list", "--space", " "], "space is empty"),
        (["list", "--user", "a\x1bb"], "control character"),
        (["list", "--embedder", "nope"], "no embedder is called 'nope'"),
        (["list", "--newest", "0"], "newest is 0"),
        (["list", "--newest", "9" * 25], "newest is 999"),
        (["recall", "x", "--valid-at", "2024-05-07T10:00:00"], "has no time zone"),
        (
            ["recall", "x", "--valid-at", "2024-05-07T10:00:00"],
            "(--valid-at). Write it like 2024-05-07T09:30:00Z.",
        ),
        (["recall", "x", "--valid-at", "yesterday"], "not an ISO 8601 time"),
        (["recall", "x", "--at", "9999-12-31T23:59:59-05:00"], "outside the years"),
        (["recall", "x", "--limit", "0"], "limit is 0"),
        (["recall", "x", "--budget", "-1"], "budget is -1"),
        (["recall", "x", "--trace", "."], "the trace cannot be written"),
        (["recall", "x", "--trace", "none/t.jsonl"], "the trace cannot be written"),
        (["remember", "x", "--happened-at", "2024-13"], "not an ISO 8601 time"),
        (["remember", "x", "--happened-at", "2024-05-07T09:30"], "has no time zone"),
        (["remember", "x", "--happened-at", ""], "not an ISO 8601 time"),
        (["remember", "x", "--store", "none/x.db"], "folder does not exist"),
        (["list", "--store", "a\nb.db"], "there is no store yet"),
    ],
    ids=" ".join,
)
def test_bad_values_are_named(cli, arguments: list[str], said: str) -> None:
    cli("remember", "one")
    check(cli(*arguments), said)


@pytest.mark.parametrize(
    "arguments",
    [
        ["nope"],
        ["recall"],
        ["recall", "x", "--limit", "many"],
        ["recall", "x", "--trust", "anyone"],
        ["remember", "x", "--kind", "bogus"],
        ["remember", "--messages", "none.json"],
        ["remember", "--messages", "."],
        ["remember", "-x"],
        ["list", "--bogus"],
        ["bench", "nope"],
        ["bench", "retrieval"],
        ["bench", "retrieval", "--data", ".", "--granularity", "word"],
        ["bench", "data", "generate"],
    ],
    ids=" ".join,
)
def test_wrong_usage_is_explained_with_exit_code_2(cli, home: Path, arguments: list[str]) -> None:
    outcome = cli(*arguments)
    assert outcome.code == 2
    assert outcome.err.startswith("Usage: ") and "\nError: " in outcome.err
    assert outcome.out == ""
    assert list(home.iterdir()) == []


@pytest.mark.parametrize("name", ["TRUERECALL_USER", "TRUERECALL_TENANT", "TRUERECALL_SPACE"])
def test_an_empty_variable_does_not_mean_somebody_else(
    cli, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "")

    outcome = cli("remember", "x")

    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == f"truerecall: {name} is empty ({name}). Set it to a name, or unset it.\n"


def test_a_command_keeps_its_memory_in_a_file(cli) -> None:
    outcome = cli("remember", "x", "--store", ":memory:")

    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == "truerecall: a command keeps its memory in a file (--store). Name a file.\n"
