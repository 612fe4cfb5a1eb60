"""The sample's coding agent: real hooks, real tools, one conversation a side against the scripted server."""

import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from truerecall.models.scripted import Scenario, ScriptedServer
from truerecall.study.cut import cut
from truerecall.study.design import Question, SideKind, SolverChoice, Study
from truerecall.study.frozen import read_frozen
from truerecall.study.records import Exchange
from truerecall.study.sample.agent_tools import LOOSE, use
from truerecall.study.sample.making import SAMPLE
from truerecall.study.seats import Seats
from truerecall.study.sides.stage import Stage
from truerecall.study.sides.table import equip
from truerecall.study.solvers.command import CommandSolver
from truerecall.study.solvers.protocol import Conversation

AGENT = (sys.executable, "-m", "truerecall.study.sample.agent")
GIVEN = {"PATH": os.environ["PATH"], "ANTHROPIC_API_KEY": "scripted"}
NEUTRAL = "Tea is grown on slopes, and picked by hand. " * 20
FOLLOW_UP = "A reviewer says your answer is incomplete or wrong in places; keep investigating."


class Talks:
    """Conversations of the agent about one question, each in a seat of its own."""

    def __init__(self, sample: Study, question: Question, folder: Path, server: ScriptedServer) -> None:
        self.server = server
        choice = SolverChoice("command", command=AGENT, environment={"ANTHROPIC_BASE_URL": server.root})
        self._study = replace(sample, solver=choice)
        self._question, self._folder = question, folder
        self._seats = Seats(folder / "work", GIVEN)
        self._cut = folder / "cut.db"
        cut(read_frozen(sample), question, self._cut)

    @contextmanager
    def on(self, kind: SideKind) -> Iterator[Conversation]:
        side = next(side for side in self._study.sides if side.kind == kind)
        with self._seats.seat(1, self._study, self._question, self._folder / "outputs") as seat:
            equipment = equip(side, Stage(self._study, self._question, seat, self._cut, NEUTRAL))
            conversation = CommandSolver(self._study.solver, GIVEN).begin(seat, equipment)
            yield conversation
            conversation.close()


@pytest.fixture
def talks(sample: Study, questions: Mapping[str, Question], tmp_path: Path) -> Iterator[Talks]:
    with ScriptedServer(Scenario.read(SAMPLE / "scenario.jsonl"), caching=True) as server:
        yield Talks(sample, questions["signature"], tmp_path, server)


def used(exchange: Exchange) -> list[tuple[str, str]]:
    return [(use.name, use.outcome) for use in exchange.uses]


def metered(server: ScriptedServer, exchanges: list[Exchange]) -> None:
    """What the agent told is what the server counted, call by call."""
    told = [
        (call.input, call.cache_read, call.cache_write_5m, call.output)
        for exchange in exchanges
        for call in exchange.calls
    ]
    assert told == [(0, call.tokens_cached, call.tokens_written, call.tokens_out) for call in server.calls]
    assert all(call.tokens_in == call.tokens_cached + call.tokens_written for call in server.calls)


def test_the_memory_side_is_given_the_block_and_answers_at_once(
    talks: Talks, questions: Mapping[str, Question], tmp_path: Path
) -> None:
    with talks.on("memory") as conversation:
        exchange = conversation.ask(questions["signature"].text, "question")
        (journal,) = [path.read_text(encoding="utf-8") for path in tmp_path.rglob("hooks.jsonl")]

    assert (exchange.ended, exchange.problem) == ("answered", "")
    assert used(exchange) == [("Read", "ok"), ("Read", "ok")]
    assert [one.event for one in exchange.injected] == ["SessionStart", "UserPromptSubmit"]
    assert "a receiver refuses a signature that is older than 300 seconds" in exchange.injected[1].text
    assert "holds the id of the delivery and stays the same at every attempt" in exchange.injected[1].text
    assert exchange.injected[1].text in talks.server.calls[0].said
    assert exchange.answer.startswith(
        "It is no bug. As an earlier session of 12 March found out, each attempt"
    )
    metered(talks.server, [exchange])
    noted = [json.loads(line)["event"] for line in journal.splitlines()]
    hooks = ["SessionStart", "UserPromptSubmit", "Stop"]
    assert [event for event in noted if event in hooks] == hooks  # captures go on beside them


def test_the_side_without_memory_is_given_nothing_and_investigates(
    talks: Talks, questions: Mapping[str, Question]
) -> None:
    with talks.on("none") as conversation:
        exchange = conversation.ask(questions["signature"].text, "question")

    assert exchange.injected == []
    assert used(exchange) == [("Grep", "ok"), ("Read", "ok"), ("Read", "ok"), ("Bash", "ok"), ("Read", "ok")]
    assert "    Sign each attempt, not each delivery\n" in exchange.uses[3].output
    assert exchange.answer.startswith("It is not a bug. Every attempt is signed anew")
    assert "truerecall" not in talks.server.calls[-1].said
    metered(talks.server, [exchange])


def test_a_second_run_takes_another_way_and_a_follow_up_goes_on_with_its_conversation(
    talks: Talks, questions: Mapping[str, Question]
) -> None:
    with talks.on("none") as conversation:
        first = conversation.ask(questions["signature"].text, "question")
    with talks.on("none") as conversation:
        part = conversation.ask(questions["signature"].text, "question")
        whole = conversation.ask(FOLLOW_UP, "follow-up")

    assert used(part) == [
        ("Glob", "ok"), ("Read", "ok"), ("Read", "ok"), ("Read", "denied"), ("Grep", "ok"), ("Read", "ok"),
        ("Read", "ok"),
    ]  # fmt: skip
    assert part.denied == [part.uses[3].id]
    assert part.uses[3].input == {"file_path": "../notes/signing.md"}
    assert "Pigeon-Delivery" not in part.answer
    assert "Pigeon-Delivery" in whole.answer
    assert whole.session == part.session != first.session
    metered(talks.server, [first, part, whole])


def test_the_redo_side_investigates_for_the_request_and_knows_it_at_the_question(
    talks: Talks, questions: Mapping[str, Question]
) -> None:
    asked = questions["signature"]
    with talks.on("redo") as conversation:
        request = conversation.ask(asked.request, "request")
        exchange = conversation.ask(asked.text, "question")

    assert used(request) == [("Grep", "ok"), ("Read", "ok"), ("Read", "ok"), ("Bash", "ok")]
    assert used(exchange) == []
    assert exchange.answer.startswith("As I found for your first request, each attempt is signed anew")
    assert (request.injected, exchange.injected) == ([], [])
    metered(talks.server, [request, exchange])


def test_the_placebo_side_is_given_its_text_and_investigates(
    talks: Talks, questions: Mapping[str, Question]
) -> None:
    with talks.on("placebo") as conversation:
        exchange = conversation.ask(questions["signature"].text, "question")

    assert [(one.event, one.text) for one in exchange.injected] == [("UserPromptSubmit", NEUTRAL.strip())]
    assert used(exchange)[0] == ("Grep", "ok")
    assert exchange.answer.startswith("It is not a bug. Every attempt is signed anew")
    metered(talks.server, [exchange])


def test_a_model_that_cannot_be_asked_fails_the_exchange(
    sample: Study, questions: Mapping[str, Question], tmp_path: Path
) -> None:
    refusing = Scenario.of({"when": "", "fail": "400", "reply": "no such thing"})
    with (
        ScriptedServer(refusing) as server,
        Talks(sample, questions["signature"], tmp_path, server).on("none") as conversation,
    ):
        exchange = conversation.ask(questions["signature"].text, "question")

    assert exchange.ended == "failed"
    assert "the model answered 400" in exchange.problem
    assert "no such thing" in exchange.problem


OUTSIDE = [
    ("Read", {"file_path": "../secret.txt"}),
    ("Read", {"file_path": "link.txt"}),
    ("Grep", {"pattern": "s", "path": ".."}),
    ("Glob", {"pattern": "../*.txt"}),
    ("Bash", {"command": "cat ../secret.txt"}),
    ("Bash", {"command": "cat link.txt"}),
    ("Bash", {"command": "git diff --no-index /dev/null ../secret.txt"}),
    ("Bash", {"command": "git -C .. log"}),
    ("Bash", {"command": "git blame --contents=../secret.txt inside.txt"}),
    ("Bash", {"command": "git show HEAD:../secret.txt"}),
    ("Bash", {"command": "git -c core.pager=x log"}),
    ("Bash", {"command": "git clone . x"}),
    ("Bash", {"command": "wc --files0-from=../secret.txt"}),
    ("Bash", {"command": ""}),
    ("Bash", {"command": "git show --output=../written HEAD"}),
    ("Bash", {"command": "cat inside.txt; cat ../secret.txt"}),
    ("Bash", {"command": "cat $HOME/secret.txt"}),
    ("Bash", {"command": "python3 -c 'print(1)'"}),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    folder.mkdir()
    (tmp_path / "secret.txt").write_text("the secret\n", encoding="utf-8")
    (folder / "inside.txt").write_text("one\ntwo\n", encoding="utf-8")
    (folder / "link.txt").symlink_to("../secret.txt")
    return folder


@pytest.mark.parametrize(("tool", "given"), OUTSIDE)
def test_nothing_outside_the_folder_is_read(tool: str, given: dict[str, str], folder: Path) -> None:
    done = use(tool, given, folder, GIVEN)

    assert done.outcome == "denied"
    assert "secret\n" not in done.output
    assert not (folder.parent / "written").exists()


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("Read", {"file_path": "../secret.txt"}),
        ("Read", {"file_path": "link.txt"}),
        ("Bash", {"command": "cat ../secret.txt"}),
        ("Bash", {"command": "git diff --no-index /dev/null ../secret.txt || true"}),
    ],
)
def test_with_its_confinement_loosened_it_reads_what_it_must_not(
    tool: str, given: dict[str, str], folder: Path
) -> None:
    done = use(tool, given, folder, {**GIVEN, LOOSE: "1"})

    assert done.outcome == "ok"
    assert "the secret" in done.output


def test_what_fails_within_the_folder_is_told(folder: Path) -> None:
    assert use("Read", {"file_path": "none.txt"}, folder, GIVEN).outcome == "failed"
    assert use("Grep", {"pattern": "("}, folder, GIVEN).outcome == "failed"
    assert use("Bash", {"command": "cat none.txt"}, folder, GIVEN).outcome == "failed"
    assert use("Write", {}, folder, GIVEN).output == "there is no tool Write"


def test_files_are_read_with_numbers_and_searched_with_places(folder: Path) -> None:
    assert use("Read", {"file_path": "inside.txt"}, folder, GIVEN).output == "1\tone\n2\ttwo"
    assert use("Grep", {"pattern": "t.o"}, folder, GIVEN).output == "inside.txt:2:two"
    assert use("Glob", {"pattern": "in*"}, folder, GIVEN).output == "inside.txt"
    assert use("Bash", {"command": "cat inside.txt | head -n 1"}, folder, GIVEN).output == "one\n"
