"""``purge``, ``export``, ``import``, ``at``, ``doctor``."""

import json
import sqlite3
from pathlib import Path

import pytest

WORD = "xylophone"


def remember(cli, *texts: str, **options: str) -> list[str]:
    return [line.split()[-1] for line in cli("remember", *texts).out.splitlines()]


def texts(cli, *options: str) -> list[str]:
    return [json.loads(line)["text"] for line in cli("list", "--json", *options).out.splitlines()]


def test_purge_asks_and_removes_to_the_last_byte(cli, home: Path) -> None:
    (first, _) = remember(cli, f"the {WORD} is blue", "the drum is red")
    outcome = cli("purge", first, stdin=b"y\n")
    assert outcome.code == 0
    assert outcome.out.endswith("[y/N]: removed 1\n")
    assert texts(cli) == ["the drum is red"]
    assert not [path for path in home.rglob("*") if path.is_file() and WORD.encode() in path.read_bytes()]


@pytest.mark.parametrize("answer", [b"n\n", b"\n", b""])
def test_purge_without_a_yes_removes_nothing(cli, answer: bytes) -> None:
    (first,) = remember(cli, "one")
    assert cli("purge", first, stdin=answer).code != 0
    assert texts(cli) == ["one"]


def test_a_no_to_purge_is_not_called_an_interruption(cli) -> None:
    (first,) = remember(cli, "one")
    outcome = cli("purge", first, stdin=b"n\n")
    assert outcome.code == 1
    assert "interrupted" not in outcome.err


def test_purge_with_yes_does_not_ask_and_names_exports_that_may_hold_it(cli, home: Path) -> None:
    (first,) = remember(cli, "one")
    cli("export", "kept")
    outcome = cli("purge", "--yes", first)
    assert outcome.out == "removed 1\n"
    assert str(home / "kept") in outcome.err


def test_an_export_comes_back_exactly_and_only_once(cli, home: Path) -> None:
    first, _ = remember(cli, "Zoë 🚀 火", "two")
    cli("forget", first)
    assert cli("export", "kept #1 %20 火").out == "exported 2 entries and 1 events to kept #1 %20 火\n"
    there = ("--store", "other.db")
    assert cli("import", "kept #1 %20 火", *there).out == (
        "imported 2 entries and 1 events; 0 were here already\n"
    )
    assert cli("import", "kept #1 %20 火", *there).out == (
        "imported 0 entries and 0 events; 2 were here already\n"
    )
    assert cli("list", "--ended", "--json", *there).out == cli("list", "--ended", "--json").out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["export", "taken"], "not empty"),
        (["import", "missing"], "not an export"),
        (["import", "taken"], "not an export"),
        (["import", "damaged"], "not the file that was exported"),
        (["import", "kept", "--space", "other"], "the export is of tenant 'local', space 'default'"),
        (["at", "2024-05-07", "cut.db"], "has no time zone"),
        (["at", "2024-05-07T00:00:00Z", "truerecall.db"], "a new file"),
        (["at", "2024-05-07T00:00:00Z", "missing/cut.db"], "folder does not exist"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(cli, home: Path, arguments: list[str], said: str) -> None:
    remember(cli, "one")
    cli("export", "kept")
    cli("export", "damaged")
    (home / "damaged" / "entries.jsonl").write_bytes(b"{}\n")
    (home / "taken").mkdir()
    (home / "taken" / "file").touch()
    outcome = cli(*arguments)
    assert outcome.code == 2
    assert outcome.err.startswith("truerecall: ") and len(outcome.err.splitlines()) == 1
    assert said in outcome.err
    assert texts(cli) == ["one"]


def test_at_writes_the_past_into_a_new_file(cli) -> None:
    remember(cli, "one")
    learned = json.loads(cli("list", "--json").out)["recorded_at"]
    outcome = cli("at", "2999-01-01T00:00:00Z", "later.db")
    assert outcome.out == "1 entries and 0 events before 2999-01-01 00:00:00Z in later.db\n"
    assert texts(cli, "--store", "later.db") == ["one"]
    assert cli("at", learned, "before.db").out.startswith("0 entries and 0 events before ")
    assert texts(cli, "--store", "before.db") == []


def test_doctor_repairs_what_is_derived_and_exits_1_until_it_is(cli, home: Path) -> None:
    remember(cli, "alpha", "beta")
    assert cli("doctor").code == 0
    with sqlite3.connect(home / "truerecall.db") as db:
        db.execute("DELETE FROM standing")
    db.close()
    sick = cli("doctor")
    assert sick.code == 1
    assert [line for line in sick.out.splitlines() if line.startswith("BAD ")]
    mended = cli("doctor", "--repair")
    assert mended.code == 0
    assert mended.out.startswith("repaired: ")
    assert cli("doctor").code == 0
    assert "alpha" in cli("recall", "alpha").out


def test_another_embedder_is_refused_until_doctor_goes_over_to_it(cli, home: Path) -> None:
    cli("remember", "alpha", "--embedder", "hashing")
    with sqlite3.connect(home / "truerecall.db") as db:
        db.execute("UPDATE model SET weights = 'of another model'")
    db.close()
    refused = cli("recall", "alpha", "--embedder", "hashing")
    assert refused.code == 2 and "`truerecall reembed --embedder hashing:256`" in refused.err
    repaired = cli("doctor", "--repair", "--embedder", "hashing")
    assert repaired.code == 0
    assert "repaired: removed another model's vectors of 1 entries" in repaired.out.splitlines()
    assert "repaired: embedded 1 entries" in repaired.out.splitlines()
    assert "vector #1" in cli("recall", "alpha", "--embedder", "hashing").out


def test_doctor_for_a_user_that_cannot_be_changes_nothing(cli, home: Path) -> None:
    cli("remember", "alpha", "--embedder", "hashing")
    db = sqlite3.connect(home / "truerecall.db", isolation_level=None)
    db.execute("UPDATE model SET weights = 'of another model'")
    before = db.execute("SELECT count(*) FROM vector").fetchone()
    assert cli("doctor", "--repair", "--embedder", "hashing", "--user", "*").code == 2
    after = db.execute("SELECT count(*) FROM vector").fetchone()
    db.close()
    assert after == before


def test_reembed_goes_over_to_another_embedder(cli, home: Path) -> None:
    cli("remember", "alpha", "beta", "--embedder", "hashing")
    with sqlite3.connect(home / "truerecall.db") as db:
        db.execute("UPDATE model SET weights = 'of another model'")
    db.close()
    done = cli("reembed", "--embedder", "hashing")

    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == ["embedded 2 entries", "removed another model's vectors of 2 entries"]
    assert "vector #1" in cli("recall", "alpha", "--embedder", "hashing").out
    assert cli("reembed", "--embedder", "hashing").out.splitlines() == ["embedded 0 entries"]
    assert cli("doctor", "--embedder", "hashing").code == 0


def test_reembed_without_an_embedder_is_refused(cli, home: Path) -> None:
    cli("remember", "alpha", "--embedder", "hashing")
    refused = cli("reembed", "--embedder", "none")

    assert refused.code == 2 and "needs an embedder" in refused.err
    assert cli("doctor", "--embedder", "hashing").code == 0
