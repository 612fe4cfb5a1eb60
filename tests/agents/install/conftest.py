"""One user's home, empty, and what installs into it."""

from pathlib import Path

import pytest

from truerecall.agents.install.records import Setup
from truerecall.agents.places import Places


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def setup(home: Path) -> Setup:
    environment = {"HOME": str(home), "PATH": "/nowhere"}
    return Setup(
        Places.of(environment),
        environment,
        ("/usr/local/bin/truerecall-hook",),
        ("/usr/local/bin/truerecall", "agents", "mcp"),
    )
