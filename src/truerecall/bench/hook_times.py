"""The manifest of what a hook costs a prompt, which benchmarks/hook.py of a checkout writes."""

from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from truerecall.bench.manifest import Record
from truerecall.bench.measured import Making
from truerecall.errors import RunError


class HookRow(Record):
    """A kind of prompt; times in seconds, of the whole process."""

    prompt: str
    """short, ordinary, 100 KB, Chinese, or nothing relevant."""
    runs: int
    injected: int
    """In how many of the runs something was recalled."""
    p50: float
    p95: float
    most: float
    beyond_bare_p50: float
    """Of the differences to the bare interpreter that ran right before or after."""
    beyond_bare_p95: float
    bare_p50: float
    ratio: float
    """Of the two medians."""
    within: bool


class HookTimes(Record):
    """All that was measured, and how it was made."""

    kind: Literal["hook"]
    entries: int
    external: int
    """Of these, put out by tools."""
    sessions: int
    store_bytes: int
    seed: int
    budget: float
    """Seconds that the whole process may take at the 95th percentile."""
    measurements: list[HookRow]
    making: Making


def read_hook_times(path: Path) -> HookTimes:
    """The manifest in a file; ``RunError`` if it is not one of this version."""
    try:
        return HookTimes.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ValidationError):
        raise RunError(
            "the manifest of the hook's times is not one of this version",
            where=path.name,
            remedy="Write it anew: python benchmarks/hook.py --write.",
        ) from None
