"""Vectors for entries that were stored without any: one text at a time, so that a question hardly waits."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from truerecall.core.clock import Clock
from truerecall.core.config import StoreSettings
from truerecall.core.entry import Entry
from truerecall.errors import ModelMismatch, StoreError, StoreLocked
from truerecall.memory.store.sqlite import SqliteStore
from truerecall.memory.store.vectors import TextVectors
from truerecall.memory.write.embed import embed_entries
from truerecall.models.protocols import Embedder, ModelIdentity, TokenEmbedder, token_identity

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truerecall.models.quantised import Int8Rows

_TOGETHER = 16  # entries between two commits: a process that is killed loses no more than this
_BUSY = 0.05  # seconds to wait for who writes: questions wait as long

Attend = Callable[[], bool]
"""Answers whoever waits; False to stop."""


class _Stopped(Exception):
    """The process is to end."""


class Filling:
    """Gives the entries of stores their vectors."""

    def __init__(self, embedder: Embedder, clock: Clock, attend: Attend) -> None:
        self._embedder, self._clock = embedder, clock
        self._attending = _attending(embedder, attend)
        self._wanted: dict[Path, None] = {}
        self._done: dict[Path, tuple[int, ...]] = {}
        """How a store's files were when nothing was missing."""
        self._failed: set[str] = set()
        """Entries on which the model failed: not tried again by this process."""

    def want(self, store: Path) -> None:
        """Look for what is missing in a store, when there is time."""
        self._wanted[store] = None

    @property
    def waiting(self) -> bool:
        """Whether there is a store to look at."""
        return bool(self._wanted)

    def run(self) -> bool:
        """Fill the stores that are to be looked at; False where one is locked and is to be tried again.

        Raises:
            StoreError: A store cannot be written; it is looked at again when it is next wanted.
        """
        while self._wanted:
            store = next(iter(self._wanted))
            del self._wanted[store]  # a question that comes in between may want it again
            try:
                self._fill(store)
            except StoreLocked:
                self.want(store)
                return False
            except _Stopped:
                break
        return True

    def _fill(self, path: Path) -> None:
        if not path.is_file() or not path.stat().st_size or self._done.get(path) == _looks(path):
            return
        settings, identity = StoreSettings(busy_timeout=_BUSY), self._embedder.identity
        try:
            store = SqliteStore.open(path, settings, self._clock, identity, token_identity(self._embedder))
        except ModelMismatch:
            return
        try:
            while True:
                before = _looks(path)
                if not sum(self._some(store, batch, settings) for batch in store.unembedded().batches):
                    self._done[path] = before
                    return
        finally:
            store.close()

    def _some(self, store: SqliteStore, batch: Sequence[Entry], settings: StoreSettings) -> int:
        """How many of a batch got vectors."""
        made = 0
        waiting = [entry for entry in batch if entry.id not in self._failed]
        for start in range(0, len(waiting), _TOGETHER):
            part = waiting[start : start + _TOGETHER]
            vectors = embed_entries(self._attending, part, settings.most_chunks)
            good = {
                entry.id: found
                for entry, found in zip(part, vectors, strict=True)
                if isinstance(found, TextVectors)
            }
            self._failed.update(entry.id for entry in part if entry.id not in good)
            store.add_vectors(good)
            made += len(good)
        return made


def _looks(path: Path) -> tuple[int, ...]:
    """What tells that nothing was written to a store since."""
    seen: list[int] = []
    for file in (path, path.with_name(f"{path.name}-wal")):
        try:
            found = file.stat()
        except FileNotFoundError:
            seen += (0, 0, 0)
        except OSError as error:
            raise StoreError(
                f"the store cannot be looked at: {error.strerror}", where=str(path), remedy="Check the path."
            ) from error
        else:
            seen += (found.st_ino, found.st_size, found.st_mtime_ns)
    return tuple(seen)


def _attending(embedder: Embedder, attend: Attend) -> Embedder:
    if isinstance(embedder, TokenEmbedder):
        return _AttendingTokens(embedder, attend)
    return _Attending(embedder, attend)


class _Attending:
    """An embedder that looks, between two texts, whether somebody waits for an answer."""

    def __init__(self, inner: Embedder, attend: Attend) -> None:
        self._inner, self._attend = inner, attend

    @property
    def identity(self) -> ModelIdentity:
        return self._inner.identity

    def chunks(self, text: str) -> list[str]:
        self._look()
        return self._inner.chunks(text)

    def embed(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        rows = []
        for text in texts:
            self._look()
            rows.append(self._inner.embed([text]))
        return np.concatenate(rows)

    def embed_query(self, text: str) -> "NDArray[np.float32]":
        return self._inner.embed_query(text)

    def _look(self) -> None:
        if not self._attend():
            raise _Stopped


class _AttendingTokens(_Attending):
    """The same of one that gives vectors of tokens."""

    def __init__(self, inner: TokenEmbedder, attend: Attend) -> None:
        super().__init__(inner, attend)
        self._tokens = inner

    @property
    def token_identity(self) -> ModelIdentity:
        return self._tokens.token_identity

    def embed_with_tokens(self, texts: Sequence[str]) -> "tuple[NDArray[np.float32], list[Int8Rows]]":
        rows, tokens = [], []
        for text in texts:
            self._look()
            vectors, own = self._tokens.embed_with_tokens([text])
            rows.append(vectors)
            tokens += own
        return np.concatenate(rows), tokens

    def query_tokens(self, text: str) -> "NDArray[np.float32]":
        return self._tokens.query_tokens(text)
