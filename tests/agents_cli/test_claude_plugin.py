"""The real Claude Code installs from our marketplace, offline; and takes what installing writes into its settings."""

import json
from pathlib import Path
from typing import Any

import pytest
from claude import ClaudeHome, fresh_claude
from running import repository
from stand_in import StandIn

from truerecall.agents.install import claude_code
from truerecall.agents.install.editing import carry_out, plan_install, plan_removal
from truerecall.agents.install.programs import PLUGIN
from truerecall.models.scripted import Scenario, ScriptedServer

pytestmark = pytest.mark.agents

EVENTS = ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"]
TOOLS = {"claude-code": claude_code}


@pytest.fixture
def stand_in(tmp_path: Path) -> StandIn:
    return StandIn(tmp_path / "a bin")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return repository(tmp_path / "project")


def home_of(commands: Any, tmp_path: Path, stand_in: StandIn, server: ScriptedServer) -> ClaudeHome:
    return fresh_claude(commands["claude"], tmp_path / "home", server, path=(stand_in.folder,))


def asked(claude: ClaudeHome, project: Path) -> int:
    """How often one prompt's context reached the model."""
    ran = claude.ask("Does login work on Windows?", cwd=project)
    assert (ran.code, json.loads(ran.out)["result"]) == (0, "Hello.")
    (said,) = ran.said
    assert said.count("CONTEXT-OF-SessionStart") == said.count("CONTEXT-OF-UserPromptSubmit")
    return said.count("CONTEXT-OF-UserPromptSubmit")


def fired(claude: ClaudeHome, stand_in: StandIn, project: Path) -> list[tuple[str, str]]:
    """What one prompt fires; a command beside it, ``mcp list`` for one, fires SessionEnd as well."""
    stand_in.called()
    asked(claude, project)
    return stand_in.called()


def plugin(claude: ClaudeHome, *arguments: str) -> str:
    ran = claude.call("plugin", *arguments)
    assert ran.code == 0, ran.out + ran.err
    return ran.out


def install_plugin(claude: ClaudeHome) -> None:
    plugin(claude, "marketplace", "add", str(PLUGIN))
    plugin(claude, "install", "truerecall@truerecall")


def test_the_plugin_is_valid(commands: Any, tmp_path: Path) -> None:
    claude = fresh_claude(commands["claude"], tmp_path / "home")

    said = plugin(claude, "validate", str(PLUGIN))

    assert "Validation passed" in said
    assert "warning" not in said.replace("plugin directory warning", "")


def test_the_plugin_is_installed_from_its_marketplace_and_its_hooks_fire(
    commands: Any, tmp_path: Path, stand_in: StandIn, project: Path
) -> None:
    with ScriptedServer(Scenario.of({"when": "", "reply": "Hello."})) as server:
        claude = home_of(commands, tmp_path, stand_in, server)
        install_plugin(claude)

        listed = {item["id"]: item for item in json.loads(plugin(claude, "list", "--json"))}
        assert listed["truerecall@truerecall"]["enabled"] is True
        assert asked(claude, project) == 1
        assert fired(claude, stand_in, project) == [("claude-code", event) for event in EVENTS]

    assert "plugin:truerecall:truerecall" in claude.call("mcp", "list").out


def test_what_installing_writes_fires_and_its_server_is_listed(
    commands: Any, tmp_path: Path, stand_in: StandIn, project: Path
) -> None:
    with ScriptedServer(Scenario.of({"when": "", "reply": "Hello."})) as server:
        claude = home_of(commands, tmp_path, stand_in, server)
        setup = stand_in.setup(claude.environment)
        carry_out(setup, plan_install(setup, TOOLS))

        assert asked(claude, project) == 1
        assert fired(claude, stand_in, project) == [("claude-code", event) for event in EVENTS]
        assert plan_install(setup, TOOLS).changes == (), "Claude Code itself does not undo it"

        listed = claude.call("mcp", "list").out
        assert f"truerecall: {stand_in.server} agents mcp" in listed
        assert "✔ Connected" in listed or "✓ Connected" in listed

        carry_out(setup, plan_removal(setup, TOOLS))
        assert asked(claude, project) == 0
        assert fired(claude, stand_in, project) == []
        assert "truerecall" not in claude.call("mcp", "list").out


def test_with_the_plugin_and_hooks_in_the_settings_each_is_recalled_once(
    commands: Any, tmp_path: Path, stand_in: StandIn, project: Path
) -> None:
    with ScriptedServer(Scenario.of({"when": "", "reply": "Hello."})) as server:
        claude = home_of(commands, tmp_path, stand_in, server)
        setup = stand_in.setup(claude.environment)
        carry_out(setup, plan_install(setup, TOOLS))
        install_plugin(claude)

        assert asked(claude, project) == 1
        assert fired(claude, stand_in, project) == [("claude-code", event) for event in EVENTS]


def test_uninstalling_after_claude_code_wrote_on_leaves_its_own_settings(
    commands: Any, tmp_path: Path, stand_in: StandIn
) -> None:
    claude = fresh_claude(commands["claude"], tmp_path / "home", path=(stand_in.folder,))
    setup = stand_in.setup(claude.environment)
    carry_out(setup, plan_install(setup, TOOLS))
    claude.call("mcp", "add", "--scope", "user", "other", "--", "/bin/cat")

    carry_out(setup, plan_removal(setup, TOOLS))

    left = json.loads((claude.home / ".claude.json").read_text())
    assert set(left["mcpServers"]) == {"other"}
    assert not claude.settings.exists()
