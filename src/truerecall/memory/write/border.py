"""The one border that every text passes on its way into a store.

A text is kept as it was given, NUL bytes included. Only what cannot be stored at all changes: a lone
surrogate has no UTF-8 form.
"""

import re

from truerecall.core.records import dataclass
from truerecall.errors import InvalidInput

RECALL_OPEN = "<truerecall-block>"
"""Opens what recall puts into a prompt."""

RECALL_CLOSE = "</truerecall-block>"
"""Closes what recall puts into a prompt."""

_EITHER = RECALL_OPEN[1:]  # both markers end so
_SURROGATES = "([\ud800-\udbff][\udc00-\udfff])|[\ud800-\udfff]"  # compiled on first use, and kept by `re`
_BLOCK_BEGINS = "\n# "  # how `recall.pack` goes on after the opening marker
_MARKER = f"{RECALL_OPEN}|{RECALL_CLOSE}"


@dataclass(frozen=True, slots=True)
class Normalised:
    """A text that can be stored."""

    text: str
    replaced: int
    """How many lone surrogates became U+FFFD."""


def normalise(text: str) -> Normalised:
    """Make a text storable: lone surrogates become U+FFFD, all else stays as it is.

    Two surrogates that form a pair are one character that was decoded in halves, and become that character.

    Raises:
        InvalidInput: ``text`` is not a string.
    """
    if not isinstance(text, str):
        raise InvalidInput(
            f"a text is a str, this is {type(text).__name__}",
            remedy="Decode bytes first, and turn other values into text yourself",
        )
    if text.isascii():
        return Normalised(text, 0)
    replaced = 0

    def whole(match: re.Match[str]) -> str:
        nonlocal replaced
        if match.group(1):
            return match.group(1).encode("utf-16", "surrogatepass").decode("utf-16")
        replaced += 1
        return "\ufffd"

    return Normalised(re.sub(_SURROGATES, whole, text), replaced)


def strip_recalled(text: str) -> str:
    """Remove what recall itself had injected, so that it is never stored again.

    Blocks may be nested; they go with all that is in them. A block that was cut off goes to the end of the text. A
    marker that only stands in a sentence goes alone, for somebody may write about it. What is returned holds no
    marker. Linear in the length of the text.
    """
    if _EITHER not in text:
        return text
    opened: list[int] = []
    pieces: list[tuple[int, int]] = []  # to remove: lone markers and whole blocks
    for marker in re.finditer(_MARKER, text):
        if marker.group() == RECALL_OPEN:
            opened.append(len(pieces))
            pieces.append(marker.span())
        elif opened:
            # The block swallows the markers and blocks inside it.
            first = opened.pop()
            start = pieces[first][0]
            del pieces[first:]
            pieces.append((start, marker.end()))
        else:
            pieces.append(marker.span())
    for first in opened:
        start, end = pieces[first]
        if text.startswith(_BLOCK_BEGINS, end):
            pieces[first:] = [(start, len(text))]
            break
    if not pieces:
        return text
    kept, position = [], 0
    for start, end in pieces:
        kept.append(text[position:start])
        position = end
    kept.append(text[position:])
    stripped = "".join(kept)
    # The rests around a removed block can form a marker; no marker holds a line feed.
    return "\n".join(kept) if re.search(_MARKER, stripped) else stripped
