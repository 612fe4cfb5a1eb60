"""Programs that solvers start: each in a group of its own, so that nothing that it started outlives its time."""

import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from truerecall.errors import StudyError

_GRACE = 5.0
"""Seconds from the request to end to the end by force: Claude Code writes down what it cost so far meanwhile."""
_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of linux/prctl.h
_PRCTL = ctypes.CDLL(None).prctl if sys.platform == "linux" else None
_LOOK = 0.25
"""Seconds between two looks at a program that is watched."""
_MOST = 64 << 20
"""Bytes that are read of what a program printed."""


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of a program."""

    code: int
    """Below zero where a signal ended it."""
    out: bytes
    err: bytes
    seconds: float
    late: bool
    """Whether it was ended because its time was up."""

    @property
    def last_words(self) -> str:
        """The end of what it wrote to standard error, on one line."""
        lines = [line.strip() for line in self.err.decode("utf-8", "replace").splitlines()]
        return " ".join(line for line in lines if line)[-500:]


class Program:
    """Starts programs, one after the other, and can end the one that runs from another thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: subprocess.Popen[bytes] | None = None
        self._closed = False

    def run(
        self,
        command: Sequence[str],
        *,
        environment: Mapping[str, str],
        cwd: Path,
        stdin: str,
        timeout: float,
        stop: Callable[[bytes], bool] | None = None,
    ) -> Ran:
        """Run a program to its end, or to the end of its time in seconds.

        Args:
            command: The program and its arguments.
            environment: All of its variables.
            cwd: Where it works.
            stdin: What it reads.
            timeout: Seconds that it may take.
            stop: Asked several times a second, with all that was printed so far: whether to end it now.

        Raises:
            StudyError: it cannot be started, or ``close`` was called before.
        """
        # Files and no pipes: a child that keeps a pipe open would hold the reader after the program has ended.
        with (
            tempfile.TemporaryFile() as said,
            tempfile.TemporaryFile() as out,
            tempfile.TemporaryFile() as err,
        ):
            said.write(stdin.encode("utf-8", "replace"))
            said.seek(0)
            began = time.monotonic()
            process = self._start(command, environment, cwd, (said, out, err))
            late = False
            try:
                if stop is None:
                    process.wait(timeout)
                else:
                    _watch(process, out, timeout, stop)
            except subprocess.TimeoutExpired:
                late = True
            finally:
                end(process)
                with self._lock:
                    self._running = None
            seconds = time.monotonic() - began
            return Ran(process.returncode, _read(out), _read(err), seconds, late)

    def close(self) -> None:
        """End what runs; nothing can be started any more."""
        with self._lock:
            self._closed = True
            running = self._running
        if running is not None:
            end(running)

    def _start(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        cwd: Path,
        files: tuple[BinaryIO, BinaryIO, BinaryIO],
    ) -> "subprocess.Popen[bytes]":
        with self._lock:
            if self._closed:
                raise StudyError("the conversation is closed", remedy="Begin a new one.")
            try:
                self._running = subprocess.Popen(
                    list(command),
                    env=dict(environment),
                    cwd=cwd,
                    stdin=files[0],
                    stdout=files[1],
                    stderr=files[2],
                    start_new_session=True,
                    preexec_fn=_leash(),
                )
            except (OSError, ValueError) as error:
                raise StudyError(
                    f"the solver cannot be started: {getattr(error, 'strerror', None) or error}",
                    where=command[0],
                    remedy="See whether the program is there and may be run.",
                ) from None
            return self._running


def whole_command(command: Sequence[str], environment: Mapping[str, str]) -> tuple[str, ...] | None:
    """The argument list with the whole path of its program, looked for on PATH; None where it is not there."""
    found = shutil.which(command[0], path=environment.get("PATH", os.defpath))
    return None if found is None else (os.path.abspath(found), *command[1:])  # noqa: PTH100 - a link keeps its name


def end(process: "subprocess.Popen[bytes]") -> None:
    """End a program, at first gently, and then all that is left of its group."""
    if process.poll() is None:
        _signal(process, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE)
    _signal(process, getattr(signal, "SIGKILL", signal.SIGTERM))
    process.wait()


def printed(command: Sequence[str], environment: Mapping[str, str], seconds: float = 60.0) -> str | None:
    """What a program prints in an empty home, whole; None where it fails or takes too long.

    Raises:
        StudyError: it cannot be started.
    """
    with tempfile.TemporaryDirectory(prefix="truerecall-study-", ignore_cleanup_errors=True) as home:
        variables = {**environment, "HOME": home, "TMPDIR": home}
        ran = Program().run(command, environment=variables, cwd=Path(home), stdin="", timeout=seconds)
    return ran.out.decode("utf-8", "replace").strip() if ran.code == 0 and not ran.late else None


def _leash() -> Callable[[], None] | None:
    """Where the system can (Linux): what lets a program end with us, though we be killed; it would go on and cost."""
    if _PRCTL is None:
        return None
    prctl, ours = _PRCTL, os.getpid()

    def tie() -> None:
        # Between fork and exec: nothing is imported, and no lock is taken.
        prctl(_DEATH_SIGNAL, signal.SIGTERM, 0, 0, 0)
        if os.getppid() != ours:
            os._exit(1)

    return tie


def _signal(process: "subprocess.Popen[bytes]", number: int) -> None:
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)


def _watch(
    process: "subprocess.Popen[bytes]", out: BinaryIO, timeout: float, stop: Callable[[bytes], bool]
) -> None:
    """Wait for the end of a program, or until it is to be ended; ``TimeoutExpired`` as ``wait`` raises it."""
    until = time.monotonic() + timeout
    while (left := until - time.monotonic()) > _LOOK:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_LOOK)
            return
        # The program writes where this file stands: it is read without moving that.
        if stop(os.pread(out.fileno(), _MOST, 0)):
            return
    process.wait(max(0.0, left))


def _read(file: BinaryIO) -> bytes:
    file.seek(0)
    return file.read(_MOST)
