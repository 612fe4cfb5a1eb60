"""The rules by which pages are followed can themselves fail."""

from pathlib import Path

import click
import following
import pytest
from following import PROGRAMS, Reader, blocks


def page_of(kind: str, text: str) -> str:
    return f"# Page\n\n```{kind}\n{text}\n```\n"


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("console", "$ echo one\ntwo"),
        ("console", "$ echo one\none\nmore"),
        ("console", "$ ls nowhere"),
        ("console exit=2", "$ echo one"),
        ("console", "$ curl example.test"),
        ("console", "$ echo one && curl example.test"),
        ("console", "$ make no-such-target"),
        ("console", "$ pip install 'truerecall[nothing]'"),
        ("console", "$ truerecall bench retrieval --data DIR --colour red"),
        ("console", "$ truerecall bench retrieval --data DIR --seed seven"),
        ("console", "$ echo 2024-05-07\n2024-05-08"),
        ("console", "$ echo a5b6c7d8 a5b6c7d8\n11111111 22222222"),
        ("console", "$ python -c 'import socket; socket.create_connection((\"192.0.2.1\", 80))'"),
        ("console", "no prompt"),
        ("python", "assert 1 + 1 == 3"),
        ("python", "raise SystemExit(0)"),
    ],
)
def test_a_page_that_shows_what_does_not_happen_fails(kind: str, text: str, tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    try:
        with pytest.raises((AssertionError, click.ClickException)):
            for block in blocks(page_of(kind, text)):
                reader.follow(block)
    finally:
        reader.close()


@pytest.mark.parametrize(
    "text",
    [
        "$ printf 'one\\n\\ntwo\\n'\none\n\ntwo",
        "$ echo done in 12.5 ms\ndone in 3 ms",
        "$ date +%Y-%m-%d\n2026-01-31",
        "$ echo a5b6c7d8\n11111111\n$ test 11111111 = a5b6c7d8",
        "$ echo kept > file\n$ cat file\nkept",
        "$ cat <<END\none\nEND\none",
        "$ echo one \\\n>   two\none two",
        "$ make demo    # sets up",
        "$ pip install 'truerecall[local]'",
    ],
)
def test_a_page_that_shows_what_happens_passes(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "PROGRAMS", (*PROGRAMS, "date", "test"))
    reader = Reader(tmp_path)

    for block in blocks(page_of("console", text)):
        reader.follow(block)


def test_a_page_sees_an_empty_home_and_no_folder_of_who_runs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME")
    for name in (*theirs, "TRUERECALL_STORE", "TRUERECALL_AGENTS_SETTINGS", "GIT_DIR"):
        monkeypatch.setenv(name, str(tmp_path / "theirs"))
    reader = Reader(tmp_path)
    python = f"import os\nassert os.environ['HOME'] == {str(tmp_path / 'home')!r}\n"
    python += (
        "assert not [name for name in os.environ if name.startswith(('XDG_', 'CLAUDE_', 'CODEX_', 'GIT_'))]"
    )
    page = page_of("console", "$ truerecall agents install claude-code --store team.db --yes")
    page += page_of("console", "$ ls ~/.claude\nsettings.json") + page_of("python", python)

    for block in blocks(page):
        reader.follow(block)
    reader.close()

    assert not (tmp_path / "theirs").exists()
    assert (tmp_path / "home" / ".config" / "truerecall" / "agents.toml").is_file()


def test_python_blocks_share_their_names_and_a_saved_block_is_a_file(tmp_path: Path) -> None:
    page = page_of("python", "a = 1") + page_of("python", "a += 1\nassert a == 2")
    page += "Save it as `tool.py`:\n\n```python\nprint(7)\n```\n" + page_of("console", "$ python tool.py\n7")
    reader = Reader(tmp_path)

    for block in blocks(page):
        reader.follow(block)
    reader.close()
