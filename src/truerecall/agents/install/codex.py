"""Codex: hooks in ``hooks.json``, the MCP server and ``notify`` in ``config.toml``.

Codex runs a hook only after its user has reviewed it; that is his to give, and nothing here gives it.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from truerecall.agents.install.hook_entries import with_hooks, without_hooks
from truerecall.agents.install.json_edit import edit_json
from truerecall.agents.install.records import SERVER_NAME, Change, Setup, is_our_hook, is_our_server
from truerecall.agents.install.toml_edit import TomlText, edit_toml
from truerecall.errors import InstallError

TOOL = "codex"
TIMEOUTS: Mapping[str, int] = {
    # Seconds, as for Claude Code; Codex cuts what SessionEnd may take to 3.
    "SessionStart": 10,
    "UserPromptSubmit": 10,
    "Stop": 15,
    "SubagentStop": 15,
    "PreCompact": 15,
    "SessionEnd": 3,
}
_SPEAKING = ("SessionStart", "UserPromptSubmit")
"""The events whose hooks may add context; Codex warns of the limit at any other."""
_TABLE = ("mcp_servers", SERVER_NAME)
_NOTIFY = "notify"


def changes(setup: Setup) -> list[Change]:
    """Our hooks, our server, and ``notify`` where the user has none: it captures also while no hook is trusted."""
    return [
        edit_json(hooks_path(setup), lambda document: with_hooks(document, hook_entries(setup))),
        edit_toml(config_path(setup), lambda document: _with_ours(document, setup), mode=0o600),
    ]


def removed(setup: Setup) -> list[Change]:
    """Without our hooks, our server and our ``notify``."""
    return [
        edit_json(hooks_path(setup), without_hooks),
        edit_toml(config_path(setup), _without_ours),
    ]


def notes(setup: Setup) -> list[str]:
    """What Codex asks of its user."""
    return ["start codex and give /hooks: it runs the hooks only after you have looked at them there"]


def hook_entries(setup: Setup) -> dict[str, dict[str, Any]]:
    """By event the hook that is written."""
    command = setup.hook_command(TOOL)
    return {
        event: {"type": "command", "command": command, "timeout": seconds}
        # Without one it cuts what is recalled at 2,500 of its tokens; the hook keeps to a budget of its own.
        | ({"additionalContextLimit": 0} if event in _SPEAKING else {})
        for event, seconds in TIMEOUTS.items()
    }


def server_values(setup: Setup) -> dict[str, str | list[str]]:
    """The keys of ``[mcp_servers.truerecall]``: approving what writes stays with the user."""
    program, *arguments = setup.server
    return {"command": program, "args": arguments}


def notify_value(setup: Setup) -> list[str]:
    """The program that is told when a turn ends."""
    return [*setup.hook, "codex-notify"]


def hooks_path(setup: Setup) -> Path:
    """Where the hooks stand."""
    return codex_home(setup) / "hooks.json"


def config_path(setup: Setup) -> Path:
    """Where the server and ``notify`` stand."""
    return codex_home(setup) / "config.toml"


def codex_home(setup: Setup) -> Path:
    """$CODEX_HOME, else ``~/.codex``."""
    named = setup.environment.get("CODEX_HOME")
    return Path(named) if named else setup.places.home / ".codex"


def is_our_notify(value: object) -> bool:
    """Whether ``notify`` is what installing wrote."""
    return isinstance(value, list) and any(is_our_hook(part) for part in value)


def _with_ours(document: TomlText, setup: Setup) -> TomlText:
    table = document.get(*_TABLE)
    if table is not None and not _is_ours(table):
        raise InstallError(
            f"another MCP server is called {SERVER_NAME} already",
            where=str(document.where),
            remedy="Give it another name, then install again.",
        )
    notify = document.get(_NOTIFY)
    if notify is None or (is_our_notify(notify) and notify != notify_value(setup)):
        document = document.put_top(_NOTIFY, notify_value(setup))
    return document.put_table(_TABLE, server_values(setup))


def _without_ours(document: TomlText) -> TomlText:
    if is_our_notify(document.get(_NOTIFY)):
        document = document.drop_top(_NOTIFY)
    return document.drop_table(_TABLE) if _is_ours(document.get(*_TABLE)) else document


def _is_ours(table: object) -> bool:
    if not isinstance(table, dict):
        return False
    arguments = table.get("args")
    return is_our_server([table.get("command"), *(arguments if isinstance(arguments, list) else ())])
