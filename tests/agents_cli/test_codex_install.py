"""The real Codex takes what installing writes, runs it once it is trusted, and says so to the doctor."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from codex import TRUST_ALL, CodexHome, fresh_codex
from running import Ran, repository
from stand_in import StandIn

from truerecall.agents.doctor import examine
from truerecall.agents.install import codex as install_codex
from truerecall.agents.install.editing import carry_out, plan_install, plan_removal
from truerecall.core.clock import system_clock
from truerecall.models.scripted import Scenario, ScriptedServer

pytestmark = pytest.mark.agents

EVENTS = ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"]
TOOLS = {"codex": install_codex}


@pytest.fixture
def stand_in(tmp_path: Path) -> StandIn:
    return StandIn(tmp_path / "a bin")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return repository(tmp_path / "project")


def asked(codex: CodexHome, project: Path, *arguments: str) -> Ran:
    ran = codex.ask("Does login work on Windows?", *arguments, cwd=project)
    assert ran.code == 0, ran.out + ran.err
    return ran


def warnings(ran: Ran) -> list[str]:
    """What Codex complains about, but for what every run here brings."""
    items = [json.loads(line).get("item", {}) for line in ran.out.splitlines()]
    said = [item["message"] for item in items if item.get("type") == "error"]
    return [text for text in said if TRUST_ALL not in text and "Model metadata" not in text]


def test_hooks_run_only_when_they_are_trusted_and_notify_always(
    commands: Any, tmp_path: Path, stand_in: StandIn, project: Path
) -> None:
    with ScriptedServer(Scenario.of({"when": "", "reply": "Hello."})) as server:
        codex = fresh_codex(commands["codex"], tmp_path / "home", server, path=(stand_in.folder,))
        before = (codex.folder / "config.toml").read_bytes()
        setup = stand_in.setup(codex.environment)
        carry_out(setup, plan_install(setup, TOOLS))

        untrusted = asked(codex, project)
        assert "CONTEXT-OF-" not in untrusted.said[0]
        assert set(stand_in.called()) <= {("codex-notify", "agent-turn-complete")}

        trusted = asked(codex, project, TRUST_ALL)
        assert "CONTEXT-OF-UserPromptSubmit" in trusted.said[0]
        assert "CONTEXT-OF-SessionStart" in trusted.said[0]
        assert warnings(trusted) == []
        called = [call for call in stand_in.called() if call[0] == "codex"]
        assert called == [("codex", event) for event in EVENTS]

        listed = codex.call("mcp", "list", "--json")
        assert [server["name"] for server in json.loads(listed.out)] == ["truerecall"]

        carry_out(setup, plan_removal(setup, TOOLS))
        assert (codex.folder / "config.toml").read_bytes() == before
        assert not (codex.folder / "hooks.json").exists()


def test_the_doctor_hears_from_codex_that_nobody_has_reviewed_the_hooks(
    commands: Any, tmp_path: Path, stand_in: StandIn, project: Path
) -> None:
    codex = fresh_codex(
        commands["codex"], tmp_path / "home", path=(stand_in.folder, commands["codex"].parent)
    )
    setup = stand_in.setup(codex.environment)
    carry_out(setup, plan_install(setup, TOOLS))

    (finding,) = (
        found for found in examine(setup, ("codex",), project, system_clock) if found.check == "trusted"
    )

    assert (finding.level, finding.remedy) == ("fail", "start codex and give /hooks")
    assert finding.detail == (
        "codex skips what nobody reviewed: preCompact, sessionEnd, sessionStart, stop, subagentStop, userPromptSubmit"
    )


def test_reviewed_hooks_run_without_more_ado_and_the_doctor_says_so(
    commands: Any, tmp_path: Path, stand_in: StandIn, project: Path
) -> None:
    with ScriptedServer(Scenario.of({"when": "", "reply": "Hello."})) as server:
        path = (stand_in.folder, commands["codex"].parent)
        codex = fresh_codex(commands["codex"], tmp_path / "home", server, path=path)
        setup = stand_in.setup(codex.environment)
        carry_out(setup, plan_install(setup, TOOLS))
        codex.trust()

        assert "CONTEXT-OF-UserPromptSubmit" in asked(codex, project).said[0]
        found = list(examine(setup, ("codex",), project, system_clock))
        assert [(one.level, one.detail) for one in found if one.check == "trusted"] == [("ok", "6 hooks")]

        # Installed from elsewhere, the hooks are others: they want to be looked at again.
        moved = replace(setup, hook=(f"{stand_in.hook}", "--moved"))
        carry_out(moved, plan_install(moved, TOOLS))
        found = list(examine(moved, ("codex",), project, system_clock))
        assert [one.level for one in found if one.check == "trusted"] == ["fail"]


def test_uninstalling_after_codex_wrote_on_leaves_its_own_settings(
    commands: Any, tmp_path: Path, stand_in: StandIn
) -> None:
    codex = fresh_codex(commands["codex"], tmp_path / "home", path=(stand_in.folder,))
    before = (codex.folder / "config.toml").read_text()
    setup = stand_in.setup(codex.environment)
    carry_out(setup, plan_install(setup, TOOLS))
    assert codex.call("mcp", "add", "other", "--", "/bin/cat").code == 0

    carry_out(setup, plan_removal(setup, TOOLS))

    assert (
        codex.folder / "config.toml"
    ).read_text() == f'{before}\n[mcp_servers.other]\ncommand = "/bin/cat"\n'
