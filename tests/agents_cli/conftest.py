"""Real command lines of coding agents against the scripted model server: ``make test-agents`` runs these.

``--record FILE`` writes what was run, and what came of it, as JSON.
"""

import os
import platform
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from truerecall.bench.agent_runs import AgentRuns
from truerecall.bench.provenance import checkout

sys.path.insert(0, os.fspath(Path(__file__).parent))

VERSIONS = pytest.StashKey[dict[str, str]]()
ROWS = pytest.StashKey[list[dict[str, Any]]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--record", type=Path, help="Write the outcome of each test as JSON.")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[VERSIONS], config.stash[ROWS] = {}, []


class Commands:
    """Where the command lines are."""

    def __init__(self, folder: Path, versions: dict[str, str]) -> None:
        self._folder = folder
        self._versions = versions

    def __getitem__(self, name: str) -> Path:
        """The command of this name; the test is skipped where it is not installed."""
        path = self._folder / name
        if not path.exists():
            pytest.skip(f"{name} is not installed: `make test-agents` does that")
        if name not in self._versions:
            done = subprocess.run(
                [path, "--version"], capture_output=True, text=True, timeout=60, check=False
            )
            self._versions[name] = done.stdout.strip()
        return path


@pytest.fixture
def commands(pytestconfig: pytest.Config) -> Commands:
    """``commands["claude"]``: the real command line, its version noted for the record."""
    folder = os.environ.get("TRUERECALL_CLIS")
    if not folder:
        pytest.skip("TRUERECALL_CLIS names no folder of command lines: run `make test-agents`")
    return Commands(Path(folder), pytestconfig.stash[VERSIONS])


@pytest.fixture
def measured(request: pytest.FixtureRequest) -> Iterator[dict[str, Any]]:
    """What a test wants to have in the record besides its outcome."""
    facts: dict[str, Any] = {}
    request.node.stash[MEASURED] = facts
    yield facts


MEASURED = pytest.StashKey[dict[str, Any]]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    report = yield
    if report.when == "call" or (report.when == "setup" and report.outcome != "passed"):
        seconds = round(report.duration, 1)
        row = {
            "test": item.name,
            "outcome": report.outcome,
            "seconds": seconds,
            **item.stash.get(MEASURED, {}),
        }
        item.config.stash[ROWS].append(row)
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    target: Path | None = session.config.getoption("--record", default=None)
    if target is None:
        return
    commit, dirty = checkout(Path(__file__).resolve().parents[2])
    record = {
        "kind": "agent-runs",
        "commit": commit,
        "dirty": dirty,
        "command": "make test-agents",
        "platform": platform.system(),
        "python": platform.python_version(),
        "commands": session.config.stash[VERSIONS],
        "interfaces": sorted(name for _, name in socket.if_nameindex()),
        "tests": sorted(session.config.stash[ROWS], key=lambda row: row["test"]),
    }
    made = AgentRuns.model_validate(record)
    target.write_text(made.model_dump_json(indent=1) + "\n", encoding="utf-8", newline="\n")
