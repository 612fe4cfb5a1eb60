"""What kind of answer a query wants, by its words alone."""

import re
from itertools import pairwise
from typing import Literal

from truerecall.memory.dates.vocabulary import (
    NUMBERS,
    PARTS,
    SEASONS,
    UNITS,
    VAGUE,
    WEEKDAYS,
    word_set,
)

Intent = Literal[
    "temporal",  # a time, or what was at some time
    "enumeration",  # all of something, or how many
    "preference",  # what somebody likes
    "factual",  # anything else
]

_TEMPORAL = word_set("when yesterday today tonight since ago recently earlier before after")
_ENUMERATION = word_set("list all every each count")
_PREFERENCE = re.compile(
    r"prefer(?:s|red|ring|ence|ences|able|ably)?|(?:dis)?lik(?:e|es|ed|ing|ings)|favou?rites?"
)
_TURNED = word_set("last this next past")
_UNITS = frozenset({*UNITS, *WEEKDAYS, *SEASONS, *PARTS})
_COUNTS = frozenset({*NUMBERS, *VAGUE, "couple", "of"})
_WORD = re.compile(r"\w+")


def intent_of(text: str) -> Intent:
    """The first that applies of: temporal, enumeration, preference, factual.

    Words decide and nothing else, so "after all" is temporal, "all right" an enumeration and "what is it like" a
    preference; a rule that understood more would be right less predictably.
    """
    words = _WORD.findall(text.lower())
    known = frozenset(words)
    if not _TEMPORAL.isdisjoint(known) or any(map(_is_year, known)) or _turns_to_a_time(words, known):
        return "temporal"
    if not _ENUMERATION.isdisjoint(known) or ("many" in known and _follows(words, "how", "many")):
        return "enumeration"
    return "preference" if any(map(_PREFERENCE.fullmatch, known)) else "factual"


def _is_year(word: str) -> bool:
    return len(word) == 4 and word.isdecimal() and word.isascii() and word[:2] in ("19", "20")


def _turns_to_a_time(words: list[str], known: frozenset[str]) -> bool:
    """Whether "last", "this", "next" or "past" stands before a unit, with or without a number between."""
    if _TURNED.isdisjoint(known) or _UNITS.isdisjoint(known):
        return False
    for place, word in enumerate(words[:-1]):
        # Up to three words between: "the last couple of weeks".
        if word in _TURNED and (words[place + 1] in _UNITS or _counted(words[place + 1 : place + 5])):
            return True
    return False


def _counted(words: list[str]) -> bool:
    for word in words:
        if word in _UNITS:
            return True
        if word not in _COUNTS and not word.isdecimal():
            return False
    return False


def _follows(words: list[str], first: str, second: str) -> bool:
    return any(a == first and b == second for a, b in pairwise(words))
