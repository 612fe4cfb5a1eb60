"""How alike two names are written: for a weighted link between them, never for a merge."""

from truerecall.memory.extract.records import Named

SHORTEST = 5
"""Characters of a key below which two names are not compared."""
LEAST = 0.5
"""A likeness below this is none."""


def similarity(one: Named, other: Named) -> float:
    """Dice coefficient of the two keys' character trigrams (two spaces before, one after), from 0 to 1.

    0 for another kind than ``name``, for a key of less than :data:`SHORTEST` characters, for keys that differ
    in a digit ("iPhone 12", "iPhone 13"), and below :data:`LEAST`. Equal keys are 1.
    """
    if one.kind != "name" or other.kind != "name":
        return 0.0
    a, b = one.key, other.key
    if min(len(a), len(b)) < SHORTEST or _digits(a) != _digits(b):
        return 0.0
    if 2 * min(len(a), len(b)) + 2 < LEAST * (len(a) + len(b) + 2):
        return 0.0  # so unequal in length that no overlap reaches it
    first, second = _trigrams(a), _trigrams(b)
    likeness = 2 * len(first & second) / (len(first) + len(second))
    return likeness if likeness >= LEAST else 0.0


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))


def _trigrams(text: str) -> frozenset[str]:
    padded = f"  {text} "
    return frozenset(padded[place : place + 3] for place in range(len(padded) - 2))
