"""Folders that the user keeps out of the memory: nothing of them is captured, and nothing is recalled in them."""

import os
import re
from collections.abc import Sequence
from pathlib import Path


def excluded(folder: str | Path, patterns: Sequence[str], home: Path) -> str | None:
    """The first of the patterns that a folder, or one above it, matches; None where none does.

    A pattern is a path, absolute or from ``~``, else it is looked for below any folder: ``*`` stands for a part of one
    name, ``**`` for any folders between, ``?`` for a character. The folder counts as it is named and as it really is,
    behind links.
    """
    if not patterns:
        return None
    named = os.path.normpath(folder)
    ways = {named, os.path.realpath(named)}
    for pattern in patterns:
        shape = _shape(pattern, home)
        if any(shape.match(way) for way in ways):
            return pattern
    return None


def _shape(pattern: str, home: Path) -> re.Pattern[str]:
    path = str(home) + pattern[1:] if pattern == "~" or pattern.startswith("~/") else pattern
    # A name alone must not exclude nothing: what it was meant to keep out would be captured.
    given = (path if path.startswith("/") else f"/**/{path}").rstrip("/") or "/"
    parts = re.split(r"(/\*\*/|/\*\*$|\*\*|\*|\?)", given)
    between = {"/**/": "/(?:.*/)?", "/**": "(?:/.*)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    body = "".join(between.get(part, re.escape(part)) for part in parts)
    return re.compile(rf"{body}(?:/.*)?\Z" if given != "/" else r"/.*\Z", re.DOTALL)
