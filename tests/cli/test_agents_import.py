"""``truerecall agents import``: history of every tool, once, at its own time; broken off, it goes on."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "agents"))
from written_sessions import NOON, Place, place_in  # found by the line above

from truerecall.agents.project import project_of

Command = Callable[..., Any]
OTHER = "99999999-2222-3333-4444-555555555555"


@pytest.fixture
def place(home: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    for name in [name for name in os.environ if name.startswith(("XDG_", "CLAUDE_", "CODEX_", "OPENCODE_"))]:
        monkeypatch.delenv(name)
    found = place_in(home)
    for name, value in found.environment.items():
        monkeypatch.setenv(name, value)
    return found


def space_of(place: Place) -> str:
    return project_of(place.cwd, place.environment).space


def columns(out: str, tool: str) -> list[str]:
    return next(line.split() for line in out.splitlines() if line.startswith(tool))


def test_history_is_imported_once_and_told_by_tool(place: Place, cli: Command) -> None:
    token = "ghp_" + "a1B2c3D4e5" * 4
    session = place.session().user(f"first question, with {token}").answer("first answer here", tokens=11)
    session.line(type="never-seen-before").line(type="never-seen-before")
    place.session(session=OTHER, prefix="o").ran("cat .env", "A=b")
    first = cli("agents", "import")
    assert (first.code, first.err) == (0, "")
    assert columns(first.out, "claude-code") == ["claude-code", "2", "3", "3", "0", "0", "1", "1", "0", "0"]
    assert "claude-code  claude-sonnet-5-5         2  10   14         200              0" in first.out
    assert "  2 x claude-code: never-seen-before" in first.out
    assert "read 2 sessions that had grown, with 3 new turns" in first.out
    again = cli("agents", "import")
    assert "read 0 sessions that had grown, with 0 new turns" in again.out
    assert columns(again.out, "claude-code") == columns(first.out, "claude-code")
    entries = place.entries(space_of(place))
    assert len(entries) == 3
    assert all(entry.replayed and entry.recorded_at < NOON for entry in entries)


def test_a_home_without_history_says_so(place: Place, cli: Command) -> None:
    told = cli("agents", "import", "--tool", "claude-code")
    assert (told.code, told.out, told.err) == (0, "no sessions of claude-code are here\n", "")


def test_only_what_changed_since_a_day_is_read(place: Place, cli: Command) -> None:
    old, new = place.session().user("of long ago"), place.session(session=OTHER, prefix="o").user("of today")
    os.utime(old.path, (NOON.timestamp() - 86_400 * 9,) * 2)
    os.utime(new.path, (NOON.timestamp(),) * 2)
    assert cli("agents", "import", "--since", "2024-05-06").code == 0
    assert place.texts(space_of(place)) == ["of today"]


def test_a_dry_run_counts_and_stores_nothing(place: Place, cli: Command) -> None:
    place.session().user("first question here").answer("first answer here")
    told = cli("agents", "import", "--dry-run")
    assert columns(told.out, "claude-code")[:4] == ["claude-code", "1", "2", "2"]
    assert "nothing was stored" in told.out
    assert not place.places.store.exists()
    assert not place.places.state.exists()


def test_another_store_and_user_may_be_named(place: Place, cli: Command, tmp_path: Path) -> None:
    place.session().user("first question here")
    told = cli("agents", "import", "--store", tmp_path / "team.db", "--user", "grace", "--tenant", "acme")
    assert told.code == 0
    assert not place.places.store.exists()
    listed = cli(
        "list",
        "--store",
        tmp_path / "team.db",
        "--user",
        "grace",
        "--tenant",
        "acme",
        "--space",
        space_of(place),
    )
    assert "first question here" in listed.out


def test_a_date_that_is_none_is_bad_usage(place: Place, cli: Command) -> None:
    told = cli("agents", "import", "--since", "last week")
    assert told.code == 2
    assert "Traceback" not in told.err


def test_what_cannot_be_read_is_told_and_is_no_failure(place: Place, cli: Command) -> None:
    session = place.session().user("first question here")
    with session.path.open("ab") as file:
        file.write(b"{broken\n")
    told = cli("agents", "import")
    assert told.code == 0
    assert "what could not be read:" in told.out
    assert place.texts(space_of(place)) == ["first question here"]


KILL = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background is born deaf to it
from truerecall.agents.capture import Capture
original = Capture._read
def counted(self, reader, transcript, deadline):
    captured = original(self, reader, transcript, deadline)
    if transcript.session.startswith("00000003"):
        os.kill(os.getpid(), signal.{signal})
    return captured
Capture._read = counted
sys.argv = ["truerecall", "agents", "import"]
from truerecall.cli.main import run
run()
"""


@pytest.mark.parametrize("name", ["SIGKILL", "SIGINT"])
def test_an_import_that_is_broken_off_goes_on_where_it_was(place: Place, cli: Command, name: str) -> None:
    for number in range(6):
        session = place.session(session=f"{number:08}-2222-3333-4444-555555555555", prefix=f"s{number}-")
        session.user(f"question of session {number}")
        os.utime(session.path, (NOON.timestamp() + number,) * 2)
    broken = subprocess.run(
        [sys.executable, "-c", KILL.format(signal=name)],
        env={**os.environ, **place.environment},
        capture_output=True,
        check=False,
    )
    assert b"Traceback" not in broken.stderr
    assert broken.returncode in (-signal.SIGKILL, 130, -signal.SIGINT)
    assert len(place.texts(space_of(place))) == 4
    told = cli("agents", "import")
    assert "read 2 sessions that had grown" in told.out
    assert len(set(place.texts(space_of(place)))) == 6
    assert len(place.texts(space_of(place))) == 6


def test_an_extractor_that_no_model_answers_to_is_bad_input(place: Place, cli: Command) -> None:
    place.session().user("first question here")
    place.places.settings.parent.mkdir(parents=True)
    place.places.settings.write_text('[capture]\nextractor = "nobody:x"\n', encoding="utf-8")
    told = cli("agents", "import")
    assert told.code == 2
    assert "no chat model is called 'nobody:x'" in told.err
    assert "Traceback" not in told.err
    assert not place.places.store.exists()
