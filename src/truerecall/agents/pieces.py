"""A turn as the entries that it becomes: one, or of a long answer or prompt its passages.

An agent's answer may run to twenty thousand characters. As one entry it is found by any of its words and fits into no
block; and one order in it that came from outside would take the trust of all that is said around it.
"""

from collections.abc import Callable
from dataclasses import dataclass

from truerecall.agents.rendering import Rendered
from truerecall.core.entry import Trust
from truerecall.memory.passages import passages
from truerecall.memory.write.border import normalise, strip_recalled
from truerecall.memory.write.mask import mask

LONG = 1000
"""Characters; a longer text is kept in passages."""
PASSAGE = 700
"""Characters of a passage at most."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One entry of a turn."""

    text: str
    trust: Trust


def pieces_of(shown: Rendered, trust: Trust, repeats: Callable[[str], bool]) -> tuple[tuple[Piece, ...], int]:
    """The entries of a turn, and how many secrets were masked on the way.

    Args:
        shown: The turn.
        trust: Of the whole.
        repeats: Whether a text repeats an order from outside: of an answer that does, the passages that do are external
            (two that do only together, both), and the others are not; where none can be told, all are.
    """
    if shown.turn.role == "tool" or len(shown.text) <= LONG:
        return (Piece(shown.text, trust),), 0
    # Before it is cut: a recalled block or a secret that reaches over a border would not be known any more.
    masked = mask(strip_recalled(normalise(shown.text).text))
    texts = passages(masked.text, PASSAGE)
    if not texts:
        return (Piece(shown.text, trust),), 0
    outside: set[int] = set()
    if shown.turn.role == "assistant" and trust == Trust.EXTERNAL:
        outside = _outside(texts, repeats) or set(range(len(texts)))
        trust = Trust.LEARNED
    return tuple(
        Piece(text, Trust.EXTERNAL if number in outside else trust) for number, text in enumerate(texts)
    ), masked.count


def _outside(texts: list[str], repeats: Callable[[str], bool]) -> set[int]:
    found = {number for number, text in enumerate(texts) if repeats(text)}
    for number in range(len(texts) - 1):
        both = {number, number + 1}
        if not both & found and repeats("\n".join(texts[number : number + 2])):
            found |= both
    return found
