"""Each side is the same solver in the same place, but for what the side adds."""

import json
import shutil
import sqlite3
import subprocess
import sys
import tomllib
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from truerecall.agents.journal import read_notes
from truerecall.agents.places import Places
from truerecall.errors import StudyError
from truerecall.study.design import Side, Study
from truerecall.study.planned import PlannedSide
from truerecall.study.sides.stage import words
from truerecall.study.sides.table import equip, planned_side

MEMORY = Side("memory", "memory")
OTHER = Side("other", "memory", mcp=("node", "./server.js", "--all"), environment={"LEVEL": "2"})
Staged = Callable[..., Any]


@pytest.fixture
def plugin(study: Study) -> Side:
    """The side of another memory's plugin."""
    folder = study.folder / "plugins" / "other"
    (folder / ".claude-plugin").mkdir(parents=True)
    (folder / ".claude-plugin" / "plugin.json").write_text('{"name": "other"}', encoding="utf-8")
    (folder / "run.sh").write_text("exit 0\n", encoding="utf-8")
    (folder / "link").symlink_to("run.sh")
    return Side("rival", "memory", plugin_dir="plugins/other")


def test_our_memory_is_a_plugin_a_store_and_settings_in_the_home(staged: Staged, cut_path: Path) -> None:
    with staged() as stage:
        equipment = equip(MEMORY, stage)
        home = stage.seat.home

        assert equipment.plugin_dir == home / "plugin"
        assert dict(equipment.environment) == {"TRUERECALL_HOOK_NOW": "2026-11-22T09:05:00Z"}
        files = [
            p.relative_to(home / "plugin").as_posix() for p in (home / "plugin").rglob("*") if p.is_file()
        ]
        assert sorted(files) == [".claude-plugin/plugin.json", "hooks/hook.sh", "hooks/hooks.json"]
        assert "mcpServers" not in json.loads((home / "plugin" / files[0]).read_text(encoding="utf-8"))
        assert tomllib.loads((home / ".config/truerecall/agents.toml").read_text(encoding="utf-8")) == {
            "memory": {"store": "~/.local/share/truerecall/memory.db", "tenant": "local", "user": "ada"}
        }
        store = home / ".local/share/truerecall/memory.db"
        assert store.read_bytes() == cut_path.read_bytes()
        assert store.stat().st_mode & 0o777 == 0o600


def test_a_repository_of_which_the_memory_knows_nothing_is_refused(study: Study, staged: Staged) -> None:
    with staged() as stage:
        config = stage.seat.cwd / ".git" / "config"
        config.write_text(
            config.read_text(encoding="utf-8").replace("acme/app", "acme/api"), encoding="utf-8"
        )

        with pytest.raises(
            StudyError, match=r"knows nothing of github\.com/acme/api: its spaces are github\.com/acme/app"
        ):
            equip(MEMORY, stage)
        control = replace(stage, question=replace(stage.question, control=True))
        assert equip(MEMORY, control).plugin_dir is not None


def test_a_cut_without_its_exports_is_refused(staged: Staged, cut_path: Path) -> None:
    shutil.rmtree(cut_path.parent / "exports")

    with staged() as stage, pytest.raises(StudyError, match="the exports of a cut are gone"):
        equip(MEMORY, stage)


def test_a_rivals_plugin_is_copied_so_that_runs_share_nothing(
    plugin: Side, study: Study, staged: Staged
) -> None:
    with staged() as stage:
        equipment = equip(plugin, stage)
        assert equipment.plugin_dir == stage.seat.home / "plugin"
        assert (equipment.plugin_dir / "link").readlink() == Path("run.sh")
        (equipment.plugin_dir / "run.sh").write_text("changed\n", encoding="utf-8")

    assert (study.folder / "plugins/other/run.sh").read_text(encoding="utf-8") == "exit 0\n"


def test_a_folder_that_is_no_plugin_is_refused(study: Study) -> None:
    with pytest.raises(StudyError, match="the side 'rival' names no plugin of Claude Code"):
        planned_side(Side("rival", "memory", plugin_dir="plugins"), study)


def test_an_mcp_server_is_named_in_a_file_as_claude_code_reads_it(study: Study, staged: Staged) -> None:
    with staged() as stage:
        equipment = equip(OTHER, stage)
        assert equipment.mcp_config is not None
        told = json.loads(equipment.mcp_config.read_text(encoding="utf-8"))

    assert told == {
        "mcpServers": {
            "memory": {
                "type": "stdio",
                "command": "node",
                "args": [str(study.folder / "server.js"), "--all"],
                "env": {"LEVEL": "2"},
            }
        }
    }
    assert equipment.allowed_tools == ("mcp__memory",)
    assert equipment.environment["LEVEL"] == "2"


def test_paths_and_environments_are_equal_on_all_sides_but_for_what_a_side_adds(
    plugin: Side, staged: Staged
) -> None:
    sides = [
        MEMORY,
        Side("none", "none"),
        Side("redo", "redo"),
        Side("p", "placebo"),
        Side("g", "grep"),
        plugin,
        OTHER,
    ]
    seen, added = [], {}
    for side in sides:
        with staged(placebo="The valley is wide.") as stage:
            added[side.name] = sorted(equip(side, stage).environment)
            seen.append(stage.seat)

    assert all(seat == seen[0] for seat in seen)
    cut = ["TRUERECALL_CUT", "TRUERECALL_CUT_ASKED_AT", "TRUERECALL_CUT_EXPORT"]
    assert added == {
        "memory": ["TRUERECALL_HOOK_NOW"],
        "none": [],
        "redo": [],
        "p": [],
        "g": [],
        "rival": cut,
        "other": ["LEVEL", *cut],
    }
    assert sorted(seen[0].environment) == [
        "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "HOME", "LANG", "PATH", "TMPDIR"
    ]  # fmt: skip


def test_what_a_run_captures_is_not_in_the_next_one(staged: Staged, cut_path: Path) -> None:
    before = cut_path.read_bytes()
    with staged() as stage:
        capture(equip(MEMORY, stage).environment, stage)
        assert texts_of(stage.seat.home) >= {"The osprey answer of run one."}
    with staged() as stage:
        equip(MEMORY, stage)
        assert not [text for text in texts_of(stage.seat.home) if "osprey" in text]
        assert read_notes(Places.of(stage.seat.environment)).notes == ()
    assert cut_path.read_bytes() == before


def capture(added: dict[str, str], stage: Any) -> None:
    """What our hook starts at the end of a turn, waited for."""
    transcript = stage.seat.home / ".claude" / "projects" / "-app" / "s-run.jsonl"
    transcript.parent.mkdir(parents=True)
    common = {"sessionId": "s-run", "cwd": str(stage.seat.cwd), "version": "2.1.332", "isSidechain": False}
    lines = [
        {
            **common,
            "type": "user",
            "uuid": "u-1",
            "parentUuid": None,
            "timestamp": "2026-12-01T09:00:00Z",
            "message": {"role": "user", "content": "How many retries does the upload queue make?"},
        },
        {
            **common,
            "type": "assistant",
            "uuid": "u-2",
            "parentUuid": "u-1",
            "timestamp": "2026-12-01T09:00:05Z",
            "message": {
                "id": "m-1",
                "role": "assistant",
                "model": "claude-sonnet-5-5",
                "content": [{"type": "text", "text": "The osprey answer of run one."}],
                "stop_reason": "end_turn",
                "usage": {"input_tokens": 1, "output_tokens": 1},
            },
        },
    ]
    transcript.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    told = ["--tool", "claude-code", "--transcript", str(transcript), "--session", "s-run"]
    subprocess.run(
        [sys.executable, "-P", "-m", "truerecall.agents.run_capture", *told],
        env={**stage.seat.environment, **added},
        check=True,
    )


def texts_of(home: Path) -> set[str]:
    with closing(sqlite3.connect(home / ".local/share/truerecall/memory.db")) as db:
        return {row[0] for row in db.execute("SELECT text FROM entry")}


def test_files_of_the_study_are_found_from_wherever_a_command_runs(study: Study) -> None:
    for name in ("load.py", "python"):
        (study.folder / name).write_text("pass\n", encoding="utf-8")

    given = ["python", "load.py", "./made later.db", "--load.py", "-c", "pass"]

    whole = [str(study.folder / name) for name in ("load.py", "made later.db")]
    assert words(study, given) == ["python", *whole, "--load.py", "-c", "pass"]


def test_sides_are_planned_by_how_they_are_delivered(plugin: Side, study: Study) -> None:
    sides = [
        MEMORY,
        Side("none", "none"),
        Side("redo", "redo"),
        Side("p", "placebo"),
        Side("g", "grep"),
        plugin,
        OTHER,
    ]
    planned = [planned_side(side, study) for side in sides]

    assert [one.delivery for one in planned] == ["plugin", "none", "none", "plugin", "files", "plugin", "mcp"]
    assert [one.marker for one in planned] == ["<truerecall-block>", "", "", "", "", "", ""]
    assert planned[1] == PlannedSide(name="none", kind="none", delivery="none")
    assert len({one.sha256 for one in planned}) == 6
    assert [planned_side(side, study) for side in sides] == planned


def test_any_change_of_a_side_is_another_hash(plugin: Side, study: Study) -> None:
    command = replace(OTHER, mcp=(), command=("./recall.py",))
    (study.folder / "recall.py").write_text("print(1)\n", encoding="utf-8")
    hashes = [planned_side(side, study).sha256 for side in (plugin, command)]

    (study.folder / "recall.py").write_text("print(2)\n", encoding="utf-8")
    (study.folder / "plugins/other/run.sh").chmod(0o755)

    after = [planned_side(side, study).sha256 for side in (plugin, command)]
    assert after[0] != hashes[0]
    assert after[1] != hashes[1]
    assert planned_side(replace(command, environment={"LEVEL": "3"}), study).sha256 != after[1]
    assert planned_side(replace(command, marker="mark"), study).marker == "mark"
