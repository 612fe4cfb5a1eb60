"""Cursor: hooks in ``~/.cursor/hooks.json`` and the MCP server in ``~/.cursor/mcp.json``, as it documents them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from truerecall.agents.install.json_edit import JsonText, edit_json
from truerecall.agents.install.records import Change, Setup, is_our_hook
from truerecall.agents.install.server_entries import with_server, without_server
from truerecall.agents.spool import KEPT

TOOL = "cursor"
EVENTS = tuple(KEPT)
"""All that is kept of a conversation; among them those at which something is recalled."""
_VERSION = 1


def changes(setup: Setup) -> list[Change]:
    """Our hook at every event that it listens to, and our server."""
    return [
        edit_json(hooks_path(setup), lambda document: _with_hooks(document, setup), comments=True),
        edit_json(
            servers_path(setup),
            lambda document: with_server(document, server_entry(setup)),
            mode=0o600,
            comments=True,
        ),
    ]


def removed(setup: Setup) -> list[Change]:
    """Without our hooks and our server."""
    return [
        edit_json(hooks_path(setup), _without_hooks, comments=True),
        edit_json(servers_path(setup), without_server, comments=True),
    ]


def notes(setup: Setup) -> list[str]:
    """What Cursor asks of its user."""
    return [
        "start Cursor again: it reads hooks when it starts",
        "Cursor's settings show under Hooks and under MCP what it took up; a new server waits there to be enabled",
    ]


def hooks_path(setup: Setup) -> Path:
    """Where the hooks of all projects stand."""
    return setup.places.home / ".cursor" / "hooks.json"


def servers_path(setup: Setup) -> Path:
    """Where the servers of all projects stand."""
    return setup.places.home / ".cursor" / "mcp.json"


def hook_entry(setup: Setup) -> dict[str, Any]:
    """The hook that is written.

    It has no ``timeout``: whether that is seconds or milliseconds differs between descriptions of it, and the hook
    gives up by itself.
    """
    return {"command": setup.hook_command(TOOL)}


def server_entry(setup: Setup) -> dict[str, Any]:
    """The MCP server."""
    program, *arguments = setup.server
    return {"command": program, "args": arguments}


def _with_hooks(document: JsonText, setup: Setup) -> JsonText:
    if document.get("version") is None:
        document = document.put(("version",), _VERSION)
    wanted = hook_entry(setup)
    for event in EVENTS:
        found = [place for place in _ours(document) if place[1] == event]
        for place in reversed(found[1:]):
            document = document.drop(place)
        if not found:
            document = document.append(("hooks", event), wanted)
        else:
            old = document.get(*found[0])
            if old | wanted != old:  # what the user set beside our part, a time-out for example, stays
                document = document.put(found[0], old | wanted)
    for place in reversed(list(_ours(document))):
        if place[1] not in EVENTS:  # of a version that listened to more
            document = document.drop(place)
    return document


def _without_hooks(document: JsonText) -> JsonText:
    found = list(_ours(document))
    for place in reversed(found):
        document = document.drop(place)
    # A file that we began holds nothing but the format's version then.
    return document.drop(("version",)) if found and document.root.value == {"version": _VERSION} else document


def _ours(document: JsonText) -> Iterator[tuple[str | int, ...]]:
    """The places of our hooks, in the order of the text; anything of another shape is passed over."""
    events = document.get("hooks")
    for event, hooks in events.items() if isinstance(events, dict) else ():
        for index, hook in enumerate(hooks if isinstance(hooks, list) else ()):
            if isinstance(hook, dict) and is_our_hook(hook.get("command")):
                yield ("hooks", event, index)
