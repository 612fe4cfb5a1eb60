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
from truerecall.models.protocols import Embedder, ModelIdentity

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
        self._model = _model_key(inner.identity)
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
        kept = self._file.get("vector", self._model, texts)
        self.found += sum(text in kept for text in texts)
        missing = [text for text in dict.fromkeys(texts) if text not in kept]
        if missing:
            made = self.compute(missing).astype(_VECTOR, copy=False)
            new = {text: row.tobytes() for text, row in zip(missing, made, strict=True)}
            self._file.put("vector", self._model, new)
            kept |= new
            self.on_computed()
        if self._cuts:
            self._file.put("pieces", self._model, self._cuts)
            self._cuts = {}
        rows = np.frombuffer(b"".join(kept[text] for text in texts), dtype=_VECTOR)
        return rows.reshape(len(texts), self.identity.dimension).astype(np.float32)

    def compute(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """By the embedder behind, whatever is in the file; nothing is kept."""
        started = self._timer()
        made = self._inner.embed(texts)
        self.seconds += self._timer() - started
        self.characters += sum(map(len, texts))
        return made

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Computed anew each time."""
        return self._inner.embed_query(text)

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
    cached = {name: CachedEmbedder(embedder, file, timer) for _, name, embedder in own}
    try:
        for system, name, _ in own:
            system.embedder = cached[name]
        yield cached
    finally:
        for system, _, embedder in own:
            system.embedder = embedder
        file.close()


def _model_key(identity: ModelIdentity) -> bytes:
    return sha256(json.dumps(asdict(identity), sort_keys=True).encode("ascii")).digest()[:16]


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
