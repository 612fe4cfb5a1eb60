"""Losing the progress loses nothing: a file that cannot be used is set aside; two processes take turns."""

import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest

from truerecall.agents.progress import Progress, Reached, Spent
from truerecall.agents.records import Usage
from truerecall.agents.transcripts.reading import Cursor, Transcript
from truerecall.errors import StoreError, StoreLocked

NOON = datetime(2024, 5, 7, 12, tzinfo=UTC)
ONE = Transcript("codex", Path("/s/one.jsonl"), "one", NOON)
TWO = Transcript("codex", Path("/s/one.jsonl"), "two", NOON)
REACHED = Reached(
    Cursor(10, 4096, "head", '{"calls":{}}'), Cursor(5, 2048, "head", ""), NOON, True, {"turns": 3}
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "agents.db"


def opened(path: Path, store: str = "/m.db", busy: float = 0.01) -> Progress:
    return Progress.open(path, Path(store), busy)


def test_what_was_noted_is_there_again(path: Path) -> None:
    with opened(path) as progress, progress.turn():
        progress.reach(ONE, REACHED)
        progress.capture("codex", {"a": "entry", "b": None})
        progress.came_from_outside("codex", "one", [b"12345678"])
    with opened(path) as progress:
        assert progress.reached(ONE) == REACHED
        assert progress.reached(TWO) is None
        assert progress.captured("codex", ["a", "b", "c"]) == {"a": "entry", "b": None}
        assert progress.captured("opencode", ["a"]) == {}
        assert progress.outside("codex", "one", [b"12345678", b"87654321"]) == {b"12345678"}
        assert progress.outside("codex", "two", [b"12345678"]) == set()
        assert progress.totals() == {"codex": {"sessions": 1, "turns": 3}}


def test_only_its_owner_may_read_it(path: Path) -> None:
    opened(path).close()
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_a_message_is_counted_once(path: Path) -> None:
    usage = Usage("m1", "model", 5, 7, 100, 1)
    with opened(path) as progress:
        progress.spend("codex", [usage, usage, Usage("m2", "model", 1, 1)])
        progress.spend("codex", [usage])
        assert progress.spent() == [Spent("codex", "model", 2, 6, 8, 100, 1)]


def test_another_store_knows_nothing_of_it_and_restarts_alone(path: Path) -> None:
    with opened(path) as first, opened(path, "/other.db") as second:
        first.reach(ONE, REACHED)
        first.capture("codex", {"a": "entry"})
        assert second.reached(ONE) is None
        assert second.captured("codex", ["a"]) == {}
        second.restart()
        assert first.reached(ONE) == REACHED
        first.restart()
        assert first.reached(ONE) is None
        assert first.captured("codex", ["a"]) == {}


def test_what_fails_within_a_turn_is_not_noted(path: Path) -> None:
    with opened(path) as progress:
        with pytest.raises(ZeroDivisionError), progress.turn():
            progress.reach(ONE, REACHED)
            raise ZeroDivisionError
        assert progress.reached(ONE) is None


def test_one_works_while_another_waits_and_leaves(path: Path) -> None:
    with opened(path) as first, opened(path) as second:
        with first.turn(), pytest.raises(StoreLocked), second.turn():
            pass
        with second.turn():
            second.reach(ONE, REACHED)
        assert first.reached(ONE) == REACHED


@pytest.mark.parametrize(
    "content",
    [b"", b"not a database at all, but longer than a header of one hundred bytes" * 10, b"SQLite format 3\0"],
    ids=["empty", "text", "a header alone"],
)
def test_a_file_that_is_no_database_is_set_aside(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    with opened(path) as progress:
        progress.reach(ONE, REACHED)
    with opened(path) as progress:
        assert progress.reached(ONE) == REACHED
    aside = [file.read_bytes() for file in path.parent.glob("agents.db.aside-*")]
    assert aside == ([content] if content else [])


def test_a_damaged_file_is_set_aside_and_kept(path: Path) -> None:
    with opened(path) as progress:
        for number in range(200):
            progress.reach(Transcript("codex", Path(f"/s/{number}"), "one", NOON), REACHED)
    data = bytearray(path.read_bytes())
    data[4096:] = bytes(b ^ 0xFF for b in data[4096:])
    path.write_bytes(data)
    with opened(path) as progress:
        assert progress.reached(ONE) is None
        progress.reach(ONE, REACHED)
    with opened(path) as progress:
        assert progress.reached(ONE) == REACHED
    assert [file.read_bytes() for file in path.parent.glob("agents.db.aside-?")] == [bytes(data)]


def test_a_file_of_a_newer_version_is_set_aside(path: Path) -> None:
    with opened(path) as progress:
        progress.reach(ONE, REACHED)
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    with opened(path) as progress:
        assert progress.reached(ONE) is None
    aside = sqlite3.connect(path.with_name("agents.db.aside-1"))
    assert aside.execute("SELECT count(*) FROM transcript").fetchone() == (1,)
    aside.close()


def test_a_file_of_another_program_is_set_aside(path: Path) -> None:
    path.parent.mkdir()
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE theirs (x)")
    db.close()
    opened(path).close()
    assert path.with_name("agents.db.aside-1").exists()


def test_a_folder_that_cannot_be_made_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StoreError):
        opened(tmp_path / "file" / "agents.db")


def test_odd_names_are_kept_apart(path: Path) -> None:
    odd = [
        Transcript("codex", Path("/s/\udcff.jsonl"), "s", NOON),
        Transcript("codex", Path("/s/é 漢%.jsonl"), "s", NOON),
    ]
    with opened(path) as progress:
        for place, transcript in enumerate(odd):
            progress.reach(transcript, Reached(Cursor(place)))
        progress.capture("codex", {"\ud800": "entry", "": None})
        assert [progress.reached(one) is not None for one in odd] == [True, True]
        assert progress.captured("codex", ["\ud800", ""]) == {"\ud800": "entry", "": None}
