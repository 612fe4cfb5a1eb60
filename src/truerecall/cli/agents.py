"""``truerecall agents``: Claude Code, Codex, OpenCode and Cursor get the memory."""

from collections.abc import Mapping

import click

from truerecall.cli.lazy import LazyGroup

_COMMANDS: Mapping[str, tuple[str, str]] = {
    "install": ("agents_install", "Put hooks and the MCP server into coding agents; shows the diff first."),
    "uninstall": ("agents_install", "Take them out again, to the byte."),
    "doctor": (
        "agents_install",
        "Check each tool end to end: installed, trusted, fired, recalled, captured.",
    ),
    "plugin": ("agents_install", "Print the folder of the plugin for Claude Code and its marketplace."),
    "import": ("agents_import", "Import what the coding agents of this machine did before."),
    "facts": ("agents_facts", "Show what was learned in one session."),
    "env": ("agents_env", "Print the variables with which other commands work on this folder's memory."),
    "mcp": ("agents_mcp", "Serve the memory of this project over the Model Context Protocol."),
    "status": ("agents_status", "Show what the hooks did lately, and what is known of this project."),
}
"""Every command: the module that holds it, and its line in ``--help``."""


@click.group("agents", cls=LazyGroup, table=_COMMANDS)
def agents_command() -> None:
    """Give coding agents this memory: what one session learned is recalled into the next one's prompts."""
