"""A workspace is a repository as it was on a day: the future is not in it, not even as an object nobody names."""

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest

from truerecall.errors import StudyError
from truerecall.study.design import (
    Checkout,
    GraderChoice,
    MemoryChoice,
    Question,
    Repository,
    SolverChoice,
    Study,
)
from truerecall.study.workspace import Workspace, build_workspace, copy_workspace

ORIGIN = "git@github.com:acme/app.git"
ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_DATE": "2026-11-20T09:05:00Z",
    "GIT_COMMITTER_DATE": "2026-11-20T09:05:00Z",
}


def git(folder: Path, *arguments: str, data: str | None = None) -> str:
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "init.defaultBranch=main")
    command = ["git", "-C", str(folder), *who, *arguments]
    done = subprocess.run(command, input=data, capture_output=True, text=True, check=True, env=ENVIRONMENT)
    return done.stdout.strip()


@dataclass
class Source:
    """A repository with a past, a commit of the day, and a future of every kind."""

    folder: Path
    commits: dict[str, str] = field(default_factory=dict)

    def commit(self, name: str, text: str, file: str = "retry.py") -> str:
        (self.folder / file).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / file).write_text(text, encoding="utf-8")
        git(self.folder, "add", "-A")
        git(self.folder, "commit", "-q", "-m", name)
        self.commits[name] = git(self.folder, "rev-parse", "HEAD")
        return self.commits[name]


@pytest.fixture
def source(tmp_path: Path) -> Source:
    folder = tmp_path / "study" / "sources" / "app"
    folder.mkdir(parents=True)
    git(folder, "init", "-q")
    git(folder, "remote", "add", "origin", ORIGIN)
    made = Source(folder)
    made.commit("first", "LIMIT = 3\n")
    made.commit("day", "LIMIT = 5\n")
    return made


@pytest.fixture
def future(source: Source) -> set[str]:
    """Objects that came after the day: on the branch, on another, behind a tag, in a stash, a reflog, and dangling."""
    before = objects(source.folder)
    folder = source.folder
    source.commit("same branch", "LIMIT = 9\n")
    git(folder, "checkout", "-q", "-b", "other", source.commits["day"])
    source.commit("other branch", "LIMIT = 10\n")
    git(folder, "checkout", "-q", "--detach", source.commits["day"])
    source.commit("tagged", "LIMIT = 11\n")
    git(folder, "tag", "-a", "v2", "-m", "the future")
    git(folder, "checkout", "-q", "main")
    (folder / "retry.py").write_text("LIMIT = 12\n", encoding="utf-8")
    git(folder, "stash", "push", "-q")
    source.commit("reset away", "LIMIT = 13\n")
    git(folder, "reset", "-q", "--hard", "HEAD~1")
    tree = git(folder, "rev-parse", "HEAD^{tree}")
    git(folder, "commit-tree", tree, "-m", "dangling")
    git(folder, "hash-object", "-w", "--stdin", data="LIMIT = 14\n")
    # Packed together with the past, as `git gc` leaves it.
    git(folder, "repack", "-q", "-a", "-d", "--keep-unreachable")
    return objects(folder) - before


def objects(folder: Path) -> set[str]:
    return set(git(folder, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split())


def study(tmp_path: Path, *repositories: Repository) -> Study:
    given = repositories or (Repository("app", "sources/app"),)
    return Study(tmp_path / "study", "s", SolverChoice(), GraderChoice(), MemoryChoice(), given, (), ())


def question(*checkouts: Checkout) -> Question:
    return Question("retry", "How often?", "", datetime(2026, 11, 22, tzinfo=UTC), checkouts)


Build = Callable[..., Workspace]


@pytest.fixture
def build(tmp_path: Path, source: Source) -> Build:
    def build(commit: str | None = None, *repositories: Repository) -> Workspace:
        asked = question(Checkout("app", commit or source.commits["day"]))
        return build_workspace(study(tmp_path, *repositories), asked, tmp_path / "ws")

    return build


def test_the_files_are_those_of_the_day(build: Build, future: set[str]) -> None:
    made = build()

    assert (made.cwd / "retry.py").read_text(encoding="utf-8") == "LIMIT = 5\n"
    assert git(made.cwd, "status", "--porcelain") == ""
    assert git(made.cwd, "log", "--all", "--format=%s") == "day\nfirst"
    assert git(made.cwd, "branch", "--show-current") == "main"


def test_no_object_of_the_future_is_there(build: Build, source: Source, future: set[str]) -> None:
    made = build()

    assert len(future) >= 12
    assert objects(made.cwd).isdisjoint(future)
    reachable = git(made.cwd, "rev-list", "--objects", "--all").splitlines()
    assert {line.split()[0] for line in reachable} == objects(made.cwd)
    assert len(objects(made.cwd)) == 6
    assert git(made.cwd, "fsck", "--lost-found") == ""
    for commit in future:
        with pytest.raises(subprocess.CalledProcessError):
            git(made.cwd, "cat-file", "-e", commit)


def test_the_content_of_the_future_stands_in_no_file(build: Build, source: Source, future: set[str]) -> None:
    made = build()

    names = [each.encode() for each in future]
    for path in made.cwd.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert not [name for name in names if name in content], path
            assert str(source.folder).encode() not in content, path


def test_nothing_else_leads_anywhere(build: Build, future: set[str]) -> None:
    made = build()

    assert git(made.cwd, "for-each-ref", "--format=%(refname)") == "refs/heads/main"
    assert git(made.cwd, "reflog", "--all") == ""
    inside = {path.relative_to(made.cwd / ".git").as_posix() for path in (made.cwd / ".git").rglob("*")}
    assert inside.isdisjoint(
        {"FETCH_HEAD", "ORIG_HEAD", "packed-refs", "logs", "shallow", "objects/info/alternates", "hooks"}
    )


def test_origin_is_the_one_of_the_source_without_its_refs(build: Build) -> None:
    made = build()

    assert git(made.cwd, "remote", "get-url", "origin") == ORIGIN
    assert git(made.cwd, "branch", "--remotes") == ""


@pytest.mark.parametrize(
    ("given", "set_to"),
    [
        ("https://ada:token@example.com/acme/app.git", "https://example.com/acme/app.git"),
        ("../elsewhere", None),  # where the rest of the history lies
    ],
)
def test_an_origin_gives_nothing_away(given: str, set_to: str | None, build: Build, source: Source) -> None:
    git(source.folder, "remote", "set-url", "origin", given)

    made = build()

    told = git(made.cwd, "remote", "--verbose")
    assert told == ("" if set_to is None else f"origin\t{set_to} (fetch)\norigin\t{set_to} (push)")


def test_the_studys_own_origin_goes_before(build: Build) -> None:
    made = build(None, Repository("app", "sources/app", "https://example.com/acme/other"))

    assert git(made.cwd, "remote", "get-url", "origin") == "https://example.com/acme/other"


def test_a_bare_repository_will_do(build: Build, source: Source, tmp_path: Path, future: set[str]) -> None:
    bare = tmp_path / "study" / "app.git"
    git(tmp_path, "clone", "-q", "--bare", str(source.folder), str(bare))

    made = build(None, Repository("app", "app.git"))

    assert git(made.cwd, "log", "--all", "--format=%s") == "day\nfirst"
    assert objects(made.cwd).isdisjoint(future)


def test_a_source_that_borrows_its_objects_will_do(build: Build, source: Source, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--shared", str(source.folder), str(tmp_path / "study" / "shared"))

    made = build(None, Repository("app", "shared"))

    assert len(objects(made.cwd)) == 6
    assert not (made.cwd / ".git" / "objects" / "info" / "alternates").exists()


def test_a_commit_that_no_branch_leads_to_can_be_the_one_of_the_day(build: Build, source: Source) -> None:
    lost = source.commit("lost", "LIMIT = 7\n")
    git(source.folder, "reset", "-q", "--hard", "HEAD~1")

    assert git(build(lost).cwd, "log", "--format=%s") == "lost\nday\nfirst"


def test_the_machines_configuration_has_no_say(
    build: Build, source: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    template = home / "template"
    (template / "hooks").mkdir(parents=True)
    hook = template / "hooks" / "post-checkout"
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/hooked\n", encoding="utf-8")
    hook.chmod(0o755)
    (home / ".gitconfig").write_text(
        f"[init]\n\ttemplateDir = {template}\n\tdefaultBranch = trunk\n[core]\n\tautocrlf = true\n"
        f'[url "/nowhere/"]\n\tinsteadOf = {tmp_path}/\n'
        f'[filter "lfs"]\n\tsmudge = touch {tmp_path}/filtered\n\trequired = true\n',
        encoding="utf-8",
    )
    source.commit("with a filter", "*.bin filter=lfs\n", ".gitattributes")
    commit = source.commit("a pointer", "version https://git-lfs\n", "data.bin")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("GIT_CONFIG_GLOBAL", raising=False)
    monkeypatch.setenv("GIT_DIR", str(source.folder / ".git"))
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")

    made = build(commit)

    assert not (tmp_path / "hooked").exists()
    assert not (tmp_path / "filtered").exists()
    assert (made.cwd / "data.bin").read_bytes() == b"version https://git-lfs\n"
    assert not (made.cwd / ".git" / "hooks").exists()


def test_several_repositories_lie_beside_each_other(source: Source, tmp_path: Path) -> None:
    api = tmp_path / "study" / "sources" / "api"
    shutil.copytree(source.folder, api)
    both = study(tmp_path, Repository("app", "sources/app"), Repository("api", "sources/api"))
    asked = question(Checkout("api", source.commits["first"]), Checkout("app", source.commits["day"]))

    made = build_workspace(both, asked, tmp_path / "ws")

    assert made == Workspace(tmp_path / "ws" / "api", (tmp_path / "ws" / "app",), ())
    assert (made.cwd / "retry.py").read_text(encoding="utf-8") == "LIMIT = 3\n"


def test_links_that_lead_out_are_kept_and_listed(build: Build, source: Source) -> None:
    (source.folder / "out").symlink_to("/etc/hostname")
    (source.folder / "docs").mkdir()
    (source.folder / "docs" / "up").symlink_to("../../../..")
    (source.folder / "docs" / "in").symlink_to("../retry.py")
    commit = source.commit("links", "LIMIT = 6\n")

    made = build(commit)

    assert made.links_out == ("app/docs/up -> ../../../..", "app/out -> /etc/hostname")
    assert (made.cwd / "out").readlink() == Path("/etc/hostname")


def test_a_submodule_stays_empty(build: Build, source: Source) -> None:
    link = f"160000,{source.commits['first']},vendored"
    git(source.folder, "update-index", "--add", "--cacheinfo", link)
    (source.folder / "vendored").mkdir()
    git(source.folder, "commit", "-q", "-m", "a submodule")

    made = build(git(source.folder, "rev-parse", "HEAD"))

    assert list((made.cwd / "vendored").iterdir()) == []


def test_a_commit_that_is_not_there_is_said_to_be_missing(build: Build) -> None:
    with pytest.raises(
        StudyError, match=f"commit {'a' * 40} of 'app' cannot be fetched: it is not there"
    ) as refused:
        build("a" * 40)
    assert str(refused.value.where).endswith("study/sources/app")


def test_a_source_that_is_no_repository_is_said_to_be_none(build: Build, tmp_path: Path) -> None:
    (tmp_path / "study" / "plain").mkdir()

    with pytest.raises(StudyError, match="cannot be fetched: fatal: not a git repository"):
        build(None, Repository("app", "plain"))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to another user")
def test_a_source_of_another_user_will_do(build: Build, source: Source) -> None:
    for path in (source.folder, *source.folder.rglob("*")):
        os.chown(path, 12345, 12345)

    assert git(build().cwd, "log", "--format=%s") == "day\nfirst"


def test_a_shallow_source_is_refused(build: Build, source: Source, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--depth=1", source.folder.as_uri(), str(tmp_path / "study" / "shallow"))

    with pytest.raises(StudyError, match="shallow"):
        build(None, Repository("app", "shallow"))


@pytest.mark.parametrize("given", ["sources/nothing", "", "--upload-pack=touch x", "nothing.git"])
def test_a_source_that_is_not_there_is_refused(given: str, build: Build) -> None:
    with pytest.raises(StudyError, match="the source of the repository 'app' is not there"):
        build(None, Repository("app", given))


def test_a_question_without_a_known_repository_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="names no repository"):
        build_workspace(study(tmp_path), question(), tmp_path / "ws")
    with pytest.raises(StudyError, match="the study knows no repository 'web'"):
        build_workspace(study(tmp_path), question(Checkout("web", "a" * 40)), tmp_path / "ws")


def test_a_copy_is_faithful(build: Build, source: Source, tmp_path: Path) -> None:
    (source.folder / "run.sh").write_text("#!/bin/sh\n", encoding="utf-8")
    (source.folder / "run.sh").chmod(0o755)
    (source.folder / "out").symlink_to("/etc/hostname")
    made = build(source.commit("more", "LIMIT = 6\n"))

    copy = copy_workspace(made, tmp_path / "1" / "ws")

    assert copy == Workspace(tmp_path / "1" / "ws" / "app", (), made.links_out)
    assert told(copy.cwd) == told(made.cwd)
    assert git(copy.cwd, "status", "--porcelain") == ""
    assert git(copy.cwd, "fsck", "--lost-found") == ""


def told(folder: Path) -> list[tuple[str, int, bytes]]:
    """Of every file its path, mode and content; of a link where it leads."""
    found = []
    for path in sorted(folder.rglob("*")):
        content = str(path.readlink()).encode() if path.is_symlink() else b""
        if path.is_file() and not path.is_symlink():
            content = path.read_bytes()
        found.append((path.relative_to(folder).as_posix(), path.lstat().st_mode, content))
    return found
