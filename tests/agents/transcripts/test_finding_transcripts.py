"""Which files are taken for transcripts, and that nothing else is opened."""

import builtins
import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from truerecall.agents.transcripts.reading import Transcript
from truerecall.agents.transcripts.table import READERS

FIRST = datetime(2026, 11, 30, 12, tzinfo=UTC)
ONE, TWO = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    return home


def _put(path: Path, minutes: int, line: object = None) -> Path:
    """A file that changed so many minutes after noon."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(line or {}) + "\n", encoding="utf-8")
    at = (FIRST + timedelta(minutes=minutes)).timestamp()
    os.utime(path, (at, at))
    return path


def _found(tool: str, since: datetime | None = None, **homes: str) -> list[Transcript]:
    return list(READERS[tool][0].find(homes, since))  # type: ignore[index]


def test_sessions_and_subagents_of_claude_code_are_found_the_oldest_change_first(home: Path) -> None:
    project = home / ".claude/projects/-home-dev-ws"
    newest = _put(project / f"{ONE}.jsonl", 9)
    side = _put(project / ONE / "subagents/agent-a1b2.jsonl", 5)
    deep = _put(project / ONE / "subagents/workflows/w1/agent-c3.jsonl", 6)
    older = _put(project / "agent-36541525.jsonl", 2, {"sessionId": TWO, "isSidechain": True})
    lost = _put(project / "agent-99.jsonl", 3)
    for name in ("sessions-index.json", "history.jsonl", "notes.jsonl", "memory/MEMORY.md", "memory/x.jsonl"):
        _put(project / name, 1)
    _put(project / ONE / "tool-results/x.jsonl", 1)
    _put(project / ONE / "subagents/agent-a1b2.meta.json", 1)
    _put(home / f".claude/{ONE}.jsonl", 1)

    def at(minutes: int) -> datetime:
        return FIRST + timedelta(minutes=minutes)

    assert _found("claude-code", HOME=str(home)) == [
        Transcript("claude-code", older, f"{TWO}/36541525", at(2)),
        Transcript("claude-code", lost, "agent-99", at(3)),
        Transcript("claude-code", side, f"{ONE}/a1b2", at(5)),
        Transcript("claude-code", deep, f"{ONE}/c3", at(6)),
        Transcript("claude-code", newest, ONE, at(9)),
    ]
    assert [one.path for one in _found("claude-code", at(6), HOME=str(home))] == [deep, newest]


def test_a_folder_of_its_own_comes_before_the_home_folder(home: Path, tmp_path: Path) -> None:
    _put(home / f".claude/projects/p/{ONE}.jsonl", 1)
    _put(home / f".codex/sessions/2026/11/30/rollout-2026-11-30T12-00-00-{ONE}.jsonl", 1)
    claude = _put(tmp_path / f"c/projects/p/{TWO}.jsonl", 1)
    codex = _put(tmp_path / f"x/archived_sessions/rollout-2026-11-30T12-00-00-{TWO}.jsonl", 1)
    assert [
        one.path for one in _found("claude-code", HOME=str(home), CLAUDE_CONFIG_DIR=str(tmp_path / "c"))
    ] == [claude]
    assert [one.path for one in _found("codex", HOME=str(home), CODEX_HOME=str(tmp_path / "x"))] == [codex]


def test_rollouts_of_codex_are_found_with_the_thread_that_spawned_them(home: Path) -> None:
    day = home / ".codex/sessions/2026/11/30"
    child = {
        "type": "session_meta",
        "payload": {"source": {"subagent": {"thread_spawn": {"parent_thread_id": ONE}}}},
    }
    second = _put(day / f"rollout-2026-11-30T12-00-00-{ONE}.jsonl", 4)
    third = _put(day / f"rollout-2026-11-30T12-01-00-{TWO}.jsonl", 5, child)
    first = _put(home / f".codex/archived_sessions/rollout-2025-01-01T00-00-00-{TWO}.jsonl", 3)
    for name in (
        "history.jsonl",
        "auth.json",
        "session_index.jsonl",
        f"sessions/{ONE}.jsonl",
        "log/rollout-x.jsonl",
    ):
        _put(home / ".codex" / name, 1)
    _put(day / "rollout-without-an-id.jsonl", 1)

    assert [(one.path, one.session) for one in _found("codex", HOME=str(home))] == [
        (first, TWO),
        (second, ONE),
        (third, f"{ONE}/{TWO}"),
    ]


@pytest.mark.parametrize("tool", ["claude-code", "codex"])
def test_where_nothing_is_nothing_is_found(tool: str, home: Path) -> None:
    assert _found(tool) == []
    assert _found(tool, HOME=str(home)) == []
    assert _found(tool, HOME=str(home / "gone")) == []


def test_no_link_is_followed_out_of_the_sessions_folder(home: Path, tmp_path: Path) -> None:
    outside = _put(tmp_path / f"outside/{ONE}.jsonl", 1)
    rollout = _put(tmp_path / f"outside/rollout-2026-11-30T12-00-00-{ONE}.jsonl", 1)
    (home / ".claude/projects/p").mkdir(parents=True)
    (home / ".claude/projects/linked").symlink_to(outside.parent)
    (home / f".claude/projects/p/{TWO}.jsonl").symlink_to(outside)
    (home / ".codex/sessions").mkdir(parents=True)
    (home / ".codex/sessions/2026").symlink_to(rollout.parent)
    (home / f".codex/sessions/rollout-2026-11-30T12-00-00-{TWO}.jsonl").symlink_to(rollout)
    assert _found("claude-code", HOME=str(home)) == []
    assert _found("codex", HOME=str(home)) == []


def test_a_home_folder_that_is_itself_a_link_is_where_the_person_keeps_it(home: Path, tmp_path: Path) -> None:
    _put(tmp_path / f"dotfiles/projects/p/{ONE}.jsonl", 1)
    (home / ".claude").symlink_to(tmp_path / "dotfiles")
    assert [one.session for one in _found("claude-code", HOME=str(home))] == [ONE]


def test_a_pipe_under_the_name_of_a_transcript_holds_nobody_up(home: Path) -> None:
    folder = home / ".claude/projects/p"
    folder.mkdir(parents=True)
    os.mkfifo(folder / f"{ONE}.jsonl")
    os.mkfifo(folder / "agent-1.jsonl")
    assert _found("claude-code", HOME=str(home)) == []


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The files that were opened."""
    names: list[str] = []
    real_os, real = os.open, builtins.open
    monkeypatch.setattr(
        os, "open", lambda path, *rest, **more: names.append(str(path)) or real_os(path, *rest, **more)
    )
    monkeypatch.setattr(
        "builtins.open", lambda path, *rest, **more: names.append(str(path)) or real(path, *rest, **more)
    )
    yield names


def test_no_credentials_settings_or_histories_are_opened(home: Path, opened: list[str]) -> None:
    secrets = [
        ".claude/.credentials.json",
        ".claude/settings.json",
        ".claude/history.jsonl",
        ".claude.json",
        ".claude/projects/p/settings.local.json",
        f".claude/projects/p/{ONE}/tool-results/big.txt",
        ".codex/auth.json",
        ".codex/config.toml",
        ".codex/history.jsonl",
    ]
    for name in secrets:
        _put(home / name, 1)
    _put(home / f".claude/projects/p/{ONE}.jsonl", 1)
    _put(home / f".codex/sessions/2026/11/30/rollout-2026-11-30T12-00-00-{ONE}.jsonl", 1)
    opened.clear()
    for tool, readers in READERS.items():
        if tool in ("claude-code", "codex"):
            for transcript in readers[0].find({"HOME": str(home)}):
                readers[0].read(transcript)
    assert {Path(name).name for name in opened} == {
        f"{ONE}.jsonl",
        f"rollout-2026-11-30T12-00-00-{ONE}.jsonl",
    }
