"""Vectors for entries that are about to be stored: in bounded batches, and one bad text spoils no other."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from truerecall.core.entry import Entry
from truerecall.errors import ModelError
from truerecall.memory.store.textindex import searched_text
from truerecall.memory.store.vectors import TextVectors
from truerecall.models.protocols import Embedder

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BATCH = 64  # pieces embedded at once


def embed_entries(embedder: Embedder, entries: Sequence[Entry], most_chunks: int) -> list[TextVectors | str]:
    """The vectors of each entry, or why the embedder failed on it. The same text is embedded once."""
    texts = [searched_text(entry) for entry in entries]
    pieces: dict[str, list[str] | str] = {}
    for text in dict.fromkeys(texts):
        try:
            pieces[text] = embedder.chunks(text)
        except ModelError as error:
            pieces[text] = error.problem
    wanted = [
        piece for chunks in pieces.values() if isinstance(chunks, list) for piece in chunks[:most_chunks]
    ]
    vectors = _vectors(embedder, list(dict.fromkeys(wanted)))
    return [_joined(pieces[text], vectors, most_chunks) for text in texts]


def _vectors(embedder: Embedder, pieces: Sequence[str]) -> "dict[str, NDArray[np.float32] | str]":
    found: dict[str, NDArray[np.float32] | str] = {}
    for start in range(0, len(pieces), _BATCH):
        batch = pieces[start : start + _BATCH]
        try:
            found.update(zip(batch, embedder.embed(batch), strict=True))
        except ModelError:
            for piece in batch:
                try:
                    found[piece] = embedder.embed([piece])[0]
                except ModelError as error:
                    found[piece] = error.problem
    return found


def _joined(
    chunks: list[str] | str, vectors: "dict[str, NDArray[np.float32] | str]", most_chunks: int
) -> TextVectors | str:
    if isinstance(chunks, str):
        return chunks
    rows = [vectors[piece] for piece in chunks[:most_chunks]]
    failures = [row for row in rows if isinstance(row, str)]
    if failures:
        return failures[0]
    return TextVectors.of(np.stack([row for row in rows if not isinstance(row, str)]), len(chunks))
