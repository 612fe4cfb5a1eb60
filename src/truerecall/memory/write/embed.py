"""Vectors for entries that are about to be stored: in bounded batches, and one bad text spoils no other."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from truerecall.core.entry import Entry
from truerecall.errors import ModelError
from truerecall.memory.store.textindex import searched_text
from truerecall.memory.store.vectors import TextVectors
from truerecall.memory.store.writing import Prepared
from truerecall.models.protocols import Embedder, TokenEmbedder
from truerecall.models.quantised import Int8Rows

_BATCH = 64  # pieces embedded at once: what is float32 and not yet int8 stays small
_TOKEN_PIECES = 4
"""Pieces of a text whose token vectors are kept: about a thousand tokens and 70 KB. What lies beyond in a long document
is found by its words and its pieces' vectors, and not compared token by token."""

Progress = Callable[[int, int], None]
"""Is told how many entries are done, of how many; from the thread that does the work."""


def shifted(progress: Progress, before: int, total: int) -> Progress:
    """Tells a part's progress as that of the whole, of which ``before`` entries are done."""
    return lambda done, _: progress(before + done, total)


@dataclass(frozen=True, slots=True)
class _Piece:
    dense: Int8Rows
    """One row."""
    tokens: Int8Rows | None


def prepared(
    embedder: Embedder | None, entries: Sequence[Entry], most_chunks: int, progress: Progress | None
) -> list[tuple[Prepared, str]]:
    """Each entry with its vectors, and why it has none or not all of them."""
    if embedder is None:
        return [(Prepared(entry, None), "") for entry in entries]
    return [
        (Prepared(entry, found), found.remark)
        if isinstance(found, TextVectors)
        else (Prepared(entry, None), found)
        for entry, found in zip(entries, embed_entries(embedder, entries, most_chunks, progress), strict=True)
    ]


def embed_entries(
    embedder: Embedder, entries: Sequence[Entry], most_chunks: int, progress: Progress | None = None
) -> list[TextVectors | str]:
    """The vectors of each entry, or why the embedder failed on it. The same text is embedded once."""
    texts = [searched_text(entry) for entry in entries]
    distinct = list(dict.fromkeys(texts))
    found: dict[str, TextVectors | str] = {}
    waiting: dict[str, list[str]] = {}
    for number, text in enumerate(distinct, start=1):
        try:
            waiting[text] = embedder.chunks(text)
        except ModelError as error:
            found[text] = error.problem
        if number == len(distinct) or sum(map(len, waiting.values())) >= _BATCH:
            found.update(_embedded(embedder, waiting, most_chunks))
            waiting = {}
            if progress is not None:
                progress(len(entries) * number // len(distinct), len(entries))
    return [found[text] for text in texts]


def _embedded(
    embedder: Embedder, texts: dict[str, list[str]], most_chunks: int
) -> dict[str, TextVectors | str]:
    wanted = [piece for chunks in texts.values() for piece in chunks[:most_chunks]]
    pieces: dict[str, _Piece | str] = {}
    for start in range(0, len(wanted), _BATCH):
        batch = list(dict.fromkeys(wanted[start : start + _BATCH]))
        try:
            pieces.update(zip(batch, _pieces(embedder, batch), strict=True))
        except ModelError:
            pieces.update((piece, _alone(embedder, piece)) for piece in batch)
    return {text: _joined(chunks, pieces, most_chunks) for text, chunks in texts.items()}


def _alone(embedder: Embedder, piece: str) -> _Piece | str:
    try:
        return _pieces(embedder, [piece])[0]
    except ModelError as error:
        return error.problem


def _pieces(embedder: Embedder, batch: Sequence[str]) -> list[_Piece]:
    tokens: Sequence[Int8Rows | None]
    if isinstance(embedder, TokenEmbedder):
        vectors, tokens = embedder.embed_with_tokens(batch)
    else:
        vectors, tokens = embedder.embed(batch), [None] * len(batch)
    rows = Int8Rows.of(vectors)
    return [
        _Piece(Int8Rows(rows.values[i : i + 1], rows.scales[i : i + 1]), own) for i, own in enumerate(tokens)
    ]


def _joined(chunks: list[str], pieces: dict[str, _Piece | str], most_chunks: int) -> TextVectors | str:
    rows: list[_Piece] = []
    for chunk in chunks[:most_chunks]:
        piece = pieces[chunk]
        if isinstance(piece, str):
            return piece
        rows.append(piece)
    tokens = [piece.tokens for piece in rows[:_TOKEN_PIECES] if piece.tokens is not None]
    return TextVectors(
        _stacked([piece.dense for piece in rows]), len(chunks), _stacked(tokens) if tokens else None
    )


def _stacked(parts: Sequence[Int8Rows]) -> Int8Rows:
    return Int8Rows(
        np.concatenate([part.values for part in parts]), np.concatenate([part.scales for part in parts])
    )
