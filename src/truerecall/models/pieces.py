"""Cuts a text into atoms, and a row of atoms into overlapping pieces that fit a model."""

import re
from collections.abc import Iterator, Sequence

_ALONE = "\\u3040-\\u30ff\\u3400-\\u9fff\\uf900-\\ufaff\\U00020000-\\U0003ffff"  # Han and kana
# One such character, or up to 64 others: so no word is too long for a model, and none reaches the 100
# characters over which WordPiece reads a word as unknown.
_ATOM = re.compile(rf"[{_ALONE}]\s*|[^\s{_ALONE}]{{1,64}}\s*|\s+")


def atoms(text: str) -> Iterator[str]:
    """The words of ``text`` with the space after them; joined they are ``text``.

    A text that starts at an atom has the same atoms as the longer text from there on.
    """
    return (match.group() for match in _ATOM.finditer(text))


class Pieces:
    """Collects costed atoms into pieces of at most ``limit``, each sharing up to ``overlap`` with the last.

    Atoms come in bits, so that a text of any size needs no list of all of them.
    """

    def __init__(self, limit: int, overlap: int) -> None:
        self._limit = limit
        self._overlap = overlap
        self._atoms: list[str] = []
        self._costs: list[int] = []
        self._total = 0
        self._fresh = 0  # how many of the atoms are in no piece yet

    def add(self, words: Sequence[str], costs: Sequence[int]) -> Iterator[str]:
        """The pieces that are full now. No cost may be over the limit."""
        for word, cost in zip(words, costs, strict=True):
            if self._total + cost > self._limit:
                yield "".join(self._atoms)
                self._keep_overlap(cost)
            self._atoms.append(word)
            self._costs.append(cost)
            self._total += cost
            self._fresh += 1

    def rest(self) -> Iterator[str]:
        """The last piece, unless all of it has been in one before."""
        if self._fresh:
            yield "".join(self._atoms)

    def _keep_overlap(self, coming: int) -> None:
        kept, start = 0, len(self._costs)
        room = min(self._overlap, self._limit - coming)
        while start > 0 and kept + self._costs[start - 1] <= room:
            start -= 1
            kept += self._costs[start]
        # At least one atom leaves, or nothing would move on.
        start = max(start, 1)
        self._total = sum(self._costs[start:])
        self._atoms, self._costs, self._fresh = self._atoms[start:], self._costs[start:], 0
