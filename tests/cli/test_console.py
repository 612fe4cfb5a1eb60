"""The console around the commands: encodings, odd paths, pipes, the environment and help."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from truerecall import __version__
from truerecall.cli.main import main

OLD = {"PYTHONUTF8": "0", "LC_ALL": "C", "LANG": "C", "PYTHONIOENCODING": "cp1252"}
TEXT = "Zoë 🚀 火 müde"
PLACE = "ein Ort #1 %20 火.db"

posix = pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")


@pytest.mark.parametrize("coerced", ["1", "0"], ids=["C.UTF-8", "ASCII"])
def test_an_old_console_loses_nothing_and_ends_no_command(shell, coerced: str) -> None:
    old = {**OLD, "PYTHONCOERCECLOCALE": coerced}
    where = ("--store", PLACE)
    assert shell("remember", TEXT, "--speaker", "Zoë", *where, env=old).code == 0
    for command in (["list"], ["recall", "Zoë 火", "--explain"], ["recall", "müde", "--block"]):
        outcome = shell(*command, *where, env=old)
        assert outcome.code == 0, outcome.err
        assert "\\u706b" in outcome.out and "\\U0001f680" in outcome.out
    kept = shell("list", "--json", *where)
    assert TEXT in kept.out and '"speaker": "Zoë"' in kept.out


def test_an_old_consoles_json_can_be_read_by_another_command(shell, home: Path) -> None:
    where = ("--store", PLACE)
    shell("remember", "Zoë repaired the müde weir 🚀", "Zoë counted nine herons 火", *where)
    (home / "a.txt").write_text("Zoë repaired the müde weir", "utf-8")
    found = shell("recall", "Zoë", "--json", *where, env=OLD)
    assert {hit["entry"]["text"] for hit in json.loads(found.out)["hits"]} == {
        "Zoë repaired the müde weir 🚀",
        "Zoë counted nine herons 火",
    }
    (home / "r.json").write_text(found.out, "ascii")
    told = shell("feedback", "r.json", "--response", "a.txt", *where, env=OLD)
    assert (told.code, told.err) == (0, "") and told.out.startswith("used  ")
    for command in (
        ("remember", "--fact", "Zoë", "lives_in", "火"),
        ("profile", "set", "preference", "ü", "Zoë wants ü."),
    ):
        shell(*command, *where)
    for command in (("list",), ("facts",), ("profile", "list")):
        old, new = (
            shell(*command, "--json", *where, env=env) for env in (OLD, {"PYTHONIOENCODING": "utf-8"})
        )
        assert old.out.isascii() and not new.out.isascii()
        assert [json.loads(line) for line in old.out.splitlines()] == [
            json.loads(line) for line in new.out.splitlines()
        ]


def test_what_an_old_console_cannot_show_is_still_exported_and_imported(shell, home: Path) -> None:
    shell("remember", TEXT, "--store", PLACE)
    old = {**OLD, "PYTHONCOERCECLOCALE": "0"}
    assert shell("export", "hinaus 火", "--store", PLACE, env=old).code == 0
    assert shell("import", "hinaus 火", "--store", "neu.db", env=old).code == 0
    assert TEXT in shell("list", "--store", "neu.db").out
    missing = shell("list", "--store", "火.db", env=old)
    assert missing.code == 2
    assert missing.err.startswith("truerecall: there is no store yet") and len(missing.err.splitlines()) == 1


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "ascii"])
def test_standard_input_of_any_bytes_ends_no_command(shell, encoding: str) -> None:
    env = {"PYTHONIOENCODING": encoding}
    for raw in (b"\xff\xfe \x81 text", TEXT.encode()):
        outcome = shell("remember", stdin=raw, env=env)
        assert "unexpected" not in outcome.err
        assert outcome.code in (0, 2)
    if encoding == "utf-8":
        assert TEXT in shell("list").out


@pytest.mark.parametrize(
    "name", ["with space.db", "a#b.db", "50%.db", "%41.db", "火.db", "a'b;c.db", "q?mode=ro.db"]
)
def test_a_store_may_have_any_name(cli, home: Path, name: str) -> None:
    if os.name == "nt" and "?" in name:
        pytest.skip("no such file name there")
    assert cli("remember", "one", "--store", name).code == 0
    assert "one" in cli("list", "--store", name).out
    assert [path.name for path in home.iterdir() if not path.name.endswith(("-wal", "-shm"))] == [name]


@posix
def test_a_reader_that_stops_reading_is_no_error(home: Path) -> None:
    run = f'"{sys.executable}" -m truerecall'
    script = f"""
        yes 'some text that is remembered' | head -n 3000 | sed 's/.*/{{"role": "user", "content": "&"}}/' > m.jsonl
        {run} remember --messages m.jsonl | head -n 1
        {run} list --newest 3000 --json | head -n 1
    """
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == 2


@posix
@pytest.mark.parametrize(
    ("redirection", "code"),
    [
        (">&-", 0),
        ("2>&-", 0),
        (">/dev/full", 2),
        ("<&-", 0),
    ],
    ids=lambda v: str(v),
)
def test_a_closed_or_full_stream_gives_no_traceback(shell, redirection: str, code: int) -> None:
    if "full" in redirection and not Path("/dev/full").exists():
        pytest.skip("no device that is always full here")
    shell("remember", "one")
    script = f'"{sys.executable}" -m truerecall recall one {redirection}'
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == code
    assert "Traceback" not in done.stderr and "unexpected" not in done.stderr


@posix
def test_remember_without_any_standard_input_is_explained(shell) -> None:
    script = f'"{sys.executable}" -m truerecall remember <&-'
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode in (1, 2)
    assert "Traceback" not in done.stderr and "unexpected" not in done.stderr


def test_the_environment_names_the_memory(cli, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "s.toml").write_text("[recall]\nlimit = 1\n", encoding="utf-8")
    for name, value in (
        ("STORE", "other.db"), ("USER", "ada"), ("TENANT", "team"), ("SPACE", "project"),
        ("EMBEDDER", "hashing"), ("SETTINGS", "s.toml"),
    ):  # fmt: skip
        monkeypatch.setenv(f"TRUERECALL_{name}", value)
    assert cli("remember", "alpha one", "alpha two").code == 0
    assert (home / "other.db").exists() and not (home / "truerecall.db").exists()
    assert '"scope": {"tenant": "team", "space": "project", "user": "ada"}' in cli("list", "--json").out
    found = cli("recall", "alpha")
    assert "1. " in found.out and "2. " not in found.out
    assert "vector #" in found.out
    assert "nothing was found" in cli("recall", "alpha", "--space", "elsewhere").out


def test_debug_shows_where_an_error_comes_from(cli, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Traceback" not in cli("list").err
    monkeypatch.setenv("TRUERECALL_DEBUG", "1")
    assert "Traceback" in cli("list").err


def commands(
    command: click.Command, path: tuple[str, ...] = (), parent: click.Context | None = None
) -> Iterator[tuple[str, ...]]:
    yield path
    if isinstance(command, click.Group):
        context = click.Context(command, parent=parent, **command.context_settings)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from commands(found, (*path, name), context)


def test_every_command_and_option_explains_itself(cli) -> None:
    seen = list(commands(main))
    assert len(seen) >= 20
    for path in seen:
        for flag in ("--help", "-h"):
            outcome = cli(*path, flag)
            assert outcome.code == 0, path
            assert outcome.out.startswith("Usage: ") and outcome.err == ""


@pytest.mark.parametrize("arguments", [["--help"], ["--version"]])
def test_the_first_help_is_light(shell, arguments: list[str]) -> None:
    outcome = shell("-h", *arguments, env={"PYTHONPROFILEIMPORTTIME": "1"})
    imported = {line.rsplit("|", 1)[1].strip() for line in outcome.err.splitlines() if "|" in line}
    assert "click" in imported
    assert not imported & {"numpy", "pydantic", "rich", "jinja2", "sqlite3", "onnxruntime"}


def test_the_version_is_that_of_the_package(cli) -> None:
    assert cli("--version").out == f"truerecall, version {__version__}\n"


def test_without_a_command_the_help_is_shown(cli) -> None:
    for group in ([], ["bench"], ["bench", "data"]):
        outcome = cli(*group)
        assert outcome.code == 2
        assert outcome.err.startswith("Usage: ") and "Commands:" in outcome.err


def test_several_processes_may_make_one_store_at_once(home: Path) -> None:
    started = [
        subprocess.Popen(
            [sys.executable, "-m", "truerecall", "remember", f"text {number}"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for number in range(4)
    ]  # fmt: skip
    ended = [process.communicate(timeout=60) for process in started]
    assert [err for _, err in ended] == [""] * 4
    assert all(out.startswith("stored") for out, _ in ended)
    done = subprocess.run(
        [sys.executable, "-m", "truerecall", "list"], capture_output=True, text=True, timeout=60, check=True
    )
    assert sorted(line[-6:] for line in done.stdout.splitlines()) == [f"text {number}" for number in range(4)]
    assert sorted(path.name for path in home.iterdir()) == ["truerecall.db"]
