"""A plain command as a solver: what it prints is read strictly, and whatever it prints is an exchange."""

import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recorded import KEY, seat_in

from truerecall.errors import StudyError
from truerecall.study.design import SolverChoice
from truerecall.study.records import Call, Exchange, Injected, ToolUse
from truerecall.study.solvers.command import read_printed
from truerecall.study.solvers.protocol import Equipment
from truerecall.study.solvers.secrets import Masking
from truerecall.study.solvers.table import solver

ANSWER = '{"type":"answer","text":"Yes."}'


def asked(folder: Path, source: str, prompts: int = 1, equipment: Equipment | None = None) -> list[Exchange]:
    """What comes of a Python program that is given as the command."""
    choice = SolverChoice(name="command", command=(sys.executable, "-S", "-c", source), timeout=60.0)
    conversation = solver(choice, {"ANTHROPIC_API_KEY": KEY, "PATH": os.environ["PATH"], "OURS": "1"}).begin(
        seat_in(folder), equipment or Equipment()
    )
    first = conversation.ask("Does login work?", "question")
    return [first, *(conversation.ask("Keep investigating.", "follow-up") for _ in range(prompts - 1))]


def printing(*lines: str) -> str:
    """A program that prints these lines."""
    return f"print({chr(10).join(lines)!r})"


def test_all_that_is_told_of_an_exchange_is_in_it(tmp_path: Path) -> None:
    (exchange,) = asked(
        tmp_path,
        printing(
            '{"type":"session","id":"s-1"}',
            '{"type":"call","id":"c-1","model":"m","input":5,"output":6,"cache_read":7,"cache_write_5m":8,"cache_write_1h":9}',
            "",
            '{"type":"tool","id":"t-1","name":"Read","input":{"file_path":"a.py"},"outcome":"ok","output":"retry = 3"}',
            '{"type":"tool","id":"t-2","name":"Bash","outcome":"denied"}',
            '{"type":"injected","event":"UserPromptSubmit","text":"recalled"}',
            ANSWER,
        ),
    )

    assert exchange.seconds > 0
    assert exchange == Exchange(
        kind="question",
        prompt="Does login work?",
        answer="Yes.",
        ended="answered",
        calls=[
            Call(id="c-1", model="m", input=5, output=6, cache_read=7, cache_write_5m=8, cache_write_1h=9)
        ],
        uses=[
            ToolUse(id="t-1", name="Read", input={"file_path": "a.py"}, outcome="ok", output="retry = 3"),
            ToolUse(id="t-2", name="Bash", outcome="denied"),
        ],
        injected=[Injected(event="UserPromptSubmit", text="recalled")],
        denied=["t-2"],
        seconds=exchange.seconds,
        session="s-1",
    )


def test_a_call_counts_once_in_a_conversation_by_its_last_line(tmp_path: Path) -> None:
    call = '{{"type":"call","id":"{}","model":"m","input":1,"output":{}}}'
    source = (
        "import os\n"
        "later = os.environ['TRUERECALL_STUDY_SESSION']\n"
        f"print({call.format('c-1', 1)!r})\n"
        f"print({call.format('c-1', 6)!r})\n"
        f"print({call.format('c-2', 7)!r} if later else '')\n"
        'print(\'{"type":"session","id":"s-1"}\')\n'
        f"print({ANSWER!r})\n"
    )
    first, second = asked(tmp_path, source, 2)

    assert [(call.id, call.output) for call in first.calls] == [("c-1", 6)]
    assert [(call.id, call.output) for call in second.calls] == [("c-2", 7)]


def test_the_command_gets_the_prompt_the_seat_and_what_the_study_says(tmp_path: Path) -> None:
    source = (
        "import json, os, sys\n"
        "told = {**os.environ, 'stdin': sys.stdin.read(), 'cwd': os.getcwd()}\n"
        'print(\'{"type":"session","id":"s-7"}\')\n'
        "print(json.dumps({'type': 'answer', 'text': json.dumps(told)}))\n"
    )
    equipment = Equipment(Path("/plug"), Path("/mcp.json"), (), {"MEMO": "1"})
    first, second = (json.loads(one.answer) for one in asked(tmp_path, source, 2, equipment))

    seat = seat_in(tmp_path)
    ours = {"LC_CTYPE", "PWD", "SHLVL", "_"}  # what Python and shells add by themselves
    assert {name: value for name, value in first.items() if name not in ours} == {
        "HOME": str(seat.home),
        "TMPDIR": str(seat.home / "tmp"),
        "PATH": os.environ["PATH"],
        "MEMO": "1",
        "ANTHROPIC_API_KEY": "[masked]",
        "TRUERECALL_STUDY_SESSION": "",
        "TRUERECALL_STUDY_PLUGIN": "/plug",
        "TRUERECALL_STUDY_MCP": "/mcp.json",
        "TRUERECALL_STUDY_MODEL": "claude-sonnet-5-5",
        "TRUERECALL_STUDY_MAX_TURNS": "40",
        "stdin": "Does login work?",
        "cwd": str(seat.cwd),
    }
    assert (second["TRUERECALL_STUDY_SESSION"], second["stdin"]) == ("s-7", "Keep investigating.")


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ((), "it printed no answer"),
        ((ANSWER, ANSWER), "it printed 2 answers"),
        (("thinking…", ANSWER), "line 1 of what it printed is no JSON in UTF-8"),
        (("[]", ANSWER), "line 1 of what it printed: "),
        (('{"type":"cost"}', ANSWER), "line 1 of what it printed: "),
        ((ANSWER, '{"type":"answer","text":"x","more":1}'), "line 2 of what it printed: answer.more: Extra"),
        (('{"type":"tool","id":"t","name":"Read","outcome":"fine"}', ANSWER), "line 1 of what it printed: tool."),
        (('{"type":"call","id":"c","model":"m","input":-1,"output":1}', ANSWER), "line 1 of what it printed: call.i"),
        (('{"type":"call","id":"c","model":"m","input":"5","output":1}', ANSWER), "line 1 of what it printed: call.i"),
        (('{"type":"call","id":"c","model":"m","input":true,"output":1}', ANSWER), "line 1 of what it printed: call.i"),
    ],
)  # fmt: skip
def test_anything_else_makes_the_exchange_a_failed_one(
    tmp_path: Path, lines: tuple[str, ...], problem: str
) -> None:
    (exchange,) = asked(
        tmp_path, printing('{"type":"call","id":"c-1","model":"m","input":5,"output":6}', *lines)
    )
    moved = problem.replace("line 2", "line 3").replace("line 1", "line 2")

    assert (exchange.ended, exchange.answer) == ("failed", "")
    assert exchange.problem.startswith(moved)
    assert "c-1" in [call.id for call in exchange.calls], "what was spent is counted all the same"


def test_an_exit_code_is_a_failure_and_its_words_are_told_without_the_key(tmp_path: Path) -> None:
    (exchange,) = asked(
        tmp_path, f"import sys\nprint({ANSWER!r}, flush=True)\nsys.exit('no access\\nwith {KEY}')"
    )

    assert (exchange.ended, exchange.answer) == ("failed", "")
    assert exchange.problem == "it ended with code 1: no access with [masked]"


def test_what_was_printed_is_kept_without_the_key(tmp_path: Path) -> None:
    asked(tmp_path, printing(ANSWER.replace("Yes", KEY)))

    kept = (tmp_path / "outputs" / "printed-0.jsonl").read_text("utf-8")
    assert kept == '{"type":"answer","text":"[masked]."}\n'


def test_a_long_output_of_a_tool_is_cut(tmp_path: Path) -> None:
    tool = {"type": "tool", "id": "t", "name": "Read", "outcome": "ok", "output": "x" * 5_000}
    (exchange,) = asked(tmp_path, printing(json.dumps(tool), ANSWER))

    assert exchange.uses[0].output == "x" * 4_000


def test_a_command_is_named_without_the_paths_of_the_machine(tmp_path: Path) -> None:
    choice = SolverChoice(name="command", command=(sys.executable, str(tmp_path / "solve.py"), "--fast"))
    named = solver(choice, {})

    assert named.arguments() == (Path(sys.executable).name, "solve.py", "--fast")
    assert named.version() == f"command {Path(sys.executable).name}"


@pytest.mark.parametrize(
    ("command", "problem"),
    [((), "the solver has no command"), (("no-such-program",), "the solver's program is not there")],
)
def test_a_command_that_cannot_be_started_is_refused(
    tmp_path: Path, command: tuple[str, ...], problem: str
) -> None:
    choice = SolverChoice(name="command", command=command)

    for refused in (
        solver(choice, {}).check,
        lambda: solver(choice, {}).begin(seat_in(tmp_path), Equipment()),
    ):
        with pytest.raises(StudyError, match=problem):
            refused()


def test_an_agent_that_cannot_be_confined_is_refused_with_what_was_measured(tmp_path: Path) -> None:
    refused = solver(replace(SolverChoice(), name="opencode"), {})

    for attempt in (refused.check, lambda: refused.begin(seat_in(tmp_path), Equipment())):
        with pytest.raises(StudyError, match="--no-index") as error:
            attempt()
        assert "docs/design/confinement.md" in error.value.remedy
    assert (refused.version(), refused.arguments()) == ("refused", ())


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=6), inner, max_size=2),
    max_leaves=6,
)
_FIELDS = ("id", "model", "input", "output", "name", "outcome", "text", "event")
_TYPES = ("session", "call", "tool", "injected", "answer")


@given(
    st.lists(
        st.binary(max_size=40)
        | st.builds(
            lambda kind, facts: json.dumps({"type": kind, **facts}).encode(),
            st.sampled_from(_TYPES),
            st.dictionaries(st.sampled_from(_FIELDS), _VALUES),
        ),
        max_size=5,
    )
)
def test_whatever_is_printed_is_read(lines: list[bytes]) -> None:
    told = read_printed(b"\n".join(lines), Masking(KEY))

    for record in (*told.calls.values(), *told.uses.values(), *told.injected):
        record.model_dump_json().encode("utf-8")
