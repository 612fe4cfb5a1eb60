"""The old sessions as files: from before the question only, and git does not speak of them."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from truerecall.study.design import Side, Study
from truerecall.study.sides.table import equip

GREP = Side("grep", "grep")
Staged = Callable[..., Any]


def status(folder: Path) -> str:
    environment = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", "-C", str(folder), "status", "--porcelain"]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout


def test_each_session_is_a_file_in_the_workspace(staged: Staged) -> None:
    with staged() as stage:
        equip(GREP, stage)
        folder = stage.seat.cwd / "old-sessions"

        assert sorted(path.name for path in folder.iterdir()) == ["s-old.md", "s-other.md"]
        assert (folder / "s-old.md").read_text(encoding="utf-8") == (
            "# Session s-old\n\n"
            "## 2026-11-20T09:05:00Z user, answer\n\n"
            "How many retries does the upload queue make?\n\n"
            "## 2026-11-20T09:05:00Z assistant, answer\n\n"
            "Retries of the upload queue end after five tries, since the gateway drops the sixth.\n\n"
            "## 2026-11-20T09:05:00Z assistant, answer\n\n"
            "The upload queue keeps its retries in Redis until the move.\n"
        )
        assert "theme file" not in (folder / "s-other.md").read_text(encoding="utf-8")


def test_nothing_later_is_there(staged: Staged) -> None:
    with staged() as stage:
        equip(GREP, stage)
        texts = [path.read_text(encoding="utf-8") for path in stage.seat.cwd.rglob("*.md")]

    assert not [
        text for text in texts if "heronlike" in text or "kingfisherlike" in text or "s-later" in text
    ]


def test_git_does_not_speak_of_them_and_searching_tools_are_told_of_them(staged: Staged) -> None:
    with staged() as stage:
        equip(GREP, stage)

        assert status(stage.seat.cwd) == ""
        assert (stage.seat.cwd / ".ignore").read_text(encoding="utf-8") == "!/old-sessions/\n"


def test_a_folder_of_the_repository_itself_is_left_alone(staged: Staged) -> None:
    with staged() as stage:
        (stage.seat.cwd / "old-sessions").mkdir()
        (stage.seat.cwd / ".ignore").write_text("*.log\n", encoding="utf-8")
        equip(GREP, stage)

        assert list((stage.seat.cwd / "old-sessions").iterdir()) == []
        assert len(list((stage.seat.cwd / "old-sessions-2").iterdir())) == 2
        assert (stage.seat.cwd / ".ignore").read_text(encoding="utf-8") == "*.log\n"
        assert status(stage.seat.cwd) == "?? .ignore\n"  # the repository's own


def test_it_adds_nothing_else(staged: Staged, study: Study) -> None:
    with staged() as stage:
        equipment = equip(GREP, stage)

    assert (equipment.plugin_dir, equipment.mcp_config, dict(equipment.environment)) == (None, None, {})
