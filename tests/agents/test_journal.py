"""What the hooks write down of what they did."""

import json
import os
import stat
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from truerecall.agents.journal import MOST_BYTES, Note, Notes, note, read_notes, told
from truerecall.agents.places import Places
from truerecall.errors import StoreLocked

AT = datetime(2026, 11, 28, 9, 30, tzinfo=UTC)


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places.of({"HOME": str(tmp_path)})


def test_a_note_is_one_line_and_is_read_back_whole(places: Places) -> None:
    full = Note(AT, "codex", "UserPromptSubmit", "injected", "s-1", "github.com/acme/api", 3, 210, 41, "x")
    note(places, full)
    note(places, Note(AT, "cursor", "stop", "nothing"))

    lines = places.journal.read_text(encoding="utf-8").splitlines()
    assert json.loads(lines[0]) == {
        "at": "2026-11-28T09:30:00.000Z",
        "tool": "codex",
        "event": "UserPromptSubmit",
        "outcome": "injected",
        "session": "s-1",
        "space": "github.com/acme/api",
        "entries": 3,
        "tokens": 210,
        "milliseconds": 41,
        "error": "x",
    }
    assert json.loads(lines[1]) == {
        "at": "2026-11-28T09:30:00.000Z",
        "tool": "cursor",
        "event": "stop",
        "outcome": "nothing",
    }
    assert read_notes(places) == Notes((full, Note(AT, "cursor", "stop", "nothing")))


def test_a_note_of_a_call_that_named_no_event_is_read_back(places: Places) -> None:
    note(places, Note(AT, "", "", "failed", error="x"))

    assert read_notes(places) == Notes((Note(AT, "", "", "failed", error="x"),))


def test_the_file_is_for_its_user_alone(places: Places) -> None:
    note(places, Note(AT, "codex", "Stop", "started"))

    assert stat.S_IMODE(places.journal.stat().st_mode) == 0o600
    assert stat.S_IMODE(places.state.stat().st_mode) == 0o700


def test_lines_that_are_no_notes_are_counted_and_passed_over(places: Places) -> None:
    note(places, Note(AT, "codex", "Stop", "started"))
    with places.journal.open("ab") as file:
        file.write(b'{"at": "2026-11-28T09')  # broken off
        file.write(b"\n\xff\xfe\n[]\n12\n{}\n")
        file.write(
            b'{"at":"2026-11-28T09:30:00","tool":"codex","event":"Stop","outcome":"started"}\n'
        )  # no zone
        file.write(b'{"at":"2026-11-28T09:30:00Z","tool":"codex","event":"Stop","outcome":"exploded"}\n')
        file.write(b'{"at":"2026-11-28T09:30:00Z","tool":7,"event":"Stop","outcome":"started"}\n')
        file.write(b"[" * 100_000 + b"\n")
        file.write(
            b'{"at":"2026-11-28T09:30:00Z","tool":"codex","event":"Stop","outcome":"failed","new":1}\n'
        )

    read = read_notes(places)
    assert read.bad == 9
    assert [one.outcome for one in read.notes] == ["started", "failed"]


def test_no_file_is_no_notes(places: Places) -> None:
    assert read_notes(places) == Notes(())


def test_only_the_newest_are_read_where_so_many_are_asked_for(places: Places) -> None:
    for number in range(5):
        note(places, Note(AT, "codex", "Stop", "started", entries=number + 1))

    assert [one.entries for one in read_notes(places, 2).notes] == [4, 5]
    assert read_notes(places, 0).notes == ()


def test_a_full_file_becomes_the_older_one_and_there_are_never_more_than_two(places: Places) -> None:
    long = Note(AT, "codex", "Stop", "failed", error="e" * 300)
    for _ in range(3 * MOST_BYTES // 350):
        note(places, long)

    files = sorted(path.name for path in places.state.iterdir())
    assert files == ["hooks.jsonl", "hooks.jsonl.1"]
    sizes = [path.stat().st_size for path in places.state.iterdir()]
    assert all(size <= MOST_BYTES + 1000 for size in sizes)
    read = read_notes(places, 1 << 30)
    assert read.bad == 0
    assert len(read.notes) > MOST_BYTES // 450  # what stood in the older one is not lost


def test_what_is_too_long_is_cut(places: Places) -> None:
    note(places, Note(AT, "codex", "E" * 1000, "failed", "s" * 1000, "p" * 1000, error="e" * 1000))

    (read,) = read_notes(places).notes
    assert (len(read.event), len(read.session), len(read.space), len(read.error)) == (40, 200, 300, 300)


def test_a_lone_surrogate_or_a_line_feed_in_a_name_does_not_break_the_line(places: Places) -> None:
    strange = Note(AT, "codex", "Stop", "failed", "s\ud800\n\x00我", error='"\\')
    note(places, strange)

    assert read_notes(places) == Notes((strange,))


@pytest.mark.parametrize("what", ["a file", "a folder in its place"])
def test_where_nothing_can_be_written_nothing_happens(what: str, places: Places) -> None:
    if what == "a file":
        places.state.parent.mkdir(parents=True)
        places.state.write_text("in the way", encoding="utf-8")
    else:
        places.journal.mkdir(parents=True)

    note(places, Note(AT, "codex", "Stop", "started"))

    assert read_notes(places) == Notes(())


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_is_survived(places: Places) -> None:
    places.state.mkdir(parents=True)
    places.journal.symlink_to("/dev/full")

    note(places, Note(AT, "codex", "Stop", "started"))


def test_an_error_is_told_without_its_secrets_on_one_line() -> None:
    key = "ghp_" + "a8Kd02LmQx7ZtRv4" + "Bn6WcY1uEo9PsJf3HgTi"  # made up, of the shape of a token

    said = told(ValueError(f"no such\ncolumn: {key}" + " x" * 1000))

    assert said.startswith("ValueError: no such column: [masked:")
    assert key not in said
    assert len(said) == 300
    locked = StoreLocked("the store is locked", remedy="Try again.", where="/x/memory.db")
    assert told(locked) == "StoreLocked: the store is locked (/x/memory.db). Try again."


_WRITER = """
import sys
from datetime import UTC, datetime
from truerecall.agents.journal import Note, note
from truerecall.agents.places import Places
places = Places.of({"HOME": sys.argv[1]})
for number in range(2000):
    note(places, Note(datetime.now(UTC), sys.argv[2], "Stop", "failed", entries=number + 1, error="e" * 290))
"""


def test_two_that_write_at_once_lose_nothing_even_while_the_file_turns_over(tmp_path: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", _WRITER, str(tmp_path), name]) for name in ("codex", "cursor")
    ]
    assert [writer.wait(60) for writer in writers] == [0, 0]

    read = read_notes(Places.of({"HOME": os.fspath(tmp_path)}), 1 << 30)
    assert read.bad == 0
    assert [one.entries for one in read.notes if one.tool == "codex"] == list(range(1, 2001))
    assert [one.entries for one in read.notes if one.tool == "cursor"] == list(range(1, 2001))
