"""Commands that destroy or give away, and marks that pretend to begin another's turn, wherever they stand in a text."""

import re
from collections.abc import Iterator
from functools import cache

from truerecall.memory.write.disguise import Bare
from truerecall.memory.write.harms import Found, Pattern, is_told, patterns, sections


def commands(text: Bare) -> Iterator[Found]:
    """The harms of this kind that a text shows."""
    for where, section in ((text.command, "command"), (text.lines, "mark")):
        for one in _patterns(section):
            for match in one.pattern.finditer(where):
                yield Found(one.harm, one.grave and not _is_told_of(where, match))


def _is_told_of(text: str, match: re.Match[str]) -> bool:
    before = re.findall(r"\w+", text[max(0, match.start() - 50) : match.start()])
    after = re.findall(r"\w+", text[match.end() : match.end() + 40])
    return is_told(before[-8:], after[:6])


@cache
def _patterns(section: str) -> tuple[Pattern, ...]:
    return patterns(sections("commands.txt")[section])
