"""A memory server of the Model Context Protocol for tests: it keeps texts in a file and finds them by shared words.

python memory_server.py FILE [FAULT]
"""

import json
import os
import re
import sys
from pathlib import Path

from mcp.server import MCPServer

FILE = Path(sys.argv[1])
FAULT = sys.argv[2] if len(sys.argv) > 2 else ""
server = MCPServer("memory")


def kept() -> dict[str, str]:
    return json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}


def keep(memories: dict[str, str]) -> None:
    FILE.write_text(json.dumps(memories), encoding="utf-8")


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def best(query: str, limit: int) -> list[tuple[str, str]]:
    asked = words(query)
    return sorted(kept().items(), key=lambda pair: -len(asked & words(pair[1])))[:limit]


@server.tool()
def remember(content: str) -> dict[str, object]:
    """Keep a text; one that is there already keeps its id."""
    if FAULT == "refuses" and "leeks" in content:
        raise ValueError("no leeks here")
    memories = kept()
    identity = next((i for i, text in memories.items() if text == content), f"m{len(memories) + 1}")
    keep({**memories, identity: content})
    return {} if FAULT == "anonymous" else {"memory": {"id": identity}}


@server.tool()
def recall(query: str, limit: int) -> dict[str, object]:
    """The best texts."""
    hits = [{"id": identity, "content": text} for identity, text in best(query, limit)]
    if FAULT == "invents":
        hits = [{"id": "m999", "content": f"{hit['content']} Or so they say."} for hit in hits]
    return {"results": hits}


@server.tool()
def recall_lines(query: str, limit: int) -> str:
    """The best texts, one a line."""
    return "\n".join(text for _, text in best(query, limit))


@server.tool()
def forget(identity: str) -> dict[str, bool]:
    """Remove a text."""
    memories = kept()
    memories.pop(identity, None)
    keep(memories)
    return {"removed": True}


@server.tool()
def total() -> dict[str, int]:
    """How many texts there are."""
    if FAULT == "dies":
        os._exit(3)
    return {"total": len(kept())}


server.run()
