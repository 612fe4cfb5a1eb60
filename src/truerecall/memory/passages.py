"""A long text in passages: paragraphs and list items, the long ones split, the short ones joined; nothing is lost."""

import re
from itertools import pairwise

# Compiled on first use: a prompt's hook mostly recalls short texts.
_BREAKS = r"\n\s*\n|\n(?=\s*(?:[-*•]|\d+[.)]|#{1,6}|\|)\s)"
_INNER = r"(?<=[.!?\u3002\uff01\uff1f])\s+|\n"
_HEADING = 120  # characters of a line that may be a heading


def paragraphs(text: str, most: int) -> list[tuple[int, int]]:
    """Where each paragraph or list item of a text begins and ends; one longer than ``most`` characters is split.

    The spans follow each other without a gap, so that together they are the text.
    """
    spans: list[tuple[int, int]] = []
    for start, end in _split(0, len(text), text, _BREAKS):
        if end - start <= most:
            spans.append((start, end))
            continue
        for low, high in _split(start, end, text, _INNER):
            spans += [(at, min(at + most, high)) for at in range(low, high, most)]
    return spans


def passages(text: str, most: int) -> list[str]:
    """A text in passages of at most ``most`` characters, in their order, without the white space around each.

    Paragraphs are joined as long as they fit, but a heading begins a passage once there is half of one before it.
    """
    joined: list[tuple[int, int]] = []
    for start, end in paragraphs(text, most):
        if joined:
            first = joined[-1][0]
            headed = is_heading(text[start:end]) and start - first >= most // 2
            if end - first <= most and not headed:
                joined[-1] = (first, end)
                continue
        joined.append((start, end))
    return [piece for start, end in joined if (piece := text[start:end].strip())]


def is_heading(piece: str) -> bool:
    """Whether a paragraph says what the next one is about."""
    line = piece.strip()
    return (
        "\n" not in line
        and len(line) <= _HEADING
        and (line.startswith("#") or line.rstrip("*").endswith((":", "\uff1a")))
    )


def _split(start: int, end: int, text: str, breaks: str) -> list[tuple[int, int]]:
    places = [match.end() for match in re.compile(breaks).finditer(text, start, end) if match.end() > start]
    return [(low, high) for low, high in pairwise([start, *places, end]) if high > low]
