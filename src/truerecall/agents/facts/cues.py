"""The words that give a fact away: kept in text files beside the rules, so that a rule reads as one.

A file has sections: a line ``[name: form]``, then an alternative a line, each a regular expression. The form says where
they stand: ``whole`` is all of a text, ``opening`` its beginning, ``words`` anywhere as whole words, ``anywhere`` as
they are. A line that begins with ``#`` is a comment.
"""

import re
from functools import cache
from pathlib import Path

_FORMS = {
    "whole": "^(?:{})$",
    "opening": "^(?:{})(?![A-Za-z0-9_])",
    "words": "(?<![A-Za-z0-9_])(?:{})(?![A-Za-z0-9_])",
    "anywhere": "(?:{})",
}
_HEAD = re.compile(r"\[([\w ]+): (\w+)\]")


def cues(file: str, section: str) -> re.Pattern[str]:
    """The alternatives of a section as one pattern, blind to case; ``KeyError`` for one that is not there."""
    return _sections(file)[section]


@cache
def _sections(file: str) -> dict[str, re.Pattern[str]]:
    lines: dict[str, list[str]] = {}
    forms: dict[str, str] = {}
    current = ""
    for line in Path(__file__).with_name(f"{file}.txt").read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if head := _HEAD.fullmatch(line):
            current = head.group(1)
            forms[current], lines[current] = head.group(2), []
        else:
            lines[current].append(line)
    return {
        name: re.compile(_FORMS[forms[name]].format("|".join(given)), re.I) for name, given in lines.items()
    }
