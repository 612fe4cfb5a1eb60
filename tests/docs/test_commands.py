"""Every command and every example in README.md and docs/ does what its page shows; following.py says how."""

import re
from pathlib import Path

import pytest
from following import REPOSITORY, Reader, blocks

PAGES = [
    REPOSITORY / "README.md",
    # docs/study-sample is what a demo wrote, and tells the command that wrote it.
    *sorted(page for page in (REPOSITORY / "docs").rglob("*.md") if page.parent.name != "study-sample"),
]
FENCES = ("console", "python", "text", "toml", "json", "jsonl", "sql", "")
"""The kinds of block that a page may hold; shell commands stand in ``console`` only."""


def _named(page: Path) -> str:
    return page.relative_to(REPOSITORY).as_posix()


RUNNABLE = [
    page for page in PAGES if any(b.kind in ("console", "python") for b in blocks(page.read_text("utf-8")))
]


@pytest.mark.parametrize("page", RUNNABLE, ids=_named)
def test_each_command_and_example_of_a_page_does_what_the_page_shows(page: Path, tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    try:
        for block in blocks(page.read_text(encoding="utf-8")):
            reader.follow(block)
    finally:
        reader.close()


SHELL = re.compile(
    r"^(?:\$ |(?:make|pip3?|truerecall|python3?(?:\.\d+)?|git|npm|npx|uvx?|pipx|curl|cd|export)(?: |$))",
    re.MULTILINE,
)


@pytest.mark.parametrize("page", PAGES, ids=_named)
def test_shell_commands_of_a_page_stand_in_console_blocks_only(page: Path) -> None:
    found = list(blocks(page.read_text(encoding="utf-8")))

    assert [(block.line, block.kind) for block in found if block.kind not in FENCES] == []
    assert [block.line for block in found if block.kind in ("", "text") and SHELL.search(block.text)] == []
