"""What a recorded Codex used, did and saw, prompt by prompt, and how it was called."""

import json
import subprocess
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from recorded import KEY
from recorded_codex import FIRST, MODEL, RecordedCodex, events, rollout

from truerecall.errors import StudyError
from truerecall.study.audit.outside import audit
from truerecall.study.records import Call, Injected
from truerecall.study.solvers.codex_program import own_places
from truerecall.study.solvers.protocol import Equipment


@pytest.fixture
def codex(tmp_path: Path) -> RecordedCodex:
    return RecordedCodex(tmp_path)


def line(kind: str, **payload: Any) -> str:
    return json.dumps({"type": kind, "payload": payload}) + "\n"


def usage(key: str, **tokens: int) -> str:
    return line("token_usage_record", response_id=key, usage=tokens)


def asks(key: str, command: str) -> str:
    """The model asks for a command."""
    told = {"name": "exec_command", "arguments": json.dumps({"cmd": command}), "call_id": key}
    return line("response_item", type="function_call", **told)


def turn(number: int, change: Callable[[dict[str, Any]], Any] = lambda turn: None) -> str:
    """The recorded context of a turn, changed."""
    (found,) = (one for one in rollout(0, FIRST).splitlines() if '"type": "turn_context"' in one)
    told = json.loads(found)
    told["payload"]["turn_id"] = f"turn-{number}"
    change(told["payload"])
    return json.dumps(told) + "\n"


def test_usage_uses_and_injected_texts_are_those_of_one_exchange(codex: RecordedCodex) -> None:
    codex.step(rollout(0, FIRST), events("question")).step(rollout(), events("followup"))
    first, second = codex.ask(2)

    assert (first.ended, first.answer, first.problem) == ("answered", "It is 3.", "")
    assert (second.ended, second.answer) == ("answered", "It is still 3.")
    assert [len(one.calls) for one in (first, second)] == [5, 1]
    assert first.calls[-1] == Call(id="resp_000005", model=MODEL, input=500, output=30, cache_read=8_500)
    assert second.calls == [Call(id="resp_000006", model=MODEL, input=6_443, output=4)]
    assert [(use.name, use.outcome, use.output) for use in first.uses] == [
        ("exec_command", "ok", "RETRIES = 3\n"),
        ("exec_command", "failed", "RETRIES = 3\ncat: ../lib/limit.py: No such file or directory\n"),
        ("mcp__memory__recall", "ok", "The osprey fact of retries"),
        (
            "exec_command",
            "denied",
            "approval policy is Never; reject command — you cannot ask for escalated permissions if the approval "
            "policy is Never",
        ),
        ("exec_command", "ok", "late\n"),  # the model was shown nothing of it; it had gone on when that ended
        ("write_stdin", "failed", "write_stdin failed: Unknown process id 1"),
        ("exec_command", "ok", ""),
    ]
    assert first.denied == [first.uses[3].id]
    assert first.uses[1].input["cmd"] == "cat retry.py ../lib/limit.py"
    injected = [
        Injected(event="SessionStart", text="DIGEST of the project"),
        Injected(event="UserPromptSubmit", text="RECALLED keychain "),
    ]
    assert (first.injected, second.injected) == (injected, injected)
    assert (first.walled, second.walled) == (True, True)
    assert first.session == second.session == "01a23198-41f0-7702-ab9c-5b1c1adea915"
    assert codex.solver().left_in(codex.seat.home) == [*first.calls, *second.calls]


def test_tokens_in_hold_those_of_the_cache_and_ours_do_not(codex: RecordedCodex) -> None:
    told = usage(
        "resp-1",
        input_tokens=1_000,
        cached_input_tokens=600,
        cache_write_input_tokens=100,
        output_tokens=50,
        reasoning_output_tokens=40,
    )
    codex.step(turn(1) + told + told, events("question"))
    (first,) = codex.ask()

    # What it thought is part of what it put out.
    assert first.calls == [
        Call(id="resp-1", model=MODEL, input=300, output=50, cache_read=600, cache_write_5m=100)
    ]


@pytest.mark.parametrize(
    "change",
    [
        lambda turn: turn["permission_profile"].update(network="enabled"),
        lambda turn: turn.update(approval_policy="on-request"),
        lambda turn: turn["permission_profile"]["file_system"].update(type="unrestricted"),
        lambda turn: turn["permission_profile"]["file_system"].update(entries=[]),
        lambda turn: turn["permission_profile"]["file_system"]["entries"][0].update(access="write"),
        lambda turn: turn["permission_profile"]["file_system"]["entries"][0]["path"].update(path="/"),
        lambda turn: turn["permission_profile"]["file_system"]["entries"].append(
            {"path": {"type": "special", "value": {"kind": "root"}}, "access": "read"}
        ),
        lambda turn: turn.pop("permission_profile"),
    ],
)
def test_an_answer_of_a_turn_with_another_profile_does_not_count(
    codex: RecordedCodex, change: Callable[[dict[str, Any]], Any]
) -> None:
    codex.step(turn(1) + turn(2, change) + usage("resp-1", input_tokens=10), events("question"))
    (first,) = codex.ask()

    assert (first.walled, first.ended, first.answer) == (False, "failed", "")
    assert first.problem == "its transcript does not say that its commands were confined to the workspace"
    assert len(first.calls) == 1, "it is paid all the same"


def test_an_answer_whose_usage_is_not_told_does_not_count(codex: RecordedCodex) -> None:
    codex.step(turn(1), events("question"))
    (first,) = codex.ask()

    assert (first.ended, first.answer) == ("failed", "")
    assert "this version of Codex is not known" in first.problem


def test_a_search_at_the_provider_is_told_as_a_use(codex: RecordedCodex) -> None:
    search = line("response_item", type="web_search_call", id="ws-1", action={"type": "search", "query": "x"})
    codex.step(turn(1) + search + usage("resp-1"), events("question"))
    (first,) = codex.ask()

    assert [(use.id, use.name, use.input) for use in first.uses] == [
        ("ws-1", "web_search", {"type": "search", "query": "x"})
    ]


def test_a_command_that_holds_a_patch_is_a_command_and_looked_at_as_one(codex: RecordedCodex) -> None:
    hidden = "cat /etc/passwd\ntrue <<X\n*** Update File: a.py\nX"
    came = line("response_item", type="function_call_output", call_id="call-1", output="root\n")
    codex.step(turn(1) + asks("call-1", hidden) + came + usage("resp-1"), events("question"))
    (first,) = codex.ask()

    assert [use.name for use in first.uses] == ["exec_command"]
    assert [one.what for one in audit([first], codex.seat).outside] == ["/etc/passwd"]


def test_it_is_called_alike_at_each_prompt_but_for_the_conversation(codex: RecordedCodex) -> None:
    codex.step(rollout(0, FIRST), events("question")).step(rollout(), events("followup"))
    codex.ask(2)

    first, second = codex.calls()
    fixed = list(codex.solver().arguments()[2:])
    assert first["arguments"] == ["exec", *fixed, "-"]
    assert second["arguments"] == ["exec", "resume", *fixed, "01a23198-41f0-7702-ab9c-5b1c1adea915", "-"]
    assert [one["stdin"] for one in (first, second)] == ["Does login work?", "Keep investigating."]
    assert fixed[: fixed.index("-c")] == ["--json", "--skip-git-repo-check", "--model", MODEL]
    settings = [value for option, value in pairwise(fixed) if option == "-c"]
    assert {'approval_policy="never"', 'default_permissions="study"', 'web_search="disabled"'} < set(settings)
    assert "permissions.study.network.enabled=false" in settings
    assert "--sandbox" not in fixed and "--dangerously-bypass-hook-trust" not in fixed
    environment = first["environment"]
    assert environment["OPENAI_API_KEY"] == KEY
    assert environment["CODEX_HOME"] == str(codex.seat.home / ".codex")
    assert environment["HOME"] == str(codex.seat.home)
    assert first["cwd"] == str(codex.seat.cwd)


def test_its_settings_let_it_read_the_workspace_the_system_and_itself(codex: RecordedCodex) -> None:
    codex.step(rollout(0, FIRST), events("question"))
    codex.ask(environment={"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"})

    path = codex.seat.home / ".codex" / "config.toml"
    assert tomllib.loads(path.read_text("utf-8")) == {
        "permissions": {
            "study": {
                "filesystem": {
                    ":minimal": "read",
                    str(codex.seat.workspace): "read",
                    str(codex.folder / "codex"): "read",
                    str(codex.folder / "codex-linux-x64"): "read",
                }
            }
        },
        "model_providers": {
            "study": {
                "name": "study",
                "base_url": "http://127.0.0.1:9/v1",
                "wire_api": "responses",
                "env_key": "OPENAI_API_KEY",
            }
        },
    }
    assert path.stat().st_mode & 0o77 == 0
    assert not (path.parent / "hooks.json").exists()


def test_of_the_program_the_wall_shows_what_it_was_installed_as(tmp_path: Path) -> None:
    def installed(*names: str) -> list[Path]:
        for name in names:
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text("#!/bin/sh\n", "utf-8")
        link = tmp_path / names[0].replace("/", "-")
        link.symlink_to(tmp_path / names[0])
        return [path.relative_to(tmp_path) for path in own_places(str(link))]

    npm = installed("npm/@openai/codex/bin/codex.js", "npm/@openai/codex-linux-x64/x", "npm/@openai/other/x")
    assert npm == [Path("npm/@openai/codex"), Path("npm/@openai/codex-linux-x64")]
    assert installed("release/bin/codex", "release/codex-path/rg") == [
        Path("release/bin/codex"),
        Path("release/codex-path"),
    ]
    assert installed("tools/codex", "tools/other") == [Path("tools/codex")]


def test_a_side_adds_its_hooks_and_its_server_and_nothing_else(codex: RecordedCodex, tmp_path: Path) -> None:
    plugin = tmp_path / "plugin"
    (plugin / "hooks").mkdir(parents=True)
    hook = {"type": "command", "command": 'run "${CLAUDE_PLUGIN_ROOT}/x"', "timeout": 10}
    told = {"hooks": {"UserPromptSubmit": [{"hooks": [hook]}], "Stop": [{"hooks": [hook]}]}}
    (plugin / "hooks" / "hooks.json").write_text(json.dumps(told), "utf-8")
    servers = tmp_path / "mcp.json"
    server = {"type": "stdio", "command": "rival", "args": ["--serve", 'a "b"'], "env": {"MODE": "local"}}
    servers.write_text(json.dumps({"mcpServers": {"memory": server}}), "utf-8")
    codex.step(rollout(0, FIRST), events("question"))
    codex.ask(equipment=Equipment(plugin, servers, environment={"RIVAL": "1"}))

    folder = codex.seat.home / ".codex"
    plain = {**hook, "command": f'run "{plugin}/x"'}
    assert json.loads((folder / "hooks.json").read_text("utf-8")) == {
        "hooks": {
            "UserPromptSubmit": [{"hooks": [{**plain, "additionalContextLimit": 0}]}],
            "Stop": [{"hooks": [plain]}],
        }
    }
    settings = tomllib.loads((folder / "config.toml").read_text("utf-8"))
    assert settings["mcp_servers"] == {
        "memory": {
            "command": "rival",
            "args": ["--serve", 'a "b"'],
            "default_tools_approval_mode": "approve",
            "startup_timeout_sec": 60,
            "required": True,
            "env": {"MODE": "local"},
        }
    }
    (called,) = codex.calls()
    assert called["arguments"][-2:] == ["--dangerously-bypass-hook-trust", "-"]
    assert called["environment"]["RIVAL"] == "1"


def test_what_is_kept_holds_no_key(codex: RecordedCodex) -> None:
    told = turn(1) + asks("call-1", f"echo {KEY}") + usage("resp-1")
    codex.step(told, events("question").replace(b"It is 3.", f"It is {KEY}.".encode()))
    (first,) = codex.ask()

    kept = {path.name: path.read_text("utf-8") for path in codex.seat.outputs.iterdir()}
    assert sorted(kept) == ["printed-0.jsonl", "rollout-2026-12-01T00-00-00-SESSION.jsonl"]
    assert first.answer == "It is [masked]."
    assert first.uses[0].input == {"cmd": "echo [masked]"}
    assert KEY not in "".join(kept.values())


def test_what_is_kept_holds_no_password_of_an_address(codex: RecordedCodex) -> None:
    address = "http://us:a%20password@127.0.0.1:9/v1"
    told = turn(1) + asks("call-1", f"echo {address}") + usage("resp-1")
    codex.step(told, events("question").replace(b"It is 3.", address.encode()))
    (first,) = codex.ask(environment={"OPENAI_BASE_URL": address})

    kept = "".join(path.read_text("utf-8") for path in codex.seat.outputs.iterdir())
    assert first.answer == "http://us:[masked]@127.0.0.1:9/v1"
    assert "a%20password" not in kept + first.model_dump_json()


@pytest.mark.parametrize(
    ("out", "err", "code", "problem"),
    [
        (b'{"type":"turn.failed","error":{"message":"401 Unauthorized"}}\n', "", 1, "401 Unauthorized"),
        (b"", "Error: no such model", 1, "it ended with code 1 and without a result: Error: no such model"),
        (b"no JSON\n[]\n", "", 0, "it ended with code 0 and without a result"),
        (b'{"type":"turn.completed"}\n', "", 0, "it ended with code 0 and without an answer"),
        (events("question"), "", 3, "it ended with code 3 and without a result"),
    ],
)
def test_what_is_no_answer_is_a_failed_exchange_with_its_usage(
    codex: RecordedCodex, out: bytes, err: str, code: int, problem: str
) -> None:
    codex.step(turn(1) + usage("resp-1", input_tokens=10, output_tokens=2), out, err=err, code=code)
    (first,) = codex.ask()

    assert (first.ended, first.answer, first.problem) == ("failed", "", problem)
    assert [(call.input, call.output) for call in first.calls] == [(10, 2)]


def test_a_conversation_that_never_began_is_not_gone_on_with(codex: RecordedCodex) -> None:
    codex.step(code=1)
    first, second = codex.ask(2)

    assert (first.ended, second.ended) == ("failed", "failed")
    assert second.problem == "it has no conversation to go on with: the first prompt began none"
    assert len(codex.calls()) == 1


def test_one_that_takes_too_long_is_ended_with_its_usage(codex: RecordedCodex) -> None:
    codex.step(turn(1) + usage("resp-1", input_tokens=10), events("question"), hang=True)
    (first,) = codex.ask(timeout=1.0)

    assert (first.ended, first.answer) == ("timeout", "")
    assert first.problem == "it did not end within 1 seconds"
    assert len(first.calls) == 1


def test_the_limit_of_rounds_ends_one_that_would_go_on(codex: RecordedCodex) -> None:
    rounds = "".join(asks(f"call-{n}", "ls") + usage(f"resp-{n}", input_tokens=10) for n in (1, 2))
    codex.step(turn(1) + rounds, hang=True)
    codex.step(turn(1) + rounds + turn(2) + usage("resp-3"), events("followup"))
    first, second = codex.ask(2, max_turns=2)

    assert (first.ended, first.problem) == ("turns", "it was ended after 2 rounds of the model")
    assert len(first.calls) == 2
    # It began no conversation here, for nothing was printed.
    assert second.ended == "failed"


def test_rounds_that_are_the_last_are_not_broken_off(codex: RecordedCodex) -> None:
    told = turn(1) + asks("call-1", "ls") + usage("resp-1") + usage("resp-2")
    codex.step(told, events("question"), hang=True)
    (first,) = codex.ask(max_turns=2, timeout=1.0)

    assert (first.ended, len(first.calls)) == ("timeout", 2)


@dataclass(frozen=True, slots=True)
class Least:
    """A limit within which so many calls are."""

    calls: int
    dollars: float = 1.0

    def allows(self, calls: Sequence[Call]) -> bool:
        return len(calls) < self.calls


def test_a_limit_of_costs_ends_one_before_the_call_that_could_pass_it(codex: RecordedCodex) -> None:
    rounds = "".join(asks(f"call-{n}", "ls") + usage(f"resp-{n}", input_tokens=10) for n in (1, 2))
    codex.step(turn(1) + rounds, hang=True)
    (first,) = codex.ask(limit=Least(2))

    assert (first.ended, len(first.calls)) == ("failed", 2)


def test_a_wall_that_keeps_everything_out_is_taken(codex: RecordedCodex) -> None:
    (codex.folder / "wall").write_text("whole", "utf-8")
    codex.step(turn(1), code=1)

    codex.solver().check()

    assert codex.solver().version() == "codex-cli 0.171.0"
    (called,) = codex.calls()
    assert called["environment"]["OPENAI_API_KEY"] == "none", "nobody is given the key to try the wall"
    assert "model_providers.study.request_max_retries=0" in called["arguments"]


@pytest.mark.parametrize(
    ("wall", "why"),
    [
        ("none", "reading a file outside by its path succeeded"),
        ("broken", "reading a file of the workspace does not work behind its wall: no such file"),
    ],
)
def test_a_wall_that_does_not_hold_is_refused_with_what_to_do(
    codex: RecordedCodex, wall: str, why: str
) -> None:
    (codex.folder / "wall").write_text(wall, "utf-8")

    with pytest.raises(StudyError) as refused:
        codex.solver().check()

    assert str(refused.value).startswith(f"Codex cannot be confined to a workspace on this machine: {why}")
    assert "docs/design/confinement.md" in refused.value.remedy
    assert not (codex.folder / "calls.jsonl").exists(), "it was not prompted"


def test_the_repository_that_a_git_hook_speaks_of_is_not_touched_by_the_trials(
    codex: RecordedCodex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own"
    subprocess.run(["git", "init", "-q", str(own)], check=True)
    before = {path: path.read_bytes() for path in own.rglob("*") if path.is_file()}
    monkeypatch.setenv("GIT_DIR", str(own / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(own))
    (codex.folder / "wall").write_text("whole", "utf-8")
    codex.step(turn(1), code=1)

    codex.solver().check()

    assert {path: path.read_bytes() for path in own.rglob("*") if path.is_file()} == before


def test_a_study_that_lies_where_its_commands_can_see_it_is_refused(
    codex: RecordedCodex, tmp_path: Path
) -> None:
    (codex.folder / "wall").write_text("whole", "utf-8")
    study = tmp_path / "it's a study.toml"
    study.write_text("name = 'seen'\n", "utf-8")

    with pytest.raises(StudyError, match="reading the study itself succeeded") as refused:
        codex.solver(where=f"{study}:7").check()

    assert "outside of the folders of the system" in refused.value.remedy


@pytest.mark.parametrize(
    ("lines", "out", "why"),
    [
        (
            turn(1, lambda turn: turn.update(approval_policy="on-request")),
            b"",
            "its rollout tells of another",
        ),
        ("", b"", "its rollout tells of another profile"),
        (turn(1), b'{"message":"ignoring 1 unrecognized configuration setting"}', "it does not know all"),
    ],
)
def test_settings_that_do_not_reach_a_conversation_are_refused(
    codex: RecordedCodex, lines: str, out: bytes, why: str
) -> None:
    (codex.folder / "wall").write_text("whole", "utf-8")
    codex.step(lines, out, code=1)

    with pytest.raises(StudyError, match=why):
        codex.solver().check()


@pytest.mark.parametrize(
    ("changed", "why", "remedy"),
    [
        ({"key_variable": "ANTHROPIC_API_KEY"}, "key_variable is that of another provider", "OPENAI_API_KEY"),
        ({"model": "claude-sonnet-5-5"}, "model is that of another provider: claude-sonnet-5-5", "model"),
        ({"key_variable": "NO_SUCH_KEY"}, "the key of the solver's provider is not set", "NO_SUCH_KEY"),
    ],
)
def test_a_study_that_names_another_provider_is_refused(
    codex: RecordedCodex, changed: dict[str, Any], why: str, remedy: str
) -> None:
    with pytest.raises(StudyError, match=why) as refused:
        codex.solver(**changed).check()

    assert remedy in refused.value.remedy


def test_a_codex_that_is_not_there_is_told_with_what_installs_it(codex: RecordedCodex) -> None:
    codex.command.unlink()

    with pytest.raises(StudyError, match="the solver's program is not there") as refused:
        codex.solver().check()

    assert "npm install -g @openai/codex" in refused.value.remedy
