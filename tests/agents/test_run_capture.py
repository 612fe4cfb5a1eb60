"""The process that hooks start: it ends by itself with nothing to say, whatever happens, and loses nothing."""

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from truerecall.agents.journal import read_notes
from truerecall.agents.project import project_of
from truerecall.agents.run_capture import run
from truerecall.core.clock import ManualClock

sys.path.insert(0, str(Path(__file__).parent))
from written_sessions import NOON, SESSION, Place, place_in  # found by the line above

OTHER = "99999999-2222-3333-4444-555555555555"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return place_in(tmp_path)


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A file system of 2 MB."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", os.fspath(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("mounting a tmpfs is not permitted here")
    yield folder
    subprocess.run(["umount", "--lazy", os.fspath(folder)], check=True)


def space_of(place: Place) -> str:
    return project_of(place.cwd, place.environment).space


def started(place: Place, *arguments: str, program: str = "") -> "subprocess.Popen[bytes]":
    """A real process; ``program`` runs in it first."""
    run_it = "from truerecall.agents.run_capture import main\nimport sys"
    code = f"{program}\n{run_it}\nsys.argv[1:] = {arguments!r}\nmain()"
    return subprocess.Popen(
        [sys.executable, "-c", code],
        env={**os.environ, **place.environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def session_arguments(path: Path) -> tuple[str, ...]:
    return ("--tool", "claude-code", "--transcript", str(path), "--session", SESSION)


def noted(place: Place) -> list[tuple[str, str, str, int]]:
    return [(one.tool, one.event, one.outcome, one.entries) for one in read_notes(place.places).notes]


def test_the_module_captures_a_session_and_its_subagents_and_says_nothing(place: Place) -> None:
    session = place.session().user("first question here")
    below = (
        place.session(session=f"{SESSION}/subagents/agent-a1", prefix="s")
        .user("told")
        .answer("the subagent's finding")
    )
    assert below.path.exists()
    done = subprocess.run(
        [sys.executable, "-P", "-m", "truerecall.agents.run_capture", *session_arguments(session.path)],
        env={**os.environ, **place.environment},
        cwd="/",
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert sorted(place.texts(space_of(place))) == ["first question here", "the subagent's finding"]
    assert noted(place) == [("claude-code", "capture", "captured", 2)]


def test_a_session_is_found_by_its_id_alone(place: Place) -> None:
    session = place.session().user("first question here")
    os.utime(session.path, (NOON.timestamp(), NOON.timestamp()))
    run(["--tool", "claude-code", "--session", SESSION], place.environment, ManualClock(NOON))
    assert place.texts(space_of(place)) == ["first question here"]


def test_a_sweep_takes_what_changed_lately_and_no_history(place: Place) -> None:
    old, new = place.session(), place.session(session=OTHER, prefix="n")
    old.user("of last month")
    new.user("of today")
    os.utime(old.path, (NOON.timestamp() - 40 * 86_400,) * 2)
    os.utime(new.path, (NOON.timestamp(),) * 2)
    run(["--sweep"], place.environment, ManualClock(NOON))
    assert place.texts(space_of(place)) == ["of today"]
    assert noted(place) == [("claude-code", "sweep", "captured", 1)]


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--tool"],
        ["--tool", "emacs", "--session", "x"],
        ["--tool", "codex"],
        ["--unknown"],
        ["--transcript", "/nowhere", "--session", "x"],
    ],
)
def test_arguments_that_make_no_sense_do_nothing(place: Place, arguments: list[str]) -> None:
    run(arguments, place.environment, ManualClock(NOON))
    assert not place.places.state.exists()
    assert not place.places.store.exists()


def test_a_transcript_that_is_not_there_is_noted(place: Place) -> None:
    run(session_arguments(Path("/nowhere.jsonl")), place.environment, ManualClock(NOON))
    assert noted(place) == [("claude-code", "capture", "failed", 0)]


def test_a_settings_file_that_is_wrong_captures_nothing_and_is_noted(place: Place) -> None:
    session = place.session().user("first question here")
    place.places.settings.parent.mkdir(parents=True)
    place.places.settings.write_text("[capture]\nexcluded = ['/w']\n", encoding="utf-8")
    run(session_arguments(session.path), place.environment, ManualClock(NOON))
    assert noted(place) == [("claude-code", "capture", "failed", 0)]
    assert not place.places.store.exists()


def test_it_may_be_switched_off(place: Place) -> None:
    session = place.session().user("first question here")
    place.places.settings.parent.mkdir(parents=True)
    place.places.settings.write_text("[hook]\ncapture = false\n", encoding="utf-8")
    run(session_arguments(session.path), place.environment, ManualClock(NOON))
    run(
        session_arguments(session.path),
        {**place.environment, "TRUERECALL_AGENTS_OFF": "1"},
        ManualClock(NOON),
    )
    assert not place.places.store.exists()


KILLED_AT = {
    "before anything is remembered": ("truerecall.agents.keeping", "Keeper", "turns", "before"),
    "after the turns are remembered": ("truerecall.agents.keeping", "Keeper", "turns", "after"),
    "after the facts are remembered": ("truerecall.agents.keeping", "Keeper", "facts", "after"),
    "after the turns are noted": ("truerecall.agents.progress", "Progress", "capture", "after"),
    "after the reading is noted": ("truerecall.agents.progress", "Progress", "reach", "after"),
    "before the progress is kept": ("truerecall.agents.progress", "Progress", "spend", "before"),
}
KILL = """
import importlib, os, signal
kind = getattr(importlib.import_module({module!r}), {kind!r})
original = getattr(kind, {name!r})
def killed(*arguments, **options):
    if {when!r} == "before":
        os.kill(os.getpid(), signal.SIGKILL)
    original(*arguments, **options)
    os.kill(os.getpid(), signal.SIGKILL)
setattr(kind, {name!r}, killed)
"""


@pytest.mark.parametrize("point", KILLED_AT.values(), ids=KILLED_AT.keys())
def test_a_capture_that_is_killed_is_done_again_and_stores_nothing_twice(
    place: Place, point: tuple[str, str, str, str]
) -> None:
    session = place.session().user("first question here").ran("pytest -q", "1 passed")
    session.answer("We decided to use PostgreSQL because SQLite locks.")
    module, kind, name, when = point
    program = KILL.format(module=module, kind=kind, name=name, when=when)
    killed = started(place, *session_arguments(session.path), program=program)
    killed.communicate()
    assert killed.returncode == -signal.SIGKILL
    again = started(place, *session_arguments(session.path))
    assert again.communicate() == (b"", b"")
    assert again.returncode == 0
    entries = [(entry.kind, entry.text) for entry in place.entries(space_of(place))]
    assert [text for kind, text in entries if kind == "turn"] == [
        "first question here",
        "ran `pytest -q`\n1 passed",
        "We decided to use PostgreSQL because SQLite locks.",
    ]
    facts = [text for kind, text in entries if kind == "fact"]
    assert facts.count("We decided to use PostgreSQL because SQLite locks.") == 1
    assert len(facts) == len(set(facts))


def test_two_captures_of_one_transcript_at_once_store_it_once(place: Place) -> None:
    session = place.session()
    for number in range(60):
        session.user(f"question number {number} of many").answer(f"answer number {number} of many")
    both = [started(place, *session_arguments(session.path)) for _ in range(2)]
    assert [process.communicate() for process in both] == [(b"", b"")] * 2
    assert [process.returncode for process in both] == [0, 0]
    texts = place.texts(space_of(place))
    assert len(texts) == 120
    assert len(set(texts)) == 120


def test_a_sweep_leaves_at_once_while_another_works(place: Place) -> None:
    import fcntl

    place.session().user("first question here")
    place.places.state.mkdir(parents=True)
    with (place.places.state / "sweep.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        swept = started(place, "--sweep")
        assert swept.communicate() == (b"", b"")
    assert swept.returncode == 0
    assert not place.places.store.exists()


def test_a_locked_store_loses_no_turn(place: Place) -> None:
    session = place.session().user("first question here")
    run(session_arguments(session.path), place.environment, ManualClock(NOON))
    session.answer("the answer that must not be lost")
    writer = sqlite3.connect(place.places.store, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    impatient = """
from truerecall.core.config import StoreSettings
original = StoreSettings.__init__
def impatient(self, **given):
    original(self, **{**given, "busy_timeout": 0.01})
StoreSettings.__init__ = impatient
"""
    held = started(place, *session_arguments(session.path), program=impatient)
    assert held.communicate() == (b"", b"")
    assert held.returncode == 0
    assert place.texts(space_of(place)) == ["first question here"]
    writer.execute("ROLLBACK")
    writer.close()
    os.utime(session.path, (NOON.timestamp(),) * 2)
    run(["--sweep"], place.environment, ManualClock(NOON))
    assert place.texts(space_of(place)) == ["first question here", "the answer that must not be lost"]
    assert [outcome for _, _, outcome, _ in noted(place)] == ["captured", "failed", "captured"]


def test_a_full_disk_loses_no_turn(place: Place, small: Path) -> None:
    environment = {
        **place.environment,
        "XDG_DATA_HOME": str(small / "data"),
        "XDG_STATE_HOME": str(small / "state"),
    }
    crowded = Place(place.home, place.cwd, environment, type(place.places).of(environment))
    session = crowded.session().user("first question here")
    run(session_arguments(session.path), environment, ManualClock(NOON))
    ballast = small / "ballast"
    with ballast.open("wb", buffering=0) as file, pytest.raises(OSError, match="No space"):
        while True:
            file.write(bytes(4096))
    for number in range(40):
        session.answer(f"answer {number} that must not be lost {'x' * 2000}")
    full = started(crowded, *session_arguments(session.path))
    assert full.communicate() == (b"", b"")
    assert full.returncode == 0
    ballast.unlink()
    again = started(crowded, *session_arguments(session.path))
    assert again.communicate() == (b"", b"")
    kept = crowded.texts(space_of(place))
    assert [text.split()[1] for text in kept if text.startswith("answer ")] == [str(n) for n in range(40)]
    assert sum(text.count("x") for text in kept if " " not in text or text.startswith("answer ")) >= 40 * 700


def test_a_folder_that_cannot_be_written_is_no_fault_of_the_agent(place: Place) -> None:
    session = place.session().user("first question here")
    place.home.joinpath(".local").write_bytes(b"a file where a folder belongs")
    done = started(place, *session_arguments(session.path))
    assert done.communicate() == (b"", b"")
    assert done.returncode == 0


def test_a_process_that_hangs_ends_within_its_time(place: Place) -> None:
    hanging = (
        "import threading\n"
        "import truerecall.agents.run_capture as r\n"
        "r.LONGEST = 0.2\n"
        "r.run = lambda *arguments: threading.Event().wait()\n"
    )
    process = started(place, "--sweep", program=hanging)
    assert process.communicate() == (b"", b"")
    assert process.returncode == 0
