"""What a session was given is before its model, and is put there once; what was compacted away may come again."""

import os
import re
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from truerecall.agents.hook.events import Asked
from truerecall.agents.hook.given import give, given, remove_old
from truerecall.agents.run_capture import run
from truerecall.core.clock import ManualClock, system_clock
from truerecall.core.entry import Statement
from truerecall.memory.memory import Memory

WINDOWS = "Login on Windows fails because the path separator of the token cache was hard-coded."
LINUX = "Login on Linux fails because the token cache of the daemon is owned by root."
ASKED = "Why does the login fail on Windows?"
AGAIN = "The login fails once more, is it the token cache?"


@pytest.fixture
def known(home: Any) -> str:
    """The id of what is known about Windows."""
    home.settings("[hook]\ncapture = false\n")
    first: str = home.remember(
        home.turn(WINDOWS), home.turn("Snapshots of parser tests are renewed with make snapshots.", "s-other")
    )[0]
    return first


def files(home: Any) -> list[Path]:
    return sorted((home.places.state / "given").iterdir())


def begin(home: Any, source: str, session: str = "s-now", tool: str = "claude-code") -> Any:
    return home.call(tool, {"session_id": session, "hook_event_name": "SessionStart", "source": source})


@pytest.mark.parametrize("tool", ["claude-code", "codex", "opencode", "cursor"])
def test_a_session_is_given_an_entry_once_and_the_next_one_again(tool: str, home: Any, known: str) -> None:
    assert WINDOWS in home.prompt(tool, ASKED).text
    assert home.prompt(tool, ASKED).silent
    assert home.prompt(tool, AGAIN).silent
    assert WINDOWS in home.prompt(tool, AGAIN, session="s-next").text
    assert [note.outcome for note in home.notes()] == ["injected", "nothing", "nothing", "injected"]


def test_what_is_new_to_the_session_is_given_all_the_same(home: Any, known: str) -> None:
    home.prompt("codex", ASKED)
    home.remember(home.turn(LINUX, "s-later"))

    text = home.prompt("codex", AGAIN).text
    assert LINUX in text
    assert WINDOWS not in text


def test_a_fact_of_a_turn_that_was_given_is_not_given_after_it(home: Any, known: str) -> None:
    home.remember(home.fact(WINDOWS, "caused_by", "the separator"))

    assert home.prompt("codex", ASKED).text.count("separator") == 1
    assert home.prompt("codex", ASKED).silent


def test_what_repeats_an_entry_that_was_given_is_nothing_new(home: Any, known: str) -> None:
    home.prompt("codex", ASKED)
    home.remember(home.turn(f"**{WINDOWS}**", "s-later", tool="claude-code"))

    assert home.prompt("codex", ASKED).silent


def test_what_the_session_began_with_counts_as_given(home: Any) -> None:
    home.settings("[hook]\ncapture = false\n")
    decided = "We decided that the login on Windows keeps its token cache in memory."
    home.remember(home.fact(decided, "decided", "in memory"))

    assert decided in begin(home, "startup").text
    assert home.prompt("claude-code", ASKED).silent
    assert begin(home, "startup").silent, "as where two hooks are installed"


@pytest.mark.parametrize("source", ["compact", "clear"])
def test_what_the_model_no_longer_sees_is_given_again(source: str, home: Any, known: str) -> None:
    home.prompt("claude-code", ASKED)
    begin(home, source, "s-other")
    assert home.prompt("claude-code", ASKED).silent

    begin(home, source)
    assert WINDOWS in home.prompt("claude-code", ASKED).text


@pytest.mark.parametrize("settings", ["", "capture = false\n", "capture = false\ndigest = false\n"])
@pytest.mark.parametrize("event", ["PreCompact", "SessionStart"])
def test_it_is_forgotten_whatever_else_is_switched_off(
    event: str, settings: str, home: Any, known: str
) -> None:
    home.settings(f"[hook]\n{settings}")
    home.prompt("codex", ASKED)
    told = {"session_id": "s-now", "hook_event_name": event, "source": "compact"}
    home.call("codex", told, {"TEST_CAPTURE": "/bin/true"})

    assert WINDOWS in home.prompt("codex", ASKED).text


def test_a_session_that_goes_on_was_given_what_it_was_given(home: Any, known: str) -> None:
    home.prompt("claude-code", ASKED)
    begin(home, "resume")

    assert home.prompt("claude-code", ASKED).silent


def test_a_session_without_an_id_is_not_remembered(home: Any, known: str) -> None:
    for _ in range(2):
        assert WINDOWS in home.prompt("codex", ASKED, session="").text
    assert not (home.places.state / "given").exists()


def test_two_tools_with_a_session_of_one_name_have_a_memory_each(home: Any, known: str) -> None:
    home.prompt("codex", ASKED)

    assert WINDOWS in home.prompt("opencode", ASKED).text


@pytest.mark.parametrize("session", ["../../etc/x", "s-now/agent-1", "a\0b", "名" * 300, ".."])
def test_whatever_a_session_is_called_its_file_lies_in_the_folder(
    session: str, home: Any, known: str
) -> None:
    assert WINDOWS in home.prompt("codex", ASKED, session=session).text
    assert home.prompt("codex", ASKED, session=session).silent
    (file,) = files(home)
    assert re.fullmatch(r"codex\.[0-9a-f]{64}\.sha256", file.name)


def test_the_file_holds_ids_alone_and_is_the_users_alone(home: Any, known: str) -> None:
    home.prompt("codex", ASKED)

    (file,) = files(home)
    assert file.read_text(encoding="ascii") == f"{known}\n"
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_a_file_that_cannot_be_read_or_written_is_as_if_it_were_empty(home: Any, known: str) -> None:
    home.prompt("codex", ASKED)
    (file,) = files(home)
    for damage in (b"\xff\0" * 99, f"{known[:-1]}\n".encode(), b""):
        file.write_bytes(damage)
        assert WINDOWS in home.prompt("codex", ASKED).text
    file.unlink()
    file.mkdir()
    assert WINDOWS in home.prompt("codex", ASKED).text
    file.rmdir()
    file.parent.rmdir()
    file.parent.write_bytes(b"no folder")
    for _ in range(2):
        assert WINDOWS in home.prompt("codex", ASKED).text
    assert {note.outcome for note in home.notes()} == {"injected"}


def test_no_link_is_followed(home: Any, known: str) -> None:
    home.prompt("codex", ASKED)
    (file,) = files(home)
    file.unlink()
    mine = home.path / "mine.txt"
    mine.write_text("mine", encoding="utf-8")
    file.symlink_to(mine)

    assert WINDOWS in home.prompt("codex", ASKED).text
    assert mine.read_text(encoding="utf-8") == "mine"


def test_a_file_does_not_grow_without_bound(home: Any) -> None:
    asked = Asked("codex", "UserPromptSubmit", "s", "", "/", "", "", {})
    ids = [f"{number:08x}-0000-7000-8000-000000000000" for number in range(1000)]
    for _ in range(9):
        give(home.places, asked, ids)

    (file,) = files(home)
    assert 200_000 < file.stat().st_size <= 1 << 18
    assert given(home.places, asked) == set(ids)


def test_files_of_a_week_ago_are_removed_and_younger_ones_and_others_stay(home: Any, known: str) -> None:
    remove_old(home.places, datetime.now().astimezone())  # where there is no folder yet
    for session in ("s-aged", "s-young"):
        home.prompt("codex", ASKED, session=session)
    old, young = files(home)
    (old.parent / "a-folder").mkdir()
    now = datetime.fromtimestamp(young.stat().st_mtime).astimezone()
    for path in (old, old.parent / "a-folder"):
        os.utime(path, (0, (now - timedelta(days=7, seconds=9)).timestamp()))
    remove_old(home.places, now)

    assert [path.name for path in files(home)] == ["a-folder", young.name]


def test_the_sweep_that_a_session_starts_removes_them(home: Any, known: str) -> None:
    home.prompt("codex", ASKED)
    (file,) = files(home)
    os.utime(file, (0, 0))
    run(["--sweep"], home.environment, system_clock)

    assert files(home) == []


def test_a_correction_says_that_it_is_one_under_the_old_date(home: Any, known: str) -> None:
    later = datetime.fromisoformat("2026-11-28T08:00:00+00:00")
    right = WINDOWS.replace("was hard-coded", "was read from the wrong variable")
    with Memory.open(
        home.places.store, user="grace", space=home.space, embedder="none", clock=ManualClock(later)
    ) as memory:
        made = memory.correct(known, right).id or ""

    assert (
        "# 2026-11-20 09:05 codex, grace\n"
        f"[{made[-8:]} learned] assistant: (corrects an earlier record, 2026-11-28) {right}\n"
    ) in home.prompt("codex", ASKED).text
    assert home.prompt("codex", ASKED).silent


def test_a_fact_that_was_corrected_says_so_as_a_session_begins(home: Any) -> None:
    home.settings("[hook]\ncapture = false\n")
    (wrong,) = home.remember(home.fact("We decided to pin poetry.", "decided", "pin poetry"))
    with Memory.open(
        home.places.store,
        user="grace",
        space=home.space,
        embedder="none",
        clock=ManualClock(datetime.fromisoformat("2026-11-28T08:00:00+00:00")),
    ) as memory:
        memory.correct(wrong, "We decided to pin uv.", statement=Statement("api", "decided", "pin uv"))

    text = begin(home, "startup").text
    assert "learned] (corrects an earlier record, 2026-11-28) We decided to pin uv.\n" in text
    assert "poetry" not in text
