"""The resident process as it runs: it answers, is alone, ends by itself, and the hook does without it at any time."""

import os
import signal
import socket
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from truerecall.agents.resident.client import ask
from truerecall.agents.resident.protocol import Reply, line_of
from truerecall.memory.memory import Memory
from truerecall.memory.store.lean import lean_store

WINDOWS = "Login on Windows fails because the path separator of the token cache was hard-coded."
ASKED = "Why does the login fail on Windows?"
OTHERS = (
    "Billing's nightly job runs at three.",
    "Snapshots of parser tests are renewed with make snapshots.",
    "A theme file gives each header its colour.",
)
FILLED = """
fill = filling.Filling.run
def filled(self):
    try:
        return fill(self)
    finally:
        says(b"F")
filling.Filling.run = filled
"""
DIES = """
def answer(self, question):
    says(b"A")
    os.kill(os.getpid(), 9)
answering.Answering.answer = answer
"""
SMALL = (
    """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (33_000, 33_000))
"""
    + FILLED
)


def patient(home: Any, query: str = ASKED, **changed: Any) -> Reply:
    """Asks and waits, as no hook would."""
    return ask(home.socket, home.question(query, **changed), 30.0)


def filled(home: Any, more: str = FILLED) -> Any:
    """A process that has given all entries their vectors, as far as it could."""
    running = home.start(more)
    assert running.heard() == b"F"
    return running


def vectors(path: Path) -> int:
    with lean_store(path, 1.0) as db:
        return int(db.execute("SELECT count(DISTINCT entry) FROM vector").fetchone()[0])


def test_it_answers_with_what_the_whole_pipeline_recalls_the_best_first(home: Any) -> None:
    ids = home.remember(WINDOWS, *OTHERS)
    filled(home)

    reply = patient(home)

    assert (reply.reason, reply.relevant, reply.hits[0].id) == ("", True, ids[0])
    assert {hit.id for hit in reply.hits} == set(ids)
    assert [hit.score for hit in reply.hits] == sorted((hit.score for hit in reply.hits), reverse=True)


def test_the_hook_puts_its_answer_before_the_model(home: Any) -> None:
    home.remember(WINDOWS, *OTHERS)
    by_words = home.prompt(ASKED, Path("/bin/true"))
    filled(home)
    patient(home)  # the first question opens the memory, and may take long

    text = home.prompt(ASKED)

    assert WINDOWS in by_words
    assert not any(other in by_words for other in OTHERS)
    assert WINDOWS in text
    assert all(other in text for other in OTHERS)


def test_where_nothing_is_relevant_nothing_is_answered(home: Any) -> None:
    home.remember(WINDOWS, *OTHERS)
    home.start()

    assert patient(home, "ok, go on")._replace(milliseconds=0) == Reply()
    assert home.prompt("ok, go on") == ""


def test_of_eight_that_start_at_once_one_stays(home: Any) -> None:
    home.remember(WINDOWS)

    started = [home.start(wait=False) for _ in range(8)]
    heard = [each.heard() for each in started]

    assert sorted(heard) == [b""] * 7 + [b"L"]
    assert [each.ended() for each, said in zip(started, heard, strict=True) if not said] == [0] * 7
    assert patient(home).relevant
    assert home.told() == [("started", "")]


def test_one_that_is_killed_while_it_answers_leaves_the_hook_its_lean_recall(home: Any) -> None:
    home.remember(WINDOWS, *OTHERS)
    by_words = home.prompt(ASKED, Path("/bin/true"))
    dying = home.start(DIES)

    assert home.prompt(ASKED) == by_words
    assert dying.heard() == b"A"
    assert dying.ended() == -signal.SIGKILL


def test_the_socket_of_a_killed_one_is_taken_over(home: Any) -> None:
    home.remember(WINDOWS)
    killed = home.start()
    killed.process.kill()
    killed.ended()
    assert home.socket.is_socket()
    assert ask(home.socket, home.question(ASKED)).reason == "not running"

    home.start()

    assert patient(home).relevant


def test_it_ends_when_nobody_asks(home: Any) -> None:
    home.settings(minutes=0.0005)
    idle = home.start()

    assert idle.ended() == 0
    assert not home.socket.exists()
    assert home.told() == [("started", ""), ("off", "nobody asked for 0.0005 minutes")]


def test_it_ends_when_it_is_told_to(home: Any) -> None:
    running = filled(home)  # by now it listens to signals
    running.process.send_signal(signal.SIGTERM)

    assert running.ended() == 0
    assert not home.socket.exists()
    assert home.told() == [("started", ""), ("off", "it was told to end")]


@pytest.mark.parametrize("replaced", [False, True], ids=["gone", "another's"])
def test_it_ends_when_its_socket_is_not_its_own_any_more(replaced: bool, home: Any) -> None:
    home.settings(minutes=0.5)  # it looks eight times in that
    running = home.start()
    home.socket.unlink()
    if replaced:
        home.socket.touch()

    assert running.ended() == 0
    assert home.socket.exists() is replaced
    assert home.told()[-1] == ("off", "its socket is gone or another's")


def test_it_ends_when_another_version_asks(home: Any) -> None:
    home.remember(WINDOWS)
    running = home.start()

    assert patient(home, version="0.0.1") == Reply("other version")
    assert running.ended() == 0
    assert not home.socket.exists()
    assert home.told()[-1] == ("off", "another version is installed")


def test_it_ends_where_the_stores_vectors_are_of_another_model(home: Any) -> None:
    home.remember(WINDOWS)
    running = filled(home)
    with closing(sqlite3.connect(home.places.store)) as db, db:
        db.execute("UPDATE model SET name = 'another'")

    assert patient(home) == Reply("no model")
    assert running.ended() == 0
    assert home.told()[-1] == ("off", "the store's vectors are of another model")


def test_a_store_that_is_not_there_is_not_made(home: Any) -> None:
    home.start()

    assert patient(home) == Reply("no store")
    assert not home.places.store.exists()


@pytest.mark.parametrize("line", [b"{}\n", b"[1]\n", b"\xff\n", b'{"version":1}\n', b"{" * 100_000 + b"\n"])
def test_what_is_no_question_is_answered_so_and_it_goes_on(line: bytes, home: Any) -> None:
    home.remember(WINDOWS)
    home.start()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(30)
        connection.connect(str(home.socket))
        connection.sendall(line[:65_000] + b"\n")
        assert b'"bad question"' in connection.recv(4096)

    assert patient(home, user="*") == Reply("bad question")
    assert patient(home, store="m.db") == Reply("bad question")
    assert patient(home, trust=("boss",)) == Reply("bad question")
    assert patient(home).relevant


def test_the_session_that_asks_is_left_out_with_its_subagents(home: Any) -> None:
    first, second = home.remember(WINDOWS, f"{WINDOWS} Again.")
    home.start()

    assert {hit.id for hit in patient(home).hits} == {first, second}
    assert [hit.id for hit in patient(home, session="s-0").hits] == [second]
    assert len(patient(home, session="s").hits) == 2


def test_each_reader_gets_what_it_may_see_of_each_store(home: Any, tmp_path: Path) -> None:
    (own,) = home.remember(WINDOWS)
    (foreign,) = home.remember(f"{WINDOWS} In the shop.", space="shop")
    (second,) = home.remember(f"{WINDOWS} In the other store.", path=tmp_path / "second.db")
    home.start()

    asked = {
        "own": patient(home),
        "shop": patient(home, space="shop"),
        "second": patient(home, store=str(tmp_path / "second.db")),
        "nobody's": patient(home, tenant="rivals"),
    }

    assert {name: [hit.id for hit in reply.hits] for name, reply in asked.items()} == {
        "own": [own],
        "shop": [foreign],
        "second": [second],
        "nobody's": [],
    }


def test_a_store_that_takes_the_place_of_another_is_read(home: Any) -> None:
    home.remember(WINDOWS)
    home.start()
    assert patient(home).relevant
    for suffix in ("", "-wal", "-shm"):
        home.places.store.with_name(home.places.store.name + suffix).unlink(missing_ok=True)
    (other,) = home.remember(f"{WINDOWS} In another store.")

    reply = patient(home)
    assert (reply.reason, [hit.id for hit in reply.hits]) == ("", [other])


def test_what_was_captured_without_vectors_gets_them(home: Any) -> None:
    home.remember(WINDOWS, *OTHERS)
    running = filled(home)
    assert vectors(home.places.store) == 4

    home.remember("The cello is tuned in fifths.", space="music")
    patient(home)

    assert running.heard() == b"F"
    assert vectors(home.places.store) == 5


def test_a_purge_beside_it_is_finished_at_once(home: Any) -> None:
    ids = home.remember(WINDOWS, *OTHERS)
    running = filled(home)
    patient(home)
    assert running.heard() == b"F"
    with Memory.open(home.places.store, user="grace", space=home.space, embedder="none") as memory:
        purged = memory.purge(ids[0])

    assert (purged.ids, purged.pending) == ((ids[0],), False)
    assert {hit.id for hit in patient(home, OTHERS[0]).hits} == set(ids[1:])


def test_a_store_that_another_writes_to_is_read_all_the_same(home: Any) -> None:
    (known,) = home.remember(WINDOWS)
    filled(home)
    with closing(sqlite3.connect(home.places.store, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        reply = patient(home)
        other.execute("ROLLBACK")

    assert (reply.reason, [hit.id for hit in reply.hits]) == ("", [known])


def test_on_a_full_disk_it_answers_and_says_what_could_not_be_written(home: Any) -> None:
    known = home.remember(*(f"{WINDOWS} Number {number}." for number in range(200)))
    running = filled(home, SMALL)

    reply = patient(home)

    assert (reply.reason, reply.relevant) == ("", True)
    assert {hit.id for hit in reply.hits} < set(known)
    assert vectors(home.places.store) < 200
    running.process.send_signal(signal.SIGTERM)
    assert running.ended() == 0
    assert [outcome for outcome, _ in home.told()][:2] == ["started", "failed"]


def test_it_does_not_listen_where_others_can_enter(home: Any) -> None:
    home.places.state.mkdir(mode=0o755)
    home.places.state.chmod(0o755)
    refused = home.start(wait=False)

    assert refused.heard() == b""
    assert refused.ended() == 0
    ((outcome, error),) = home.told()
    assert (outcome, "others can enter the folder" in error) == ("failed", True)


def test_only_its_user_can_reach_the_socket(home: Any) -> None:
    home.start()

    assert home.socket.stat().st_mode & 0o777 == 0o600
    assert home.places.state.stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
def test_another_users_question_is_not_answered(home: Any) -> None:
    home.remember(WINDOWS)
    home.start()
    for folder in (home.places.state, home.places.state.parent):
        folder.chmod(0o711)
    home.socket.chmod(0o666)
    program = (
        "import socket, sys\n"
        "s = socket.socket(socket.AF_UNIX)\n"
        "s.connect(sys.argv[1])\n"
        "try:\n"
        "    s.sendall(sys.argv[2].encode())\n"
        "    print(s.recv(4096))\n"
        "except (BrokenPipeError, ConnectionResetError):\n"
        "    print(b'')\n"
    )
    done = subprocess.run(
        ["/usr/bin/python3", "-I", "-c", program, str(home.socket), line_of(home.question(ASKED)).decode()],
        user=65534,
        group=65534,
        extra_groups=[],
        cwd="/",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert (done.stdout, done.stderr) == ("b''\n", "")
