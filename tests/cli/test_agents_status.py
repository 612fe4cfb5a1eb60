"""``truerecall agents status`` as a user sees it."""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from truerecall.agents.journal import Note, note
from truerecall.agents.places import Places

Command = Callable[..., Any]


@pytest.fixture
def places(home: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    """A fresh home, and a project folder that the command is called in."""
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "CURSOR_VERSION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home / "home"))
    monkeypatch.setenv("LOGNAME", "ada")
    (home / "api").mkdir()
    monkeypatch.chdir(home / "api")
    return Places.of({"HOME": str(home / "home")})


def plain(text: str, home: Path) -> str:
    """Without what differs from run to run."""
    return re.sub(r"api:[0-9a-f]{12}", "api:HASH", text.replace(str(home), "/x"))


def test_where_nothing_happened_yet_it_says_so(cli: Command, places: Places, home: Path) -> None:
    done = cli("agents", "status")

    assert (done.code, done.err) == (0, "")
    assert plain(done.out, home) == (
        "project  api: folder:api:HASH\n"
        "user     ada, tenant local\n"
        "store    /x/home/.local/share/truerecall/memory.db: not there yet: the first capture makes it\n"
        "journal  /x/home/.local/state/truerecall/hooks.jsonl\n"
        "\n"
        "claude-code: no hook of it ever fired\n"
        "\n"
        "codex: no hook of it ever fired\n"
        "\n"
        "opencode: no hook of it ever fired\n"
        "\n"
        "cursor: no hook of it ever fired\n"
    )


def test_what_a_tool_did_last_is_shown_with_its_time(cli: Command, places: Places) -> None:
    long_ago = datetime.now(UTC).replace(microsecond=0) - timedelta(days=3, hours=1)
    note(places, Note(long_ago, "codex", "UserPromptSubmit", "injected", "s", "p", 3, 210, 40))
    note(places, Note(long_ago, "codex", "capture", "captured", entries=7))
    note(places, Note(long_ago, "codex", "Stop", "failed", error="StoreFull: the disk is full\x1b[2J"))
    at = long_ago.isoformat().replace("+00:00", "Z")

    shown = cli("agents", "status").out
    assert shown.split("\n\n")[2] == (
        f"codex: last fired {at} (3 days ago)\n"
        f"  last recall   {at} (3 days ago), 3 entries, 210 tokens (UserPromptSubmit)\n"
        f"  last capture  {at} (3 days ago), 7 entries stored (capture)\n"
        f"  last error    {at} (3 days ago), Stop: StoreFull: the disk is full\\x1b[2J\n"
        "  last 24 h     nothing\n"
        "  sessions      s"
    )


def test_an_error_that_was_mended_says_since_when(cli: Command, places: Places) -> None:
    failed = datetime.now(UTC).replace(microsecond=0) - timedelta(days=3)
    note(places, Note(failed, "codex", "Stop", "failed", error="OSError: full"))
    note(places, Note(failed + timedelta(days=1), "codex", "Stop", "started"))

    at = (failed + timedelta(days=1)).isoformat().replace("+00:00", "Z")
    assert f"Stop: OSError: full (mended since: {at} (2 days ago))\n" in cli("agents", "status").out


def test_what_is_off_here_for_every_tool_is_said_once(cli: Command, places: Places, home: Path) -> None:
    places.settings.parent.mkdir(parents=True)
    places.settings.write_text(f'[capture]\nexclude = ["{home / "api"}"]\n', encoding="utf-8")

    shown = cli("agents", "status").out
    assert shown.count("off here") == 1
    assert f"off here the folder is excluded by {home / 'api'}\n\nclaude-code: " in shown


def test_what_is_off_for_one_tool_is_said_there(
    cli: Command, places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CURSOR_VERSION", "3")

    shown = cli("agents", "status").out
    assert (
        "ever fired\n  off here      Cursor runs Claude Code's hooks: its own do the work\n\ncodex" in shown
    )
    assert shown.count("off here") == 1


def test_without_git_it_says_what_the_project_is_known_by(
    cli: Command, places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")

    assert "git      not on PATH: the project is known by its folder alone" in cli("agents", "status").out


def test_as_json_it_is_one_object_with_times_as_texts(cli: Command, places: Places, home: Path) -> None:
    note(places, Note(datetime(2026, 11, 28, tzinfo=UTC), "cursor", "stop", "started", "s"))

    found = json.loads(cli("agents", "status", "--json").out)
    assert set(found) == {
        "folder",
        "project",
        "tenant",
        "space",
        "user",
        "store",
        "tools",
        "off",
        "journal",
        "bad_lines",
        "git",
    }
    assert found["store"] == {
        "path": str(places.store),
        "exists": False,
        "entries": 0,
        "facts": 0,
        "problem": None,
    }
    cursor = found["tools"][3]
    assert (cursor["tool"], cursor["fired"], cursor["capture"]["session"]) == (
        "cursor",
        "2026-11-28T00:00:00Z",
        "s",
    )
    assert found["folder"] == str(home / "api")


def test_settings_that_are_no_toml_are_told_and_not_fatal(cli: Command, places: Places) -> None:
    places.settings.parent.mkdir(parents=True)
    places.settings.write_text("[hook\n", encoding="utf-8")
    done = cli("agents", "status")

    assert done.code == 0
    assert "off      the agents' settings are not TOML" in done.out


def test_a_tenant_that_can_be_none_is_bad_input(cli: Command, places: Places) -> None:
    places.settings.parent.mkdir(parents=True)
    places.settings.write_text('[memory]\ntenant = "*"\n', encoding="utf-8")
    done = cli("agents", "status")

    assert done.code == 2
    assert "Traceback" not in done.err
