"""Values out of a transcript's JSON, none of which can be relied on."""

from datetime import UTC, datetime
from typing import Any


def words(value: object) -> str:
    """A string that every store takes: without NUL and halves of surrogate pairs; empty for anything else."""
    if not isinstance(value, str):
        return ""
    if value.isascii():
        return value.replace("\0", "\ufffd")
    return value.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")


def name(value: object) -> str:
    """A short name, such as a type; ``?`` where there is none."""
    return words(value)[:64] or "?"


def names(listed: str) -> frozenset[str]:
    """The names that a reader knows, listed with spaces between them."""
    return frozenset(listed.split())


def mapping(value: object) -> dict[str, Any]:
    """An object; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[Any]:
    """A list; an empty one for anything else."""
    return value if isinstance(value, list) else []


def whole(value: object) -> int | None:
    """A whole number that SQLite can hold."""
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if -(1 << 63) <= value < 1 << 63 else None


def count(value: object) -> int:
    """A whole number from 0; 0 for anything else."""
    return max(0, whole(value) or 0)


def instant(value: object) -> datetime | None:
    """An ISO time in UTC (one without a zone is taken for UTC), or None."""
    if not isinstance(value, str):
        return None
    try:
        at = datetime.fromisoformat(value)
        return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
