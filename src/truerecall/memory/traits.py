"""What a text is like, whatever it is about: a few yes-or-no traits, kept beside each row.

An answer is seldom a question itself, often stands right after one, and one to "when" mostly tells a time. Recall
weighs such traits (docs/design/recall-quality.md); they are decided once, when a text is written.
"""

import re
from enum import IntFlag

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
_OF_TIME = (
    "yesterday today tonight tomorrow ago last next week weekend month year since recently earlier just"
    " monday tuesday wednesday thursday friday saturday sunday january february march april may june july"
    " august september october november december spring summer autumn fall winter"
)
_WORDS_OF_TIME = frozenset(_OF_TIME.split())
_DIGITS = b"0123456789"
_BLANKS = bytes(c if chr(c).isalnum() or c == ord("_") else ord(" ") for c in range(128)) + bytes(128)
"""Leaves what ``\\w`` matches in ASCII."""


def traits_of(text: str) -> Trait:
    """The traits of a text."""
    found = 0
    if any(mark in text for mark in _QUESTION_MARKS):
        found |= Trait.HOLDS_QUESTION.value
        if text.rstrip().endswith(tuple(_QUESTION_MARKS)):
            found |= Trait.ASKS.value
    numbered = _holds_digit(text)
    if _tells_time(text, numbered):
        found |= Trait.TELLS_TIME.value
    if numbered:
        found |= Trait.HOLDS_NUMBER.value
    return Trait(found)


def tells_time(text: str) -> bool:
    """Whether a word of time stands in a text."""
    return _tells_time(text, _holds_digit(text))


def _holds_digit(text: str) -> bool:
    if text.isascii():
        return len(text.encode().translate(None, _DIGITS)) < len(text)
    return any(map(str.isdecimal, text))


def _tells_time(text: str, numbered: bool) -> bool:
    words = _words(text.lower())
    return not _WORDS_OF_TIME.isdisjoint(words) or (
        numbered and any(len(word) == 4 and word.isdecimal() for word in words)
    )


def _words(text: str) -> list[str]:
    # A pattern of all the words, tried at each place of a text, takes six times as long.
    if text.isascii():
        return text.encode().translate(_BLANKS).decode().split()
    return re.findall(r"\w+", text.replace("i\u0307", "i"))  # what lower() makes of the Turkish letter is two
