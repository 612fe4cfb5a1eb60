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
        ("[hook]\nlimit = 'three'\n", "'three' is not a whole number"),
        ("[hook]\nrecall = 1\n", "1 is not true or false"),
        ("[capture]\nexclude = '/srv'\n", "'/srv' is not a list of texts"),
        ("hook = 1\n", "this is a table"),
        ("[hook\n", "not TOML"),
        (b"[hook]\n# \xff\n", "not TOML"),
        ("[hook]\ntokens = 0\n", "tokens is 0"),
        ("[hook]\ndigest_tokens = -1\n", "digest_tokens is -1"),
        ("[hook]\nlimit = 0\n", "limit is 0"),
        ("[memory]\nmode = 0o440\n", "mode = 288 is the file mode 0o440"),
        ("[memory]\nmode = -1\n", "mode = -1"),
    ],
)
def test_what_means_nothing_is_refused_with_its_place(
    content: str | bytes, problem: str, tmp_path: Path
) -> None:
    path = file(tmp_path, content)

    with pytest.raises(InvalidSettings, match=problem) as refused:
        load_agent_settings(path)
    assert (refused.value.where or "").startswith(str(path))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[memory]\nmode = 660\n", "mode = 660 is the file mode 0o1224 ({path}: memory) Write 0o660: "),
        ("[memory]\nmode = 8\n", "mode = 8 is the file mode 0o10 ({path}: memory) Write 0o600 or 0o660: "),
        (
            "[capture]\nextractor = 'gpt4'\n",
            "extractor = 'gpt4' names no provider ({path}: capture) Write \"rules\"",
        ),
        ("[capture]\nextractor = 'openai:'\n", "extractor = 'openai:' names no provider"),
        ("[capture]\nextractor = ''\n", "extractor = '' names no provider"),
        ("[capture]\nexclude = '~/x'\n", 'Give a list: ["~/x/*"].'),
        ("[capture]\nexclude = [1]\n", 'Give a list: ["~/x/*"].'),
        ("[hook]\nlimit = 2.5\n", "2.5 is not a whole number ({path}: hook: limit) Give a whole number."),
        ("[hook]\nidle_minutes = 'long'\n", "Give a number, such as 0.5."),
        ("[hook]\nrecall = 'yes'\n", "Give true or false."),
        ("[memory]\nstore = 3\n", 'Give a text in quotes: "...".'),
    ],
)
def test_what_is_refused_is_told_with_what_to_write(content: str, said: str, tmp_path: Path) -> None:
    path = file(tmp_path, content)

    with pytest.raises(InvalidSettings) as refused:
        load_agent_settings(path)
    error = refused.value
    assert said.format(path=path) in f"{error.problem} ({error.where}) {error.remedy}"


def test_a_folder_in_the_place_of_the_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidSettings, match="cannot be read"):
        load_agent_settings(tmp_path)


@pytest.mark.parametrize(
    ("named", "path"),
    [
        ("", "/home/ada/.local/share/truerecall/memory.db"),
        ("/team/memory.db", "/team/memory.db"),
        ("~/team/memory.db", "/home/ada/team/memory.db"),
        ("team/memory.db", "/home/ada/.config/truerecall/team/memory.db"),
    ],
)
def test_the_store_is_the_one_that_is_named_or_the_one_of_the_home_folder(named: str, path: str) -> None:
    places = Places.of({"HOME": "/home/ada"})

    assert AgentSettings(memory=MemorySettings(store=named)).store(places) == Path(path)


def test_a_relative_store_is_one_file_from_every_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = Places.of(
        {"HOME": str(tmp_path), "TRUERECALL_AGENTS_SETTINGS": str(tmp_path / "set" / "a.toml")}
    )
    settings = AgentSettings(memory=MemorySettings(store="m.db"))
    (tmp_path / "repository").mkdir()
    monkeypatch.chdir(tmp_path / "repository")

    assert settings.store(places) == tmp_path / "set" / "m.db"


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
