"""What the hooks did lately, and what the memory of a project holds."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from truerecall.agents.journal import Note, note
from truerecall.agents.places import Places
from truerecall.agents.project import project_of
from truerecall.agents.status import Status, StoreStatus, ToolStatus, status, tool_status
from truerecall.core.clock import ManualClock
from truerecall.core.entry import Draft, Statement
from truerecall.memory.memory import Memory

AT = datetime(2026, 11, 28, 9, 30, tzinfo=UTC)
TOOLS = ("claude-code", "codex", "opencode", "cursor")


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path / "home"), "PATH": "/nowhere", "LOGNAME": "ada"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "api").mkdir()
    return tmp_path / "api"


def settings(environment: dict[str, str], text: str) -> None:
    path = Places.of(environment).settings
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")


def look(folder: Path, environment: dict[str, str]) -> Status:
    return status(folder, environment, ManualClock(AT))


def test_it_works_where_nothing_is_there_yet(folder: Path, environment: dict[str, str]) -> None:
    places = Places.of(environment)

    assert look(folder, environment) == Status(
        folder=folder,
        project="api",
        tenant="local",
        space=project_of(folder, environment).space,
        user="ada",
        store=StoreStatus(places.store, False),
        tools=tuple(ToolStatus(tool, None, None, None, None, {}, None) for tool in TOOLS),  # type: ignore[arg-type]
        off=(),
        journal=places.journal,
        bad_lines=0,
        git=False,
    )
    assert not places.home.exists()  # to look is to change nothing


def test_a_tool_shows_its_last_notes_and_counts_those_of_a_day() -> None:
    old, now = AT - timedelta(days=2), AT
    recalled = Note(old, "codex", "UserPromptSubmit", "injected", entries=3, tokens=200)
    captured = Note(AT - timedelta(hours=3), "codex", "capture", "captured", entries=7)
    started = Note(AT - timedelta(hours=2), "codex", "Stop", "started")
    failed = Note(AT - timedelta(hours=1), "codex", "UserPromptSubmit", "failed", error="StoreLocked: x")
    nothing = Note(AT - timedelta(minutes=1), "codex", "UserPromptSubmit", "nothing")
    other = Note(AT, "cursor", "stop", "started")

    assert tool_status("codex", [recalled, captured, started, failed, nothing, other], now) == ToolStatus(
        tool="codex",
        fired=nothing.at,
        recall=recalled,
        capture=captured,
        failure=failed,
        lately={"captured": 1, "started": 1, "failed": 1, "nothing": 1},
        off=None,
        mended=nothing.at,
    )
    assert tool_status("cursor", [other], now).capture == other


def test_what_failed_is_mended_by_the_same_alone() -> None:
    failed = Note(AT, "codex", "Stop", "failed", error="the capture ended with code 1")

    def mended(*later: Note) -> datetime | None:
        return tool_status("codex", [failed, *later], AT + timedelta(hours=1)).mended

    one, two = AT + timedelta(minutes=1), AT + timedelta(minutes=2)
    assert mended() is None
    assert mended(Note(one, "codex", "UserPromptSubmit", "injected")) is None
    assert mended(Note(one, "codex", "SessionEnd", "off")) is None
    assert mended(Note(one, "codex", "SessionEnd", "started"), Note(two, "codex", "Stop", "started")) == one


def test_what_cursor_only_tells_is_mended_by_any_hook_that_went_well() -> None:
    failed = Note(AT, "cursor", "afterFileEdit", "failed", error="OSError: no space")
    later = AT + timedelta(minutes=1)

    assert tool_status("cursor", [failed, Note(later, "cursor", "capture", "nothing")], AT).mended is None
    assert tool_status("cursor", [failed, Note(later, "cursor", "stop", "started")], AT).mended == later


def test_the_last_sessions_are_named_each_once_the_newest_first() -> None:
    names = ["a", "b", "c", "", "c/agent-1", "d", "b"]
    notes = [Note(AT, "codex", "Stop", "started", session) for session in names]

    assert tool_status("codex", notes, AT).sessions == ("b", "d", "c")


def test_a_named_store_without_its_folder_is_told_of(folder: Path, environment: dict[str, str]) -> None:
    settings(environment, '[memory]\nstore = "team/memory.db"\n')
    team = Places.of(environment).settings.parent / "team"

    assert look(folder, environment).store == StoreStatus(
        team / "memory.db", False, problem=f"there is no folder {team}: every capture fails"
    )
    assert not team.exists()


def test_the_store_is_counted_for_this_project_alone(folder: Path, environment: dict[str, str]) -> None:
    places, project = Places.of(environment), project_of(folder, environment)
    places.store.parent.mkdir(parents=True)
    for space, texts in ((project.space, ("one", "two")), ("another", ("three",))):
        with Memory.open(places.store, user="grace", space=space, embedder="none") as memory:
            memory.remember([Draft(text) for text in texts])
            said = Statement("api", "decided", texts[0])
            memory.remember(Draft(f"We decided {texts[0]}.", kind="fact", statement=said))

    assert look(folder, environment).store == StoreStatus(places.store, True, entries=3, facts=1)


def test_a_store_that_is_none_is_told_of(folder: Path, environment: dict[str, str]) -> None:
    places = Places.of(environment)
    places.store.parent.mkdir(parents=True)
    places.store.write_bytes(b"no store at all, but some text")
    found = look(folder, environment).store

    assert found.exists
    assert found.problem is not None
    assert str(places.store) in found.problem


def test_an_empty_file_is_not_made_a_store_by_looking(folder: Path, environment: dict[str, str]) -> None:
    places = Places.of(environment)
    places.store.parent.mkdir(parents=True)
    places.store.touch()

    assert look(folder, environment).store == StoreStatus(places.store, False)
    assert places.store.stat().st_size == 0


def test_lines_of_the_journal_that_cannot_be_read_are_counted(
    folder: Path, environment: dict[str, str]
) -> None:
    places = Places.of(environment)
    note(places, Note(AT, "codex", "Stop", "started"))
    with places.journal.open("ab") as file:
        file.write(b"{broken\n")

    found = look(folder, environment)
    assert found.bad_lines == 1
    assert found.tools[1].fired == AT


def test_what_is_switched_off_is_said_with_the_reason(folder: Path, environment: dict[str, str]) -> None:
    settings(environment, f'[hook]\nrecall = false\n[capture]\nexclude = ["{folder}"]\n')
    found = look(folder, {**environment, "TRUERECALL_AGENTS_OFF": "1"})

    assert found.off == ("TRUERECALL_AGENTS_OFF is set", "recall is off in the settings")
    assert [tool.off for tool in found.tools] == [f"the folder is excluded by {folder}"] * 4


def test_inside_cursor_the_hooks_of_claude_code_stand_down(folder: Path, environment: dict[str, str]) -> None:
    found = look(folder, {**environment, "CURSOR_VERSION": "3.20.17"})

    assert [tool.tool for tool in found.tools if tool.off] == ["claude-code"]


def test_settings_that_cannot_be_read_are_a_reason_and_no_error(
    folder: Path, environment: dict[str, str]
) -> None:
    settings(environment, "[hook]\nrecal = false\n")
    (reason,) = look(folder, environment).off

    assert reason.startswith("unknown setting")
    assert "Did you mean recall?" in reason
