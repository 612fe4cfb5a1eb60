"""An embedder without weights."""

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from truerecall.errors import InvalidSettings
from truerecall.models.pieces import Pieces, atoms
from truerecall.models.protocols import ModelIdentity

_VERSION = "hashing-1"
_WINDOW = 200  # words
_OVERLAP = 40
_LONGEST_WORD = 64  # characters; a longer one is taken in bits
# Scripts that write no spaces between words: there the bigrams carry the meaning, not the "word".
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ua4cf\uf900-\ufaff\U00020000-\U0003ffff]"
)
# Letters, digits and whatever is not ASCII, less general and Han punctuation: marks and joiners stay inside
# their words, and an emoji is a word.
_WORD = re.compile(r"(?:\w|[^\x00-\x7f\s\u2010-\u205e\u3000-\u303f])+")


class HashingEmbedder:
    """Signed feature hashing of words and their character trigrams: for tests and demos, not a quality model.

    The same text gives the same bytes everywhere, in every script. It knows spelling, not meaning.
    """

    def __init__(self, dimension: int = 256) -> None:
        if dimension < 8:
            raise InvalidSettings(f"{dimension} dimensions are too few", remedy="Use 8 or more.")
        parameters = f"{_VERSION} {dimension} {_WINDOW} {_OVERLAP} {_WORD.pattern} {_UNSPACED.pattern}"
        self._identity = ModelIdentity(
            name=f"hashing:{dimension}",
            dimension=dimension,
            weights=hashlib.sha256(parameters.encode("utf-8")).hexdigest(),
            runtime="",
        )

    @property
    def identity(self) -> ModelIdentity:
        """Decided by the version of the rule and its parameters."""
        return self._identity

    def chunks(self, text: str) -> list[str]:
        """Pieces of at most 200 words, 40 of them shared with the piece before; in linear time."""
        pieces = Pieces(_WINDOW, _OVERLAP)
        found: list[str] = []
        source = atoms(text)
        while words := list(islice(source, 10_000)):
            found.extend(pieces.add(words, [0 if word.isspace() else 1 for word in words]))
        found.extend(pieces.rest())
        return found or [text]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (len(texts), dimension); a text without a word gives the first unit vector."""
        vectors = np.zeros((len(texts), self._identity.dimension), dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            row[:] = self.embed_query(text)
        return vectors

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Shape (dimension,); any length."""
        dimension = self._identity.dimension
        vector = np.zeros(dimension, dtype=np.float64)
        for word in _WORD.findall(unicodedata.normalize("NFKC", text).casefold()):
            for start in range(0, len(word), _LONGEST_WORD):
                for number, weight in _features(word[start : start + _LONGEST_WORD]):
                    vector[(number >> 1) % dimension] += weight if number & 1 else -weight
        length = float(np.sqrt(np.dot(vector, vector)))
        if length < 1e-9:
            vector[0] = length = 1.0
        return (vector / length).astype(np.float32)


@lru_cache(maxsize=1 << 14)
def _features(word: str) -> tuple[tuple[int, float], ...]:
    return tuple(_hashed(word))


def _hashed(word: str) -> Iterator[tuple[int, float]]:
    yield _number("w", word), 1.0
    unspaced = _UNSPACED.search(word) is not None
    padded, size, weight = (word, 2, 1.0) if unspaced else (f"<{word}>", 3, 0.3)
    for start in range(len(padded) - size + 1):
        yield _number("g", padded[start : start + size]), weight


def _number(kind: str, feature: str) -> int:
    raw = f"{kind}{feature}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(raw, digest_size=8).digest(), "little")
