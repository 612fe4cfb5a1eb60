"""OpenCode: one plugin file, which calls the hook and brings the MCP server; none of its settings is changed."""

import json
from importlib.resources import files
from pathlib import Path

from truerecall.agents.install.records import SERVER_NAME, Change, Setup, bytes_of
from truerecall.errors import InstallError

TOOL = "opencode"
_MARK = b"`truerecall agents install opencode`"
"""Stands in the first line of the file: another one of that name is somebody else's."""
_HOOK = 'const HOOK = ["truerecall-hook"]'
_SERVER = 'const SERVER = ["truerecall", "agents", "mcp"]'


def changes(setup: Setup) -> list[Change]:
    """Our plugin, calling the programs of this installation."""
    path = plugin_path(setup)
    before = bytes_of(path)
    if before is not None and not is_ours(before):
        raise InstallError(
            f"another plugin is called {path.name} already",
            where=str(path),
            remedy="Give it another name, then install again.",
        )
    return [Change(path, before, plugin(setup))]


def removed(setup: Setup) -> list[Change]:
    """Without our plugin."""
    path = plugin_path(setup)
    before = bytes_of(path)
    return [Change(path, before, None if before is not None and is_ours(before) else before)]


def notes(setup: Setup) -> list[str]:
    """What OpenCode does not do by itself."""
    return ["start a running OpenCode again: it reads plugins when it starts"]


def plugin(setup: Setup) -> bytes:
    """The plugin's file with the commands in it."""
    text = files("truerecall.agents.install").joinpath("assets", "opencode.js").read_text(encoding="utf-8")
    for line, name, command in ((_HOOK, "HOOK", setup.hook), (_SERVER, "SERVER", setup.server)):
        assert text.count(line) == 1, "the plugin has no place for its commands"
        # JSON in ASCII is a literal of JavaScript whatever stands in a path.
        text = text.replace(line, f"const {name} = {json.dumps(list(command))}")
    return text.encode("utf-8")


def plugin_path(setup: Setup) -> Path:
    """``plugin/`` in OpenCode's folder: all versions load what lies there, the newer ones ``plugins/`` as well."""
    base = setup.environment.get("XDG_CONFIG_HOME")
    folder = Path(base) if base else setup.places.home / ".config"
    return folder / "opencode" / "plugin" / f"{SERVER_NAME}.js"


def is_ours(data: bytes) -> bool:
    """Whether a file is one that installing wrote."""
    return _MARK in data.partition(b"\n")[0]
