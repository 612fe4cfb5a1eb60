"""The real Claude Code is ended at a limit of costs, and nothing that its model sees says that there is one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from test_study_solver import Lab, call, lab, metered, used

from truerecall.models.scripted import Scenario, ScriptedServer
from truerecall.study.records import Call

__all__ = ["lab"]  # a fixture
pytestmark = pytest.mark.agents


@dataclass(frozen=True, slots=True)
class OfTokens:
    """Allows another call while those before it were sent fewer tokens than this."""

    most: int
    dollars: float = 0.05

    def allows(self, calls: Sequence[Call]) -> bool:
        """See ``Limit.allows``."""
        return sum(one.input + one.cache_read for one in calls) < self.most


def looking(lab: Lab) -> dict[str, Any]:
    used = {"tokens_in": 10_000, "tokens_out": 100}
    return {"tools": [call("Read", file_path=str(lab.app / "retry.py"))], "usage": used}


def test_a_prompt_under_way_is_ended_at_the_limit_with_its_usage(lab: Lab) -> None:
    scenario = Scenario.of(looking(lab), looking(lab), {"fail": "slow"})
    with ScriptedServer(scenario) as server, lab.conversation(server) as talk:
        asked = talk.ask("How often do we retry?", "question", OfTokens(20_000))

    assert (asked.ended, asked.answer) == ("failed", "")
    assert used([asked]) == (2, 20_000, 200, 0)
    assert [use.outcome for use in asked.uses] == ["ok", "ok"]


def test_the_model_is_told_nothing_of_a_limit(lab: Lab) -> None:
    scenario = Scenario.of(looking(lab), {"reply": "It is 3."}, {"reply": "It is still 3."})
    with ScriptedServer(scenario) as server, lab.conversation(server) as talk:
        exchanges = [
            talk.ask(prompt, "question", OfTokens(1_000_000)) for prompt in ("How often?", "Look again.")
        ]

    assert [one.answer for one in exchanges] == ["It is 3.", "It is still 3."]
    assert used(exchanges) == metered(server)
    assert not [one for one in server.calls if "USD" in one.said]


def test_its_own_limit_is_told_to_the_model_at_each_turn(lab: Lab) -> None:
    # So it is not used. Where this fails, a newer version may keep it to itself, and stops between two calls.
    command = (*lab.choice.command, "--max-budget-usd", "5")
    scenario = Scenario.of(looking(lab), {"reply": "It is 3."})
    with ScriptedServer(scenario) as server, lab.conversation(server, command=command) as talk:
        talk.ask("How often?", "question")

    assert ["USD budget: $0/$5; $5 remaining" in one.said for one in server.calls] == [True, True]
    assert "USD budget: $0.021/$5; $4.979 remaining" in server.calls[-1].said
