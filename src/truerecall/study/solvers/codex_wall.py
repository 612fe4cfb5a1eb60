"""Whether the profile of permissions holds on this machine: each thing that it should keep out is tried.

No model is asked. The trials run in Codex's own sandbox with the settings of every run, in a folder of their own, and a
prompt to a port where nobody answers shows that the same settings reach the commands of a conversation.
"""

import os
import socket
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from truerecall.errors import StudyError
from truerecall.study.design import SolverChoice
from truerecall.study.git_objects import GitObjects
from truerecall.study.solvers.codex_program import (
    KEY,
    PROFILE,
    fixed_arguments,
    folder,
    own_places,
    settings_arguments,
    write_settings,
)
from truerecall.study.solvers.codex_rollout import Rollouts
from truerecall.study.solvers.programs import Program, Ran
from truerecall.study.solvers.secrets import Masking
from truerecall.study.workspace import GIT_ENVIRONMENT

_INSIDE, _OUTSIDE, _SEEN = "a-word-inside", "a-word-outside", "the-study-is-seen"
_WORDS = (_OUTSIDE.encode(), _SEEN.encode())
_SECONDS = 60.0
_UNKNOWN = b"unrecognized configuration setting"
"""How Codex tells, among the events, that it goes on without a setting; what is strict in 0.171.0 is not always so."""
_NOBODY = "http://127.0.0.1:9/v1"
REMEDY = (
    "Codex hides the rest of the disk by a namespace of the system (bubblewrap): install bubblewrap, and let "
    "unprivileged users make namespaces; in a container that may mean to start it with leave for that. Or use "
    'name = "claude-code". See docs/design/confinement.md.'
)
_ELSEWHERE = (
    "Keep the study, and the repositories that it names, outside of the folders of the system (/usr, /etc) and of the "
    "one of Codex: its commands see those."
)


@dataclass(frozen=True, slots=True)
class Trial:
    """One command behind the wall."""

    tried: str
    """What it is, for a person."""
    script: str
    remedy: str = REMEDY
    """What to do where it comes out otherwise than it should."""


@dataclass(frozen=True, slots=True)
class _Place:
    """A seat in small, a file outside of it, a port at which a connection would arrive, and the study."""

    folder: Path
    port: int
    study: str
    """The file that chose the solver; empty where it is not known."""

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def workspace(self) -> Path:
        return self.folder / "ws"

    @property
    def app(self) -> Path:
        return self.workspace / "app"

    @property
    def outside(self) -> Path:
        return self.folder / "outside" / "word.txt"

    def works(self) -> Iterator[Trial]:
        """What must be possible: each prints the word inside."""
        yield Trial("reading a file of the workspace", "cat word.txt")
        yield Trial("searching the workspace", "grep -rh . . --include=word.txt")
        yield Trial("git in the workspace", "git show HEAD:word.txt")

    def kept_out(self) -> Iterator[Trial]:
        """What must not: none may print the word outside, leave a file or reach the port."""
        yield Trial("reading a file outside by its path", f"cat '{self.outside}'")
        yield Trial("reading a file outside by `..`", "cat ../../outside/word.txt")
        yield Trial("reading a file outside through a link", "cat link/word.txt")
        yield Trial("searching through a link that leads outside", "grep -R . .")
        yield Trial(
            "git diff --no-index with a file outside", f"git diff --no-index /dev/null '{self.outside}'"
        )
        yield Trial("reading its own settings", f"cat '{folder(self.home)}/config.toml'")
        yield Trial("reading the environment of the study", f"cat /proc/{os.getpid()}/environ")
        if self.study:  # below a folder of the system, say, which its commands see
            yield Trial("reading the study itself", f"cat {quote(self.study)} && echo {_SEEN}", _ELSEWHERE)
        yield Trial("writing into the workspace", "echo 1 > written")
        yield Trial("writing outside", f"echo 1 > '{self.outside.parent}/written'")
        yield Trial("a connection to another program", f"git ls-remote git://127.0.0.1:{self.port}/x")


class _Port:
    """A port of loopback that takes connections, closes them at once, and knows whether there was one."""

    def __init__(self) -> None:
        self.reached = False
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.number: int = self._listening.getsockname()[1]
        self._taking = threading.Thread(target=self._take, daemon=True)

    def __enter__(self) -> "_Port":
        self._taking.start()
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()

    def _take(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listening.accept()
                self.reached = True
                connection.close()


def prove_wall(choice: SolverChoice, command: tuple[str, ...], environment: Mapping[str, str]) -> None:
    """Try the wall.

    Raises:
        StudyError: Something inside cannot be done, or something outside can: which, and what to do.
    """
    with (
        tempfile.TemporaryDirectory(prefix="truerecall-study-", ignore_cleanup_errors=True) as made,
        _Port() as port,
    ):
        chosen = choice.where.rpartition(":")[0]
        study = str(Path(chosen).resolve()) if chosen else ""
        place = _Place(Path(made).resolve(), port.number, study)
        _build(place)
        write_settings(place.home, place.workspace, command[0], _NOBODY)
        variables = _variables(place, environment)
        for trial in place.works():
            ran = _tried(trial, place, command, variables)
            if ran.code or _INSIDE.encode() not in ran.out:
                raise _refused(f"{trial.tried} does not work behind its wall", command, ran.last_words)
        for trial in place.kept_out():
            ran = _tried(trial, place, command, variables)
            if _came_out(ran, place) or port.reached:
                raise _refused(f"{trial.tried} succeeded", command, remedy=trial.remedy)
            if ran.late:
                raise _refused(f"{trial.tried} did not end within {_SECONDS:g} seconds", command)
        _prove_settings(choice, place, command, variables)


def _prove_settings(
    choice: SolverChoice, place: _Place, command: tuple[str, ...], variables: Mapping[str, str]
) -> None:
    """A prompt that nobody answers: its rollout says what the commands of a conversation are given."""
    retries = [f"model_providers.{PROFILE}.{kind}_max_retries=0" for kind in ("request", "stream")]
    at_once = [part for setting in retries for part in ("-c", setting)]
    ran = Program().run(
        (*command, "exec", *fixed_arguments(choice), *at_once, "-"),
        environment={**variables, KEY: "none"},
        cwd=place.app,
        stdin="Say nothing.",
        timeout=_SECONDS,
    )
    if _UNKNOWN in ran.out:
        raise _refused("it does not know all of the settings that confine it", command)
    added = Rollouts(folder(place.home), Masking(None), (place.workspace, *own_places(command[0]))).added()
    if not added.walled:
        said = (
            ran.last_words or "its rollout tells of another profile of permissions than the one it was given"
        )
        raise _refused("a conversation does not take the settings that confine it", command, said)


def _variables(place: _Place, environment: Mapping[str, str]) -> dict[str, str]:
    return {
        "PATH": environment.get("PATH", os.defpath),
        "LANG": "C.UTF-8",
        "HOME": str(place.home),
        # Where its own folder is below this one, Codex makes no link to itself, and finds itself nowhere.
        "TMPDIR": str(place.home / "tmp"),
        "CODEX_HOME": str(folder(place.home)),
        **GIT_ENVIRONMENT,
    }


def _build(place: _Place) -> None:
    for path, word in ((place.outside, _OUTSIDE), (place.app / "word.txt", _INSIDE)):
        path.parent.mkdir(parents=True)
        path.write_text(f"{word}\n", encoding="ascii")
    (place.home / "tmp").mkdir(parents=True)
    (place.app / "link").symlink_to(place.outside.parent)
    git = GitObjects()
    who = ("-c", "user.name=study", "-c", "user.email=study@localhost")
    for arguments in (("init", "-q"), ("add", "word.txt"), (*who, "commit", "-q", "-m", "A word")):
        if git.ask(place.app, *arguments).returncode:
            raise StudyError(
                "git does not work, by which the wall of Codex is tried",
                where=f"git {' '.join(arguments)}",
                remedy="See whether `git init` works in a new folder.",
            )


def _tried(trial: Trial, place: _Place, command: tuple[str, ...], variables: Mapping[str, str]) -> Ran:
    return Program().run(
        (*command, "sandbox", *settings_arguments(), "--", "sh", "-c", trial.script),
        environment=variables,
        cwd=place.app,
        stdin="",
        timeout=_SECONDS,
    )


def _came_out(ran: Ran, place: _Place) -> bool:
    told = ran.out + ran.err
    ours = os.fsencode(f"HOME={os.environ.get('HOME', '')}\0")
    shown = any(word in told for word in (*_WORDS, b"base_url", ours))
    return shown or (place.app / "written").exists() or place.outside.with_name("written").exists()


def _refused(why: str, command: tuple[str, ...], said: str = "", remedy: str = REMEDY) -> StudyError:
    ending = f": {said}" if said else ""
    return StudyError(
        f"Codex cannot be confined to a workspace on this machine: {why}{ending}",
        where=command[0],
        remedy=remedy,
    )
