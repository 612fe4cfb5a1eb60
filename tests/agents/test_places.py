"""Where the agents' memory keeps its files."""

from pathlib import Path

import pytest

from truerecall.agents.places import Places, switched_off


def test_everything_lies_in_the_home_folder_by_default() -> None:
    places = Places.of({"HOME": "/home/ada"})

    assert places == Places(
        home=Path("/home/ada"),
        settings=Path("/home/ada/.config/truerecall/agents.toml"),
        store=Path("/home/ada/.local/share/truerecall/memory.db"),
        state=Path("/home/ada/.local/state/truerecall"),
    )
    assert (places.progress, places.journal, places.spool, places.backups) == (
        Path("/home/ada/.local/state/truerecall/agents.db"),
        Path("/home/ada/.local/state/truerecall/hooks.jsonl"),
        Path("/home/ada/.local/state/truerecall/cursor"),
        Path("/home/ada/.local/state/truerecall/installed"),
    )


def test_the_xdg_variables_and_the_named_settings_count() -> None:
    places = Places.of(
        {
            "HOME": "/home/ada",
            "XDG_CONFIG_HOME": "/x/config",
            "XDG_DATA_HOME": "/x/data",
            "XDG_STATE_HOME": "/x/state",
            "TRUERECALL_AGENTS_SETTINGS": "/x/team.toml",
        }
    )

    assert (places.settings, places.store, places.state) == (
        Path("/x/team.toml"),
        Path("/x/data/truerecall/memory.db"),
        Path("/x/state/truerecall"),
    )


@pytest.mark.parametrize("given", ["", "relative/folder", "~/data"])
def test_an_xdg_variable_that_is_no_absolute_path_does_not_count(given: str) -> None:
    # As the specification of these variables has it.
    places = Places.of({"HOME": "/home/ada", "XDG_DATA_HOME": given})

    assert places.store == Path("/home/ada/.local/share/truerecall/memory.db")


@pytest.mark.parametrize(
    ("environment", "off"),
    [
        ({}, False),
        ({"TRUERECALL_AGENTS_OFF": ""}, False),
        ({"TRUERECALL_AGENTS_OFF": "0"}, False),
        ({"TRUERECALL_AGENTS_OFF": "1"}, True),
        ({"TRUERECALL_AGENTS_OFF": "yes"}, True),
        ({"TRUERECALL_BELOW_A_HOOK": "1"}, True),
    ],
)
def test_hooks_are_off_where_the_user_says_so_and_below_a_hook(
    environment: dict[str, str], off: bool
) -> None:
    assert switched_off(environment) is off
