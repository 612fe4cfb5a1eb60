"""People of one team, each with a home of their own, one command line and the real hooks; they share a store."""

import contextlib
import os
import sqlite3
import subprocess
import sysconfig
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from claude import ClaudeHome, fresh_claude
from codex import TRUST_ALL, CodexHome, fresh_codex
from opencode import OpenCodeHome, fresh_opencode
from running import Ran, repository

from truerecall.models.scripted import Scenario, ScriptedServer

SCRIPTS = Path(sysconfig.get_path("scripts"))
ORIGIN = "https://git.example/team/shop.git"
SPACE = "git.example/team/shop"
PATIENCE = 30.0
"""Seconds that a capture may take on a loaded machine, after its agent has ended."""

Agent = ClaudeHome | CodexHome | OpenCodeHome


@dataclass(frozen=True, slots=True)
class Entry:
    """What a test looks at of an entry."""

    text: str
    kind: str
    trust: int
    speaker: str
    author: str
    session: str
    tool: str


class Team:
    """Makes people; all work on one project, each in a clone of their own."""

    def __init__(self, folder: Path, commands: Any) -> None:
        self.folder = folder
        self.store = folder / "team" / "memory.db"
        self.store.parent.mkdir()
        self._commands = commands

    def member(self, name: str, tool: str, server: ScriptedServer) -> "Member":
        """Somebody who has just installed the memory into one tool."""
        home = self.folder / name
        agent: Agent
        if tool == "claude-code":
            agent = fresh_claude(self._commands["claude"], home, server, path=(SCRIPTS,))
        elif tool == "codex":
            agent = fresh_codex(self._commands["codex"], home, server, path=(SCRIPTS,))
        else:
            agent = fresh_opencode(self._commands["opencode"], home, server, path=(SCRIPTS,))
        clone = repository(self.folder / f"{name}-clone", ORIGIN)
        member = Member(self, name, tool, agent, clone)
        member.truerecall("agents", "install", tool, "--yes", "--store", self.store, "--user", name)
        return member

    def entries(self) -> list[Entry]:
        """All that is in the store."""
        if not self.store.exists():
            return []
        with contextlib.closing(sqlite3.connect(f"file:{self.store}?mode=ro", uri=True)) as db:
            rows = db.execute(
                "SELECT e.text, e.kind, e.trust, coalesce(e.speaker, ''), e.author, coalesce(e.session, ''),"
                " coalesce(e.tool, '') FROM entry e JOIN partition p ON p.id = e.rowid >> 32"
                " WHERE p.space = ? ORDER BY e.rowid",
                (SPACE,),
            ).fetchall()
        return [Entry(*row) for row in rows]

    def texts(self, kind: str = "turn") -> list[str]:
        """The texts of its entries of a kind."""
        return [entry.text for entry in self.entries() if entry.kind == kind]

    def until(self, holds: Callable[[], bool]) -> None:
        """Wait for a capture that goes on after its agent has ended; an error where it never comes."""
        end = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < end, f"it did not come; the store holds {self.texts()}"
            time.sleep(0.1)

    def kept(self, *texts: str) -> None:
        """Wait until each of these stands in an entry."""
        self.until(lambda: all(any(text in one for one in self.texts()) for text in texts))


@dataclass(frozen=True, slots=True)
class Member:
    """Somebody with one command line."""

    team: Team
    name: str
    tool: str
    agent: Agent
    clone: Path

    def ask(self, prompt: str, *arguments: str, timeout: float = 120.0) -> Ran:
        """One prompt in their clone; what it says is checked to have worked."""
        ran = self.try_to_ask(prompt, *arguments, timeout=timeout)
        assert ran.code == 0, ran.out[-2000:] + ran.err[-2000:]
        return ran

    def try_to_ask(self, prompt: str, *arguments: str, timeout: float = 120.0) -> Ran:
        """One prompt, however it ends."""
        if isinstance(self.agent, CodexHome):
            arguments = (TRUST_ALL, *arguments)
        return self.agent.ask(prompt, *arguments, cwd=self.clone, timeout=timeout)

    def truerecall(self, *arguments: str | Path, code: int = 0) -> str:
        """Our own command, as this person."""
        done = subprocess.run(
            [str(SCRIPTS / "truerecall"), *map(str, arguments)],
            env=self.agent.environment,
            cwd=self.clone,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout


@contextlib.contextmanager
def played(*lines: dict[str, Any]) -> Iterator[ScriptedServer]:
    """A model that says what these lines say."""
    with ScriptedServer(Scenario.of(*lines)) as server:
        yield server


def alive_below(home: Path) -> list[str]:
    """Processes whose HOME is this folder and that still run, by their command."""
    found = []
    for process in Path("/proc").iterdir():
        if not process.name.isdigit() or int(process.name) == os.getpid():
            continue
        with contextlib.suppress(OSError):
            environment = (process / "environ").read_bytes().split(b"\0")
            if f"HOME={home}".encode() in environment:
                found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode())
    return [command for command in found if command]
