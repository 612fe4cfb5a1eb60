"""The words and patterns of orders and commands, as they stand in files beside this one."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from truerecall.memory.analysis import fold

Harm = Literal["override", "role", "leak", "exfiltration", "destruction", "running", "marks", "hidden"]
REASONS: dict[Harm, str] = {
    "override": "it tells its reader to drop instructions",
    "role": "it tells its reader to be or to obey something else",
    "leak": "it asks for the instructions of its reader",
    "exfiltration": "it has something secret sent away",
    "destruction": "it holds a command that destroys",
    "running": "it holds a command that runs what it loads from elsewhere",
    "marks": "it holds marks that pretend to begin another's turn",
    "hidden": "it holds letters that are not to be seen",
}
"""What a text does that shows a harm."""


@dataclass(frozen=True, slots=True)
class Found:
    """A harm that a text shows."""

    harm: Harm
    grave: bool
    """Whether it is an order as it stands: not told of, and not in words that are often harmless."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern of a harm."""

    harm: Harm
    grave: bool
    pattern: re.Pattern[str]


@cache
def sections(name: str) -> dict[str, tuple[str, ...]]:
    """The lines of a file beside this one, by section, without comments and empty lines; folded as texts are.

    ASCII is in lower case already, but for classes of characters, which folding would turn into their opposites.
    """
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in (Path(__file__).parent / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("[") and line.endswith("]"):
            lines = found.setdefault(line[1:-1], [])
        elif line.strip() and not line.startswith("#"):
            lines.append(line if line.isascii() else fold(line))
    return {section: tuple(lines) for section, lines in found.items()}


def patterns(lines: tuple[str, ...], before: str = "") -> tuple[Pattern, ...]:
    """The patterns of a section, whose lines are ``refused|lowered harm pattern``; ``before`` stands before each."""
    known: dict[str, Harm] = {harm: harm for harm in REASONS}
    parts = [line.split(" ", 2) for line in lines]
    return tuple(
        Pattern(known[harm], decision == "refused", re.compile(before + source))
        for decision, harm, source in parts
    )


@cache
def words(section: str) -> frozenset[str]:
    """The words of a section of orders.txt; several that are one verb joined by ``_``."""
    return frozenset(word.replace(" ", "_") for word in listed(section))


def listed(section: str) -> list[str]:
    """As ``words``, in the file's order and with their spaces."""
    return [
        word.strip() for line in sections("orders.txt")[section] for word in line.split("|") if word.strip()
    ]


def is_told(before: list[str], after: list[str]) -> bool:
    """Whether the words around an order tell of it: who tells of one does not give it."""
    if before and before[-1] in words("subject"):
        return True
    return not words("telling").isdisjoint([*before, *after])
