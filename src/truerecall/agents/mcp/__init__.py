"""The MCP server: recall, remember, correct and forget for any agent that speaks the protocol."""
