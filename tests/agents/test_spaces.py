"""Which project a turn goes to, as far as the transcript and the folder say."""

import sys
from pathlib import Path

import pytest

from truerecall.agents.places import Places
from truerecall.agents.project import project_of
from truerecall.agents.records import Where
from truerecall.agents.settings import AgentSettings, CaptureSettings, MemorySettings
from truerecall.agents.spaces import Spaces
from truerecall.core.clock import ManualClock
from truerecall.core.entry import Scope

sys.path.insert(0, str(Path(__file__).parent))
from written_sessions import NOON, Place, place_in  # found by the line above

PATH = Path("/home/dev/.claude/projects/-w/one.jsonl")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return place_in(tmp_path)


def spaces(place: Place, settings: AgentSettings | None = None) -> Spaces:
    return Spaces(settings or AgentSettings(), place.places, place.environment, ManualClock(NOON))


def space(place: Place, where: Where) -> str | None:
    home = spaces(place).home(where, PATH)
    return None if home is None else home.scope.space


def test_a_folder_that_is_there_is_asked_itself(place: Place) -> None:
    where = Where(cwd=str(place.cwd), origin="https://github.com/other/thing")
    assert space(place, where) == project_of(place.cwd, place.environment).space


def test_a_folder_that_is_gone_is_known_by_the_origin_that_the_transcript_names(place: Place) -> None:
    assert space(place, Where(cwd="/gone", origin="git@github.com:Org/Name.git")) == "github.com/org/name"


def test_a_folder_that_is_gone_without_an_origin_is_known_by_its_path(place: Place) -> None:
    assert space(place, Where(cwd="/gone")) == project_of("/gone", place.environment).space
    assert (
        space(place, Where(cwd="/gone", origin="/srv/bare.git"))
        == project_of("/gone", place.environment).space
    )


def test_a_turn_without_a_folder_belongs_to_its_transcript(place: Place) -> None:
    assert space(place, Where()) == project_of(PATH.parent, place.environment).space


def test_a_turn_without_a_folder_belongs_nowhere_where_folders_are_kept_out(place: Place) -> None:
    settings = AgentSettings(capture=CaptureSettings(exclude=("~/secret",)))
    assert spaces(place, settings).home(Where(), PATH) is None
    assert spaces(place, settings).home(Where(cwd=str(place.home / "secret/deep")), PATH) is None
    assert spaces(place, settings).home(Where(cwd=str(place.cwd)), PATH) is not None


def test_the_scope_is_that_of_the_settings_and_of_git(place: Place) -> None:
    settings = AgentSettings(memory=MemorySettings(tenant="acme", user="grace"))
    home = spaces(place, settings).home(Where(cwd="/gone", origin="https://github.com/org/name"), PATH)
    assert home is not None
    assert home.scope == Scope("acme", "github.com/org/name", "grace")


def test_many_projects_keep_few_memories_open(place: Place) -> None:
    found = spaces(place)
    for number in range(20):
        found.memory(Scope("local", f"space{number}", "ada")).remember(f"in space {number}")
    found.close()
    with place.memory("space0") as memory:
        assert [entry.text for entry in memory.list()] == ["in space 0"]


def test_only_the_folder_of_our_own_store_is_made(place: Place, tmp_path: Path) -> None:
    from truerecall.errors import StoreError

    settings = AgentSettings(memory=MemorySettings(store=str(tmp_path / "unmounted" / "team.db")))
    with pytest.raises(StoreError, match="folder does not exist"):
        spaces(place, settings).memory(Scope("local", "s", "ada"))
    assert Places.of(place.environment).store == place.places.store
