"""Every tool that can be installed into, and the module that does it."""

from collections.abc import Mapping
from importlib import import_module
from typing import cast

from truerecall.agents.install.records import ToolInstall
from truerecall.agents.records import ToolName

TOOLS: Mapping[ToolName, str] = {
    "claude-code": "claude_code",
    "codex": "codex",
    "opencode": "opencode",
    "cursor": "cursor",
}
"""By the tool's name the module in ``agents.install`` that holds its ``changes``, ``removed`` and ``notes``."""


def tool_install(name: ToolName) -> ToolInstall:
    """The module of a tool, imported now."""
    return cast(ToolInstall, import_module(f"truerecall.agents.install.{TOOLS[name]}"))
