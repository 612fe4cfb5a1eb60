"""The words that the rules know: see the file beside this module for what each list is for."""

from pathlib import Path

from truerecall.memory.analysis import STOP_WORDS


def _read() -> dict[str, frozenset[str]]:
    # Not by importlib.resources, whose import alone takes 10 ms.
    text = Path(__file__).with_name("words.txt").read_text(encoding="utf-8")
    sections: dict[str, frozenset[str]] = {}
    for section in text.split("\n[")[1:]:
        title, _, body = section.partition("]\n")
        lines = (line for line in body.split("\n") if not line.startswith("#"))
        sections[title] = frozenset(word for line in lines for word in line.split())
    return sections


_SECTIONS = _read()

NEVER_NAMES: frozenset[str] = _SECTIONS["never"] | (STOP_WORDS - {"will"})
"""Not a name wherever they stand: function words, days, months, cries, courtesies."""

LOUD: frozenset[str] = _SECTIONS["loud"]
"""Not a name where they are written in capitals throughout."""

AT_START: frozenset[str] = NEVER_NAMES | LOUD | _SECTIONS["start"]
"""Not a name at the start of a sentence, unless the text has them with a capital elsewhere too."""

JOINERS: frozenset[str] = _SECTIONS["joiners"]
"""Words within a name, though none begins or ends with one."""

SMALL: frozenset[str] = _SECTIONS["small"]
"""Words of a title that may be without a capital."""

EXECUTABLES: frozenset[str] = _SECTIONS["executables"]
"""What a command begins with."""

ENGLISH_EXECUTABLES: frozenset[str] = _SECTIONS["english-executables"]
"""Those of them that are English words too."""

OPENERS: frozenset[str] = _SECTIONS["openers"]
"""Words after which "I ..." is a clause of its own; after another word ("the book I love") it is not."""

CUT: frozenset[str] = _SECTIONS["cut"]
"""Words that end the phrase before them."""

EMPTY: frozenset[str] = _SECTIONS["empty"]
"""Words that say nothing by themselves: no phrase begins with one."""

NO_KIND: frozenset[str] = _SECTIONS["no-kind"]
"""What a favourite can be of without telling anything about the speaker."""

SUFFIXES: tuple[str, ...] = tuple(sorted(_SECTIONS["suffixes"]))
"""Ends of words that are no names where they begin a sentence."""

PREPOSITIONS: frozenset[str] = _SECTIONS["prepositions"]
"""Which a phrase that begins with a verb may hold."""

POINTERS: frozenset[str] = _SECTIONS["pointers"]
"""A phrase with one of these says nothing once it stands alone."""

FOLDERS: frozenset[str] = _SECTIONS["folders"]
"""With which a path begins that has nothing else to show that it is one."""

POSSESSED: frozenset[str] = _SECTIONS["possessed"]
"""Words that are still part of a name whose owner stands before them: "Mother's Day"."""

CLAUSE_ENDS: frozenset[str] = _SECTIONS["clause-ends"]
"""Words that end the clause before them."""
