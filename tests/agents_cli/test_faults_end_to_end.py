"""What goes wrong around the real command lines: nothing is lost, and no prompt is held up."""

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from claude import MODEL
from team import PATIENCE, Member, Team, alive_below, played

from truerecall.models.scripted import ScriptedServer

pytestmark = pytest.mark.agents

HELD_UP = 12.0
"""Seconds beyond a run without faults that a hook may cost, all of its waiting together; a locked store waits most."""


@pytest.fixture
def team(tmp_path: Path, commands: Any) -> Team:
    return Team(tmp_path, commands)


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with played({"when": "", "reply": "I have read it."}) as server:
        yield server


def timed(member: Member, prompt: str) -> float:
    began = time.monotonic()
    member.ask(prompt)
    return time.monotonic() - began


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A disk of two megabytes."""
    place = tmp_path / "small"
    place.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2M", "tmpfs", place], capture_output=True, check=False
    )
    if done.returncode:
        pytest.skip("this machine mounts no small disk for us")
    yield place
    subprocess.run(["umount", place], check=True)


def test_a_killed_agent_s_prompt_is_kept_by_the_next_session(team: Team) -> None:
    with played(
        {"when": "This one is killed", "fail": "slow"}, {"when": "", "reply": "I have read it."}
    ) as server:
        ada = team.member("ada", "claude-code", server)
        killed = subprocess.Popen(
            [ada.agent.command, "-p", "--model", MODEL, "This one is killed while it waits."],
            env=ada.agent.environment, cwd=ada.clone, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        end = time.monotonic() + PATIENCE
        # The transcript has the prompt before the model is asked: that is when the plug is pulled.
        while not any(
            "This one is killed" in path.read_text(encoding="utf-8", errors="replace")
            for path in (ada.agent.home / ".claude" / "projects").rglob("*.jsonl")
        ):
            assert time.monotonic() < end, "the agent never began"
            time.sleep(0.1)
        os.killpg(killed.pid, signal.SIGKILL)
        killed.wait()

        ada.ask("And another one.")

        team.kept("This one is killed while it waits.", "And another one.")
        team.until(lambda: alive_below(ada.agent.home) == [])


def test_a_full_disk_holds_nothing_up_and_loses_nothing(
    team: Team, server: ScriptedServer, small: Path
) -> None:
    usual = timed(team.member("bob", "claude-code", server), "How long does it take?")
    team.store = small / "memory.db"
    ada = team.member("ada", "claude-code", server)
    ada.ask("The first one.")
    team.kept("The first one.")
    ballast = small / "ballast"
    with ballast.open("wb", buffering=0) as file, pytest.raises(OSError, match="No space"):
        while True:
            file.write(bytes(4096))

    seconds = timed(ada, f"The second one. {'It is long, too. ' * 400}")

    assert seconds < usual + HELD_UP
    ballast.unlink()
    ada.ask("The third one.")
    team.kept("The first one.", "The second one.", "The third one.")
    said = json.loads(ada.truerecall("agents", "status", "--json"))
    assert "full" in json.dumps(said), "the status tells that it was full"


def test_a_locked_store_holds_nothing_up_and_loses_nothing(team: Team, server: ScriptedServer) -> None:
    ada = team.member("ada", "claude-code", server)
    usual = timed(ada, "The first one.")
    team.kept("The first one.")
    with contextlib.closing(sqlite3.connect(team.store, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        seconds = timed(ada, "The second one.")
        assert not any("The second one." in text for text in team.texts())
        other.execute("ROLLBACK")

    assert seconds < usual + HELD_UP
    ada.ask("The third one.")
    team.kept("The second one.", "The third one.")


@pytest.mark.parametrize("broken", ["no store", "damaged store", "wrong settings", "state is a file"])
def test_whatever_is_broken_of_ours_the_agent_goes_on(
    team: Team, server: ScriptedServer, broken: str
) -> None:
    ada = team.member("ada", "claude-code", server)
    ada.ask("The first one.")
    team.kept("The first one.")
    state = ada.agent.home / ".local" / "state" / "truerecall"
    if broken == "no store":
        for path in team.store.parent.iterdir():
            path.unlink()
    elif broken == "damaged store":
        for path in list(team.store.parent.iterdir()):
            path.unlink()
        team.store.write_bytes(b"this is no store at all" * 500)
    elif broken == "wrong settings":
        (ada.agent.home / ".config" / "truerecall" / "agents.toml").write_text("[hook\nrecall = maybe")
    else:
        for path in sorted(state.rglob("*"), reverse=True):
            path.unlink() if path.is_file() else path.rmdir()
        state.rmdir()
        state.write_text("in the way")

    ran = ada.ask("What about the first one?")

    assert json.loads(ran.out)["result"] == "I have read it."
    assert not json.loads(ran.out)["is_error"]


def test_switched_off_it_does_nothing(team: Team, server: ScriptedServer) -> None:
    ada = team.member("ada", "claude-code", server)
    ada.agent.environment["TRUERECALL_AGENTS_OFF"] = "1"

    ada.ask("The first one.")

    assert team.entries() == []
