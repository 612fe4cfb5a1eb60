"""Where runs take place: a fresh home and workspace in a slot, the same paths on every side, and nothing left after."""

import os
import shutil
import signal
import sysconfig
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path

from truerecall.errors import StudyError
from truerecall.study.design import Question, Study
from truerecall.study.solvers.protocol import Seat
from truerecall.study.workspace import GIT_ENVIRONMENT, Workspace, build_workspace, copy_workspace

_TEMPLATES = "templates"
_PROCESSES = Path("/proc")
_BY_ITSELF = (
    0.2  # seconds that what still runs has to end by itself: what a capture keeps is thrown away anyway
)
_TOLD = 2.0  # seconds after which what was told to end is killed
_LOOK = 0.02
_TRIES = 50  # at removing a folder into which somebody still writes


class Seats:
    """The slots of one study below a folder of their own; what a killed run left in them is removed at the start.

    Raises:
        StudyError: The folder belongs to somebody else.
    """

    def __init__(self, work: Path, environment: Mapping[str, str]) -> None:
        work.mkdir(parents=True, exist_ok=True, mode=0o700)
        _refuse_foreign(work)
        self._work = work.resolve()
        self._environment = dict(environment)
        self._lock = threading.Lock()
        self._built: dict[str, Workspace] = {}
        for path in self._work.iterdir():
            if path.name == _TEMPLATES or path.name.isdigit():
                _clear(path)

    @contextmanager
    def seat(self, slot: int, study: Study, question: Question, outputs: Path) -> Iterator[Seat]:
        """A seat in slot ``slot``; at the end whatever still runs there is ended, and all of it removed.

        Raises:
            StudyError: The workspace cannot be built.
        """
        place = self._work / str(slot)
        _clear(place)
        home = place / "home"
        try:
            (home / "tmp").mkdir(parents=True, mode=0o700)
            workspace = copy_workspace(self._template(study, question), place / "ws")
            outputs.mkdir(parents=True, exist_ok=True)
            yield Seat(
                home=home,
                workspace=place / "ws",
                cwd=workspace.cwd,
                beside=workspace.beside,
                environment=_environment(study, home, self._environment),
                outputs=outputs,
            )
        finally:
            _clear(place)

    def close(self) -> None:
        """Remove what workspaces were copied from, and the folder itself if nothing else is in it."""
        _clear(self._work / _TEMPLATES)
        self._built.clear()
        with suppress(OSError):
            self._work.rmdir()

    def workspace(self, study: Study, question: Question) -> Workspace:
        """The workspace that is copied for each run of a question; to be looked at, not to be worked in."""
        return self._template(study, question)

    def _template(self, study: Study, question: Question) -> Workspace:
        """Built once a question: runs are many, and building takes git a while."""
        told = repr((study.repositories, question.checkouts))
        key = sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        with self._lock:
            if key not in self._built:
                folder = self._work / _TEMPLATES / key
                _clear(folder)
                self._built[key] = build_workspace(study, question, folder, self._environment)
            return self._built[key]


def _refuse_foreign(work: Path) -> None:
    """Its name can be guessed: whoever owns it could put their own programs into the homes of the runs."""
    if hasattr(os, "getuid") and work.lstat().st_uid != os.getuid():
        raise StudyError(
            "the folder in which the runs take place belongs to somebody else",
            where=str(work),
            remedy="Remove it, or set TMPDIR to a folder of your own.",
        )
    work.chmod(0o700)


def _environment(study: Study, home: Path, given: Mapping[str, str]) -> dict[str, str]:
    """All that a run gets to know of ours: where programs are, and what the study names; its solver adds the key."""
    return {
        "PATH": os.pathsep.join((sysconfig.get_path("scripts"), given.get("PATH") or os.defpath)),
        "LANG": "C.UTF-8",
        **study.solver.environment,
        "HOME": str(home),
        "TMPDIR": str(home / "tmp"),
        **GIT_ENVIRONMENT,
    }


def _clear(place: Path) -> None:
    """End what runs with a home in a slot, and remove all of it."""
    if not os.path.lexists(place):
        return
    _end_processes(place / "home")
    for _ in range(_TRIES):
        if _removed(place):
            return
        _end_processes(place / "home")
        time.sleep(_LOOK)
    raise StudyError(
        "the folder of a finished run cannot be removed",
        where=str(place),
        remedy="See what still writes there, end it, remove the folder, and run the study again.",
    )


def _removed(place: Path) -> bool:
    """Whether it is gone now; no link is followed, neither at the top nor within."""
    if place.is_symlink() or place.is_file():
        place.unlink()
        return True
    with suppress(OSError):
        shutil.rmtree(place)
        return True
    with suppress(OSError):
        _open_up(place)
    return not os.path.lexists(place)


def _open_up(folder: Path) -> None:
    """Let folders be emptied again that were closed to their owner."""
    folder.chmod(0o700)
    with os.scandir(folder) as inside:
        for each in inside:
            if each.is_dir(follow_symlinks=False):
                _open_up(Path(each.path))


def _end_processes(home: Path) -> None:
    """Wait a little for what runs with this HOME, tell it to end, then end it: on Linux, where that can be seen."""
    if _gone(home, _BY_ITSELF):
        return
    for number in (signal.SIGTERM, signal.SIGKILL):
        for process in _at_home(home):
            with suppress(OSError):
                os.kill(process, number)
        if _gone(home, _TOLD):
            return


def _gone(home: Path, seconds: float) -> bool:
    until = time.monotonic() + seconds
    while _at_home(home):
        if time.monotonic() >= until:
            return False
        time.sleep(_LOOK)
    return True


def _at_home(home: Path) -> list[int]:
    """The processes, but for our own, whose environment has this HOME and that have not ended."""
    entry = b"HOME=" + os.fsencode(home)
    found = []
    with suppress(OSError):
        for path in _PROCESSES.iterdir():
            if path.name.isdigit() and int(path.name) != os.getpid():
                with suppress(OSError):
                    # Of one that has ended, and of another user's, nothing is to be read.
                    if entry in (path / "environ").read_bytes().split(b"\0"):
                        found.append(int(path.name))
    return found
