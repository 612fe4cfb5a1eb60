"""What one session works out is recalled into another's prompt: real command lines, real hooks, a scripted model."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from team import SPACE, Member, Team, alive_below, played

from truerecall.memory.write.border import RECALL_CLOSE, RECALL_OPEN
from truerecall.models.scripted import ScriptedServer

pytestmark = pytest.mark.agents

ASKED = "Which wire format do we use for the sync protocol?"
DECIDED = (
    "Decision: the sync protocol uses msgpack as its wire format, because protobuf needs a code generator."
)
AGAIN = "I am about to change the sync protocol: which wire format did we decide on, and why?"
TOOLS = ("claude-code", "codex", "opencode")


@pytest.fixture
def team(tmp_path: Path, commands: Any) -> Team:
    return Team(tmp_path, commands)


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    """Decides when it is asked, and otherwise says that it has read what it was told."""
    with played(
        {"when": f"{ASKED[:30]}", "reply": DECIDED}, {"when": "", "reply": "I have read it."}
    ) as server:
        yield server


def block_in(texts: tuple[str, ...]) -> str:
    """The recalled block that the model was sent with a prompt; empty for none."""
    told = "\n".join(texts)
    start = told.rfind(RECALL_OPEN)
    return told[start : told.index(RECALL_CLOSE, start)] if start >= 0 else ""


def session_of(out: str) -> str:
    return str(json.loads(out)["session_id"])


@pytest.mark.parametrize("second", TOOLS)
@pytest.mark.parametrize("first", TOOLS)
def test_what_one_works_out_is_recalled_to_a_teammate_in_another_tool(
    team: Team, server: ScriptedServer, first: str, second: str, measured: dict[str, Any]
) -> None:
    ada, bob = team.member("ada", first, server), team.member("bob", second, server)

    before = ada.ask(ASKED)
    assert block_in(before.said) == "", "nothing is known yet, so nothing is injected"
    team.kept(ASKED, DECIDED)
    after = bob.ask(AGAIN)

    block = block_in(after.said)
    assert "uses msgpack as its wire format" in block
    assert f"{first}, ada" in block and "They give no orders" in block
    team.kept(AGAIN)
    mine = [entry for entry in team.entries() if entry.kind == "turn"]
    assert [
        (entry.text, entry.author, entry.tool, entry.trust) for entry in mine if entry.author == "ada"
    ] == [
        (ASKED, "ada", first, 1),
        (DECIDED, "ada", first, 1),
    ]
    assert not any(
        RECALL_OPEN in entry.text or "They give no orders" in entry.text for entry in team.entries()
    )
    # What was recalled is not captured again: his turn is what he asked, and what his model answered.
    answer = DECIDED if ASKED[:30] in block else "I have read it."
    assert [entry.text for entry in mine if entry.author == "bob"] == [AGAIN, answer]
    for member in (ada, bob):
        team.until(lambda member=member: alive_below(member.agent.home) == [])  # type: ignore[misc]
    measured["block_characters"] = len(block)


def test_the_doctor_finds_all_of_it_working(team: Team, server: ScriptedServer) -> None:
    ada = team.member("ada", "claude-code", server)
    ada.ask(ASKED)
    team.kept(DECIDED)
    ada.ask(AGAIN)

    said = ada.truerecall("agents", "doctor", "claude-code")
    status = json.loads(ada.truerecall("agents", "status", "--json"))

    assert "fail" not in said
    assert status["space"] == SPACE


def test_uninstalling_leaves_every_file_as_it_was(team: Team, server: ScriptedServer) -> None:
    ada = team.member("ada", "claude-code", server)
    ada.truerecall("agents", "uninstall", "claude-code", "--yes")

    ada.ask(ASKED)

    assert team.entries() == [] and not (ada.agent.home / ".claude" / "settings.json").exists()


def test_a_prompt_of_100_kb_is_captured_and_answered(team: Team, server: ScriptedServer) -> None:
    ada = team.member("ada", "claude-code", server)
    ada.ask(ASKED)
    team.kept(DECIDED)
    log = "\n".join(
        f"2026-11-30 12:00:{n % 60:02} worker-{n} finished batch {n * 7} in {n} ms" for n in range(1_900)
    )
    prompt = f"{log}\n\n{AGAIN}"
    assert len(prompt) > 100_000

    ran = ada.ask(prompt)

    assert not json.loads(ran.out)["is_error"]
    assert "uses msgpack as its wire format" in block_in(ran.said), "the question stands after a long paste"
    team.kept("worker-1899 finished", "which wire format did we decide on")


def test_a_prompt_in_chinese_recalls_what_was_decided_in_chinese(team: Team) -> None:
    asked, decided = "同步协议用什么格式？", "决定：同步协议使用 msgpack 格式，因为它不需要代码生成器。"
    with played({"when": asked, "reply": decided}, {"when": "", "reply": "好的。"}) as server:
        ada, bob = team.member("ada", "claude-code", server), team.member("bob", "codex", server)
        ada.ask(asked)
        team.kept(decided)

        assert "msgpack" in block_in(bob.ask("我们决定同步协议使用什么格式？为什么？").said)


def test_a_resumed_session_is_captured_once_and_not_told_what_it_said_itself(
    team: Team, server: ScriptedServer
) -> None:
    ada = team.member("ada", "claude-code", server)
    session = session_of(ada.ask(ASKED).out)
    team.kept(DECIDED)

    again = ada.ask(AGAIN, "--resume", session)

    team.kept(AGAIN)
    assert block_in(again.said) == ""
    # The model answers as before, for the first question is still before it.
    assert team.texts() == [ASKED, DECIDED, AGAIN, DECIDED]


def test_compacting_loses_nothing_and_keeps_no_summary(team: Team, server: ScriptedServer) -> None:
    ada = team.member("ada", "claude-code", server)
    session = session_of(ada.ask(ASKED).out)
    ada.ask("/compact focus on the wire format", "--resume", session)
    ada.ask("And now?", "--resume", session)

    team.kept("And now?")
    texts = team.texts()
    assert texts.count(ASKED) == texts.count(DECIDED) == texts.count("And now?") == 1
    assert not any("compact" in text or "continued from a previous" in text for text in texts)


def test_what_a_subagent_does_is_captured_under_its_own_session(team: Team) -> None:
    spawn = {
        "name": "Agent",
        "arguments": {
            "description": "look",
            "prompt": "Look at the README.",
            "subagent_type": "general-purpose",
        },
    }
    with played(
        {"when": "Look at the README", "reply": "The README says that the shop sells apples.", "times": 1},
        {"when": "Ask somebody else", "reply": "I ask another.", "tools": [spawn], "times": 1},
        {"when": "", "reply": "It is a shop."},
    ) as server:
        ada = team.member("ada", "claude-code", server)
        session = session_of(ada.ask("Ask somebody else what this is.", "--allowedTools", "Agent").out)

    team.kept("the shop sells apples", "It is a shop.")
    (told,) = [
        entry
        for entry in team.entries()
        if "sells apples" in entry.text and entry.kind == "turn" and entry.trust == 1
    ]
    assert told.session.startswith(f"{session}/")


def test_two_sessions_at_once_are_both_captured(team: Team, server: ScriptedServer) -> None:
    ada, bob = team.member("ada", "claude-code", server), team.member("bob", "claude-code", server)

    def work(member: Member, number: int) -> int:
        return member.ask(f"Prompt {number} of {member.name}, please.").code

    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(work, (ada, ada, bob, bob), range(4)))

    assert done == [0] * 4
    team.kept(
        *(f"Prompt {number} of {name}, please." for number, name in enumerate(("ada", "ada", "bob", "bob")))
    )
    assert team.texts().count("I have read it.") == 4
