"""What docs/agents.md says is kept where is all that is there after everything on the page was done."""

import re
import stat
from pathlib import Path

import pytest
from following import REPOSITORY, Reader, blocks

from truerecall.agents.places import Places

PAGE = (REPOSITORY / "docs" / "agents.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| (`~/[^|]+) \| [^|]+ \| (\d{4})[^|]* \| [^|]+ \|$", re.MULTILINE)
OF_AGENTS = (".claude", ".claude.json", ".codex")


def rows() -> dict[str, str]:
    """By path, as the page writes it, the mode of what is there. A name alone lies beside the one before it."""
    found = {}
    for cell, mode in ROW.findall(PAGE):
        folder = ""
        for path in re.findall(r"`([~\w./-]+)`", cell):
            if path.startswith("~/"):
                folder = path.rpartition("/")[0]
                found[path] = mode
            elif path[0].islower() and path != "memory.store":
                found[f"{folder}/{path}"] = mode
    return found


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of somebody who did all that the page says, but for what deletes something for good."""
    base = tmp_path_factory.mktemp("page")
    reader = Reader(base)
    for block in blocks(PAGE):
        reader.follow(block)
    reader.close()
    return base / "home"


def test_each_file_that_is_there_stands_in_the_table_with_its_mode(home: Path) -> None:
    told = rows()
    files = [path for path in home.rglob("*") if path.is_file()]
    ours = [path for path in files if path.relative_to(home).parts[0] not in OF_AGENTS]
    stray = []
    for path in ours:
        name = f"~/{path.relative_to(home).as_posix()}"
        row = next((row for row in told if name == row or (row.endswith("/") and name.startswith(row))), None)
        if row is None or f"{stat.S_IMODE(path.stat().st_mode):04o}" != told[row]:
            stray.append((name, oct(path.stat().st_mode)))

    assert stray == []
    assert {path.name for path in ours} >= {"memory.db", "agents.db", "hooks.jsonl"}


def test_the_table_names_each_place_that_the_code_knows() -> None:
    places = Places.of({"HOME": "/h"})
    wanted = (places.store, places.settings, places.progress, places.journal, places.spool, places.backups)

    assert {f"~{str(path).removeprefix('/h')}" for path in wanted} <= {path.rstrip("/") for path in rows()}
