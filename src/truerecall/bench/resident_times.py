"""The manifest of what the resident process is worth to a prompt's time, which benchmarks/resident.py writes."""

from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from truerecall.bench.manifest import Record
from truerecall.errors import RunError


class ResidentRow(Record):
    """A kind of prompt; times in seconds."""

    prompt: str
    """short, ordinary, 100 KB, Chinese, or nothing relevant."""
    runs: int
    injected: int
    """In how many of the runs something was recalled."""
    late: int
    """Of as many questions that were put to the process itself, those without an answer in a hook's patience."""
    answer_p50: float
    """Of its answers, from question to reply."""
    answer_p95: float
    beyond_bare_p50: float
    """Of the whole hook, beyond a bare interpreter that ran beside it."""
    beyond_bare_p95: float
    lean_beyond_bare_p50: float
    """Of the hook that recalls by words alone."""
    lean_beyond_bare_p95: float
    ratio: float
    """Of the medians of the two whole hooks."""


class ResidentTimes(Record):
    """All that was measured, with which versions, on what kind of machine."""

    kind: Literal["resident"]
    truerecall: str
    python: str
    sqlite: str
    system: str
    machine: str
    cores: int | None
    embedder: str
    entries: int
    seed: int
    started: float
    """Seconds from its start until it listens."""
    first: float
    """Seconds of the first answer about a project, which loads its vectors."""
    resident_bytes: int | None
    """Of memory, after all the questions; None where the system does not tell."""
    measurements: list[ResidentRow]


def read_resident_times(path: Path) -> ResidentTimes:
    """The manifest in a file; ``RunError`` if it is not one of this version."""
    try:
        return ResidentTimes.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ValidationError):
        raise RunError(
            "the manifest of the resident process's times is not one of this version",
            where=path.name,
            remedy="Write it anew: python benchmarks/resident.py --write.",
        ) from None
