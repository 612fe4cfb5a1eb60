"""How a prompt of Claude Code can end, and that its calls are counted whatever the end is."""

import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recorded import KEY, Recorded, result, seat_in, tokens, transcript

from truerecall.errors import StudyError
from truerecall.study.design import SolverChoice
from truerecall.study.solvers.claude_result import read_result
from truerecall.study.solvers.claude_transcript import Transcripts
from truerecall.study.solvers.programs import Ran
from truerecall.study.solvers.protocol import Equipment
from truerecall.study.solvers.secrets import Masking
from truerecall.study.solvers.table import solver

FIRST = (15, 220, 24_500, 13_200, 0)


@pytest.fixture
def claude(tmp_path: Path) -> Recorded:
    return Recorded(tmp_path)


@pytest.mark.parametrize(
    ("name", "code", "ended", "problem"),
    [
        ("max_turns", 1, "turns", "error_max_turns: Reached maximum number of turns (1)"),
        ("error_400", 1, "failed", "the provider answered 400: API Error: 400 bad thing"),
        ("budget", 1, "failed", "error_max_budget_usd: Reached maximum budget ($0.001)"),
        (
            "blocked",
            0,
            "failed",
            "UserPromptSubmit operation blocked by hook:\nblocked-by-hook\n\nOriginal prompt: hi",
        ),
        ("332_first", 3, "failed", "it ended with code 3"),
    ],
)
def test_a_recorded_end_that_is_no_answer_says_why(
    claude: Recorded, name: str, code: int, ended: str, problem: str
) -> None:
    claude.step(transcript("2.1.332_resumed", 0, 38), result(name), code=code)
    (exchange,) = claude.ask()

    assert (exchange.ended, exchange.problem, exchange.answer) == (ended, problem, "")
    assert tokens(exchange.calls) == FIRST, "what was used is told by the transcript, not by the result"


@pytest.mark.parametrize(
    ("out", "err", "code", "problem"),
    [
        (
            b"",
            f"no access with {KEY}\n",
            1,
            "it ended with code 1 and without a result: no access with [masked]",
        ),
        (b"", "", 0, "it ended with code 0 and without a result"),
        (b"Not logged in", "", 1, "it ended with code 1 and without a result: Not logged in"),
        (b"\xff\xfe[{}]", "", 0, "it ended with code 0 and without a result: \ufffd\ufffd[{}]"),
        (
            b'{"type":"result","subtype":"success","is_error":false}',
            "",
            0,
            "it ended with code 0 and without an answer",
        ),
        (b'{"type":"result","is_error":true,"result":7}', "", 0, "an error"),
    ],
)
def test_what_is_no_result_makes_a_failed_exchange(
    claude: Recorded, out: bytes, err: str, code: int, problem: str
) -> None:
    claude.step(told=out, err=err, code=code)
    (exchange,) = claude.ask()

    assert (exchange.ended, exchange.problem) == ("failed", problem)


def test_a_warning_before_the_result_does_not_hide_it(claude: Recorded) -> None:
    told = b"warning: something\n" + json.dumps(result("332_first")).encode()
    claude.step(transcript("2.1.332_resumed", 0, 38), told)
    (exchange,) = claude.ask()

    assert (exchange.ended, exchange.answer) == ("answered", "Login may work on Windows.")


def test_an_exchange_that_takes_too_long_is_ended_and_its_calls_are_counted(claude: Recorded) -> None:
    claude.step(transcript("2.1.332_resumed", 0, 34), hang=True)
    (exchange,) = claude.ask(choice=claude.with_timeout(2.0))

    assert (exchange.ended, exchange.problem) == ("timeout", "it did not end within 2 seconds")
    assert tokens(exchange.calls) == FIRST
    assert exchange.session == claude.calls()[0]["arguments"][-1], "so that it could go on"


def test_there_is_nothing_to_go_on_with_where_the_first_prompt_began_nothing(claude: Recorded) -> None:
    claude.step(err="bad option", code=1)
    first, second = claude.ask(2)

    assert (first.ended, second.ended) == ("failed", "failed")
    assert second.problem == "it has no conversation to go on with: the first prompt began none"
    assert len(claude.calls()) == 1


def test_the_command_line_is_the_same_but_for_what_the_side_and_the_workspace_add(claude: Recorded) -> None:
    for name in ("332_first", "332_followup"):
        claude.step(transcript("2.1.332_resumed"), result(name))
    beside = claude.seat.workspace / "lib"
    equipment = Equipment(Path("/plug"), Path("/mcp.json"), ("mcp__memo__recall",), {"MEMO": "1"})
    claude.ask(2, equipment, seat=replace(claude.seat, beside=(beside,)))
    first, second = claude.calls()

    fixed = [
        "-p", "--model", "claude-sonnet-5-5", "--output-format", "json", "--restricted", "--strict-mcp-config",
        "--permission-mode", "dontAsk", "--tools", "Read,Grep,Glob,Bash", "--max-turns", "40",
        "--disallowedTools", "Bash(git * --output*)", "Bash(git * -O*)", "Bash(git * --ignore-revs-file*)",
        "Bash(wc * --files0*)", "Bash(wc --files0*)", "Bash(du * --files0*)", "Bash(du --files0*)",
        "Bash(ps)", "Bash(ps *)", "Bash(pgrep *)", "Bash(lsof)", "Bash(lsof *)",
    ]  # fmt: skip
    added = [
        "--add-dir", "../lib", "--allowedTools", "Bash(git -C ../lib log *)", "Bash(git -C ../lib show *)",
        f"Bash(git -C {beside} log *)", f"Bash(git -C {beside} show *)", "mcp__memo__recall",
        "--plugin-dir", "/plug", "--mcp-config", "/mcp.json",
    ]  # fmt: skip
    assert first["arguments"][:-1] == [*fixed, *added, "--session-id"]
    assert str(UUID(first["arguments"][-1])) == first["arguments"][-1]
    assert second["arguments"] == [*fixed, *added, "--resume", "e7387a30-bf33-4ba4-bdbb-d4e4e8121950"]
    assert (first["stdin"], second["stdin"]) == ("Does login work?", "Keep investigating.")
    assert first["cwd"] == str(claude.seat.cwd)
    assert solver(claude.choice, {}).arguments() == ("claude", *fixed)


def test_the_environment_is_the_seat_s_and_nothing_of_ours_leaks_in(
    claude: Recorded, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CODE_USE_BEDROCK", "1")
    claude.step(transcript("2.1.332_resumed"), result("332_first"))
    choice = replace(claude.choice, environment={"CLAUDE_CODE_MAX_RETRIES": "0"})
    claude.ask(equipment=Equipment(environment={"MEMO": "1"}), choice=choice)
    (call,) = claude.calls()

    ours = {"LC_CTYPE", "PWD", "SHLVL", "_", "OLDPWD"}  # what Python and shells add by themselves
    home = claude.seat.home
    assert {name: value for name, value in call["environment"].items() if name not in ours} == {
        "HOME": str(home),
        "TMPDIR": str(home / "tmp"),
        "PATH": os.environ["PATH"],
        "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
        "CLAUDE_CODE_MAX_RETRIES": "0",
        "CLAUDE_CONFIG_DIR": str(home / ".claude"),
        "CLAUDE_CODE_TMPDIR": str(home / "tmp"),
        "MEMO": "1",
        "ANTHROPIC_API_KEY": KEY,
    }


@pytest.mark.parametrize(
    ("variable", "address", "ours", "given"),
    [
        ("STUDY_KEY", "", {"STUDY_KEY": KEY}, {"ANTHROPIC_API_KEY": KEY}),
        ("CLAUDE_CODE_OAUTH_TOKEN", "", {"CLAUDE_CODE_OAUTH_TOKEN": KEY}, {"CLAUDE_CODE_OAUTH_TOKEN": KEY}),
        ("ANTHROPIC_API_KEY", "http://127.0.0.1:9", {}, {"ANTHROPIC_API_KEY": "scripted"}),
        ("", "", {}, {}),
    ],
)
def test_the_key_is_given_under_a_name_that_claude_code_knows(
    claude: Recorded, variable: str, address: str, ours: dict[str, str], given: dict[str, str]
) -> None:
    claude.step(transcript("2.1.332_resumed"), result("332_first"))
    environment = {"ANTHROPIC_BASE_URL": address} if address else {}
    choice = replace(claude.choice, key_variable=variable, environment=environment)
    conversation = solver(choice, {"PATH": os.environ["PATH"], **ours}).begin(claude.seat, Equipment())
    conversation.ask("Q", "question")
    (call,) = claude.calls()

    names = ("ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN", "STUDY_KEY")
    assert {name: call["environment"][name] for name in names if name in call["environment"]} == given


@pytest.mark.parametrize("address", ["", "https://api.example", "http://[bad"])
def test_without_its_key_nothing_is_asked(claude: Recorded, address: str) -> None:
    choice = replace(claude.choice, environment={"ANTHROPIC_BASE_URL": address})
    asked = solver(choice, {"PATH": os.environ["PATH"]})

    for refused in (asked.check, lambda: asked.begin(claude.seat, Equipment())):
        with pytest.raises(StudyError) as error:
            refused()
        assert str(error.value) == (
            "the key of the solver's provider is not set (ANTHROPIC_API_KEY). Set it (export ANTHROPIC_API_KEY=…), "
            "or name another variable in key_variable of study.toml."
        )


def test_without_a_program_the_error_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "claude_agent_sdk", None)
    asked = solver(SolverChoice(), {"PATH": str(tmp_path), "ANTHROPIC_API_KEY": KEY})

    for refused in (asked.check, asked.version, lambda: asked.begin(seat_in(tmp_path), Equipment())):
        with pytest.raises(StudyError, match=r"Claude Code is not there .*pip install 'truerecall\[study\]'"):
            refused()


def test_the_program_of_the_extra_is_found_without_importing_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundled = tmp_path / "claude_agent_sdk" / "_bundled" / "claude"
    bundled.parent.mkdir(parents=True)
    (bundled.parents[1] / "__init__.py").write_text("raise AssertionError('imported')\n", "utf-8")
    options = "--restricted --strict-mcp-config --tools --plugin-dir --add-dir"
    bundled.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo 2.1.332 || echo "{options}"\n', "utf-8")
    bundled.chmod(0o755)
    monkeypatch.delitem(sys.modules, "claude_agent_sdk", raising=False)
    monkeypatch.syspath_prepend(str(tmp_path))
    asked = solver(SolverChoice(), {"PATH": "/nowhere", "ANTHROPIC_API_KEY": KEY})

    asked.check()
    assert asked.version() == "2.1.332"


def test_a_version_that_cannot_be_confined_is_refused(tmp_path: Path) -> None:
    old = tmp_path / "claude"
    old.write_text("#!/bin/sh\necho '--strict-mcp-config --tools --plugin-dir --add-dir'\n", "utf-8")
    old.chmod(0o755)
    asked = solver(SolverChoice(), {"PATH": str(tmp_path), "ANTHROPIC_API_KEY": KEY})

    with pytest.raises(StudyError, match="cannot be confined to a workspace: it has no --restricted"):
        asked.check()


def test_a_program_that_does_not_start_is_an_error_that_says_so(tmp_path: Path) -> None:
    broken = tmp_path / "claude"
    broken.write_text("#!/bin/sh\nexit 3\n", "utf-8")
    broken.chmod(0o755)

    with pytest.raises(StudyError, match="Claude Code does not start: `claude --version` failed"):
        solver(SolverChoice(), {"PATH": str(tmp_path)}).version()


@given(st.binary(max_size=300), st.integers(-9, 255), st.booleans())
def test_whatever_is_printed_is_an_end(out: bytes, code: int, late: bool) -> None:
    found = read_result(Ran(code, out, b"", 1.0, late), 5.0)

    assert (found.ended == "answered") == (not found.problem)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
_NAMES = (
    "subtype",
    "is_error",
    "result",
    "errors",
    "num_turns",
    "permission_denials",
    "total_cost_usd",
    "session_id",
)


@given(st.dictionaries(st.sampled_from(_NAMES), _JSON))
def test_whatever_a_result_holds_is_an_end(facts: dict[str, object]) -> None:
    out = json.dumps({"type": "result", **facts}).encode()

    found = read_result(Ran(0, out, b"", 1.0, False), 5.0)
    assert (found.ended == "answered") == (not found.problem)
    found.answer.encode("utf-8")


@given(
    st.lists(
        st.binary(max_size=60)
        | st.dictionaries(
            st.sampled_from(("type", "message", "attachment", "uuid", "modelUsage")), _JSON
        ).map(lambda value: json.dumps(value).encode())
        | st.builds(
            lambda message: json.dumps({"type": "assistant", "message": message}).encode(),
            st.dictionaries(st.sampled_from(("id", "usage", "content", "model", "stop_reason")), _JSON),
        ),
        max_size=6,
    )
)
def test_whatever_stands_in_a_transcript_is_read(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes]
) -> None:
    folder = tmp_path_factory.mktemp("settings")
    (folder / "projects" / "-ws").mkdir(parents=True)
    (folder / "projects" / "-ws" / "s.jsonl").write_bytes(b"\n".join([*lines, b""]))
    transcripts = Transcripts(folder, Masking(None))

    assert isinstance(transcripts.under_way("s"), list)
    first, second = transcripts.added("s"), transcripts.added("s")
    assert (second.calls, second.uses, second.injected) == ([], [], [])
    assert len({call.id for call in first.calls}) == len(first.calls)
    transcripts.keep(folder / "kept")
