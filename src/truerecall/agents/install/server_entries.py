"""The MCP server among others below ``mcpServers``, as Claude Code and Cursor have them in JSON."""

from collections.abc import Mapping
from typing import Any

from truerecall.agents.install.json_edit import JsonText
from truerecall.agents.install.records import SERVER_NAME, is_our_server
from truerecall.errors import InstallError

SERVERS = "mcpServers"


def with_server(document: JsonText, wanted: Mapping[str, Any]) -> JsonText:
    """With our entry as it is wanted; what the user set beside our part, the environment for example, stays.

    Raises:
        InstallError: Another server has our name.
    """
    entry = document.get(SERVERS, SERVER_NAME)
    if entry is not None and not is_server_of_ours(entry):
        raise InstallError(
            f"another MCP server is called {SERVER_NAME} already",
            where=str(document.where),
            remedy="Give it another name, then install again.",
        )
    old = dict(entry) if isinstance(entry, dict) else {}
    if old | dict(wanted) == old:
        return document
    return document.put((SERVERS, SERVER_NAME), {**wanted, **{k: old[k] for k in old if k not in wanted}})


def without_server(document: JsonText) -> JsonText:
    """Without our entry; another server of our name stays."""
    ours = is_server_of_ours(document.get(SERVERS, SERVER_NAME))
    return document.drop((SERVERS, SERVER_NAME)) if ours else document


def is_server_of_ours(entry: object) -> bool:
    """Whether an entry starts our server."""
    if not isinstance(entry, dict):
        return False
    arguments = entry.get("args")
    return is_our_server([entry.get("command"), *(arguments if isinstance(arguments, list) else ())])
