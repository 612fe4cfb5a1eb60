"""The solver of a study drives the real Codex: what it used, did, saw and was given, to the last token."""

import json
import os
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from confined_codex import KEY, refusal, shell
from running import clean_environment, repository

from truerecall.errors import StudyError
from truerecall.models.scripted import Scenario, ScriptedServer
from truerecall.study.demo import prepared
from truerecall.study.design import Side, SolverChoice, Study
from truerecall.study.files.reading import read_study
from truerecall.study.folder import StudyRun
from truerecall.study.ledger import disagreements
from truerecall.study.records import Call, Exchange
from truerecall.study.running.options import RunOptions
from truerecall.study.running.run import run_study
from truerecall.study.sample.making import SAMPLE
from truerecall.study.solvers.codex import Codex
from truerecall.study.solvers.protocol import Conversation, Equipment, Seat

pytestmark = pytest.mark.agents

MODEL = "gpt-5.1"
NEUTRAL = "A reviewer says your answer is incomplete or wrong in places; keep investigating."
HOOK = """\
import json, sys
event = json.load(sys.stdin)["hook_event_name"]
text = "DIGEST of the project" if event == "SessionStart" else "RECALLED keychain " + "long " * 4_000
print(json.dumps({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}))
"""
SERVER = """\
from mcp.server.mcpserver import MCPServer
server = MCPServer("other")

@server.tool()
def recall(query: str) -> str:
    "Look up what is known."
    return "The osprey fact of " + query

server.run()
"""


@pytest.fixture
def codex(commands: Any) -> Path:
    """The program, where the machine confines it."""
    command: Path = commands["codex"]
    if refused := refusal(command):
        pytest.skip(f"this machine does not confine Codex: {refused}")
    return command


class Lab:
    """A workspace of one repository."""

    def __init__(self, folder: Path, command: Path) -> None:
        self.folder = folder
        self.home, self.ws = folder / "1" / "home", folder / "1" / "ws"
        (self.home / "tmp").mkdir(parents=True)
        self.app = repository(self.ws / "app")
        (self.app / "retry.py").write_text("RETRIES = 3\n", "utf-8")
        environment = clean_environment(self.home)
        self.seat = Seat(self.home, self.ws, self.app, (), environment, folder / "outputs")
        self.choice = SolverChoice(
            "codex", MODEL, (str(command),), timeout=120.0, key_variable="OPENAI_API_KEY"
        )

    def solver(self, **changed: Any) -> Codex:
        return Codex(replace(self.choice, **changed), {"PATH": os.environ["PATH"], "OPENAI_API_KEY": KEY})

    @contextmanager
    def conversation(
        self, server: ScriptedServer, equipment: Equipment | None = None, **changed: Any
    ) -> Iterator[Conversation]:
        """A conversation with the model that the server plays."""
        environment = {"OPENAI_BASE_URL": server.base_url}
        begun = self.solver(environment=environment, **changed).begin(self.seat, equipment or Equipment())
        try:
            yield begun
        finally:
            begun.close()

    def plugin(self) -> Path:
        """A plugin whose hooks say what they recalled, in a folder that a shell would take for two."""
        folder = self.folder / "a plugin"
        command = f'"{sys.executable}" "${{CLAUDE_PLUGIN_ROOT}}/hook.py"'
        entries = {
            event: [{"hooks": [{"type": "command", "command": command}]}]
            for event in ("SessionStart", "UserPromptSubmit")
        }
        (folder / "hooks").mkdir(parents=True)
        (folder / "hooks" / "hooks.json").write_text(json.dumps({"hooks": entries}), "utf-8")
        (folder / "hook.py").write_text(HOOK, "utf-8")
        return folder


@pytest.fixture
def lab(tmp_path: Path, codex: Path) -> Lab:
    return Lab(tmp_path, codex)


def used(exchanges: list[Exchange]) -> tuple[int, int, int, int]:
    calls = [one for exchange in exchanges for one in exchange.calls]
    return (
        len(calls),
        sum(one.input + one.cache_read + one.cache_write_5m for one in calls),
        sum(one.output for one in calls),
        sum(one.cache_read for one in calls),
    )


def metered(server: ScriptedServer) -> tuple[int, int, int, int]:
    told = server.usage
    return told.calls, told.tokens_in, told.tokens_out, told.tokens_cached


def test_a_question_and_two_follow_ups_are_told_to_the_last_token(lab: Lab, measured: dict[str, Any]) -> None:
    scenario = Scenario.of(
        {"reply": "Let me look.", "tools": [shell("cat retry.py"), shell("git log --oneline")]},
        {"reply": "It is 3.", "usage": {"tokens_in": 9_000, "tokens_cached": 8_500, "tokens_out": 30}},
        {"tools": [shell("cat nothing.py")]},
        {"reply": "It is still 3."},
        {"reply": "I have nothing to add."},
    )
    with ScriptedServer(scenario) as server, lab.conversation(server) as talk:
        exchanges = [talk.ask("How often do we retry?", "question")]
        exchanges += [talk.ask(NEUTRAL, "follow-up") for _ in range(2)]
    measured["seconds_each"] = [round(one.seconds, 1) for one in exchanges]

    assert [(one.ended, one.answer) for one in exchanges] == [
        ("answered", "It is 3."),
        ("answered", "It is still 3."),
        ("answered", "I have nothing to add."),
    ]
    assert used(exchanges) == metered(server)
    assert [len(one.calls) for one in exchanges] == [2, 2, 1]
    assert {call.model for one in exchanges for call in one.calls} == {MODEL}
    told = exchanges[0].calls[1]
    assert (told.input, told.cache_read, told.output) == (500, 8_500, 30)
    shown = [(use.name, use.outcome, use.output.splitlines()[0]) for one in exchanges for use in one.uses]
    assert shown[0] == ("exec_command", "ok", "RETRIES = 3")
    assert shown[1][:2] == ("exec_command", "ok") and "Begin" in shown[1][2]
    assert shown[2] == ("exec_command", "failed", "cat: nothing.py: No such file or directory")
    assert len({one.session for one in exchanges}) == 1
    assert [(one.injected, one.walled) for one in exchanges] == [([], True)] * 3
    assert "How often do we retry?" in server.calls[-1].said
    assert [call.id for call in lab.solver().left_in(lab.home)] == [
        call.id for one in exchanges for call in one.calls
    ]
    kept = "".join(path.read_text("utf-8") for path in sorted((lab.folder / "outputs").iterdir()))
    assert "RETRIES = 3" in kept and KEY not in kept


def test_what_hooks_inject_is_told_whole_and_was_in_the_request(lab: Lab) -> None:
    with (
        ScriptedServer(Scenario.of({"when": "", "reply": "Yes."})) as server,
        lab.conversation(server, Equipment(plugin_dir=lab.plugin())) as talk,
    ):
        first, second = talk.ask("Does login work?", "question"), talk.ask(NEUTRAL, "follow-up")

    recalled = "RECALLED keychain " + "long " * 4_000
    for exchange in (first, second):
        assert [(one.event, one.text.strip()) for one in exchange.injected] == [
            ("SessionStart", "DIGEST of the project"),
            ("UserPromptSubmit", recalled.strip()),
        ]
    assert all(one.text in call.said for call in server.calls for one in first.injected)
    assert used([first, second]) == metered(server)


def test_a_server_of_tools_may_be_called_where_the_side_brings_it(lab: Lab) -> None:
    program = lab.folder / "server.py"
    program.write_text(SERVER, "utf-8")
    config = lab.folder / "mcp.json"
    memory = {"type": "stdio", "command": sys.executable, "args": [str(program)], "env": {"RIVAL": "local"}}
    config.write_text(json.dumps({"mcpServers": {"memory": memory}}), "utf-8")
    call = {"name": "recall", "namespace": "mcp__memory", "arguments": {"query": "login"}}
    with (
        ScriptedServer(Scenario.of({"tools": [call]}, {"reply": "Done."})) as server,
        lab.conversation(server, Equipment(mcp_config=config)) as talk,
    ):
        asked = talk.ask("Does login work?", "question")

    assert [(use.name, use.outcome) for use in asked.uses] == [("mcp__memory__recall", "ok")]
    assert "The osprey fact of login" in asked.uses[0].output
    assert "The osprey fact of login" in server.calls[-1].said


def test_a_server_of_tools_that_does_not_start_is_a_failed_exchange(lab: Lab) -> None:
    config = lab.folder / "mcp.json"
    broken = {"command": sys.executable, "args": ["-c", "raise SystemExit('no memory')"], "env": {}}
    config.write_text(json.dumps({"mcpServers": {"memory": broken}}), "utf-8")
    with (
        ScriptedServer(Scenario.of({"when": "", "reply": "Yes."})) as server,
        lab.conversation(server, Equipment(mcp_config=config)) as talk,
    ):
        asked = talk.ask("Does login work?", "question")

    assert (asked.ended, asked.calls, server.calls) == ("failed", [], ())
    assert "required MCP servers failed to initialize: memory" in asked.problem


def test_an_exchange_that_takes_too_long_is_ended_with_its_usage(lab: Lab) -> None:
    scenario = Scenario.of({"tools": [shell("cat retry.py")]}, {"fail": "slow"})
    with ScriptedServer(scenario) as server, lab.conversation(server, timeout=8.0) as talk:
        asked: list[Exchange] = []
        asking = threading.Thread(target=lambda: asked.append(talk.ask("How often?", "question")))
        asking.start()
        held = server.wait_for_held()
        asking.join()

    assert held
    assert (asked[0].ended, asked[0].problem) == ("timeout", "it did not end within 8 seconds")
    answered = server.calls[0]
    assert used(asked) == (1, answered.tokens_in, answered.tokens_out, 0)
    assert [(use.name, use.outcome) for use in asked[0].uses] == [("exec_command", "ok")]
    assert asked[0].session and asked[0].walled


@pytest.mark.parametrize(
    ("fail", "problem"), [("401", "401 Unauthorized"), ("400", "the request is refused")]
)
def test_an_error_of_the_provider_is_a_failed_exchange_without_usage(
    lab: Lab, fail: str, problem: str
) -> None:
    with ScriptedServer(Scenario.of({"when": "", "fail": fail})) as server, lab.conversation(server) as talk:
        asked = talk.ask("How often?", "question")

    assert (asked.ended, asked.answer, asked.calls) == ("failed", "", [])
    assert problem in asked.problem


def test_the_limit_of_rounds_ends_an_exchange_with_its_usage(lab: Lab) -> None:
    # Each round takes longer than the time between two looks.
    scenario = Scenario.of({"when": "", "tools": [shell("sleep 1; cat retry.py")]})
    with ScriptedServer(scenario) as server, lab.conversation(server, max_turns=2) as talk:
        first = talk.ask("How often?", "question")
        second = talk.ask(NEUTRAL, "follow-up")

    assert [(one.ended, one.answer, len(one.calls)) for one in (first, second)] == [("turns", "", 2)] * 2
    assert first.problem == "it was ended after 2 rounds of the model"
    assert used([first, second]) == metered(server)
    assert first.session == second.session


def test_a_limit_of_costs_ends_an_exchange_before_a_call_that_could_pass_it(lab: Lab) -> None:
    class OneCall:
        dollars = 1.0

        def allows(self, calls: Sequence[Call]) -> bool:
            return not calls

    scenario = Scenario.of({"when": "", "tools": [shell("sleep 1; cat retry.py")]})
    with ScriptedServer(scenario) as server, lab.conversation(server) as talk:
        asked = talk.ask("How often?", "question", OneCall())

    assert (asked.ended, asked.answer, len(asked.calls)) == ("failed", "", 1)
    assert used([asked]) == metered(server)


def test_a_hook_that_blocks_the_prompt_makes_a_failed_exchange(lab: Lab) -> None:
    plugin = lab.plugin()
    (plugin / "hook.py").write_text("import sys\nsys.stderr.write('not now')\nsys.exit(2)\n", "utf-8")
    with (
        ScriptedServer(Scenario.of({"when": "", "reply": "Yes."})) as server,
        lab.conversation(server, Equipment(plugin_dir=plugin)) as talk,
    ):
        asked = talk.ask("Does login work?", "question")

    assert (asked.ended, asked.answer, asked.calls, server.calls) == ("failed", "", [], ())


def test_the_program_can_be_checked_and_names_its_version(lab: Lab) -> None:
    lab.solver().check()
    assert lab.solver().version().startswith("codex-cli ")
    with pytest.raises(StudyError, match="the key of the solver's provider is not set"):
        Codex(lab.choice, {"PATH": os.environ["PATH"]}).check()


def sample(folder: Path, root: str, command: Path) -> Study:
    """The sample study, with Codex as its solver; what plays its models is at this address."""
    study = read_study(prepared(folder))
    graders = replace(
        study.graders,
        rewriter=f"{study.graders.rewriter},base_url={root}",
        judge=f"{study.graders.judge},base_url={root}",
    )
    solver = SolverChoice(
        "codex",
        MODEL,
        (str(command),),
        timeout=120.0,
        environment={"OPENAI_BASE_URL": f"{root}/v1", "NO_PROXY": "*"},
        key_variable="OPENAI_API_KEY",
    )
    program = "import json, sys; print('KNOWN of', json.load(sys.stdin)['prompt'][:20])"
    rival = Side("rival", "memory", command=(sys.executable, "-c", program), marker="KNOWN of")
    questions = tuple(one for one in study.questions if one.id in ("giving-up", "lint"))
    sides = (*study.sides, rival)
    return replace(study, solver=solver, graders=graders, sides=sides, questions=questions, repeats=1)


def scenario() -> Scenario:
    """That of the sample, its solver's tools as Codex calls them."""
    lines = []
    for text in filter(str.strip, (SAMPLE / "scenario.jsonl").read_text("utf-8").splitlines()):
        line = json.loads(text)
        if line.get("model") == "sonnet":
            line["model"] = MODEL
            line["tools"] = [shell(_command(**tool)) for tool in line.get("tools", [])]
        lines.append({key: value for key, value in line.items() if key != "tools" or value})
    return Scenario.of(*lines)


def _command(name: str, arguments: dict[str, Any]) -> str:
    match name:
        case "Read":
            return f"cat {arguments['file_path']}"
        case "Grep":
            return f"rg -n {arguments['pattern']!r} {arguments.get('path', '.')}"
        case "Glob":
            return f"rg --files -g {arguments['pattern']!r}"
        case _:
            return str(arguments["command"])


def test_a_whole_study_with_codex_keeps_its_accounts_and_its_sides_apart(
    tmp_path: Path, codex: Path, measured: dict[str, Any]
) -> None:
    with ScriptedServer(scenario(), caching=True) as server:
        study = sample(tmp_path, server.root, codex)
        given = {"PATH": os.environ["PATH"], "OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": "scripted"}
        out = tmp_path / "run"
        run_study(study, RunOptions(out=out, environment=given, scripted=True, work=tmp_path / "work"))
        calls = [call for call in server.calls if call.model == MODEL]
    run = StudyRun(out)
    rows = run.rows()
    measured["calls"] = len(calls)

    assert run.plan().solver.version.startswith("codex-cli ")
    assert Counter(row.outcome for row in rows) == {"correct": len(run.plan().runs)}, [
        row.problem for row in rows
    ]
    assert run.discarded() == []
    assert [(row.side, row.admission.reason) for row in rows if not row.admission.per_protocol] == []
    assert {row.side for row in rows if row.admission.delivered and row.question == "giving-up"} == {
        "memory",
        "placebo",
        "rival",
    }
    spent = [row.spent for row in rows]
    assert sum(one.calls for one in spent) == len(calls)
    assert sum(one.input + one.cache_read + one.cache_write_5m for one in spent) == sum(
        call.tokens_in for call in calls
    )
    assert sum(one.output for one in spent) == sum(call.tokens_out for call in calls)
    assert all(one.cost for one in spent), "the price of the model is known"
    assert disagreements(run) == []
    exchanges = [one for planned in run.plan().runs for one in run.exchanges(planned, 1)]
    assert exchanges and all(one.walled for one in exchanges)
    assert KEY not in "".join(path.read_text("utf-8", "replace") for path in out.rglob("*.json*"))
