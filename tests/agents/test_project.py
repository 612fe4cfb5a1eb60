"""Which project a folder belongs to."""

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truerecall.agents.project import Project, project_of, space_of_origin

Git = Callable[..., str]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A home of its own: nobody's git settings say anything here."""
    home = tmp_path / "home"
    home.mkdir()
    return {"HOME": str(home), "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1"}


@pytest.fixture
def git(environment: dict[str, str]) -> Git:
    def call(folder: Path, *arguments: object) -> str:
        who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "protocol.file.allow=always"]
        done = subprocess.run(
            ["git", "-C", str(folder), *who, *map(str, arguments)],
            env={**environment, "GIT_COMMITTER_DATE": "2026-11-01T09:00:00Z"},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    return call


@pytest.fixture
def repository(tmp_path: Path, git: Git) -> Path:
    """With one commit, and no remote."""
    folder = tmp_path / "api"
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "commit", "--quiet", "--allow-empty", "--message=first")
    return folder


@pytest.mark.parametrize(
    ("url", "space"),
    [
        ("https://github.com/acme/api.git", "github.com/acme/api"),
        ("https://github.com/acme/api", "github.com/acme/api"),
        ("https://github.com/Acme/API.git/", "github.com/acme/api"),
        ("http://git.example.org:8080/Team/Api.git", "git.example.org/Team/Api"),
        ("git@github.com:acme/api.git", "github.com/acme/api"),
        ("github.com:acme/api", "github.com/acme/api"),
        ("ssh://git@github.com/acme/api.git", "github.com/acme/api"),
        ("ssh://git@git.example.org:2222/~ada/api.git", "git.example.org/~ada/api"),
        ("git://example.org/api", "example.org/api"),
        ("git+ssh://git@example.org/api", "example.org/api"),
        ("ssh://git@[2001:db8::1]:22/acme/api", "[2001:db8::1]/acme/api"),
        ("  https://github.com/acme/api.git\n", "github.com/acme/api"),
        ("https://dev.azure.com/acme/My%20Project/_git/api", "dev.azure.com/acme/My_20Project/_git/api"),
    ],
)
def test_each_way_to_write_an_origin_is_the_same_space(url: str, space: str) -> None:
    assert space_of_origin(url) == space


@pytest.mark.parametrize(
    "url",
    [
        "https://ada:ghp_secret@github.com/acme/api.git",
        "https://ghp_secret@github.com/acme/api.git",
        "https://x-access-token:ghp@secret@github.com/acme/api.git",
        "https://github.com/acme/api.git?access_token=ghp_secret",
        "ghp_secret@github.com:acme/api.git",
        "ada:ghp_secret@github.com:acme/api.git",
        "https://github.com/acme/api.git#ghp_secret",
        "hg::https://ada:ghp_secret@github.com/acme/api",
        "gcrypt::rsync://ada:ghp_secret@github.com/acme/api",
    ],
)
def test_no_credential_of_an_origin_gets_into_the_space(url: str) -> None:
    assert space_of_origin(url) == "github.com/acme/api"


@pytest.mark.parametrize(
    "url",
    [
        "/srv/git/api.git",
        "../api",
        "file:" + "///srv/git/api",
        "C:\\git\\api",
        "C:/git/api",
        "",
        "https://x/",
        "ext::ssh -i key ada:ghp_secret@github.com %S /acme/api",
    ],
)
def test_a_path_of_this_machine_is_no_origin(url: str) -> None:
    assert space_of_origin(url) is None


@given(st.text())
def test_any_text_is_a_space_or_none(url: str) -> None:
    space = space_of_origin(url)

    assert space is None or not set(space) & set("*%?\n\0")


def test_a_repository_is_the_project_of_its_origin(
    repository: Path, git: Git, environment: dict[str, str]
) -> None:
    git(repository, "remote", "add", "origin", "https://ada:secret@github.com/acme/backend.git")
    git(repository, "remote", "add", "fork", "https://github.com/ada/backend.git")
    git(repository, "config", "user.email", "ada@example.org")
    (repository / "src").mkdir()

    assert project_of(repository / "src", environment) == Project(
        space="github.com/acme/backend",
        name="backend",
        root=repository,
        branch="main",
        commit=git(repository, "rev-parse", "HEAD"),
        email="ada@example.org",
    )


def test_its_only_remote_is_as_good_as_one_called_origin(
    repository: Path, git: Git, environment: dict[str, str]
) -> None:
    git(repository, "remote", "add", "upstream", "git@github.com:acme/api.git")
    assert project_of(repository, environment).space == "github.com/acme/api"

    git(repository, "remote", "add", "fork", "git@github.com:ada/api.git")
    assert project_of(repository, environment).space.startswith("root:")


def test_a_worktree_and_a_renamed_folder_are_the_same_project(
    repository: Path, tmp_path: Path, git: Git, environment: dict[str, str]
) -> None:
    before = project_of(repository, environment)
    git(repository, "worktree", "add", "--quiet", "-b", "fix", tmp_path / "fix")
    assert project_of(tmp_path / "fix", environment).space == before.space
    assert project_of(tmp_path / "fix", environment).branch == "fix"

    git(repository, "worktree", "remove", tmp_path / "fix")
    moved = repository.rename(tmp_path / "elsewhere")
    assert project_of(moved, environment).space == before.space == f"root:{before.commit}"


def test_a_clone_of_a_clone_without_an_origin_is_known_by_its_first_commit(
    repository: Path, tmp_path: Path, git: Git, environment: dict[str, str]
) -> None:
    git(tmp_path, "clone", "--quiet", repository, tmp_path / "copy")  # its origin is a path
    git(tmp_path / "copy", "commit", "--quiet", "--allow-empty", "--message=second")

    assert project_of(tmp_path / "copy", environment).space == project_of(repository, environment).space


def test_a_repository_without_a_commit_is_known_by_its_path(
    tmp_path: Path, git: Git, environment: dict[str, str]
) -> None:
    folder = tmp_path / "new"
    (folder / "src").mkdir(parents=True)
    git(folder, "init", "--quiet")
    found = project_of(folder / "src", environment)

    assert (found.space[:11], found.root, found.branch, found.commit) == ("folder:new:", folder, None, None)


def test_a_commit_that_is_checked_out_by_itself_is_no_branch(
    repository: Path, git: Git, environment: dict[str, str]
) -> None:
    git(repository, "checkout", "--quiet", "--detach")
    found = project_of(repository, environment)

    assert (found.branch, found.commit) == (None, git(repository, "rev-parse", "HEAD"))


def test_a_folder_that_is_no_repository_is_known_by_its_path_behind_links(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "plain")
    found = project_of(tmp_path / "plain", environment)

    assert found.space.startswith("folder:plain:")
    assert found.root == tmp_path / "plain"
    assert project_of(tmp_path / "link", environment) == found


def test_two_folders_of_the_same_name_are_two_projects(tmp_path: Path, environment: dict[str, str]) -> None:
    for parent in ("a", "b"):
        (tmp_path / parent / "api").mkdir(parents=True)

    assert (
        project_of(tmp_path / "a/api", environment).space != project_of(tmp_path / "b/api", environment).space
    )


def test_a_folder_that_is_gone_is_known_by_its_path(tmp_path: Path, environment: dict[str, str]) -> None:
    found = project_of(tmp_path / "gone", environment)

    assert (found.space[:12], found.root) == ("folder:gone:", tmp_path / "gone")


def test_without_git_a_folder_is_known_by_its_path(repository: Path, environment: dict[str, str]) -> None:
    found = project_of(repository, {**environment, "PATH": "/nowhere"})

    assert found.space.startswith("folder:api:")


@pytest.mark.parametrize("name", ["a b", "a#b", "a%20b", "记忆", "a\tb", "-rf", "a'b\"c", "a\udcffb"])
def test_a_path_may_hold_any_character(
    name: str, tmp_path: Path, git: Git, environment: dict[str, str]
) -> None:
    folder = tmp_path / name
    folder.mkdir()
    plain = project_of(folder, environment)
    assert plain.space.startswith("folder:")
    assert plain.space.isprintable()
    assert "*" not in plain.space and "%" not in plain.space

    git(tmp_path, "init", "--quiet", folder)
    git(folder, "commit", "--quiet", "--allow-empty", "--message=first")
    found = project_of(folder, environment)
    assert found.space == f"root:{git(folder, 'rev-parse', 'HEAD')}"
    assert found.root == folder
    assert found.name.isprintable()


def test_a_submodule_is_a_project_of_its_own(
    repository: Path, tmp_path: Path, git: Git, environment: dict[str, str]
) -> None:
    git(tmp_path, "init", "--quiet", tmp_path / "outer")
    git(tmp_path / "outer", "submodule", "--quiet", "add", repository, "lib")
    git(tmp_path / "outer", "commit", "--quiet", "--message=outer")

    outer, inner = (project_of(tmp_path / place, environment).space for place in ("outer", "outer/lib"))
    assert inner == project_of(repository, environment).space
    assert outer != inner


def test_the_variables_of_a_git_hook_do_not_lead_elsewhere(
    repository: Path, tmp_path: Path, git: Git, environment: dict[str, str]
) -> None:
    git(tmp_path, "init", "--quiet", tmp_path / "other")
    git(tmp_path / "other", "commit", "--quiet", "--allow-empty", "--message=another")
    led = {
        **environment,
        "GIT_DIR": str(tmp_path / "other/.git"),
        "GIT_WORK_TREE": str(tmp_path / "other"),
        "GIT_INDEX_FILE": str(tmp_path / "other/.git/index"),
    }

    assert project_of(repository, led).space == project_of(repository, environment).space


def test_a_bare_repository_is_the_project_of_its_origin(
    repository: Path, tmp_path: Path, git: Git, environment: dict[str, str]
) -> None:
    git(tmp_path, "clone", "--quiet", "--bare", repository, tmp_path / "api.git")
    assert project_of(tmp_path / "api.git", environment).space.startswith("folder:api.git:")

    git(tmp_path / "api.git", "remote", "set-url", "origin", "https://github.com/acme/api")
    found = project_of(tmp_path / "api.git", environment)
    assert (found.space, found.root) == ("github.com/acme/api", tmp_path / "api.git")


def test_who_is_called_off_while_git_hangs_does_not_wait_for_it(
    repository: Path, tmp_path: Path, environment: dict[str, str]
) -> None:
    class Over(BaseException):
        pass

    def ring(number: int, frame: object) -> None:
        raise Over

    (tmp_path / "bin").mkdir()
    fake, ended = tmp_path / "bin/git", tmp_path / "ended"
    script = f"#!/bin/sh\nfor turn in 1 2 3 4 5 6; do /bin/sleep 1; done\n: > '{ended}'\n"
    fake.write_text(script, encoding="utf-8")
    fake.chmod(0o755)
    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(Over):
            project_of(repository, {**environment, "PATH": str(fake.parent)})
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)

    assert not ended.exists()


def test_a_git_that_hangs_does_not_hold_anything_up(
    repository: Path, tmp_path: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    fake = tmp_path / "bin/git"
    fake.write_text("#!/bin/sh\nexec sleep 60\n", encoding="utf-8")
    fake.chmod(0o755)
    monkeypatch.setattr("truerecall.agents.project._SECONDS", 0.05)

    found = project_of(repository, {**environment, "PATH": f"{tmp_path / 'bin'}:{environment['PATH']}"})

    assert found.space.startswith("folder:api:")


def test_a_shorthand_of_git_s_own_settings_is_spelt_out(
    repository: Path, git: Git, environment: dict[str, str]
) -> None:
    git(repository, "remote", "add", "origin", "gh:app")
    git(repository, "config", "url.https://github.com/one/.insteadOf", "gh:")
    git(repository, "config", "--add", "url.https://github.com/one/.insteadOf", "hub:")
    git(repository, "config", "url.https://elsewhere.example/.insteadOf", "g")

    assert project_of(repository, environment).space == "github.com/one/app"

    git(repository, "remote", "set-url", "origin", "hub:other.git")
    assert project_of(repository, environment).space == "github.com/one/other"
