"""The hook's side: what it makes of any answer, when it starts the process, and where it looks for it."""

import json
import os
import select
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from truerecall import __version__
from truerecall.agents.places import Places
from truerecall.agents.resident.address import lock_path, ours, socket_path
from truerecall.agents.resident.client import ask, listening
from truerecall.agents.resident.protocol import Found, Question, Reply, line_of, question_in
from truerecall.errors import InvalidSettings

WINDOWS = "Login on Windows fails because the path separator of the token cache was hard-coded."
ASKED = "Why does the login fail on Windows?"
OTHER = "Billing's nightly job runs at three."
WAIT = 60

RECORD = """#!{python}
import json, sys
with open({fifo!r}, "w") as pipe:
    pipe.write(json.dumps(sys.argv[1:]) + "\\n")
"""


class Pretender:
    """Listens where the resident process would, and answers what a test wants."""

    def __init__(self, path: Path, answers: Callable[[Question], bytes]) -> None:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        self._answers = answers
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen()
        self.asked: list[Question] = []
        self._thread = threading.Thread(target=self._work)
        self._thread.start()

    def _work(self) -> None:
        while True:
            connection, _ = self._listener.accept()
            with connection:
                line = connection.makefile("rb").readline()
                if line == b"end\n":
                    return
                question = question_in(line)
                if question is not None:
                    self.asked.append(question)
                    with suppress(BrokenPipeError):  # it waits no longer
                        connection.sendall(self._answers(question))

    def close(self, path: Path) -> None:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(path))
            connection.sendall(b"end\n")
        self._thread.join(WAIT)
        self._listener.close()


@contextmanager
def pretending(home: Any, answers: bytes | Reply | Callable[[Question], bytes]) -> Iterator[Pretender]:
    if isinstance(answers, Reply):
        answers = line_of(answers)
    made = Pretender(home.socket, answers if callable(answers) else lambda _: answers)
    try:
        yield made
    finally:
        made.close(home.socket)


def naming(*ids: str) -> Reply:
    return Reply("", True, tuple(Found(each, 1.0) for each in ids))


@pytest.fixture
def by_words(home: Any) -> str:
    """What the lean recall puts before the model."""
    home.remember(WINDOWS, OTHER)
    text: str = home.prompt(ASKED, Path("/bin/true"))
    assert WINDOWS in text
    lock_path(home.places).parent.mkdir(exist_ok=True, mode=0o700)
    lock_path(home.places).touch()  # it was started a moment ago
    return text


def test_what_it_names_is_put_before_the_model_in_its_order(home: Any) -> None:
    first, second = home.remember(WINDOWS, OTHER)
    with pretending(home, naming(second, first)) as pretender:
        text = home.prompt(ASKED)

    assert text.index(OTHER) > 0
    assert WINDOWS in text
    (asked,) = pretender.asked
    assert asked == home.question(ASKED)
    assert asked.version == __version__


def test_entries_of_other_scopes_are_not_let_in_whatever_it_answers(home: Any, by_words: str) -> None:
    foreign = [
        *home.remember("The shop's secret plan.", space="shop"),
        *home.remember("A rival's secret plan.", tenant="rivals"),
    ]
    (known,) = home.remember("Named by the process alone.")
    with pretending(home, naming(*foreign, "no id", "018f2b6e-0000-7000-8000-000000000000", known)):
        mixed = home.prompt(ASKED)
    home.socket.unlink()
    with pretending(home, naming(*foreign)):
        only_foreign = home.prompt(ASKED)
    home.socket.unlink()

    assert "Named by the process alone." in mixed
    assert "secret plan" not in mixed
    assert only_foreign == home.prompt(ASKED)
    assert WINDOWS in only_foreign


def test_where_it_says_that_nothing_is_relevant_nothing_is_recalled(home: Any, by_words: str) -> None:
    with pretending(home, Reply("", False)):
        assert home.prompt(ASKED) == ""


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b'{"reason":"","relevant":true,',
        b"[]\n",
        b"\xff\xfe\n",
        b"x" * 200_000,
        Reply("failed"),
        Reply("no model"),
        Reply("", True),
        Reply("other version"),
    ],
    ids=["nothing", "half", "no object", "no text", "too much", "failed", "no model", "no hits", "version"],
)
def test_where_it_gives_no_answer_the_lean_recall_does_the_work(
    answer: bytes | Reply, home: Any, by_words: str
) -> None:
    with pretending(home, answer):
        assert home.prompt(ASKED) == by_words


def test_a_process_that_hangs_costs_a_prompt_no_more_than_its_patience(home: Any, by_words: str) -> None:
    release = threading.Event()

    def hang(_: Question) -> bytes:
        release.wait(WAIT)
        return b""

    with pretending(home, hang):
        assert home.prompt(ASKED) == by_words
        release.set()


def test_what_is_private_and_a_long_paste_are_not_sent(home: Any, by_words: str) -> None:
    with pretending(home, Reply()) as pretender:
        home.prompt(f"<private>hunter2</private> {'word ' * 20_000} {ASKED}")

    (asked,) = pretender.asked
    assert "hunter2" not in asked.query
    assert len(asked.query) == 1001
    assert asked.query.endswith(ASKED)


@pytest.fixture
def started(home: Any, tmp_path: Path) -> Callable[[], list[str]]:
    """What was started, one after the other; ``script`` stands in the place of Python."""
    fifo = tmp_path / "started"
    os.mkfifo(fifo)
    (tmp_path / "script").write_text(RECORD.format(python=sys.executable, fifo=str(fifo)), encoding="utf-8")
    (tmp_path / "script").chmod(0o755)
    descriptor = os.open(fifo, os.O_RDWR | os.O_NONBLOCK)

    def read() -> list[str]:
        ready, _, _ = select.select([descriptor], [], [], WAIT)
        assert ready, "nothing was started"
        line = b""
        while not line.endswith(b"\n"):
            line += os.read(descriptor, 1)
        found: list[str] = json.loads(line)
        return found

    return read


def test_a_prompt_starts_it_where_it_does_not_run(home: Any, tmp_path: Path, started: Any) -> None:
    home.remember(WINDOWS)

    assert WINDOWS in home.prompt(ASKED, tmp_path / "script")
    assert started() == ["-P", "-m", "truerecall.agents.resident"]


def test_a_session_that_begins_starts_it(home: Any, tmp_path: Path, started: Any) -> None:
    home.hook({"hook_event_name": "SessionStart", "source": "startup"}, tmp_path / "script")
    begun = [started(), started()]  # beside the sweep

    assert ["-P", "-m", "truerecall.agents.resident"] in begun


@pytest.mark.parametrize("age", [5, 61, -5])
def test_after_a_start_none_is_started_for_a_minute(
    age: int, home: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from datetime import UTC, datetime

    from truerecall.agents.hook import capturing
    from truerecall.agents.resident.asking import start_with_a_session

    calls: list[str] = []
    monkeypatch.setattr(
        capturing, "start", lambda arguments, environment, seconds, module: calls.append(module)
    )
    now = datetime(2026, 11, 20, 9, 5, tzinfo=UTC)
    home.places.state.mkdir(mode=0o700)
    lock_path(home.places).touch()
    os.utime(lock_path(home.places), times=(now.timestamp() - age,) * 2)

    start_with_a_session(home.places, home.environment, now)

    assert calls == ([] if age == 5 else ["truerecall.agents.resident"])


def test_none_is_started_where_one_listens_or_it_is_off(home: Any, tmp_path: Path) -> None:
    home.remember(WINDOWS)
    with pretending(home, Reply()):
        assert listening(home.socket)
        home.hook({"hook_event_name": "SessionStart", "source": "startup"}, Path("/bin/true"))
    home.socket.unlink()
    home.places.settings.unlink()
    home.prompt(ASKED, Path("/bin/false"))

    assert not lock_path(home.places).exists()


def test_a_socket_that_others_can_reach_is_not_asked(home: Any, by_words: str) -> None:
    with pretending(home, Reply()) as pretender:
        home.places.state.chmod(0o755)
        assert home.prompt(ASKED) == by_words
        assert pretender.asked == []
        home.places.state.chmod(0o700)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
def test_another_users_socket_is_not_asked(home: Any, by_words: str) -> None:
    with pretending(home, Reply()) as pretender:
        os.chown(home.socket, 65534, 65534)
        assert not ours(home.socket)
        assert ask(home.socket, home.question(ASKED)) == Reply("not ours")
        assert home.prompt(ASKED) == by_words
        assert pretender.asked == []


def test_what_is_no_socket_is_not_asked(home: Any, by_words: str) -> None:
    home.socket.write_text("", encoding="utf-8")

    assert ask(home.socket, home.question(ASKED)) == Reply("not ours")
    assert home.prompt(ASKED) == by_words


def places(state: str) -> Places:
    return Places(Path("/h"), Path("/h/agents.toml"), Path("/h/m.db"), Path(state))


def test_a_path_too_long_for_a_socket_lies_in_the_runtime_folder() -> None:
    long = places(f"/{'x' * 100}")

    found = socket_path(long, {"XDG_RUNTIME_DIR": "/run/user/7"})

    assert found.parent == Path("/run/user/7")
    assert found != socket_path(places(f"/{'y' * 100}"), {"XDG_RUNTIME_DIR": "/run/user/7"})
    assert socket_path(places("/h/state"), {}) == Path("/h/state/resident.sock")


@pytest.mark.parametrize(
    "environment", [{}, {"XDG_RUNTIME_DIR": "run"}, {"XDG_RUNTIME_DIR": f"/{'r' * 100}"}]
)
def test_without_one_it_is_refused_in_words(environment: dict[str, str]) -> None:
    with pytest.raises(InvalidSettings, match="longer than 100 bytes"):
        socket_path(places(f"/{'x' * 100}"), environment)
