"""A scripted embedder that also gives token vectors."""

import hashlib
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from truerecall.models.protocols import ModelIdentity
from truerecall.models.quantised import Int8Rows
from truerecall.models.scripted.embedder import ScriptedEmbedder

_DIMENSION = 64
_WORD = re.compile(r"\w+")


class ScriptedTokenEmbedder(ScriptedEmbedder):
    """As ``ScriptedEmbedder``, with a vector of 64 numbers for each word: what late interaction needs.

    The same word has the same vector whatever its case and wherever it stands; two words are almost at right angles. So
    a text's token score counts the query's words that it holds. ``projection`` stands for the matrix of a real model:
    another one gives other token vectors of the same texts, under another identity.
    """

    projection = "1"

    @property
    def token_identity(self) -> ModelIdentity:
        """Of the embedder's own identity and the projection."""
        own = self.identity
        weights = hashlib.sha256(f"{own.weights} {self.projection}".encode("ascii")).hexdigest()
        return ModelIdentity(f"{own.name}:tokens", _DIMENSION, weights, own.runtime)

    def embed_with_tokens(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], list[Int8Rows]]:
        """Shape (len(texts), dimension), and a row a word of each text.

        Raises:
            ModelError: as ``embed``.
        """
        return self.embed(texts), [Int8Rows.of(self.query_tokens(text)) for text in texts]

    def query_tokens(self, text: str) -> NDArray[np.float32]:
        """Shape (words, 64)."""
        rows = [_signs(f"{self.projection} {word.casefold()}") for word in _WORD.findall(text)]
        return np.array(rows, dtype=np.float32).reshape(len(rows), _DIMENSION)


def _signs(word: str) -> NDArray[np.float32]:
    digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=_DIMENSION // 8).digest()
    bits = np.unpackbits(np.frombuffer(digest, dtype=np.uint8)).astype(np.float32)
    unit: NDArray[np.float32] = (bits * 2 - 1) / np.float32(8)
    return unit
