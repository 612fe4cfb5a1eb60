"""An embedder that asks the file of vectors first. Its vectors are those of the embedder behind it, bit for bit."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from truerecall.bench.systems.protocol import Item, System
from truerecall.bench.vectors import VectorFile
from truerecall.models.protocols import Embedder, ModelIdentity, TokenEmbedder, token_identity
from truerecall.models.quantised import Int8Rows

_FORM = 1  # of the rows in the file; raised when they change
_VECTOR = "<f4"
_SPANS = "<i8"
_BATCH = 500  # texts looked up at once


@runtime_checkable
class Embeds(Protocol):
    """A system whose embedder the harness may put behind a cache."""

    name: str
    embedder: Embedder | None

    def embedded_text(self, item: Item) -> str:
        """What it gives its embedder of an item."""
        ...


class CachedEmbedder:
    """Keeps what it computes; queries are computed always, so that a recall takes the time that it takes.

    A vector must depend on its text alone: which texts are computed together differs with what is in the file.
    """

    def __init__(self, inner: Embedder, file: VectorFile, timer: Callable[[], float]) -> None:
        """Answer from ``file``, and from ``inner`` what is not in it."""
        self._inner = inner
        self._file = file
        self._timer = timer
        self._model = _model_key(inner)
        self._cuts: dict[str, bytes] = {}
        self.on_computed: Callable[[], None] = lambda: None
        """Called after each batch that was computed and kept."""
        self.found = 0
        """Pieces that were in the file."""
        self.characters = 0
        """Of the pieces that were computed."""
        self.seconds = 0.0
        """Spent in computing them."""

    @property
    def identity(self) -> ModelIdentity:
        """Of the embedder behind: a store need not know of the cache."""
        return self._inner.identity

    def chunks(self, text: str) -> list[str]:
        """As the embedder behind cuts it."""
        cut = self._cuts.get(text) or self._file.get("pieces", self._model, [text]).get(text)
        if cut is not None:
            return _pieces(text, cut)
        pieces = self._inner.chunks(text)
        if spans := _spans(text, pieces):
            self._cuts[text] = np.array(spans, dtype=_SPANS).tobytes()
        return pieces

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (len(texts), dimension); what had to be computed is kept before it is returned."""
        return self._vectors(self._rows(texts))

    def compute(self, texts: Sequence[str]) -> list[bytes]:
        """By the embedder behind, whatever is in the file; nothing is kept."""
        started = self._timer()
        made = self._made(texts)
        self.seconds += self._timer() - started
        self.characters += sum(map(len, texts))
        return made

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Computed anew each time."""
        return self._inner.embed_query(text)

    def _rows(self, texts: Sequence[str]) -> list[bytes]:
        """What ``_made`` gives, from the file or computed."""
        kept = self._file.get("vector", self._model, texts)
        self.found += sum(text in kept for text in texts)
        if missing := [text for text in dict.fromkeys(texts) if text not in kept]:
            new = dict(zip(missing, self.compute(missing), strict=True))
            self._file.put("vector", self._model, new)
            kept |= new
            self.on_computed()
        if self._cuts:
            self._file.put("pieces", self._model, self._cuts)
            self._cuts = {}
        return [kept[text] for text in texts]

    def _made(self, texts: Sequence[str]) -> list[bytes]:
        """Each text's row of the file."""
        return [row.tobytes() for row in self._inner.embed(texts).astype(_VECTOR, copy=False)]

    def _vectors(self, rows: Sequence[bytes]) -> NDArray[np.float32]:
        size = self.identity.dimension
        dense = b"".join(row[: size * 4] for row in rows)
        return np.frombuffer(dense, dtype=_VECTOR).reshape(len(rows), size).astype(np.float32)

    def waiting(self, texts: Sequence[str]) -> list[str]:
        """Those texts of which not every piece is in the file."""
        found: list[str] = []
        for start in range(0, len(texts), _BATCH):
            batch = texts[start : start + _BATCH]
            cuts = self._file.get("pieces", self._model, batch)
            pieces = {text: _pieces(text, cut) for text, cut in cuts.items()}
            kept = self._file.get("vector", self._model, [piece for own in pieces.values() for piece in own])
            found += [t for t in batch if t not in pieces or not all(piece in kept for piece in pieces[t])]
        return found


class CachedTokenEmbedder(CachedEmbedder):
    """The same of an embedder that gives token vectors too: both lie in one row, for both come of one computation."""

    def __init__(self, inner: TokenEmbedder, file: VectorFile, timer: Callable[[], float]) -> None:
        """As of a ``CachedEmbedder``."""
        super().__init__(inner, file, timer)
        self._tokens = inner

    @property
    def token_identity(self) -> ModelIdentity:
        """Of the embedder behind."""
        return self._tokens.token_identity

    def embed_with_tokens(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], list[Int8Rows]]:
        """As the embedder behind gives them."""
        rows = self._rows(texts)
        width, start = self.token_identity.dimension, self.identity.dimension * 4
        tokens = []
        for row in rows:
            count = (len(row) - start) // (width + 4)
            scales = np.frombuffer(row, _VECTOR, count, start).astype(np.float32)
            values = np.frombuffer(row, np.int8, count * width, start + count * 4)
            tokens.append(Int8Rows(values.reshape(count, width), scales))
        return self._vectors(rows), tokens

    def query_tokens(self, text: str) -> NDArray[np.float32]:
        """Computed anew each time."""
        return self._tokens.query_tokens(text)

    def _made(self, texts: Sequence[str]) -> list[bytes]:
        vectors, tokens = self._tokens.embed_with_tokens(texts)
        return [
            row.tobytes() + own.scales.astype(_VECTOR, copy=False).tobytes() + own.values.tobytes()
            for row, own in zip(vectors.astype(_VECTOR, copy=False), tokens, strict=True)
        ]


def cached(inner: Embedder, file: VectorFile, timer: Callable[[], float]) -> CachedEmbedder:
    """An embedder that can what ``inner`` can, behind the file."""
    if isinstance(inner, TokenEmbedder):
        return CachedTokenEmbedder(inner, file, timer)
    return CachedEmbedder(inner, file, timer)


@contextmanager
def cached_embedders(
    systems: Sequence[System], path: Path, timer: Callable[[], float]
) -> Iterator[Mapping[str, CachedEmbedder]]:
    """Put each system's embedder behind the file at ``path`` for a while; by the systems' names."""
    own = [(s, s.name, s.embedder) for s in systems if isinstance(s, Embeds) and s.embedder is not None]
    if not own:
        yield {}
        return
    file = VectorFile(path)
    by_name = {name: cached(embedder, file, timer) for _, name, embedder in own}
    try:
        for system, name, _ in own:
            system.embedder = by_name[name]
        yield by_name
    finally:
        for system, _, embedder in own:
            system.embedder = embedder
        file.close()


def _model_key(embedder: Embedder) -> bytes:
    tokens = token_identity(embedder)
    decides = [_FORM, asdict(embedder.identity), None if tokens is None else asdict(tokens)]
    return sha256(json.dumps(decides, sort_keys=True).encode("ascii")).digest()[:16]


def _pieces(text: str, cut: bytes) -> list[str]:
    return [text[start:end] for start, end in np.frombuffer(cut, dtype=_SPANS).reshape(-1, 2).tolist()]


def _spans(text: str, pieces: Sequence[str]) -> list[tuple[int, int]]:
    """Where the pieces stand in the text; empty where one does not stand there letter by letter."""
    spans: list[tuple[int, int]] = []
    start = 0
    for piece in pieces:
        start = text.find(piece, start)
        if start < 0:
            return []
        spans.append((start, start + len(piece)))
    return spans
