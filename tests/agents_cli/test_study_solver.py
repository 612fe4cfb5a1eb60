"""The solver of a study drives the real Claude Code: what it used, did, saw and was refused, to the last token."""

import json
import os
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from running import clean_environment, repository

from truerecall.errors import StudyError
from truerecall.models.scripted import Scenario, ScriptedServer
from truerecall.study.design import SolverChoice
from truerecall.study.records import Exchange
from truerecall.study.solvers.protocol import Conversation, Equipment, Seat
from truerecall.study.solvers.table import solver

pytestmark = pytest.mark.agents

SECRET = "the word outside"
HOOK = """\
import json, sys
event = json.load(sys.stdin)["hook_event_name"]
if event == "SessionStart":
    print("DIGEST of the project")
else:
    told = {"hookEventName": event, "additionalContext": "RECALLED keychain"}
    print(json.dumps({"hookSpecificOutput": told}))
"""
NEUTRAL = "A reviewer says your answer is incomplete or wrong in places; keep investigating."


class Lab:
    """A workspace of two repositories beside which lies what is not to be read."""

    def __init__(self, folder: Path, command: Path) -> None:
        self.folder = folder
        self.home = folder / "1" / "home"
        self.ws = folder / "1" / "ws"
        (self.home / "tmp").mkdir(parents=True)
        self.app, self.lib = repository(self.ws / "app"), repository(self.ws / "lib")
        (self.app / "retry.py").write_text("RETRIES = 3\n", "utf-8")
        (self.lib / "limit.py").write_text("LIMIT = 5\n", "utf-8")
        outside = repository(folder / "other")
        (outside / "secret.txt").write_text(f"{SECRET}\n", "utf-8")
        for place in (self.app, self.lib, outside):
            named = ["-c", "user.name=Dev", "-c", "user.email=dev@team.example"]
            subprocess.run(["git", "add", "."], cwd=place, check=True)
            subprocess.run(
                ["git", *named, "commit", "-q", "-m", f"Add to {place.name}"], cwd=place, check=True
            )
        self.choice = SolverChoice(command=(str(command),), timeout=120.0)

    @property
    def seat(self) -> Seat:
        environment = clean_environment(self.home)
        return Seat(self.home, self.ws, self.app, (self.lib,), environment, self.folder / "outputs")

    @contextmanager
    def conversation(
        self, server: ScriptedServer, equipment: Equipment | None = None, **changed: Any
    ) -> Iterator[Conversation]:
        """A conversation with the model that the server plays."""
        environment = {"ANTHROPIC_BASE_URL": server.root, "CLAUDE_CODE_MAX_RETRIES": "0"}
        choice = replace(self.choice, environment=environment, **changed)
        begun = solver(choice, {"PATH": os.environ["PATH"]}).begin(self.seat, equipment or Equipment())
        try:
            yield begun
        finally:
            begun.close()

    def plugin(self) -> Path:
        """A plugin whose hooks say what they recalled."""
        folder = self.folder / "plugin"
        command = f'"{sys.executable}" "${{CLAUDE_PLUGIN_ROOT}}/hook.py"'
        entries = {
            event: [{"hooks": [{"type": "command", "command": command}]}]
            for event in ("SessionStart", "UserPromptSubmit")
        }
        described = {"name": "memo", "version": "0.1.0", "description": "x", "author": {"name": "x"}}
        for name, text in {
            ".claude-plugin/plugin.json": json.dumps(described),
            "hooks/hooks.json": json.dumps({"hooks": entries}),
            "hook.py": HOOK,
        }.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, "utf-8")
        return folder


@pytest.fixture
def lab(tmp_path: Path, commands: Any) -> Lab:
    return Lab(tmp_path, commands["claude"])


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def bash(command: str) -> dict[str, Any]:
    return call("Bash", command=command, description="x")


def used(exchanges: list[Exchange]) -> tuple[int, int, int, int]:
    calls = [one for exchange in exchanges for one in exchange.calls]
    return (
        len(calls),
        sum(one.input + one.cache_read for one in calls),
        sum(one.output for one in calls),
        sum(one.cache_read for one in calls),
    )


def metered(server: ScriptedServer) -> tuple[int, int, int, int]:
    told = server.usage
    return told.calls, told.tokens_in, told.tokens_out, told.tokens_cached


def test_a_question_and_two_follow_ups_are_told_to_the_last_token(lab: Lab, measured: dict[str, Any]) -> None:
    scenario = Scenario.of(
        {"reply": "Let me look.", "tools": [
            call("Read", file_path=str(lab.app / "retry.py")),
            call("Grep", pattern="RETRIES", output_mode="content"),
            call("Glob", pattern="*.py"),
            bash("git log --oneline | head -1"),
        ]},
        {"reply": "It is 3.", "usage": {"tokens_in": 9_000, "tokens_cached": 8_500, "tokens_out": 30}},
        {"tools": [bash("git blame retry.py")]},
        {"reply": "It is still 3."},
        {"reply": "I have nothing to add."},
    )  # fmt: skip
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
    costs = [one.told_cost or 0.0 for one in exchanges]
    assert costs == sorted(costs), "what it says itself is the sum of the session so far"
    shown = [(use.name, use.outcome, use.output.strip()) for one in exchanges for use in one.uses]
    assert [name for name, _, _ in shown] == ["Read", "Grep", "Glob", "Bash", "Bash"]
    assert {outcome for _, outcome, _ in shown} == {"ok"}
    assert all(
        word in output
        for (_, _, output), word in zip(
            shown, ("RETRIES = 3", "RETRIES = 3", "retry.py", "Add to app", "RETRIES = 3"), strict=True
        )
    )
    assert len({one.session for one in exchanges}) == 1
    assert [one.injected for one in exchanges] == [[], [], []], "nobody put anything before the model"
    assert exchanges[0].model_dump_json().encode()


def test_what_a_plugin_injects_is_told_and_was_in_the_request(lab: Lab) -> None:
    with (
        ScriptedServer(Scenario.of({"when": "", "reply": "Yes."})) as server,
        lab.conversation(server, Equipment(plugin_dir=lab.plugin())) as talk,
    ):
        first, second = talk.ask("Does login work?", "question"), talk.ask(NEUTRAL, "follow-up")

    assert [(one.event, one.text) for one in first.injected] == [
        ("SessionStart", "DIGEST of the project"),
        ("UserPromptSubmit", "RECALLED keychain"),
    ]
    assert ("UserPromptSubmit", "RECALLED keychain") in [(one.event, one.text) for one in second.injected]
    assert all(one.text in call.said for call in server.calls for one in first.injected)
    assert used([first, second]) == metered(server)


def test_a_server_of_tools_may_be_called_where_the_side_brings_it(lab: Lab) -> None:
    program = (
        "from mcp.server.mcpserver import MCPServer\n"
        "server = MCPServer('memo')\n"
        "@server.tool()\n"
        "def recall(query: str) -> str:\n"
        "    return 'RECALLED ' + query\n"
        "server.run()\n"
    )
    config = lab.folder / "mcp.json"
    memo = {"command": sys.executable, "args": ["-c", program]}
    config.write_text(json.dumps({"mcpServers": {"memo": memo}}), "utf-8")
    scenario = Scenario.of({"tools": [call("mcp__memo__recall", query="login")]}, {"reply": "Done."})
    allowed = Equipment(mcp_config=config, allowed_tools=("mcp__memo__recall",))
    with ScriptedServer(scenario) as server, lab.conversation(server, allowed) as talk:
        asked = talk.ask("Does login work?", "question")

    assert [(use.name, use.outcome) for use in asked.uses] == [("mcp__memo__recall", "ok")]
    assert "RECALLED login" in asked.uses[0].output
    assert "RECALLED login" in server.calls[-1].said


OUTSIDE = "../../../other"
REFUSED = {
    "an absolute path": lambda lab: call("Read", file_path=str(lab.folder / "other" / "secret.txt")),
    "dots": lambda _: call("Read", file_path=f"{OUTSIDE}/secret.txt"),
    "dots in the middle": lambda lab: call("Read", file_path=f"{lab.lib}/../../../other/secret.txt"),
    "a symbolic link": lambda lab: call("Read", file_path=str(lab.app / "out" / "secret.txt")),
    "Grep outside": lambda _: call("Grep", pattern="word", path=OUTSIDE, output_mode="content"),
    "Grep through a link": lambda _: call("Grep", pattern="word", path="out", output_mode="content"),
    "Glob outside": lambda lab: call("Glob", pattern="*.txt", path=str(lab.folder / "other")),
    "cat": lambda _: bash(f"cat {OUTSIDE}/secret.txt"),
    "cat through a link": lambda _: bash("cat out/secret.txt"),
    "cat from a variable": lambda _: bash("cat $HOME/../../other/secret.txt"),
    "a redirection": lambda _: bash(f"cat < {OUTSIDE}/secret.txt"),
    "a second command": lambda _: bash(f"git log -1; cat {OUTSIDE}/secret.txt"),
    "a substitution": lambda _: bash(f"git -C ../lib log $(cat {OUTSIDE}/secret.txt)"),
    "another folder": lambda _: bash(f"cd {OUTSIDE} && git log"),
    "git -C": lambda _: bash(f"git -C {OUTSIDE} show HEAD:secret.txt"),
    "--git-dir": lambda _: bash(f"git --git-dir={OUTSIDE}/.git show HEAD:secret.txt"),
    "GIT_DIR": lambda _: bash(f"GIT_DIR={OUTSIDE}/.git git show HEAD:secret.txt"),
    "git diff --no-index": lambda _: bash(f"git diff --no-index retry.py {OUTSIDE}/secret.txt"),
    "git grep --no-index": lambda _: bash(f"git grep --no-index word {OUTSIDE}"),
    "git -C grep --no-index": lambda _: bash(f"git -C ../lib grep --no-index word {OUTSIDE}"),
    "git blame --contents": lambda _: bash(f"git blame --contents {OUTSIDE}/secret.txt retry.py"),
    "git -C blame --contents": lambda _: bash("git -C ../lib blame --contents ../app/out/secret.txt limit.py"),
    "git -O": lambda _: bash(f"git -C ../lib log -O{OUTSIDE}/secret.txt"),
    "--output": lambda _: bash("git -C ../lib log --output=../lib/written"),
    "--output in quotes": lambda _: bash("git -C ../lib log --out''put=../lib/written"),
    "a file to write": lambda _: bash("git -C ../lib log > ../lib/written"),
    "the environment": lambda _: bash("printenv"),
    "the environment as a file": lambda _: bash("cat /proc/self/environ"),
    "other programs": lambda _: bash("ps aux"),
    "other programs, found": lambda _: bash("pgrep -af ."),
    "git blame by a file of commits": lambda _: bash(
        f"git blame --ignore-revs-file={OUTSIDE}/secret.txt retry.py"
    ),
    "wc by a file of names": lambda _: bash(f"wc --files0-from={OUTSIDE}/secret.txt"),
    "du by a file of names": lambda _: bash(f"du --files0-from {OUTSIDE}/secret.txt"),
    "a program": lambda _: bash("python3 -c 'print(1)'"),
    "its own settings": lambda _: bash("ls $HOME/.claude"),
    "what lies above": lambda _: bash("ls .."),
}  # fmt: skip


def test_reads_outside_the_workspace_are_denied_and_read_nothing(lab: Lab, measured: dict[str, Any]) -> None:
    (lab.app / "out").symlink_to(lab.folder / "other")
    attempts = {name: make(lab) for name, make in REFUSED.items()}
    scenario = Scenario.of({"tools": list(attempts.values())}, {"reply": "Done."})
    with ScriptedServer(scenario) as server, lab.conversation(server) as talk:
        asked = talk.ask("Look around.", "question")
    measured["denied"] = sorted(attempts)

    told = {name: use.outcome for name, use in zip(attempts, asked.uses, strict=True)}
    assert told == dict.fromkeys(attempts, "denied")
    assert asked.denied == [use.id for use in asked.uses]
    assert SECRET not in server.calls[-1].said and SECRET not in asked.model_dump_json()
    assert not (lab.lib / "written").exists()


def test_a_link_out_of_the_workspace_is_followed_by_searches_that_name_no_path(lab: Lab) -> None:
    (lab.app / "out").symlink_to(lab.folder / "other")
    followed = ["grep -R word .", "rg -L word .", "find -L . -name secret.txt", "cat */secret.txt"]
    spared = ["grep -r word .", "rg word ."]
    scenario = Scenario.of({"tools": [bash(command) for command in (*followed, *spared)]}, {"reply": "Done."})
    with ScriptedServer(scenario) as server, lab.conversation(server) as talk:
        asked = talk.ask("Look around.", "question")

    # So a workspace must hold no such link; this pins that confinement alone does not stop it.
    found = {use.input["command"]: "secret" in use.output or SECRET in use.output for use in asked.uses}
    assert found == {**dict.fromkeys(followed, True), **dict.fromkeys(spared, False)}
    assert asked.denied == []


def test_the_other_repositories_of_the_workspace_can_be_read(lab: Lab) -> None:
    looks = {
        "Read": (call("Read", file_path=str(lab.lib / "limit.py")), "LIMIT = 5"),
        "Grep": (call("Grep", pattern="LIMIT", path="../lib", output_mode="content"), "LIMIT = 5"),
        "Glob": (call("Glob", pattern="*.py", path=str(lab.lib)), "limit.py"),
        "cat": (bash("cat ../lib/limit.py"), "LIMIT = 5"),
        "rg": (bash("rg LIMIT ../lib"), "LIMIT = 5"),
        "log": (bash("git -C ../lib log --oneline | head -3"), "Add to lib"),
        "show": (bash("git -C ../lib show HEAD:limit.py"), "LIMIT = 5"),
        "by its whole path": (bash(f"git -C {lab.lib} log --oneline"), "Add to lib"),
    }
    scenario = Scenario.of({"tools": [tool for tool, _ in looks.values()]}, {"reply": "Done."})
    with ScriptedServer(scenario) as server, lab.conversation(server) as talk:
        asked = talk.ask("Look around.", "question")

    shown = {
        name: (use.outcome, word in use.output)
        for (name, (_, word)), use in zip(looks.items(), asked.uses, strict=True)
    }
    assert shown == dict.fromkeys(looks, ("ok", True))


def test_a_long_output_of_its_own_can_be_read_again_and_its_transcript_cannot(lab: Lab) -> None:
    (lab.app / "long.txt").write_text("".join(f"line {number} of it\n" for number in range(6_000)), "utf-8")
    scenario = Scenario.of({"tools": [bash("cat long.txt")]}, {"reply": "It is long."})
    with ExitStack() as talking:
        with ScriptedServer(scenario) as server:
            talk = talking.enter_context(lab.conversation(server))
            first = talk.ask("Look.", "question")
            port = int(server.root.rpartition(":")[2])
        (kept,) = (lab.home / ".claude" / "projects").glob("*/*/tool-results/*")
        reads = [
            call("Read", file_path=str(kept), offset=4_000, limit=2),
            call("Read", file_path=str(kept.parents[2] / f"{first.session}.jsonl")),
        ]
        with ScriptedServer(Scenario.of({"tools": reads}, {"reply": "Done."}), port=port) as later:
            for _ in server.calls:  # its ids are numbers, and are to be new in the conversation
                urllib.request.urlopen(f"{later.base_url}/models").close()
            second = talk.ask(NEUTRAL, "follow-up")

    assert str(kept) in first.uses[0].output
    assert [use.outcome for use in second.uses] == ["ok", "denied"]
    assert "line 3999 of it" in second.uses[0].output


def test_an_exchange_that_takes_too_long_is_ended_with_its_usage(lab: Lab) -> None:
    scenario = Scenario.of({"tools": [call("Read", file_path=str(lab.app / "retry.py"))]}, {"fail": "slow"})
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
    assert asked[0].session
    assert [(use.name, use.outcome) for use in asked[0].uses] == [("Read", "ok")]


def test_the_limit_of_rounds_ends_an_exchange_with_its_usage(lab: Lab) -> None:
    scenario = Scenario.of({"when": "", "tools": [call("Read", file_path=str(lab.app / "retry.py"))]})
    with ScriptedServer(scenario) as server, lab.conversation(server, max_turns=2) as talk:
        asked = talk.ask("How often?", "question")

    assert (asked.ended, asked.answer) == ("turns", "")
    assert asked.problem == "error_max_turns: Reached maximum number of turns (2)"
    assert used([asked]) == metered(server)
    assert server.usage.calls == 2


@pytest.mark.parametrize(
    ("fail", "problem"),
    [
        ("401", "the provider answered 401: Failed to authenticate. API Error: 401"),
        ("529", "the provider answered 529: API Error: 529"),
        ("drop", "api_error: API Error: Connection "),
    ],
)
def test_an_error_of_the_provider_is_a_failed_exchange_without_usage(
    lab: Lab, fail: str, problem: str
) -> None:
    scenario = Scenario.of({"when": "", "fail": fail})
    with ScriptedServer(scenario) as server, lab.conversation(server) as talk:
        asked = talk.ask("How often?", "question")

    assert (asked.ended, asked.answer, asked.calls) == ("failed", "", [])
    assert asked.problem.startswith(problem)


def test_a_hook_that_blocks_the_prompt_makes_a_failed_exchange(lab: Lab) -> None:
    plugin = lab.plugin()
    (plugin / "hook.py").write_text("import sys\nsys.stderr.write('not now')\nsys.exit(2)\n", "utf-8")
    with (
        ScriptedServer(Scenario.of({"when": "", "reply": "Yes."})) as server,
        lab.conversation(server, Equipment(plugin_dir=plugin)) as talk,
    ):
        asked = talk.ask("Does login work?", "question")

    assert (asked.ended, asked.answer, asked.calls, server.calls) == ("failed", "", [], ())
    assert "not now" in asked.problem


def test_a_conversation_goes_on_after_an_error_of_the_provider(lab: Lab) -> None:
    scenario = Scenario.of({"reply": "Yes."}, {"fail": "529"}, {"reply": "Yes, it does."})
    with ScriptedServer(scenario) as server, lab.conversation(server) as talk:
        exchanges = [talk.ask("Does login work?", "question")]
        exchanges += [talk.ask(NEUTRAL, "follow-up") for _ in range(2)]

    assert [one.ended for one in exchanges] == ["answered", "failed", "answered"]
    assert "Does login work?" in server.calls[-1].said
    counted = [call for call in server.calls if call.status == 200]
    totals = [
        sum(sums) for sums in zip(*((call.tokens_in, call.tokens_out) for call in counted), strict=True)
    ]
    assert used(exchanges) == (2, *totals, 0)


def test_the_program_can_be_checked_and_names_its_version(lab: Lab) -> None:
    checked = solver(lab.choice, {"PATH": os.environ["PATH"], "ANTHROPIC_API_KEY": "sk-study-0123456789"})

    checked.check()
    assert checked.version().endswith("(Claude Code)")
    with pytest.raises(StudyError, match="the key of the solver's provider is not set"):
        solver(lab.choice, {"PATH": os.environ["PATH"]}).check()


def test_no_project_of_the_workspace_can_hook_in_or_instruct(lab: Lab) -> None:
    (lab.app / "CLAUDE.md").write_text("INSTRUCTED by the project\n", "utf-8")
    hooks = {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "echo HOOKED"}]}]}
    (lab.app / ".claude").mkdir()
    (lab.app / ".claude" / "settings.json").write_text(
        json.dumps({"hooks": hooks, "permissions": {"allow": ["Read", "Bash"]}}), "utf-8"
    )
    outside = call("Read", file_path=str(lab.folder / "other" / "secret.txt"))
    scenario = Scenario.of({"tools": [outside]}, {"reply": "Yes."})
    with ScriptedServer(scenario) as server, lab.conversation(server) as talk:
        asked = talk.ask("Does login work?", "question")

    assert asked.injected == []
    assert [use.outcome for use in asked.uses] == ["denied"]
    assert "INSTRUCTED" not in server.calls[0].said and "HOOKED" not in server.calls[0].said
