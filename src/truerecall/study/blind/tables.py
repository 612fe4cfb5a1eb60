"""The tables of words and rules: text files beside this module, so that a rule reads as one.

``words.txt`` holds names for lists: ``name = one | another``. A name in angle brackets, in a later line or in a rule,
is the list. ``rules.txt`` and ``leftovers.txt`` have sections, ``[place]``; in them a line that begins with ``#`` says
why, and any other is a regular expression, for a rule with `` => `` and what is put in its place, else nothing is. A
blank in an expression is any white space, and a blank at its end nothing. Case counts only where ``(?-i:…)`` says so.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from truerecall.study.blind.parts import DOT, SPAN

_NAME = re.compile(r"<([a-z]+)>")
_BLANK = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|(?P<blank> +[?*]?)")


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table."""

    pattern: re.Pattern[str]
    put: str


@cache
def rows(file: str, place: str) -> tuple[Row, ...]:
    """The lines of a section, in order."""
    return tuple(_row(line) for line in _lines(file)[place])


@cache
def listed(file: str, place: str) -> frozenset[str]:
    """The words of a section: separated by white space, in lower case."""
    return frozenset(word.casefold() for line in _lines(file)[place] for word in line.split())


@cache
def named(name: str) -> re.Pattern[str]:
    """A list of ``words.txt`` as a pattern."""
    return _compiled(f"<{name}>")


@cache
def _lines(file: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in Path(__file__).with_name(f"{file}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("[") and line.endswith("]") and line[1:-1].isidentifier():
            found[line[1:-1]] = []
        elif line.strip() and not line.startswith("#"):
            found[next(reversed(found))].append(line.rstrip())
    return found


@cache
def _words() -> dict[str, str]:
    found = {"dot": DOT, "code": SPAN}
    for line in _lines("words")["words"]:
        name, _, given = line.partition(" = ")
        found[name] = f"(?:{_filled('|'.join(given.split(' | ')), found)})"
    return found


def _filled(text: str, words: dict[str, str]) -> str:
    return _NAME.sub(lambda name: words[name.group(1)], text)


def _row(line: str) -> Row:
    pattern, _, put = line.partition(" => ")
    return Row(_compiled(pattern.rstrip()), put)


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(_BLANK.sub(_spaced, _filled(pattern, _words())), re.I)


def _spaced(found: re.Match[str]) -> str:
    """White space for a blank; a class of characters and an escape keep theirs."""
    blank = found.group("blank")
    if blank is None:
        return found.group().replace(" ", r"\s")
    return r"\s*" if blank.endswith(("?", "*")) else r"\s+"
