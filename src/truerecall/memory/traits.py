"""What a text is like, whatever it is about: a few yes-or-no traits, kept beside each row.

An answer is seldom a question itself, often stands right after one, and one to "when" mostly tells a time. Recall
weighs such traits (docs/design/recall-quality.md); they are decided once, when a text is written.
"""

import re
from enum import IntFlag
from functools import cache

TRAITS_VERSION = 1
"""Stored in a store; the traits of a store with another version are made anew."""


class Trait(IntFlag):
    """Each is one bit."""

    ASKS = 1
    """The text ends in a question."""
    HOLDS_QUESTION = 2
    """A question stands somewhere in it."""
    TELLS_TIME = 4
    """A word of time stands in it: a day, a month, "yesterday", "ago" (English), or a year."""
    HOLDS_NUMBER = 8
    """A digit stands in it."""


_QUESTION_MARKS = "?\uff1f\u061f\u037e"  # also full width, Arabic, Greek


@cache  # compiled on first use: an import need not wait for it
def _time() -> re.Pattern[str]:
    words = (
        "yesterday today tonight tomorrow ago last next week weekend month year since recently earlier just"
        " monday tuesday wednesday thursday friday saturday sunday january february march april may june july"
        " august september october november december spring summer autumn fall winter"
    )
    return re.compile(rf"\b(?:{'|'.join(words.split())}|\d{{4}})\b", re.IGNORECASE)


@cache
def _digit() -> re.Pattern[str]:
    return re.compile(r"\d")


def traits_of(text: str) -> Trait:
    """The traits of a text."""
    found = Trait(0)
    if any(mark in text for mark in _QUESTION_MARKS):
        found |= Trait.HOLDS_QUESTION
        if text.rstrip().endswith(tuple(_QUESTION_MARKS)):
            found |= Trait.ASKS
    if _time().search(text):
        found |= Trait.TELLS_TIME
    if _digit().search(text):
        found |= Trait.HOLDS_NUMBER
    return found


def tells_time(text: str) -> bool:
    """Whether a word of time stands in a text."""
    return bool(_time().search(text))
