"""The models that the server says it has, in the form of both providers at once."""

from datetime import datetime
from typing import Any

from truerecall.core.clock import isoformat
from truerecall.models.protocols import Embedder

_NAME = "scripted"


def listed(embedder: Embedder | None, now: datetime) -> dict[str, Any]:
    """A chat model, for any name is answered, and the embedder where there is one."""
    names = [_NAME, *([embedder.identity.name] if embedder else [])]
    data = [described(name, now) for name in names]
    return {"object": "list", "data": data, "has_more": False, "first_id": names[0], "last_id": names[-1]}


def described(name: str, now: datetime) -> dict[str, Any]:
    """One model."""
    return {
        "id": name,
        "object": "model",
        "created": int(now.timestamp()),
        "owned_by": "truerecall",
        "type": "model",
        "display_name": name,
        "created_at": isoformat(now),
        "lifecycle": "active",
    }
