"""Programs that solvers start end with all that they started."""

import fcntl
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from truerecall.errors import StudyError
from truerecall.study.solvers.programs import Program, Ran, printed

STUBBORN = """\
import fcntl, os, signal, subprocess, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
lock = open(sys.argv[1], "w")
fcntl.flock(lock, fcntl.LOCK_EX)
lock.write("held")
lock.flush()
print("begun", flush=True)
signal.alarm(60)
signal.pause()
"""
PARENT = """\
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-S", "-c", sys.argv[1], sys.argv[2]], stdout=subprocess.PIPE)
child.stdout.readline()
print("begun", flush=True)
if len(sys.argv) > 3:
    child.wait()
"""


def run(folder: Path, *arguments: str, timeout: float = 60.0, program: Program | None = None) -> Ran:
    return (program or Program()).run(
        (sys.executable, "-S", "-c", *arguments), environment={}, cwd=folder, stdin="words", timeout=timeout
    )


def is_free(path: Path) -> bool:
    """Whether nobody holds the lock: waits for the end of a process that was killed."""
    with path.open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
    return path.read_text("utf-8") == "held"


def test_a_program_is_told_and_tells(tmp_path: Path) -> None:
    ran = run(tmp_path, "import sys; print(sys.stdin.read()); sys.exit('one\\n two ')")

    assert (ran.code, ran.out, ran.last_words, ran.late) == (1, b"words\n", "one two", False)


def test_children_that_do_not_want_to_end_do_so_with_a_program_that_is_late(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    ran = run(tmp_path, PARENT, STUBBORN, str(lock), "wait", timeout=2.0)

    assert (ran.out, ran.late) == (b"begun\n", True)
    assert is_free(lock)


def test_children_that_are_left_behind_end_with_their_program_and_hold_nobody_up(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    ran = run(tmp_path, PARENT, STUBBORN, str(lock))

    assert (ran.code, ran.out, ran.late) == (0, b"begun\n", False)
    assert is_free(lock)


def test_closing_ends_what_runs_and_lets_nothing_begin(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    program, ends = Program(), []
    source = "import signal, sys; open(sys.argv[1], 'w').close(); signal.pause()"
    thread = threading.Thread(target=lambda: ends.append(run(tmp_path, source, str(fifo), program=program)))
    thread.start()
    fifo.read_bytes()  # returns once the program runs
    program.close()
    thread.join()

    assert [(ran.code, ran.late) for ran in ends] == [(-15, False)]
    with pytest.raises(StudyError, match="the conversation is closed"):
        run(tmp_path, "pass", program=program)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems cannot tie a program to its parent")
def test_a_program_ends_with_a_study_that_is_killed(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    held = STUBBORN.replace("signal.SIG_IGN", "signal.SIG_DFL")
    told = tmp_path / "fifo"
    os.mkfifo(told)
    study = (
        "import sys\n"
        "from pathlib import Path\n"
        "from truerecall.study.solvers.programs import Program\n"
        "command = (sys.executable, '-S', '-c', sys.argv[1], sys.argv[2])\n"
        "Program().run(command, environment={}, cwd=Path('.'), stdin='', timeout=60.0)\n"
    )
    waiting = held.replace('print("begun", flush=True)', f"open({str(told)!r}, 'w').close()")
    running = subprocess.Popen([sys.executable, "-c", study, waiting, str(lock)])
    told.read_bytes()  # returns once the program holds the lock
    running.kill()
    running.wait()

    assert is_free(lock)


def test_a_program_that_is_not_there_is_an_error_of_the_study(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match=r"the solver cannot be started: No such file or directory"):
        Program().run((str(tmp_path / "none"),), environment={}, cwd=tmp_path, stdin="", timeout=1.0)


def test_what_a_program_prints_is_told_only_where_it_succeeds() -> None:
    assert printed((sys.executable, "-c", "print(' 1.2 ')"), {}) == "1.2"
    assert printed((sys.executable, "-c", "print(1); raise SystemExit(2)"), {}) is None
