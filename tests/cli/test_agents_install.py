"""``truerecall agents install``, ``uninstall``, ``doctor``, ``plugin``."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

TOOL = "claude-code"


@pytest.fixture(autouse=True)
def own_home(home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home folder without anything, and nothing but the system on PATH."""
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    scripts = tmp_path_factory.mktemp("scripts")
    for name in ("truerecall", "truerecall-hook"):
        (scripts / name).write_text(
            f'#!/bin/sh\nexec "{sys.executable}" -m truerecall.agents.hook.main "$@"\n'
        )
        (scripts / name).chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join([str(scripts), "/usr/bin", "/bin"]))
    monkeypatch.setattr("sysconfig.get_path", lambda *names: str(scripts))
    return home


def typed(answer: bytes, *arguments: str) -> tuple[int, str]:
    """Run a command at a terminal, and type an answer: its exit code, and what it printed."""
    ours, theirs = os.openpty()
    os.write(ours, answer)
    done = subprocess.run(
        [sys.executable, "-m", "truerecall", *arguments],
        stdin=theirs, capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    os.close(ours)
    os.close(theirs)
    return done.returncode, done.stdout.decode()


def test_without_a_terminal_and_without_yes_the_diff_is_shown_and_nothing_written(cli, home: Path) -> None:
    outcome = cli("agents", "install", TOOL)

    assert outcome.code == 2
    assert f"+++ {home}/.claude/settings.json" in outcome.out
    assert outcome.err == "truerecall: nothing was written. Look at the diff, then run it again with --yes.\n"
    assert list(home.iterdir()) == []


def test_with_yes_the_diff_is_shown_and_written(cli, home: Path) -> None:
    outcome = cli("agents", "install", TOOL, "--yes")

    assert outcome.code == 0
    assert "+++" in outcome.out
    assert outcome.out.endswith(
        f"wrote {home}/.claude/settings.json\nwrote {home}/.claude.json\n"
        "claude-code: start running sessions of Claude Code again: they read hooks and servers when they start\n"
        "check it: truerecall agents doctor claude-code\n"
    )
    assert "truerecall-hook claude-code" in (home / ".claude" / "settings.json").read_text()


def test_a_second_time_there_is_nothing_to_change(cli, home: Path) -> None:
    cli("agents", "install", TOOL, "--yes")

    outcome = cli("agents", "install", TOOL)

    assert outcome.code == 0
    assert outcome.out.startswith("nothing to change: claude-code\n")


@pytest.mark.skipif(os.name == "nt", reason="there is no pty")
@pytest.mark.parametrize(
    ("answer", "code", "written"), [(b"y\n", 0, True), (b"n\n", 1, False), (b"\x04", 1, False)]
)
def test_at_a_terminal_it_asks(answer: bytes, code: int, written: bool, home: Path) -> None:
    left, out = typed(answer, "agents", "install", TOOL)

    assert left == code
    assert "Write this? [y/N]: " in out
    assert (home / ".claude").exists() is written
    assert ("nothing was written" in out) is not written


def test_the_named_memory_is_written_into_the_settings_and_shown(cli, home: Path) -> None:
    outcome = cli(
        "agents", "install", TOOL, "--yes", "--store", "team.db", "--tenant", "team", "--user", "ada"
    )

    settings = home / ".config" / "truerecall" / "agents.toml"
    assert outcome.code == 0
    assert settings.read_text() == f'[memory]\nstore = "{home}/team.db"\ntenant = "team"\nuser = "ada"\n'
    assert f"+++ {settings}" in outcome.out


@pytest.mark.parametrize(
    "arguments", [(), ("vim",), (TOOL, "--tenant", ""), (TOOL, "--tenant", "*"), (TOOL, "--nope")]
)
def test_bad_usage_is_code_2_and_changes_nothing(arguments: tuple[str, ...], cli, home: Path) -> None:
    outcome = cli("agents", "install", *arguments, "--yes")

    assert outcome.code == 2
    assert "Traceback" not in outcome.err
    assert list(home.iterdir()) == []


def test_a_store_in_a_folder_that_is_not_there_is_refused(cli, home: Path) -> None:
    outcome = cli("agents", "install", TOOL, "--yes", "--store", "team/m.db")

    assert outcome.code == 2
    assert f"there is no folder {home / 'team'}" in outcome.err
    assert "Make it" in outcome.err
    assert list(home.iterdir()) == []


def test_what_the_installation_lacks_is_a_warning_and_it_is_written(
    cli, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("truerecall.agents.install.present.find_spec", lambda name: None)

    outcome = cli("agents", "install", TOOL, "cursor", "--yes")

    assert outcome.code == 0
    assert outcome.err == (
        "truerecall: warning: the MCP server will not start, for the package mcp is not installed: "
        "install truerecall[agents]; the hooks work without it\n"
        "truerecall: warning: no claude is on PATH: install claude-code, or mend PATH if that is how you start it\n"
        "truerecall: warning: no cursor-agent or cursor is on PATH: install cursor, "
        "or mend PATH if that is how you start it\n"
    )
    assert (home / ".claude" / "settings.json").exists()


def test_where_nothing_is_lacking_nothing_is_warned_of(
    cli, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("bin")
    (folder / "claude").write_text("#!/bin/sh\n")
    (folder / "claude").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr("truerecall.agents.install.present.find_spec", lambda name: name)

    assert cli("agents", "install", TOOL, "--yes").err == ""


def test_broken_settings_of_a_tool_change_nothing(cli, home: Path) -> None:
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_text("{")

    outcome = cli("agents", "install", TOOL, "--yes")

    assert outcome.code == 2
    assert "the file is not JSON: no key in line 1" in outcome.err
    assert [path.name for path in home.rglob("*")] == [".claude", "settings.json"]


def test_uninstalling_shows_the_diff_and_leaves_nothing(cli, home: Path) -> None:
    cli("agents", "install", TOOL, "codex", "--yes", "--tenant", "team")

    looked = cli("agents", "uninstall", TOOL, "codex")
    done = cli("agents", "uninstall", TOOL, "codex", "--yes")

    assert (looked.code, done.code) == (2, 0)
    assert f"--- {home}/.codex/config.toml" in done.out
    assert list(home.iterdir()) == []
    assert cli("agents", "uninstall", TOOL).out == "nothing of ours is in claude-code\n"


def test_without_a_name_all_that_are_installed_are_taken_out(cli, home: Path) -> None:
    cli("agents", "install", TOOL, "cursor", "--yes", "--user", "ada")
    (home / ".codex").mkdir()
    (home / ".codex" / "hooks.json").write_text("{")  # of a tool that nothing of ours is in

    done = cli("agents", "uninstall", "--yes")

    assert done.code == 0
    assert [path.name for path in home.rglob("*")] == [".codex", "hooks.json"]
    again = cli("agents", "uninstall")
    assert (again.code, again.out, again.err) == (0, "nothing of ours is in any tool\n", "")


def test_a_tool_that_is_named_twice_is_done_once(cli, home: Path) -> None:
    assert cli("agents", "install", TOOL, TOOL, "--yes").code == 0
    assert (home / ".claude" / "settings.json").read_text().count("truerecall-hook") == 6


def test_control_characters_in_settings_do_not_reach_the_terminal(cli, home: Path) -> None:
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_text("# \x7f\n".replace("\x7f", "\u009b31m"))

    assert "\u009b" not in cli("agents", "install", "codex").out


def test_the_doctor_fails_where_nothing_is_installed(cli) -> None:
    outcome = cli("agents", "doctor")

    assert outcome.code == 1
    assert "FAIL memory: tools: it is installed in no tool -> truerecall agents install TOOL\n" in outcome.out


def test_the_doctor_tells_each_check_with_what_to_do(cli) -> None:
    cli("agents", "install", TOOL, "--yes")

    outcome = cli("agents", "doctor", TOOL)

    assert outcome.code == 0
    lines = outcome.out.splitlines()
    assert "ok   claude-code: installed: all pieces are in place" in lines
    assert "warn claude-code: command line: no claude on PATH -> install it, or mend PATH" in lines
    assert (
        "warn claude-code: fired: no hook of it ever fired -> give a prompt in claude-code, and look again"
        in lines
    )


def test_the_doctor_speaks_json(cli) -> None:
    outcome = cli("agents", "doctor", TOOL, "--json")

    assert outcome.code == 1
    found = {finding["check"]: finding for finding in json.loads(outcome.out)}
    assert found["installed"]["level"] == "fail"
    assert set(found["installed"]) == {"about", "check", "level", "detail", "remedy"}


def test_the_plugin_command_prints_the_folder_of_the_marketplace(cli) -> None:
    folder = Path(cli("agents", "plugin").out.rstrip("\n"))

    assert json.loads((folder / ".claude-plugin" / "marketplace.json").read_text())["name"] == "truerecall"
