"""LoCoMo's evidence, read tolerantly: what can be repaired is, and every deviation is told."""

import re
from collections.abc import Container, Iterable
from dataclasses import dataclass

Reference = tuple[int, int]
"""Session number and turn number, as in ``D8:6``."""

_EXACT = re.compile(r"D(0|[1-9][0-9]{0,5}):(0|[1-9][0-9]{0,5})")
# A colon after the D, spaces and leading zeros occur. Digits are bounded, and no letter or digit may touch.
_TOLERANT = re.compile(r"(?<![^\W_])D\s*:?\s*([0-9]{1,6})\s*:\s*([0-9]{1,6})(?![0-9:])", re.IGNORECASE)
_SEPARATORS = re.compile(r"[\s;,]+")


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a question's evidence names."""

    references: tuple[Reference, ...]
    """Turns that exist, in order, none twice."""
    deviations: tuple[tuple[str, str], ...]
    """Reason (``repaired evidence``, ``unreadable evidence``, ``evidence points at no turn``) and detail."""


def read_reference(text: str) -> Reference | None:
    """The reference that the whole text is, repaired if need be; None if it is none."""
    match = _TOLERANT.fullmatch(text.strip())
    return (int(match[1]), int(match[2])) if match else None


def read_evidence(entries: Iterable[str], turns: Container[Reference]) -> Evidence:
    """The turns that ``entries`` name among ``turns``: no entry makes one that is not there."""
    references: dict[Reference, None] = {}
    deviations: list[tuple[str, str]] = []
    for entry in entries:
        found = [(int(match[1]), int(match[2])) for match in _TOLERANT.finditer(entry)]
        rest = _SEPARATORS.sub(" ", _TOLERANT.sub(" ", entry)).strip()
        if found and not _EXACT.fullmatch(entry):
            deviations.append(("repaired evidence", f"{entry!r} read as {_listed(found)}"))
        if rest or not found:
            deviations.append(("unreadable evidence", repr(rest or entry)))
        for reference in found:
            if reference in turns:
                references[reference] = None
            else:
                deviations.append(("evidence points at no turn", _listed([reference])))
    return Evidence(tuple(references), tuple(deviations))


def _listed(references: Iterable[Reference]) -> str:
    return ", ".join(f"D{session}:{turn}" for session, turn in references)
