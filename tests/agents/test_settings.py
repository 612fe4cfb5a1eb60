"""What may be set for the agents' memory."""

from pathlib import Path

import pytest

from truerecall.agents.places import Places
from truerecall.agents.project import Project
from truerecall.agents.settings import (
    AgentSettings,
    CaptureSettings,
    HookSettings,
    MemorySettings,
    load_agent_settings,
    scope_of,
)
from truerecall.core.entry import Scope
from truerecall.errors import InvalidScope, InvalidSettings

WHOLE = """
[memory]
store = "/team/memory.db"
tenant = "acme"
user = "ada"
mode = 0o660
[hook]
recall = false
digest = false
capture = false
tokens = 800
digest_tokens = 200
limit = 5
external = true
[capture]
outputs = false
exclude = ["~/private", "/srv/**/vault"]
extractor = "openai:gpt-4.1"
"""


def file(folder: Path, content: str | bytes) -> Path:
    path = folder / "agents.toml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_without_a_file_everything_is_as_by_default(tmp_path: Path) -> None:
    assert load_agent_settings(tmp_path / "none.toml") == AgentSettings()


def test_everything_can_be_set(tmp_path: Path) -> None:
    assert load_agent_settings(file(tmp_path, WHOLE)) == AgentSettings(
        memory=MemorySettings("/team/memory.db", "acme", "ada", 0o660),
        hook=HookSettings(False, False, False, 800, 200, 5, True),
        capture=CaptureSettings(False, ("~/private", "/srv/**/vault"), "openai:gpt-4.1"),
    )


def test_what_is_not_named_keeps_its_default(tmp_path: Path) -> None:
    assert load_agent_settings(file(tmp_path, "[hook]\nlimit = 3\n")) == AgentSettings(
        hook=HookSettings(limit=3)
    )


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("[hook]\nlimits = 3\n", "unknown setting"),
        ("[hooks]\n", "unknown setting"),
        ("[hook]\nlimit = 'three'\n", "is str, not int"),
        ("[hook]\nrecall = 1\n", "is int, not bool"),
        ("[capture]\nexclude = '/srv'\n", "is str, not tuple"),
        ("hook = 1\n", "this is a table"),
        ("[hook\n", "not TOML"),
        (b"[hook]\n# \xff\n", "not TOML"),
        ("[hook]\ntokens = 0\n", "tokens is 0"),
        ("[hook]\ndigest_tokens = -1\n", "digest_tokens is -1"),
        ("[hook]\nlimit = 0\n", "limit is 0"),
    ],
)
def test_what_means_nothing_is_refused_with_its_place(
    content: str | bytes, problem: str, tmp_path: Path
) -> None:
    path = file(tmp_path, content)

    with pytest.raises(InvalidSettings, match=problem) as refused:
        load_agent_settings(path)
    assert (refused.value.where or "").startswith(str(path))


def test_a_folder_in_the_place_of_the_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidSettings, match="cannot be read"):
        load_agent_settings(tmp_path)


@pytest.mark.parametrize(
    ("named", "path"),
    [
        ("", "/home/ada/.local/share/truerecall/memory.db"),
        ("/team/memory.db", "/team/memory.db"),
        ("~/team/memory.db", "/home/ada/team/memory.db"),
    ],
)
def test_the_store_is_the_one_that_is_named_or_the_one_of_the_home_folder(named: str, path: str) -> None:
    places = Places.of({"HOME": "/home/ada"})

    assert AgentSettings(memory=MemorySettings(store=named)).store(places) == Path(path)


@pytest.mark.parametrize(
    ("user", "email", "environment", "expected"),
    [
        ("ada", "grace@example.org", {"LOGNAME": "login"}, "ada"),
        ("", "grace@example.org", {"LOGNAME": "login"}, "grace@example.org"),
        ("", None, {"LOGNAME": "login", "USER": "other"}, "login"),
        ("", " ", {"LOGNAME": "", "USER": "other"}, "other"),
        ("", None, {}, "me"),
        ("", "*", {"LOGNAME": "login"}, "me"),  # what git is told may be anything
    ],
)
def test_who_works_is_set_or_told_by_git_or_the_login(
    user: str, email: str | None, environment: dict[str, str], expected: str
) -> None:
    settings = AgentSettings(memory=MemorySettings(tenant="acme", user=user))
    project = Project("github.com/acme/api", "api", Path("/x"), email=email)

    assert scope_of(settings, project, environment) == Scope("acme", "github.com/acme/api", expected)


@pytest.mark.parametrize("memory", [MemorySettings(user="*"), MemorySettings(tenant="")])
def test_a_user_or_a_tenant_that_means_everyone_is_refused(memory: MemorySettings) -> None:
    with pytest.raises(InvalidScope):
        scope_of(AgentSettings(memory=memory), Project("s", "s", Path("/x")), {})
