"""A limit of costs: a prompt is watched, and ended where a call of the model would follow that is not allowed."""

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from limited import OfCalls
from recorded import KEY, Recorded, result, seat_in, tokens, transcript

from truerecall.study.design import SolverChoice
from truerecall.study.records import Call, Exchange
from truerecall.study.solvers.claude_transcript import Transcripts
from truerecall.study.solvers.command import read_printed
from truerecall.study.solvers.protocol import Equipment
from truerecall.study.solvers.secrets import Masking
from truerecall.study.solvers.table import solver

CALL = '{"type":"call","id":"c-1","model":"m","input":5,"output":6}'
TOOL = '{"type":"tool","id":"t-1","name":"Read","outcome":"ok"}'
WAITING = f"import signal\nprint({CALL!r})\nprint({TOOL!r}, flush=True)\nsignal.pause()"


def claude_asked(claude: Recorded, limit: OfCalls) -> Exchange:
    asked = solver(claude.choice, {"PATH": os.environ["PATH"], "ANTHROPIC_API_KEY": KEY})
    conversation = asked.begin(claude.seat, Equipment())
    exchange = conversation.ask("Does login work?", "question", limit)
    conversation.close()
    return exchange


def command_asked(folder: Path, source: str, limit: OfCalls | None, timeout: float = 60.0) -> Exchange:
    choice = SolverChoice(name="command", command=(sys.executable, "-S", "-c", source), timeout=timeout)
    begun = solver(choice, {"ANTHROPIC_API_KEY": KEY, "PATH": os.environ["PATH"]}).begin(
        seat_in(folder), Equipment()
    )
    return begun.ask("Does login work?", "question", limit)


def test_claude_code_is_ended_by_its_transcript_with_all_that_it_used(tmp_path: Path) -> None:
    claude = Recorded(tmp_path)
    claude.step(transcript("2.1.332_resumed", 0, 29), hang=True)
    limit = OfCalls(2)
    exchange = claude_asked(claude, limit)

    assert (exchange.ended, exchange.problem) == ("failed", "it ended with code -15 and without a result")
    assert len(exchange.calls) == 2 and exchange.calls == limit.asked[-1]
    assert tokens(exchange.calls) == (8, 180, 12_000, 12_500, 0)


def test_the_command_line_of_claude_code_does_not_say_what_the_limit_is(tmp_path: Path) -> None:
    claude = Recorded(tmp_path)
    for _ in range(2):
        claude.step(transcript("2.1.332_resumed", 0, 38), result("332_first"))
    claude.ask()
    exchange = claude_asked(claude, OfCalls(9))
    without, within = claude.calls()

    assert exchange.ended == "answered"
    assert without["arguments"][:-1] == within["arguments"][:-1]
    assert without["environment"] == within["environment"]


def test_no_further_call_is_to_follow_where_the_last_one_used_no_tool(tmp_path: Path) -> None:
    folder = tmp_path / "projects" / "-ws"
    folder.mkdir(parents=True)
    transcripts = Transcripts(tmp_path, Masking(None))
    found = []
    for end in (18, 19, 20, 26, 27, 33, 34):
        (folder / "s.jsonl").write_text(transcript("2.1.332_resumed", 0, end), "utf-8")
        found.append(len(transcripts.under_way("s")))

    assert found == [0, 0, 1, 1, 2, 2, 0]


def test_a_prompt_that_is_over_is_not_taken_for_the_one_under_way(tmp_path: Path) -> None:
    folder = tmp_path / "projects" / "-ws"
    folder.mkdir(parents=True)
    (folder / "s.jsonl").write_text(transcript("2.1.332_resumed", 0, 29), "utf-8")
    transcripts = Transcripts(tmp_path, Masking(None))

    assert transcripts.under_way("s") == transcripts.added("s").calls != []
    assert transcripts.under_way("s") == []


def test_a_command_is_ended_by_what_it_prints(tmp_path: Path) -> None:
    limit = OfCalls(1)
    exchange = command_asked(tmp_path, WAITING, limit)

    assert (exchange.ended, exchange.problem) == ("failed", "it ended with code -15")
    assert exchange.calls == limit.asked[-1] == [Call(id="c-1", model="m", input=5, output=6)]
    assert [use.id for use in exchange.uses] == ["t-1"]


def test_a_command_that_stays_within_its_limit_has_its_time(tmp_path: Path) -> None:
    limit = OfCalls(2)
    exchange = command_asked(tmp_path, WAITING, limit, timeout=1.0)

    assert (exchange.ended, len(exchange.calls)) == ("timeout", 1)
    assert limit.asked, "it was looked at"


@pytest.mark.parametrize(
    ("lines", "using"), [([CALL], False), ([CALL, TOOL], True), ([TOOL, CALL], False), ([TOOL], True)]
)
def test_a_command_goes_on_after_a_call_where_it_used_a_tool(lines: list[str], using: bool) -> None:
    assert read_printed("\n".join(lines).encode(), Masking(None)).using is using


def test_a_command_is_told_what_is_left(tmp_path: Path) -> None:
    source = (
        "import json, os\n"
        "told = os.environ.get('TRUERECALL_STUDY_LIMIT', 'none')\n"
        "print(json.dumps({'type': 'answer', 'text': told}))"
    )
    limit = replace(OfCalls(9), dollars=1.25)

    assert command_asked(tmp_path, source, limit).answer == "1.250000"
    assert command_asked(tmp_path, source, None).answer == "none"
