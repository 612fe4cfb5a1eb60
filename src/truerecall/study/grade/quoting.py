"""Whether a quote stands in a text: what a judge says counts only where it can be found.

Compared without what a copy loses innocently: the kind and amount of white space, the shape of quotation marks and
dashes, backticks and asterisks of Markdown, characters that are not seen. All else, letter case included, must stand
there. A quote never cuts a word or a number: "the limit is 5" does not stand in "the limit is 50", nor "5" in "-5".

A quote may leave something out, marked by an ellipsis: then its parts stand in one paragraph, in their order, and each
is long enough to be a quote of its own. What is found shows where to look; that it means what it is quoted for remains
the judge's word.
"""

import re
import unicodedata

LEAST = 10
"""Letters, digits and signs of a quote, at least; one of a script without spaces counts twice. A whole line may be
shorter."""
_WORDS = 2
_GAPS = 2
"""Places at which a quote may leave something out."""

_SHAPES = str.maketrans(
    dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033", '"')
    | dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u00b4", "'")
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
    | dict.fromkeys("`\u200b\u2060\ufeff\u00ad", "")
    | {"\u2026": "..."}
)
_EMPHASIS = re.compile(r"(?<!\w)\*+|\*+(?!\w)")
_PARAGRAPHS = re.compile(r"\n\s*\n")
_LEFT_OUT = re.compile(r"\s*(?:\[\s?\.{3,}\s?\]|\(\s?\.{3,}\s?\)|\.{3,})\s*")
_BULLET = re.compile(r"(?:[-+\u2022>#]+|\d{1,3}[.)])\s+")
_EDGES = " \"'.,;:!?"
_POINTS, _SIGNS = ".,", "-+"


class QuotedText:
    """A text in which quotes are looked up."""

    def __init__(self, text: str) -> None:
        self._whole = plain(text)
        self._paragraphs = [plain(part) for part in _PARAGRAPHS.split(text)]
        self._lines = {_line(line) for line in text.splitlines()}

    def holds(self, quote: str) -> bool:
        """Whether the quote is one, and stands in the text."""
        said = plain(quote).strip(_EDGES)
        if self._is_enough(said) and _found(said, self._whole, 0) is not None:
            return True
        parts = [part.strip(_EDGES) for part in _LEFT_OUT.split(plain(quote))]
        parts = [part for part in parts if part]
        if not parts or len(parts) > _GAPS + 1 or not all(map(self._is_enough, parts)):
            return False
        return any(_in_order(parts, paragraph) for paragraph in self._paragraphs)

    def _is_enough(self, part: str) -> bool:
        dense = sum(character.isalnum() and not _joins(character) for character in part)
        spaced = len(part.split(" ")) >= _WORDS or dense > 0
        weight = len(part.replace(" ", "")) + dense
        return bool(part) and ((weight >= LEAST and spaced) or _line(part) in self._lines)


def plain(text: str) -> str:
    """The text on one line, in the form in which quotes are compared."""
    shaped = unicodedata.normalize("NFC", text).translate(_SHAPES)
    return " ".join(_EMPHASIS.sub("", shaped).split())


def _line(text: str) -> str:
    return _BULLET.sub("", plain(text), count=1).strip(_EDGES)


def _in_order(parts: list[str], paragraph: str) -> bool:
    start = 0
    for part in parts:
        end = _found(part, paragraph, start)
        if end is None:
            return False
        start = end
    return True


def _found(part: str, text: str, start: int) -> int | None:
    """Where the first place ends, from ``start`` on, at which the part cuts no word and no number."""
    at = text.find(part, start)
    while at >= 0:
        end = at + len(part)
        if not _cuts(text, at) and not _cuts(text, end) and not _signed(text, at):
            return end
        at = text.find(part, at + 1)
    return None


def _cuts(text: str, at: int) -> bool:
    """Whether a word or a number goes on from before a place to behind it."""
    before, after = text[max(0, at - 2) : at], text[at : at + 2]
    if not before or not after:
        return False
    if _joins(before[-1]) and _joins(after[0]):
        return True
    if len(after) == 2 and before[-1].isdigit() and after[0] in _POINTS and after[1].isdigit():
        return True
    return len(before) == 2 and before[0].isdigit() and before[1] in _POINTS and after[0].isdigit()


def _signed(text: str, at: int) -> bool:
    """Whether a number begins here whose sign stands before it."""
    if at == 0 or text[at - 1] not in _SIGNS or not text[at : at + 1].isdigit():
        return False
    return at == 1 or not text[at - 2].isalnum()


def _joins(character: str) -> bool:
    """Whether it is a character of a word, in a script that puts spaces between words."""
    spaced = ord(character) < 0x0E00 or 0x1E00 <= ord(character) < 0x2000
    return spaced and (character.isalnum() or character == "_")
