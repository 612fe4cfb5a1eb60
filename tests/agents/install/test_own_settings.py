"""Naming the memory that the tools share, in our own settings."""

from pathlib import Path

import pytest

from truerecall.agents.install.own_settings import settings_change
from truerecall.agents.install.records import Setup
from truerecall.errors import InstallError, InvalidScope, InvalidSettings


def write(setup: Setup, text: str) -> None:
    setup.places.settings.parent.mkdir(parents=True)
    setup.places.settings.write_text(text, encoding="utf-8")


def test_where_nothing_is_named_nothing_changes(setup: Setup) -> None:
    assert settings_change(setup, None, None, None) == []


def test_what_is_there_stays(setup: Setup) -> None:
    write(setup, '# ours\n[memory]\ntenant = "old" # the team\n\n[hook]\nlimit = 5\n')

    (change,) = settings_change(setup, Path("/team/m.db"), "new", None)

    assert change.after == b'# ours\n[memory]\nstore = "/team/m.db"\ntenant = "new"\n\n[hook]\nlimit = 5\n'


def test_a_new_file_is_for_its_owner(setup: Setup) -> None:
    (change,) = settings_change(setup, None, None, "ada@team.example")

    assert (change.path, change.after, change.mode) == (
        setup.places.settings,
        b'[memory]\nuser = "ada@team.example"\n',
        0o600,
    )


@pytest.mark.parametrize("name", ["", "*", "a\x00b"])
def test_a_name_that_could_mean_everyone_is_refused(name: str, setup: Setup) -> None:
    with pytest.raises(InvalidScope):
        settings_change(setup, None, name, None)


def test_settings_that_are_broken_or_unknown_are_refused(setup: Setup) -> None:
    write(setup, "[memori]\n")
    with pytest.raises(InvalidSettings, match="unknown setting"):
        settings_change(setup, None, "team", None)

    setup.places.settings.write_text("x")
    with pytest.raises(InstallError, match="the file is not TOML"):
        settings_change(setup, None, "team", None)
