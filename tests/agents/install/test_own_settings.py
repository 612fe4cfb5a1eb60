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

    store = setup.places.home / "m.db"
    (change,) = settings_change(setup, store, "new", None)

    assert change.after == (
        f'# ours\n[memory]\nstore = "{store}"\ntenant = "new"\n\n[hook]\nlimit = 5\n'.encode()
    )


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


def test_a_store_that_no_capture_could_write_to_is_refused(setup: Setup, home: Path) -> None:
    with pytest.raises(InstallError, match=f"there is no folder {home / 'team'}") as refused:
        settings_change(setup, home / "team" / "m.db", None, None)
    assert refused.value.remedy.startswith("Make it")

    with pytest.raises(InstallError, match="this is a folder"):
        settings_change(setup, home, None, None)


def test_the_folder_of_the_memory_at_home_need_not_be_there(setup: Setup) -> None:
    (change,) = settings_change(setup, setup.places.store, None, None)

    assert change.after == f'[memory]\nstore = "{setup.places.store}"\n'.encode()


def test_a_value_that_nothing_can_work_with_is_refused_at_installing(setup: Setup) -> None:
    write(setup, "[memory]\nmode = 660\n")

    with pytest.raises(InvalidSettings, match="mode = 660"):
        settings_change(setup, None, "team", None)


def test_settings_that_are_broken_or_unknown_are_refused(setup: Setup) -> None:
    write(setup, "[memori]\n")
    with pytest.raises(InvalidSettings, match="unknown setting"):
        settings_change(setup, None, "team", None)

    setup.places.settings.write_text("x")
    with pytest.raises(InstallError, match="the file is not TOML"):
        settings_change(setup, None, "team", None)
