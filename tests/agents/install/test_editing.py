"""Installing and uninstalling as a whole: all files or none, and back to the byte."""

import errno
import json
import os
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest

from truerecall.agents.install import claude_code, codex
from truerecall.agents.install.editing import carry_out, plan_install, plan_removal
from truerecall.agents.install.kept import Kept
from truerecall.agents.install.own_settings import settings_change
from truerecall.agents.install.records import Change, Setup
from truerecall.agents.install.table import TOOLS as TABLE
from truerecall.agents.install.table import tool_install
from truerecall.agents.records import ToolName
from truerecall.errors import InstallError

TOOLS = {"claude-code": claude_code, "codex": codex}
SETTINGS = (
    b'{\n    "model": "x",\n    "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}\n}\n'
)
CONFIG = b'# mine\nmodel = "m"\n\n[profiles.a]\nx = 1'


def tree(folder: Path) -> dict[str, bytes | str]:
    """Every file with its bytes, every folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else "folder"
        for path in sorted(folder.rglob("*"))
    }


def install(setup: Setup, **tools: Any) -> None:
    carry_out(setup, plan_install(setup, tools or TOOLS))


def remove(setup: Setup) -> None:
    carry_out(setup, plan_removal(setup, TOOLS))


@pytest.fixture
def used(home: Path) -> Path:
    """A home whose user has settings of his own in both tools."""
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_bytes(SETTINGS)
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_bytes(CONFIG)
    return home


def test_every_tool_is_in_the_table() -> None:
    assert set(TABLE) == set(get_args(ToolName))


def test_all_tools_at_once_are_installed_and_undone_to_the_byte(home: Path, setup: Setup) -> None:
    before = tree(home)
    every = {tool: tool_install(tool) for tool in TABLE}

    carry_out(setup, plan_install(setup, every))

    assert plan_install(setup, every).changes == ()
    assert all(tool.notes(setup) for tool in every.values())
    carry_out(setup, plan_removal(setup, every))
    assert tree(home) == before


@pytest.mark.parametrize("fixture", ["home", "used"])
def test_uninstalling_leaves_the_home_as_it_was_to_the_byte(
    fixture: str, setup: Setup, request: pytest.FixtureRequest
) -> None:
    home = request.getfixturevalue(fixture)
    before = tree(home)

    carry_out(setup, plan_install(setup, TOOLS, settings_change(setup, home / "team.db", "team", None)))
    assert tree(home) != before
    remove(setup)

    assert tree(home) == before


def test_installing_twice_changes_nothing(used: Path, setup: Setup) -> None:
    install(setup)
    after = tree(used)

    assert plan_install(setup, TOOLS).changes == ()
    install(setup)

    assert tree(used) == after


def test_after_an_upgrade_entries_are_replaced_and_the_first_file_comes_back(
    used: Path, setup: Setup
) -> None:
    before = tree(used)
    install(setup)
    newer = replace(
        setup,
        hook=("/usr/new env/bin/truerecall-hook",),
        server=("/usr/new env/bin/truerecall", "agents", "mcp"),
    )

    install(newer)

    settings = (used / ".claude" / "settings.json").read_text()
    assert settings.count("truerecall-hook") == 6
    assert settings.count("'/usr/new env/bin/truerecall-hook' claude-code") == 6
    assert (used / ".codex" / "hooks.json").read_text().count("truerecall-hook") == 6
    assert (used / ".codex" / "config.toml").read_text().count("/usr/new env/bin") == 2
    remove(newer)
    assert tree(used) == before


def test_from_files_that_were_changed_since_only_our_pieces_are_taken_out(used: Path, setup: Setup) -> None:
    install(setup)
    settings, config = used / ".claude" / "settings.json", used / ".codex" / "config.toml"
    settings.write_text(settings.read_text().replace('"model": "x"', '"model": "y",\n    "added": "é"'))
    config.write_text(config.read_text() + '\n[mcp_servers.new]\ncommand = "n"\n')

    remove(setup)

    assert settings.read_text() == SETTINGS.decode().replace(
        '"model": "x"', '"model": "y",\n    "added": "é"'
    )
    assert config.read_text() == CONFIG.decode() + '\n\n[mcp_servers.new]\ncommand = "n"\n'
    assert not Kept(setup.places.backups).names()


def test_a_change_of_the_user_between_two_installations_is_kept_by_uninstalling(
    used: Path, setup: Setup
) -> None:
    install(setup)
    settings = used / ".claude" / "settings.json"
    settings.write_text(settings.read_text().replace('"x"', '"y"'))
    newer = replace(setup, hook=("/new/truerecall-hook",))

    install(newer)
    remove(newer)

    assert settings.read_bytes() == SETTINGS.replace(b'"x"', b'"y"')


def test_a_file_that_we_made_and_the_user_added_to_stays_without_us(home: Path, setup: Setup) -> None:
    install(setup)
    path = home / ".claude.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"numStartups": 1}, indent=2))
    hooks = home / ".codex" / "hooks.json"
    hooks.write_text(hooks.read_text() + "\n")  # touched, and nothing added: it goes

    remove(setup)

    assert json.loads(path.read_text()) == {"numStartups": 1}
    assert not hooks.exists()


def test_uninstalling_works_without_the_record(used: Path, setup: Setup) -> None:
    install(setup)
    for path in setup.places.backups.rglob("*"):
        if path.is_file():
            path.unlink()

    remove(setup)

    assert (used / ".claude" / "settings.json").read_bytes() == SETTINGS
    assert json.loads((used / ".codex" / "hooks.json").read_text()) == {}


@pytest.mark.parametrize(
    "damage", [b"", b"{", b"[]", b'{"version": 1, "files": [{}]}', b'{"version": 9}', b"\xff"]
)
def test_a_damaged_record_is_as_none(used: Path, setup: Setup, damage: bytes) -> None:
    install(setup)
    (setup.places.backups / "claude-code.json").write_bytes(damage)

    remove(setup)

    assert (used / ".claude" / "settings.json").read_bytes() == SETTINGS


def test_a_damaged_backup_is_not_put_back(used: Path, setup: Setup) -> None:
    install(setup)
    for path in (setup.places.backups / "files").iterdir():
        path.write_bytes(b"{}")

    remove(setup)

    assert (used / ".claude" / "settings.json").read_bytes() == SETTINGS


def test_a_link_is_followed_and_stays_a_link_and_modes_stay(used: Path, setup: Setup) -> None:
    real = used / "dotfiles" / "claude.json"
    real.parent.mkdir()
    settings = used / ".claude" / "settings.json"
    settings.rename(real)
    settings.symlink_to(real)
    real.chmod(0o640)
    dangling = used / ".claude.json"
    dangling.symlink_to(used / "dotfiles" / "servers.json")

    install(setup)

    assert settings.is_symlink() and dangling.is_symlink()
    assert b"truerecall-hook" in real.read_bytes()
    assert real.stat().st_mode & 0o777 == 0o640
    assert (used / "dotfiles" / "servers.json").stat().st_mode & 0o777 == 0o600
    remove(setup)
    assert settings.is_symlink() and real.read_bytes() == SETTINGS
    assert dangling.is_symlink() and not dangling.exists()


def test_two_paths_to_one_file_are_refused(used: Path, setup: Setup) -> None:
    (used / ".claude.json").symlink_to(used / ".claude" / "settings.json")
    before = tree(used)

    with pytest.raises(InstallError, match="it is the same file as"):
        install(setup)

    assert tree(used) == before


def test_a_file_that_changed_after_the_diff_is_not_written(used: Path, setup: Setup) -> None:
    plan = plan_install(setup, TOOLS)
    (used / ".codex" / "config.toml").write_bytes(CONFIG + b"\n# more")
    before = tree(used)

    with pytest.raises(InstallError, match="changed meanwhile"):
        carry_out(setup, plan)

    assert tree(used / ".claude") == {"settings.json": SETTINGS}
    assert (used / ".codex" / "config.toml").read_bytes() == before[".codex/config.toml"]


def test_where_one_file_cannot_be_replaced_the_others_are_put_back(
    used: Path, setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = tree(used)
    rename = Path.replace

    def full(path: Path, target: Path) -> Path:
        if target.name == "config.toml":
            raise OSError(errno.ENOSPC, "No space left on device")
        return rename(path, target)

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(InstallError, match=r"nothing was changed: No space left on device.*config\.toml"):
        install(setup)

    assert tree(used) == before
    monkeypatch.undo()
    install(setup)
    remove(setup)
    assert tree(used) == before


@pytest.mark.parametrize("upgrade", [False, True])
def test_a_disk_that_is_full_from_some_moment_on_loses_nothing(
    upgrade: bool, used: Path, setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = tree(used)
    if upgrade:
        install(setup)
    wanted = replace(setup, hook=("/new/truerecall-hook",)) if upgrade else setup
    before = tree(used)
    sync = os.fsync

    for room in range(50):
        left = [room]

        def full(descriptor: int, left: list[int] = left) -> None:
            if not left[0]:
                raise OSError(errno.ENOSPC, "No space left on device")
            left[0] -= 1
            sync(descriptor)

        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", full)
            try:
                install(wanted)
            except InstallError as error:
                assert "nothing was changed: No space left on device" in str(error)
            else:
                break
        assert tree(used) == before

    assert room > 4
    remove(wanted)
    assert tree(used) == start


def test_where_a_folder_cannot_be_made_nothing_is_written(home: Path, setup: Setup) -> None:
    (home / ".codex").write_text("a file")
    before = tree(home)

    with pytest.raises(InstallError, match=r"\.codex"):
        install(setup)

    assert tree(home) == before


def test_a_run_that_was_interrupted_is_undone(
    used: Path, setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = tree(used)
    rename = Path.replace

    def interrupted(path: Path, target: Path) -> Path:
        if target.name == "hooks.json":
            raise KeyboardInterrupt
        return rename(path, target)

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        install(setup)

    assert tree(used) == before


KILLED = """
import os, sys
from pathlib import Path
from truerecall.agents.install import claude_code, codex
from truerecall.agents.install.editing import carry_out, plan_install
from truerecall.agents.install.records import Setup
from truerecall.agents.places import Places

environment = {"HOME": sys.argv[1]}
setup = Setup(
    Places.of(environment),
    environment,
    ("/usr/local/bin/truerecall-hook",),
    ("/usr/local/bin/truerecall", "agents", "mcp"),
)
rename = Path.replace
Path.replace = lambda path, target: os._exit(9) if Path(target).name == sys.argv[2] else rename(path, target)
carry_out(setup, plan_install(setup, {"claude-code": claude_code, "codex": codex}))
"""


@pytest.mark.parametrize(
    "name",
    ["claude-code.next", "codex.next", "settings.json", "hooks.json", "config.toml", "claude-code.json"],
)
@pytest.mark.parametrize("fixture", ["home", "used"])
@pytest.mark.parametrize("again", [False, True])
def test_what_a_killed_run_left_can_be_completed_and_undone_to_the_byte(
    name: str, fixture: str, again: bool, setup: Setup, request: pytest.FixtureRequest
) -> None:
    home = request.getfixturevalue(fixture)
    before = tree(home)
    done = subprocess.run([sys.executable, "-c", KILLED, str(home), name], check=False)
    assert done.returncode == 9

    if again:
        install(setup)
        assert plan_install(setup, TOOLS).changes == ()
        left = [
            path for path in home.rglob("*") if path.name.endswith((".truerecall-new", ".truerecall-old"))
        ]
        assert left == []
    remove(setup)

    assert tree(home) == before


@pytest.mark.skipif(os.name == "nt", reason="there is no flock")
def test_two_installations_at_once_do_not_mix(used: Path, setup: Setup) -> None:
    plan = plan_install(setup, TOOLS)

    with (
        Kept(setup.places.backups).alone(),
        pytest.raises(InstallError, match="another process is installing"),
    ):
        carry_out(setup, plan)

    assert (used / ".claude" / "settings.json").read_bytes() == SETTINGS


def test_backups_are_for_their_owner_alone(used: Path, setup: Setup) -> None:
    install(setup)

    files = [path for path in setup.places.backups.rglob("*") if path.is_file()]
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}
    assert setup.places.backups.stat().st_mode & 0o777 == 0o700


def test_uninstalling_one_tool_leaves_the_other_and_our_settings(used: Path, setup: Setup) -> None:
    carry_out(setup, plan_install(setup, TOOLS, settings_change(setup, used / "team.db", None, None)))

    carry_out(setup, plan_removal(setup, {"codex": codex}))

    assert (used / ".codex" / "config.toml").read_bytes() == CONFIG
    assert b"truerecall-hook" in (used / ".claude" / "settings.json").read_bytes()
    assert setup.places.settings.exists()
    carry_out(setup, plan_removal(setup, {"claude-code": claude_code}))
    assert not setup.places.settings.exists()


def test_settings_that_the_user_wrote_on_stay(used: Path, setup: Setup) -> None:
    carry_out(setup, plan_install(setup, TOOLS, settings_change(setup, used / "team.db", None, None)))
    text = setup.places.settings.read_text() + "\n[hook]\nlimit = 3\n"
    setup.places.settings.write_text(text)

    remove(setup)

    assert setup.places.settings.read_text() == text


def test_a_removed_file_comes_back(home: Path, setup: Setup) -> None:
    old = home / "old-plugin.js"
    old.write_bytes(b"old")

    class Replacing:
        """A tool whose older form was another file."""

        def changes(self, setup: Setup) -> list[Change]:
            return [Change(old, old.read_bytes(), None)] if old.exists() else []

        def removed(self, setup: Setup) -> list[Change]:
            return []

        def notes(self, setup: Setup) -> list[str]:
            return []

    tools = {"opencode": Replacing()}
    carry_out(setup, plan_install(setup, tools))
    assert not old.exists()
    carry_out(setup, plan_removal(setup, tools))

    assert old.read_bytes() == b"old"


@pytest.mark.parametrize("folder", ["/usr/a b", "/usr/日本語 #1 100%", '/usr/it\'s "here" \\ $HOME'])
def test_programs_in_any_folder_are_written_recognised_and_taken_out(
    folder: str, used: Path, setup: Setup
) -> None:
    before = tree(used)
    odd = replace(
        setup, hook=(f"{folder}/truerecall-hook",), server=(f"{folder}/truerecall", "agents", "mcp")
    )
    every = {tool: tool_install(tool) for tool in TABLE}
    carry_out(odd, plan_install(odd, every))

    assert plan_install(odd, every).changes == ()
    hooks = json.loads((used / ".codex" / "hooks.json").read_text(encoding="utf-8"))["hooks"]
    command = hooks["Stop"][0]["hooks"][0]["command"]
    assert shlex.split(command) == [f"{folder}/truerecall-hook", "codex"]
    carry_out(setup, plan_install(setup, every))  # over the odd one
    assert folder not in (used / ".codex" / "config.toml").read_text(encoding="utf-8")
    carry_out(setup, plan_removal(setup, every))
    assert tree(used) == before


def test_a_program_whose_path_is_not_utf_8_is_refused(used: Path, setup: Setup) -> None:
    before = tree(used)

    with pytest.raises(InstallError, match="not UTF-8"):
        install(replace(setup, hook=("/usr/\udcff/truerecall-hook",)))

    assert tree(used) == before
