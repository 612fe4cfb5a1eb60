"""What still sounds like provenance in a text."""

from collections.abc import Iterator

from truerecall.study.blind.parts import sentences, view
from truerecall.study.blind.rules import NOTHING
from truerecall.study.blind.tables import rows


def leftovers(text: str) -> list[str]:
    """The words that sound of a source or of an investigation, as they stand, in order; code is not looked at."""
    if text == NOTHING:
        return []
    return [found for found, _, _ in sounding(text)]


def sounding(text: str) -> Iterator[tuple[str, int, int]]:
    """Each with the place of the sentence in which it stands."""
    seen = view(text)
    for sentence in sentences(seen):
        said = seen[sentence.start : sentence.end]
        for row in rows("leftovers", "sounds"):
            for found in row.pattern.finditer(said):
                start = sentence.start + found.start()
                yield text[start : start + len(found.group())], sentence.start, sentence.end
