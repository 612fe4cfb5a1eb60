"""A memory that the solver asks through an MCP server."""

import json

from truerecall.study.design import Side
from truerecall.study.sides.stage import Stage, words
from truerecall.study.solvers.protocol import Equipment

SERVER = "memory"
"""What the server is called on every such side: its name stands before the model."""


def mcp(side: Side, stage: Stage) -> Equipment:
    """A file of one server, as Claude Code reads it, and leave to call all of its tools."""
    program, *arguments = words(stage.study, side.mcp)
    server = {"type": "stdio", "command": program, "args": arguments, "env": dict(side.environment)}
    path = stage.seat.home / "mcp.json"
    path.write_text(json.dumps({"mcpServers": {SERVER: server}}, indent=2) + "\n", encoding="utf-8")
    path.chmod(0o600)
    return Equipment(mcp_config=path, allowed_tools=(f"mcp__{SERVER}",))
