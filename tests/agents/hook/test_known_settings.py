"""Settings are read anew as soon as their file changes, and else are what they were."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from truerecall.agents.hook.known_settings import known_settings
from truerecall.agents.places import Places
from truerecall.agents.settings import AgentSettings, load_agent_settings
from truerecall.errors import InvalidSettings

WRITTEN = """
[memory]
tenant = "acme"
mode = 0o660

[hook]
limit = 3
idle_minutes = 2

[capture]
exclude = ["~/secret/*", "~/other"]
"""


@pytest.fixture
def places(tmp_path: Path) -> Places:
    found = Places.of({"HOME": str(tmp_path)})
    found.settings.parent.mkdir(parents=True)
    return found


def write(places: Places, text: str) -> None:
    """Write a new file in the old one's place, as editors do."""
    draft = places.settings.with_name("draft")
    draft.write_text(text, encoding="utf-8")
    draft.replace(places.settings)


def test_without_a_file_they_are_the_defaults_and_nothing_is_kept(places: Places) -> None:
    assert known_settings(places) == AgentSettings()
    assert not places.state.exists()


def test_the_second_time_they_are_the_same(places: Places) -> None:
    write(places, WRITTEN)
    first = known_settings(places)

    assert first == load_agent_settings(places.settings)
    assert known_settings(places) == first
    assert (places.state / "settings.json").stat().st_mode & 0o777 == 0o600


def test_a_file_that_changed_is_read_again(places: Places) -> None:
    write(places, WRITTEN)
    known_settings(places)
    write(places, WRITTEN.replace("limit = 3", "limit = 4"))
    assert known_settings(places).hook.limit == 4
    write(places, WRITTEN.replace("limit", "limits"))
    with pytest.raises(InvalidSettings, match="limits"):
        known_settings(places)
    places.settings.unlink()
    assert known_settings(places) == AgentSettings()


def test_another_file_of_the_same_home_has_settings_of_its_own(places: Places, tmp_path: Path) -> None:
    write(places, WRITTEN)
    known_settings(places)
    other = tmp_path / "other.toml"
    os.link(places.settings, other)
    there = Places.of({"HOME": str(tmp_path), "TRUERECALL_AGENTS_SETTINGS": str(other)})

    assert known_settings(there) == known_settings(places)
    assert json.loads((places.state / "settings.json").read_bytes())["path"] == str(places.settings)


@pytest.mark.parametrize(
    "said", [None, 3, [1], {"hook": 3}, {"hook": {"limit": "x"}}, {"hook": {"limit": 0}}, {"new": {}}]
)
def test_what_is_kept_wrongly_is_read_from_the_file(places: Places, said: object) -> None:
    write(places, WRITTEN)
    known_settings(places)
    memo = places.state / "settings.json"
    memo.write_text(json.dumps({**json.loads(memo.read_bytes()), "said": said}), encoding="utf-8")

    assert known_settings(places) == load_agent_settings(places.settings)


def test_where_nothing_can_be_kept_they_are_read_each_time(places: Places) -> None:
    write(places, WRITTEN)
    places.state.parent.mkdir(parents=True)
    places.state.write_bytes(b"")
    assert known_settings(places) == known_settings(places) == load_agent_settings(places.settings)


def test_what_is_known_needs_no_reader_of_toml(places: Places, tmp_path: Path) -> None:
    write(places, WRITTEN)
    known_settings(places)
    program = (
        "import sys\nfrom truerecall.agents.places import Places\n"
        "from truerecall.agents.hook.known_settings import known_settings\n"
        f"print(known_settings(Places.of({{'HOME': {str(tmp_path)!r}}})).memory.tenant, 'tomllib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "acme False\n"
