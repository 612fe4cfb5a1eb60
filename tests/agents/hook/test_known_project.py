"""What git said of a folder is asked once, as long as it would say the same."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from truerecall.agents.hook.known_project import known_project
from truerecall.agents.places import Places
from truerecall.agents.project import project_of


class Here:
    """A repository, and a git that tells how often it was asked."""

    def __init__(self, folder: Path) -> None:
        self.home, self.work, self.log = folder / "home", folder / "work", folder / "asked"
        tools = folder / "bin"
        for each in (self.home, self.work, tools):
            each.mkdir()
        real = subprocess.run(
            ["sh", "-c", "command -v git"], capture_output=True, text=True, check=True
        ).stdout
        git = tools / "git"
        git.write_text(f'#!/bin/sh\necho asked >> "{self.log}"\nexec {real.strip()} "$@"\n', encoding="utf-8")
        git.chmod(0o755)
        self.environment = {"HOME": str(self.home), "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
        self.places = Places.of(self.environment)
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.email", "ada@example.org")
        self.git("remote", "add", "origin", "https://git.example/team/shop.git")

    def git(self, *arguments: str, folder: Path | None = None) -> None:
        subprocess.run(["git", "-C", folder or self.work, *arguments], check=True, capture_output=True)

    def known(self, folder: Path | None = None) -> tuple[str, str, str | None]:
        found = known_project(str(folder or self.work), self.environment, self.places)
        return found.space, found.name, found.email

    def asked(self) -> bool:
        """Whether git was asked since the last time."""
        said = self.log.exists()
        self.log.unlink(missing_ok=True)
        return said


@pytest.fixture
def here(tmp_path: Path) -> Here:
    return Here(tmp_path)


SHOP = ("git.example/team/shop", "shop", "ada@example.org")


def test_the_second_time_git_is_not_asked_and_says_the_same(here: Here) -> None:
    below = here.work / "src" / "deep"
    below.mkdir(parents=True)

    assert (here.known(), here.asked()) == (SHOP, True)
    assert (here.known(), here.asked()) == (SHOP, False)
    assert (here.known(below), here.asked()) == (SHOP, True)
    assert (here.known(below), here.asked()) == (SHOP, False)
    assert (here.places.state / "projects.json").stat().st_mode & 0o777 == 0o600


def test_another_origin_is_seen_at_once(here: Here) -> None:
    here.known()
    here.git("remote", "set-url", "origin", "https://git.example/team/other.git")

    assert here.known()[0] == "git.example/team/other"


def test_what_the_user_sets_for_all_repositories_is_seen_at_once(here: Here) -> None:
    here.git("config", "--unset", "user.email")
    here.known()
    (here.home / ".gitconfig").write_text("[user]\n\temail = bob@example.org\n", encoding="utf-8")

    assert here.known()[2] == "bob@example.org"


def test_a_repository_within_another_is_its_own_project(here: Here) -> None:
    here.known(here.work)
    inner = here.work / "vendor"
    inner.mkdir()
    assert here.known(inner)[0] == "git.example/team/shop"
    here.git("init", "-q", folder=inner)
    here.git("remote", "add", "origin", "https://git.example/vendor/lib.git", folder=inner)

    assert here.known(inner)[0] == "git.example/vendor/lib"


@pytest.mark.parametrize(
    "how", ["no origin", "an include", "a worktree", "no repository", "git's own variables"]
)
def test_what_may_change_unseen_is_asked_each_time(here: Here, how: str, tmp_path: Path) -> None:
    folder = here.work
    if how == "no origin":
        here.git("remote", "remove", "origin")
    elif how == "an include":
        here.git("config", "include.path", "more")
    elif how == "a worktree":
        here.git("-c", "user.name=Ada", "commit", "-q", "--allow-empty", "-m", "Begin")
        folder = tmp_path / "tree"
        here.git("worktree", "add", "-q", str(folder))
    elif how == "no repository":
        folder = tmp_path
    else:
        here.environment["GIT_CONFIG_COUNT"] = "0"
    expected = project_of(folder, here.environment)
    here.asked()

    for _ in range(2):
        assert here.known(folder) == (expected.space, expected.name, expected.email)
        assert here.asked()


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"x": 1}', b"\xff", b"[" * 100_000])
def test_a_file_that_is_broken_is_made_anew(here: Here, content: bytes) -> None:
    here.places.state.mkdir(parents=True)
    (here.places.state / "projects.json").write_bytes(content)

    assert (here.known(), here.asked()) == (SHOP, True)
    assert (here.known(), here.asked()) == (SHOP, False)


def test_a_row_of_another_shape_is_asked_anew(here: Here) -> None:
    here.known()
    path = here.places.state / "projects.json"
    rows: dict[str, Any] = json.loads(path.read_bytes())
    rows[str(here.work)][1] = 7
    path.write_text(json.dumps(rows), encoding="utf-8")
    here.asked()

    assert (here.known(), here.asked()) == (SHOP, True)


def test_a_folder_that_cannot_be_written_is_no_fault(here: Here) -> None:
    here.places.state.parent.mkdir(parents=True)
    here.places.state.write_text("a file where a folder belongs", encoding="utf-8")

    assert here.known() == SHOP
    assert here.known() == SHOP
