"""Coding agents: their turns are captured, facts are taken out of them, and past work is recalled into each prompt.

What the prompt hook imports (``hook/``, ``places``, ``settings``, ``project``) stays light: no click, rich, pydantic,
mcp, numpy or model runtime.
"""
