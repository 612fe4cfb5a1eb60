"""The workspace of a question: its repositories as they were that day, built so that the future is not in them.

Each is a new repository into which one commit was fetched: no other ref, tag, reflog or object. What the machine's own
configuration of git says (shorthands, templates, hooks, filters) has no say.
"""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from truerecall.agents.project import space_of_origin
from truerecall.errors import StudyError
from truerecall.study.design import Checkout, Question, Repository, Study

GIT_ENVIRONMENT: Mapping[str, str] = {
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
}
"""Keeps git to the configuration of the repository that it works in."""
_OPTIONS = ("core.hooksPath=/dev/null", "core.logAllRefUpdates=false", "gc.auto=0", "protocol.version=2")
_CREDENTIALS = re.compile(r"(?<=://)[^/@]*@")
_LONGEST = 300  # characters of what git said


@dataclass(frozen=True, slots=True)
class Workspace:
    """The repositories of a question, checked out side by side."""

    cwd: Path
    """The first one, where the solver works."""
    beside: tuple[Path, ...]
    """The others, in the order of the question."""
    links_out: tuple[str, ...] = ()
    """Symbolic links in the trees that lead out of the workspace, as ``repository/path -> target``."""

    def at(self, folder: Path) -> "Workspace":
        """The same of a copy in ``folder``."""
        return Workspace(
            folder / self.cwd.name, tuple(folder / path.name for path in self.beside), self.links_out
        )


def build_workspace(
    study: Study, question: Question, folder: Path, environment: Mapping[str, str] | None = None
) -> Workspace:
    """Check out the repositories of a question below ``folder``, which does not exist yet or is empty.

    Args:
        study: Says where each repository is fetched from.
        question: Says which, and at which commit.
        folder: Gets a folder a repository, and nothing else.
        environment: Of the git that fetches (ssh, proxies), by default our own; its configuration is not read.

    Raises:
        StudyError: A source is not there, or does not have its commit.
    """
    if not question.checkouts:
        raise StudyError(
            "the question names no repository",
            where=f"questions/{question.id}/question.toml",
            remedy="Name the repository that was worked in, and its commit.",
        )
    folder.mkdir(parents=True, exist_ok=True)
    with _git(environment) as git:
        for checkout in question.checkouts:
            _check_out(study, _repository(study, question, checkout), checkout, folder, git)
    cwd, *beside = (folder / checkout.repository for checkout in question.checkouts)
    return Workspace(cwd, tuple(beside), tuple(_links_out(folder)))


def copy_workspace(workspace: Workspace, folder: Path) -> Workspace:
    """A faithful copy in a new ``folder``: links stay links, modes and times stay what they are."""
    shutil.copytree(workspace.cwd.parent, folder, symlinks=True)
    return workspace.at(folder)


@dataclass(frozen=True, slots=True)
class _Git:
    """Runs git without the machine's configuration."""

    environment: Mapping[str, str]

    def run(self, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        options = [word for option in _OPTIONS for word in ("-c", option)]
        try:
            return subprocess.run(
                ["git", "-C", str(folder), *options, *arguments],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                env=dict(self.environment),
                check=False,
                encoding="utf-8",
                errors="surrogateescape",
            )
        except FileNotFoundError:
            raise StudyError(
                "git is not installed", remedy="Install git 2.30 or newer, and put it on PATH."
            ) from None

    def must(self, folder: Path, *arguments: str) -> str:
        """What it prints; ``StudyError`` where it fails."""
        done = self.run(folder, *arguments)
        if done.returncode:
            raise StudyError(
                f"git {arguments[0]} failed: {_said(done.stderr)}",
                where=str(folder),
                remedy="Check the repository with `git fsck`, and the room on the disk.",
            )
        return done.stdout


@contextmanager
def _git(environment: Mapping[str, str] | None) -> Iterator[_Git]:
    """Git with a configuration that only says that sources may belong to others, as in a container they often do."""
    base = os.environ if environment is None else environment
    kept = {name: value for name, value in base.items() if not name.startswith("GIT_")}
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", prefix="git-") as file:
        file.write("[safe]\n\tdirectory = *\n")
        file.flush()
        yield _Git({**kept, **GIT_ENVIRONMENT, "GIT_CONFIG_GLOBAL": file.name, "LC_ALL": "C"})


def _repository(study: Study, question: Question, checkout: Checkout) -> Repository:
    for repository in study.repositories:
        if repository.name == checkout.repository:
            return repository
    raise StudyError(
        f"the study knows no repository {checkout.repository!r}",
        where=f"questions/{question.id}/question.toml",
        remedy="Name it in study.toml, with its source.",
    )


def _check_out(study: Study, repository: Repository, checkout: Checkout, folder: Path, git: _Git) -> None:
    source = _source(study, repository)
    target = folder / repository.name
    git.must(folder, "init", "--quiet", "--template=", str(target))
    _fetch(source, repository, checkout, target, git)
    git.must(target, "checkout", "--quiet", "-B", "main", "FETCH_HEAD")
    (target / ".git" / "FETCH_HEAD").unlink()
    origin = repository.origin or _origin(source, git)
    if origin:
        git.must(target, "remote", "add", "origin", origin)
    _refuse_more(repository, checkout, target, git)


def _source(study: Study, repository: Repository) -> str:
    """The folder as a whole path, or the address."""
    local = study.folder / repository.source
    if repository.source and local.exists():
        return str(local.resolve())
    if "://" in repository.source or re.match(
        r"(?:[^/\s@-][^/\s@]*@)?[^@:/\s-][^@:/\s]*:", repository.source
    ):
        return repository.source
    raise StudyError(
        f"the source of the repository {repository.name!r} is not there",
        where=str(local),
        remedy="Give a folder relative to the study, or an address that git can fetch from.",
    )


def _fetch(source: str, repository: Repository, checkout: Checkout, target: Path, git: _Git) -> None:
    """Fetch the commit and what it is made of."""
    if Path(source).is_dir():
        found = git.run(Path(source), "cat-file", "-e", f"{checkout.commit}^{{commit}}")
        if found.returncode:
            missing = "Not a valid object name" in found.stderr
            raise _no_commit(
                repository, checkout, source, "it is not there" if missing else _said(found.stderr)
            )
    quiet = ("--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-commit-graph")
    done = git.run(target, "fetch", *quiet, "--", source, checkout.commit)
    if done.returncode or not (target / ".git" / "FETCH_HEAD").exists():
        raise _no_commit(repository, checkout, source, _said(done.stderr))
    if (target / ".git" / "shallow").exists():
        raise StudyError(
            f"the source of {repository.name!r} is shallow: it has not all of the past",
            where=_CREDENTIALS.sub("", source),
            remedy="Run `git fetch --unshallow` in it, or name a whole clone.",
        )


def _no_commit(repository: Repository, checkout: Checkout, source: str, said: str) -> StudyError:
    return StudyError(
        f"commit {checkout.commit} of {repository.name!r} cannot be fetched: {said}",
        where=_CREDENTIALS.sub("", source),
        remedy="Fetch it into the source, whole and not shallow; or name the commit that was current then.",
    )


def _origin(source: str, git: _Git) -> str:
    """What ``origin`` is in the source, without credentials; empty where it is none, or a folder of this machine.

    A folder scopes no memory, and would tell the solver where the rest of the history lies.
    """
    if not Path(source).exists():
        return _CREDENTIALS.sub(_user_only, source)
    told = git.run(Path(source), "config", "--get", "remote.origin.url").stdout.strip()
    return _CREDENTIALS.sub(_user_only, told) if told and space_of_origin(told) is not None else ""


def _user_only(match: re.Match[str]) -> str:
    return "git@" if match.group() == "git@" else ""


def _refuse_more(repository: Repository, checkout: Checkout, target: Path, git: _Git) -> None:
    """``StudyError`` where an object is there that the commit is not made of: it may be of a later day."""
    inside = ("cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
    there = set(git.must(target, *inside).split())
    past = {
        line.split(" ", 1)[0]
        for line in git.must(target, "rev-list", "--objects", checkout.commit).splitlines()
    }
    refs = git.must(target, "for-each-ref", "--format=%(refname)").split()
    if there != past or refs != ["refs/heads/main"]:
        raise StudyError(
            f"git brought {len(there - past)} objects with commit {checkout.commit} that it is not made of",
            where=repository.name,
            remedy="Run `git gc --prune=now` in a copy of the source, and name the copy.",
        )


def _links_out(folder: Path) -> Iterator[str]:
    inside = folder.resolve()
    for path in _walk(folder):
        if path.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(inside):
            yield f"{path.relative_to(folder).as_posix()} -> {path.readlink()}"


def _walk(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        yield path
        if path.name != ".git" and path.is_dir() and not path.is_symlink():
            yield from _walk(path)


def _said(errors: str) -> str:
    """The last line of git, without credentials."""
    lines = [line for line in errors.splitlines() if line.strip()]
    said = lines[-1] if lines else "it said nothing"
    return _CREDENTIALS.sub("", said.encode("utf-8", "replace").decode())[:_LONGEST]
