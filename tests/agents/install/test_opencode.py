"""What is written for OpenCode: one file, and nothing of the user's is touched."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from truerecall.agents.install import opencode
from truerecall.agents.install.records import Change, Setup
from truerecall.errors import InstallError


def write(change: Change) -> None:
    assert change.after is not None
    change.path.parent.mkdir(parents=True, exist_ok=True)
    change.path.write_bytes(change.after)


def test_an_empty_home_gets_the_plugin_with_the_commands_in_it(home: Path, setup: Setup) -> None:
    (change,) = opencode.changes(setup)

    assert change.path == home / ".config" / "opencode" / "plugin" / "truerecall.js"
    assert change.before is None
    lines = (change.after or b"").decode("utf-8").splitlines()
    assert 'const HOOK = ["/usr/local/bin/truerecall-hook"]' in lines
    assert 'const SERVER = ["/usr/local/bin/truerecall", "agents", "mcp"]' in lines


def test_a_named_folder_of_settings_is_used(home: Path, setup: Setup) -> None:
    named = replace(setup, environment={"XDG_CONFIG_HOME": str(home / "cfg")})

    assert [change.path for change in opencode.changes(named)] == [
        home / "cfg" / "opencode" / "plugin" / "truerecall.js"
    ]


@pytest.mark.parametrize("name", ['a "b"', "a\\b", "名", "a\u2028b", "a\nb", "${x}"])
def test_a_program_of_any_name_is_written_as_a_literal(setup: Setup, name: str) -> None:
    (change,) = opencode.changes(replace(setup, hook=(f"/x/{name}",)))

    (line,) = [one for one in (change.after or b"").split(b"\n") if one.startswith(b"const HOOK = ")]
    assert line.isascii()
    assert json.loads(line.removeprefix(b"const HOOK = ")) == [f"/x/{name}"]


def test_installing_twice_changes_nothing_more_and_a_newer_one_replaces_it(setup: Setup) -> None:
    write(opencode.changes(setup)[0])
    (again,) = opencode.changes(setup)
    (newer,) = opencode.changes(replace(setup, hook=("/new/truerecall-hook",)))

    assert again.before == again.after
    assert newer.before != newer.after
    assert b"/new/truerecall-hook" in (newer.after or b"")


def test_a_plugin_of_somebody_else_under_our_name_is_not_touched(setup: Setup) -> None:
    path = opencode.plugin_path(setup)
    path.parent.mkdir(parents=True)
    path.write_text("export default {}\n// truerecall agents install opencode\n", "utf-8")

    with pytest.raises(InstallError, match=r"another plugin is called truerecall\.js already"):
        opencode.changes(setup)
    assert [change for change in opencode.removed(setup) if change.before != change.after] == []


def test_removing_takes_the_file_away_and_nothing_where_there_is_none(setup: Setup) -> None:
    assert [(change.before, change.after) for change in opencode.removed(setup)] == [(None, None)]
    write(opencode.changes(setup)[0])

    (change,) = opencode.removed(setup)

    assert change.before is not None
    assert change.after is None
