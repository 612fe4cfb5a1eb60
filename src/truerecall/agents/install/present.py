"""In which tools something of ours is, and what a tool lacks that was installed into."""

from collections.abc import Mapping
from importlib.util import find_spec

from truerecall.agents.install.kept import Kept
from truerecall.agents.install.probing import on_path
from truerecall.agents.install.records import Setup
from truerecall.agents.install.table import TOOLS, tool_install
from truerecall.agents.records import ToolName
from truerecall.errors import InstallError

COMMANDS: Mapping[ToolName, tuple[str, ...]] = {
    "claude-code": ("claude",),
    "codex": ("codex",),
    "opencode": ("opencode",),
    "cursor": ("cursor-agent", "cursor"),
}
"""The command lines of each tool."""


def installed_tools(setup: Setup) -> tuple[ToolName, ...]:
    """The tools that something of ours was put into, or stands in; a file that cannot be read holds nothing of ours."""
    return tuple(tool for tool in TOOLS if is_installed(setup, tool))


def is_installed(setup: Setup, tool: ToolName) -> bool:
    """Whether something of ours was put into a tool, or stands in it."""
    if tool in Kept(setup.places.backups).names():
        return True
    try:
        return any(change.before != change.after for change in tool_install(tool).removed(setup))
    except InstallError:
        return False


def server_starts() -> bool:
    """Whether what the MCP server is made of is there: it is an extra of the package."""
    return find_spec("mcp") is not None


def lacking(setup: Setup, tools: tuple[ToolName, ...]) -> list[str]:
    """What is not there for an installation into these tools to work whole, with what to do; nothing keeps it back."""
    told = []
    if not server_starts():
        told.append(
            "the MCP server will not start, for the package mcp is not installed: install truerecall[agents]; "
            "the hooks work without it"
        )
    for tool in tools:
        if on_path(COMMANDS[tool], setup.environment) is None:
            names = " or ".join(COMMANDS[tool])
            told.append(f"no {names} is on PATH: install {tool}, or mend PATH if that is how you start it")
    return told
