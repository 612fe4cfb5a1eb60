"""Bytes on the wire: JSON bodies and server-sent events."""

import json
from collections.abc import Mapping
from typing import Any


def json_bytes(data: Any) -> bytes:
    """JSON in UTF-8 without blanks; half of a surrogate pair becomes a question mark, for it has no UTF-8."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def event(data: Mapping[str, Any], name: str = "") -> bytes:
    """One event; ``name`` stands in a line of its own where the API names its events."""
    return (f"event: {name}\n".encode("ascii") if name else b"") + b"data: " + json_bytes(data) + b"\n\n"
