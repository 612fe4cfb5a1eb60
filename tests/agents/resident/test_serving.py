"""The process's one loop, with a clock that a test moves: when it ends, and how many memories it holds."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from truerecall import ManualClock, Memory, __version__
from truerecall.agents.resident.answering import Answering
from truerecall.agents.resident.protocol import Question
from truerecall.agents.resident.server import Limits, Server
from truerecall.memory.store.lean import lean_store
from truerecall.models.hashing import HashingEmbedder

WINDOWS = "Login on Windows fails because the path separator of the token cache was hard-coded."


@pytest.fixture
def address() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="tr-") as folder:
        yield Path(folder) / "s"


@pytest.fixture
def store(tmp_path: Path, clock: ManualClock) -> Path:
    path = tmp_path / "m.db"
    with Memory.open(path, embedder="none", clock=clock) as memory:
        memory.remember(f"{WINDOWS} Number {number}." for number in range(40))
    return path


class Stopwatch:
    """Goes on by a second each time that somebody looks."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1
        return self.now


def test_ten_idle_minutes_end_it_also_while_it_makes_vectors(
    address: Path, store: Path, clock: ManualClock
) -> None:
    told: list[str] = []
    server = Server(address, HashingEmbedder(), clock, Limits(180.0, Stopwatch()), told.append)
    try:
        assert server.run(store) == "nobody asked for 3 minutes"
    finally:
        server.close()

    assert not address.exists()
    assert told == []
    with lean_store(store, 1.0) as db:
        (made,) = db.execute("SELECT count(DISTINCT entry) FROM vector").fetchone()
    assert 0 < made < 40


def test_a_signal_ends_it_and_nothing_that_comes_later_changes_why(address: Path, clock: ManualClock) -> None:
    server = Server(address, HashingEmbedder(), clock, Limits(600.0), lambda _: None)
    server.stop("it was told to end")
    address.unlink()
    try:
        assert server.run() == "it was told to end"
    finally:
        server.close()


def test_more_projects_than_it_keeps_open_are_answered_all_the_same(store: Path, clock: ManualClock) -> None:
    answering = Answering(HashingEmbedder(), clock)
    spaces = [f"space-{number}" for number in range(6)]
    for space in spaces:
        with Memory.open(store, space=space, embedder="none", clock=clock) as memory:
            memory.remember(f"{WINDOWS} In {space}.")
    found = {}
    for space in [*spaces, *reversed(spaces)]:
        question = Question(
            __version__, str(store), "local", space, "me", "login on Windows", 5, ("learned",), ""
        )
        (hit,) = answering.answer(question).hits
        found[space] = hit.id

    assert len(set(found.values())) == 6
    assert len(answering.open) == 4
    answering.close()
    assert answering.open == ()
