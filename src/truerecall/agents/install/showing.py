"""What is about to change, as a unified diff, before anything is written."""

import difflib
from collections.abc import Iterable

from truerecall.agents.install.records import Change
from truerecall.memory.write.mask import mask


def diff_of(changes: Iterable[Change]) -> str:
    """The changes one after the other; secrets in the lines around them are masked. Empty where nothing changes."""
    return "".join(_diff(change) for change in changes)


def _diff(change: Change) -> str:
    old, new = (mask(_text(data)).text.splitlines() for data in (change.before, change.after))
    lines = difflib.unified_diff(
        old,
        new,
        "/dev/null" if change.before is None else str(change.path),
        "/dev/null" if change.after is None else str(change.path),
        lineterm="",
    )
    return (
        "".join(f"{line}\n" for line in lines)
        or f"--- {change.path}\n+++ {change.path}\n(white space only)\n"
    )


def _text(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", "replace")
