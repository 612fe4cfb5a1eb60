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


_QUESTION_MARKS = frozenset("?\uff1f\u061f\u037e")  # also full width, Arabic, Greek
_OF_TIME = (
    "yesterday today tonight tomorrow ago last next week weekend month year since recently earlier just"
    " monday tuesday wednesday thursday friday saturday sunday january february march april may june july"
    " august september october november december spring summer autumn fall winter"
)
_WORDS_OF_TIME = frozenset(_OF_TIME.split())
_DIGITS = b"0123456789"
_BLANKS = bytes(c if chr(c).isalnum() or c == ord("_") else ord(" ") for c in range(128)) + bytes(128)
"""Leaves what ``\\w`` matches in ASCII."""


def traits_of(text: str) -> int:
    """The traits of a text: bits of ``Trait``."""
    found = 0
    if "?" in text or not (text.isascii() or _QUESTION_MARKS.isdisjoint(text)):
        found |= Trait.HOLDS_QUESTION.value
        if text.rstrip()[-1:] in _QUESTION_MARKS:
            found |= Trait.ASKS.value
    words, numbered = words_of(text.lower())
    if not _WORDS_OF_TIME.isdisjoint(words):
        found |= Trait.TELLS_TIME.value
    if numbered:
        found |= Trait.HOLDS_NUMBER.value
        if any(len(word) == 4 and word.isdecimal() for word in words):
            found |= Trait.TELLS_TIME.value
    return found


def words_of(text: str) -> tuple[list[str], bool]:
    """The words of a text in lower case, and whether a digit stands in it."""
    # A pattern of all the words of time, tried at each place of a text, takes eight times as long as these.
    if text.isascii():
        raw = text.encode()
        return raw.translate(_BLANKS).decode().split(), len(raw.translate(None, _DIGITS)) < len(raw)
    text = text.replace("i\u0307", "i")  # what lower() makes of the Turkish letter is two characters
    return re.findall(r"\w+", text), any(map(str.isdecimal, text))
