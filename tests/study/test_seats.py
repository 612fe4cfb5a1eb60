"""A seat is fresh, tells nothing, and leaves nothing: neither a file nor a process, and nothing that a link led to."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
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
from truerecall.study.seats import Seats
from truerecall.study.solvers.protocol import Seat

GIVEN = {
    "PATH": os.environ["PATH"],
    "HOME": "/home/ada",
    "LANG": "de_DE",
    "XDG_CONFIG_HOME": "/home/ada/.config",
    "AWS_SECRET": "s",
    "TRUERECALL_STORE": "/home/ada/memory.db",
    "ANTHROPIC_API_KEY": "a key",
    "CLAUDE_CONFIG_DIR": "/home/ada/.claude",
}
PROGRAM = """
import pathlib, sys, time
print("ready", flush=True)
while True:
    pathlib.Path(sys.argv[1], "written").write_text("more")
    time.sleep(0.005)
"""


@pytest.fixture
def study(tmp_path: Path) -> Study:
    folder = tmp_path / "study"
    for name in ("app", "api"):
        (folder / name).mkdir(parents=True)
        git(folder / name, "init", "-q")
        (folder / name / "a.txt").write_text("a\n", encoding="utf-8")
        git(folder / name, "add", "-A")
        git(folder / name, "commit", "-q", "-m", "first")
    repositories = tuple(Repository(name, name) for name in ("app", "api"))
    return Study(folder, "s", SolverChoice(), GraderChoice(), MemoryChoice(), repositories, (), ())


@pytest.fixture
def question(study: Study) -> Question:
    checkouts = tuple(
        Checkout(name, git(study.folder / name, "rev-parse", "HEAD")) for name in ("app", "api")
    )
    return Question("retry", "How often?", "", datetime(2026, 11, 22, tzinfo=UTC), checkouts)


@pytest.fixture
def seats(tmp_path: Path) -> Seats:
    return Seats(tmp_path / "work", GIVEN)


def git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com")
    environment = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", "-C", str(folder), *who, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout.strip()


def test_a_seat_has_a_fresh_home_and_the_workspace(
    seats: Seats, study: Study, question: Question, tmp_path: Path
) -> None:
    work = tmp_path / "work"
    with seats.seat(1, study, question, tmp_path / "out") as seat:
        assert (seat.home, seat.cwd, seat.beside) == (
            work / "1/home",
            work / "1/ws/app",
            (work / "1/ws/api",),
        )
        assert [path.name for path in seat.home.iterdir()] == ["tmp"]
        assert sorted(path.name for path in seat.workspace.iterdir()) == ["api", "app"]
        assert (seat.cwd / "a.txt").read_text(encoding="utf-8") == "a\n"
        assert seat.outputs.is_dir()
    assert sorted(path.name for path in work.iterdir()) == ["templates"]


def test_the_environment_is_built_from_nothing(
    seats: Seats, study: Study, question: Question, tmp_path: Path
) -> None:
    named = replace(study, solver=SolverChoice(environment={"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}))
    with seats.seat(3, named, question, tmp_path / "out") as seat:
        own, _, given = seat.environment["PATH"].partition(os.pathsep)
        assert dict(seat.environment) == {
            "HOME": str(tmp_path / "work/3/home"),
            "TMPDIR": str(tmp_path / "work/3/home/tmp"),
            "PATH": seat.environment["PATH"],
            "LANG": "C.UTF-8",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_CONFIG_NOSYSTEM": "1",
            "ANTHROPIC_BASE_URL": "http://127.0.0.1:9",
        }
    assert given == os.environ["PATH"]
    assert shutil.which("truerecall-hook", path=own) is not None


def test_runs_in_one_slot_have_the_same_environment_and_paths_and_see_nothing_of_each_other(
    seats: Seats, study: Study, question: Question, tmp_path: Path
) -> None:
    with seats.seat(1, study, question, tmp_path / "out") as first:
        (first.home / "note").write_text("seen", encoding="utf-8")
        (first.home / "tmp" / "note").write_text("seen", encoding="utf-8")
        (first.cwd / "a.txt").write_text("changed\n", encoding="utf-8")
        git(first.cwd, "commit", "-q", "-a", "-m", "what run 1 did")
        (first.workspace / "stray").mkdir()
    with seats.seat(1, study, question, tmp_path / "out") as second:
        assert second == first
        assert sorted(path.name for path in second.home.rglob("*")) == ["tmp"]
        assert sorted(path.name for path in second.workspace.iterdir()) == ["api", "app"]
        assert (second.cwd / "a.txt").read_text(encoding="utf-8") == "a\n"
        assert git(second.cwd, "log", "--all", "--format=%s") == "first"


def test_slots_differ_in_their_number_alone(
    seats: Seats, study: Study, question: Question, tmp_path: Path
) -> None:
    with (
        seats.seat(1, study, question, tmp_path / "out") as one,
        seats.seat(2, study, question, tmp_path / "out") as two,
    ):
        assert len(str(one.cwd)) == len(str(two.cwd))
        slots = (str(two.home.parent), str(one.home.parent))
        turned = {name: value.replace(*slots) for name, value in two.environment.items()}
        assert turned == one.environment


def test_what_a_killed_run_left_is_removed_at_the_start_and_nothing_else(tmp_path: Path) -> None:
    work = tmp_path / "work"
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "a").touch()
    for name in ("1/home/.claude", "12/ws", "templates/half", "notes"):
        (work / name).mkdir(parents=True)
    (work / "1/home/link").symlink_to(kept)
    (work / "2").symlink_to(kept)

    Seats(work, GIVEN)

    assert [path.name for path in work.iterdir()] == ["notes"]
    assert (kept / "a").exists()


def test_a_folder_that_others_could_write_into_is_closed_and_that_of_somebody_else_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    work.chmod(0o777)

    Seats(work, {})
    assert work.stat().st_mode & 0o777 == 0o700

    monkeypatch.setattr(os, "getuid", lambda: work.stat().st_uid + 1)
    with pytest.raises(StudyError, match="belongs to somebody else"):
        Seats(work, {})


def test_links_are_removed_and_what_they_lead_to_is_not(
    seats: Seats, study: Study, question: Question, tmp_path: Path
) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "a").touch()
    with seats.seat(1, study, question, tmp_path / "out") as seat:
        (seat.home / "folder").symlink_to(kept)
        (seat.cwd / "file").symlink_to(kept / "a")
        shutil.rmtree(seat.home / "tmp")
        (seat.home / "tmp").symlink_to(kept)

    assert (kept / "a").exists()
    assert not (tmp_path / "work" / "1").exists()


def test_folders_that_a_run_closed_are_removed(
    seats: Seats, study: Study, question: Question, tmp_path: Path
) -> None:
    with seats.seat(1, study, question, tmp_path / "out") as seat:
        (seat.home / "a" / "b").mkdir(parents=True)
        (seat.home / "a" / "b" / "c").touch()
        (seat.home / "a" / "b").chmod(0o500)
        (seat.home / "a").chmod(0o000)

    assert not (tmp_path / "work" / "1").exists()


@contextmanager
def writing(seat: Seat) -> Iterator[subprocess.Popen[bytes]]:
    """A process that does not end by itself, and goes on writing below the seat's home."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(seat.home)],
        env={"HOME": str(seat.home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


on_linux = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="no /proc here")


@on_linux
def test_what_still_runs_and_writes_at_the_end_is_ended(
    seats: Seats, study: Study, question: Question, tmp_path: Path
) -> None:
    with seats.seat(1, study, question, tmp_path / "out") as seat:
        stack = writing(seat)
        process = stack.__enter__()

    assert process.wait() == -15
    assert not (tmp_path / "work" / "1").exists()
    stack.__exit__(None, None, None)


@on_linux
def test_a_process_with_another_home_is_left_alone(
    seats: Seats, study: Study, question: Question, tmp_path: Path
) -> None:
    with seats.seat(2, study, question, tmp_path / "out") as other, writing(other) as process:
        with seats.seat(1, study, question, tmp_path / "out"):
            pass

        assert process.poll() is None


def test_a_failed_run_is_cleared_away_as_well(
    seats: Seats, study: Study, question: Question, tmp_path: Path
) -> None:
    with pytest.raises(RuntimeError), seats.seat(1, study, question, tmp_path / "out"):
        raise RuntimeError

    assert not (tmp_path / "work" / "1").exists()


def test_a_workspace_is_built_once_a_question(
    seats: Seats, study: Study, question: Question, tmp_path: Path
) -> None:
    with seats.seat(1, study, question, tmp_path / "out"):
        pass
    shutil.rmtree(study.folder / "app")  # no second fetch could work

    with seats.seat(1, study, question, tmp_path / "out") as seat:
        assert git(seat.cwd, "log", "--format=%s") == "first"
