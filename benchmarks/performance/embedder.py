"""Vectors that cost next to nothing: a stand-in for a model where only the speed of what is behind it is measured."""

import hashlib
import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from truerecall.models.protocols import ModelIdentity

DIMENSION = 384
"""That of the local model."""

_ROWS = 4096
_WORD = re.compile(r"\w+")


class WordTable:
    """Sums of random vectors, one a word, so that texts with the same words are near each other.

    With another model's ``identity`` a store can be made that looks as if that model had embedded it.
    """

    def __init__(self, identity: ModelIdentity | None = None) -> None:
        self.identity = identity or ModelIdentity("benchmark:words", DIMENSION, "1", "")
        self._table = np.random.default_rng(5).standard_normal((_ROWS, DIMENSION), dtype=np.float32)

    def chunks(self, text: str) -> list[str]:
        """The text whole."""
        return [text]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (len(texts), 384)."""
        vectors = np.empty((len(texts), DIMENSION), dtype=np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self._table[[_place(word) for word in _WORD.findall(text.lower())] or [0]].sum(
                axis=0
            )
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Shape (384,)."""
        vector: NDArray[np.float32] = self.embed([text])[0]
        return vector


class Given(WordTable):
    """Queries whose vectors were made before the clock runs."""

    def __init__(self, queries: Sequence[str], identity: ModelIdentity | None = None) -> None:
        super().__init__(identity)
        self.vectors: dict[str, NDArray[np.float32]] = {query: self.embed([query])[0] for query in queries}

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Shape (384,); ``KeyError`` for a query that was not given."""
        return self.vectors[text]


@lru_cache(maxsize=1 << 18)
def _place(word: str) -> int:
    return int.from_bytes(hashlib.blake2b(word.encode(), digest_size=4).digest(), "little") % _ROWS
