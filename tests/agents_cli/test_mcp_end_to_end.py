"""The MCP server, called by the models of the real Claude Code and Codex."""

import json
from pathlib import Path
from typing import Any

import pytest
from team import Team, played

pytestmark = pytest.mark.agents

KNOWN = "The retry budget is 3, agreed with operations."


@pytest.fixture
def team(tmp_path: Path, commands: Any) -> Team:
    return Team(tmp_path, commands)


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def test_claude_code_remembers_and_recalls_through_its_tools(team: Team) -> None:
    tool = "mcp__truerecall__"
    with played(
        {
            "when": "Remember the budget",
            "tools": [call(f"{tool}remember", text=KNOWN, kind="decision")],
            "times": 1,
        },
        {"when": "Look the budget up", "tools": [call(f"{tool}recall", query="retry budget")], "times": 1},
        {"when": "", "reply": "Done."},
    ) as server:
        ada = team.member("ada", "claude-code", server)
        allowed = ("--allowedTools", f"{tool}remember,{tool}recall")
        ada.ask("Remember the budget of retries: it is 3.", *allowed)
        found = ada.ask("Look the budget up.", *allowed)

    team.kept("Look the budget up.")
    assert KNOWN in "\n".join(found.said[1:]), "the model is told what was recalled"
    (fact,) = [entry for entry in team.entries() if entry.text == KNOWN]
    assert (fact.kind, fact.author, fact.tool, fact.trust) == ("fact", "ada", "claude-code", 1)
    assert sum(KNOWN in entry.text for entry in team.entries()) <= 2, (
        "what the tool gave is not captured again"
    )
    assert not json.loads(found.out)["permission_denials"]


def test_codex_reads_without_being_asked_for_approval(team: Team) -> None:
    recall = {**call("recall", query="retry budget"), "namespace": "mcp__truerecall"}
    with played(
        {"when": "Look the budget up", "tools": [recall], "times": 1},
        {"when": "", "reply": "Done."},
    ) as server:
        ada = team.member("ada", "codex", server)
        ada.truerecall(
            "remember", KNOWN, "--store", team.store, "--user", "ada", "--space", "git.example/team/shop"
        )
        found = ada.ask("Look the budget up.")

    events = [json.loads(line) for line in found.out.splitlines()]
    calls = [event["item"] for event in events if event.get("item", {}).get("type") == "mcp_tool_call"]
    assert [
        (one["server"], one["tool"], one["error"]) for one in calls if one["status"] != "in_progress"
    ] == [("truerecall", "recall", None)]
    assert KNOWN in "\n".join(found.said[1:])
