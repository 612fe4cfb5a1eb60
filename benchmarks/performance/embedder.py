"""Vectors that cost next to nothing: a stand-in for a model where only the speed of what is behind it is measured."""

import hashlib
import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from truerecall.models.protocols import ModelIdentity
from truerecall.models.quantised import Int8Rows

DIMENSION = 384
"""That of the local model."""

_ROWS = 4096
_TOKEN_DIMENSION = 64
_WORD = re.compile(r"\w+")
_PIECE = re.compile(r"\w{1,7}")


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
        (vector,) = self.embed([text])
        return np.asarray(vector, dtype=np.float32)


class WordTokens(WordTable):
    """The same, with a vector of 64 dimensions for each piece of a word: about as many as the local model has."""

    def __init__(self, identity: ModelIdentity | None = None, tokens: ModelIdentity | None = None) -> None:
        super().__init__(identity)
        self.token_identity = tokens or ModelIdentity("benchmark:pieces", _TOKEN_DIMENSION, "1", "")
        table = np.random.default_rng(6).standard_normal(
            (_ROWS, self.token_identity.dimension), dtype=np.float32
        )
        self._units = table / np.linalg.norm(table, axis=1, keepdims=True)
        self._rows = Int8Rows.of(self._units)

    def embed_with_tokens(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], list[Int8Rows]]:
        """Shape (len(texts), 384), and of each text a row a piece."""
        places = [self._places(text) for text in texts]
        return self.embed(texts), [Int8Rows(self._rows.values[p], self._rows.scales[p]) for p in places]

    def query_tokens(self, text: str) -> NDArray[np.float32]:
        """Shape (pieces, 64)."""
        return np.asarray(self._units[self._places(text)], dtype=np.float32)

    def _places(self, text: str) -> list[int]:
        return [_place(piece) for piece in _PIECE.findall(text.lower())]


class Given(WordTable):
    """Queries whose vectors were made before the clock runs."""

    def __init__(self, queries: Sequence[str], identity: ModelIdentity | None = None) -> None:
        super().__init__(identity)
        self.vectors: dict[str, NDArray[np.float32]] = dict(zip(queries, self.embed(queries), strict=True))

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Shape (384,); ``KeyError`` for a query that was not given."""
        return self.vectors[text]


class GivenTokens(WordTokens):
    """The same with token vectors, made before as well."""

    def __init__(
        self,
        queries: Sequence[str],
        identity: ModelIdentity | None = None,
        tokens: ModelIdentity | None = None,
    ) -> None:
        super().__init__(identity, tokens)
        self._given = Given(queries, identity)
        self._tokens = {query: super(GivenTokens, self).query_tokens(query) for query in queries}

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Shape (384,); ``KeyError`` for a query that was not given."""
        return self._given.embed_query(text)

    def query_tokens(self, text: str) -> NDArray[np.float32]:
        """Shape (pieces, 64); ``KeyError`` for a query that was not given."""
        return self._tokens[text]


@lru_cache(maxsize=1 << 18)
def _place(word: str) -> int:
    return int.from_bytes(hashlib.blake2b(word.encode(), digest_size=4).digest(), "little") % _ROWS
