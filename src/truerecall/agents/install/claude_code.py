"""Claude Code: hooks in ``settings.json``, the MCP server in ``.claude.json``."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from truerecall.agents.install.hook_entries import our_hooks, with_hooks, without_hooks
from truerecall.agents.install.json_edit import JsonText, edit_json, read_json
from truerecall.agents.install.records import SERVER_NAME, Change, Setup, bytes_of
from truerecall.agents.install.server_entries import SERVERS, with_server, without_server

TOOL = "claude-code"
TIMEOUTS: Mapping[str, int] = {
    # Seconds. A hook answers in a fraction of one; these bound what a locked store or a slow disk may cost.
    "SessionStart": 10,
    "UserPromptSubmit": 10,
    "Stop": 15,
    "SubagentStop": 15,
    "PreCompact": 15,
    "SessionEnd": 10,  # without one of its own it is killed after 1.5 s
}


def changes(setup: Setup) -> list[Change]:
    """Our hooks and our server; nothing where the plugin brings them and neither stands in the settings."""
    if _plugin_alone(setup):
        return []
    return [
        edit_json(
            settings_path(setup), lambda document: with_hooks(document, hook_entries(setup)), mode=0o600
        ),
        edit_json(
            servers_path(setup), lambda document: with_server(document, server_entry(setup)), mode=0o600
        ),
    ]


def removed(setup: Setup) -> list[Change]:
    """Without our hooks and our server."""
    return [
        edit_json(settings_path(setup), without_hooks),
        edit_json(servers_path(setup), without_server),
    ]


def notes(setup: Setup) -> list[str]:
    """What Claude Code does not do by itself."""
    if _plugin_alone(setup):
        return [
            "the plugin is enabled in Claude Code: it brings the hooks and the MCP server, nothing is written"
        ]
    told = ["start running sessions of Claude Code again: they read hooks and servers when they start"]
    if plugin_enabled(settings(setup)):
        told.append(
            "the plugin is enabled as well: its hooks stand down, its MCP server is there a second time"
        )
    return told


def hook_entries(setup: Setup) -> dict[str, dict[str, Any]]:
    """By event the hook that is written."""
    command = setup.hook_command(TOOL)
    return {
        event: {"type": "command", "command": command, "timeout": seconds}
        for event, seconds in TIMEOUTS.items()
    }


def server_entry(setup: Setup) -> dict[str, Any]:
    """The MCP server as ``claude mcp add --scope user`` writes it."""
    program, *arguments = setup.server
    return {"type": "stdio", "command": program, "args": arguments}


def plugin_enabled(document: JsonText) -> bool:
    """Whether the settings say that our plugin, of whichever marketplace, is on."""
    plugins = document.get("enabledPlugins")
    enabled = plugins.items() if isinstance(plugins, dict) else ()
    return any(name.startswith(f"{SERVER_NAME}@") and on is True for name, on in enabled)


def settings(setup: Setup) -> JsonText:
    """The settings that hold the hooks."""
    return read_json(bytes_of(settings_path(setup)), settings_path(setup))


def servers(setup: Setup) -> JsonText:
    """The settings that hold the MCP servers."""
    return read_json(bytes_of(servers_path(setup)), servers_path(setup))


def settings_path(setup: Setup) -> Path:
    """Where the hooks stand."""
    return _folder(setup) / "settings.json"


def servers_path(setup: Setup) -> Path:
    """Where the MCP servers stand: beside the settings where CLAUDE_CONFIG_DIR names a folder, else in the home."""
    return (
        _folder(setup) if setup.environment.get("CLAUDE_CONFIG_DIR") else setup.places.home
    ) / ".claude.json"


def _folder(setup: Setup) -> Path:
    named = setup.environment.get("CLAUDE_CONFIG_DIR")
    return Path(named) if named else setup.places.home / ".claude"


def _plugin_alone(setup: Setup) -> bool:
    """Whether our plugin is on and nothing of ours stands in the settings."""
    hooks = settings(setup)
    return plugin_enabled(hooks) and not our_hooks(hooks) and servers(setup).get(SERVERS, SERVER_NAME) is None
