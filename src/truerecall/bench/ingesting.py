"""Opening a system over an ingested conversation: out of the cache where it was ingested before."""

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from truerecall.bench.embedding import CachedEmbedder
from truerecall.bench.history import History
from truerecall.bench.keys import embedder_of, ingest_key
from truerecall.bench.packing import SCOPE
from truerecall.bench.run import RunFolder
from truerecall.bench.stores import Ingestion, StoreCache
from truerecall.bench.systems.protocol import System
from truerecall.bench.systems.shelf import Shelf
from truerecall.errors import RunError, SystemFailed


class Ingesting:
    """Ingests conversations, each once for all runs of an output folder."""

    def __init__(
        self, folder: RunFolder, embedders: Mapping[str, CachedEmbedder], timer: Callable[[], float]
    ) -> None:
        """Work in ``folder``; ``embedders`` by the names of their systems, ``timer`` in seconds."""
        self._folder = folder
        self._cache = StoreCache(folder.out, folder.work)
        self._embedders = embedders
        self._timer = timer

    def known(self, history: History, system: System) -> bool:
        """Whether the conversation is in the cache."""
        return self._cache.known(ingest_key(history, system)) is not None

    @contextmanager
    def ingested(self, history: History, system: System) -> Iterator[tuple[Ingestion, bool]]:
        """The system open over the ingested conversation, and whether that came from the cache.

        Raises:
            SystemFailed: the system broke the protocol.
            RunError: its vector lane holds no vectors.
        """
        # A shelf is filled as quickly as it is copied.
        if system.reusable and not isinstance(system, Shelf):
            key = ingest_key(history, system)
            found = self._cache.copy(key)
            store, ingestion = found or self._filled(key, history, system)
            with _opened(system, store):
                _check_vectors(system, ingestion)
                yield ingestion, found is not None
        else:
            store = self._folder.working_folder()
            with _opened(system, store):
                ingestion = self._ingest(history, system)
                _check_vectors(system, ingestion)
                yield ingestion, False
        shutil.rmtree(store, ignore_errors=True)

    def _filled(self, key: str, history: History, system: System) -> tuple[Path, Ingestion]:
        """Ingest into the cache, and take a copy from there."""
        store = self._folder.working_folder()
        with _opened(system, store):
            ingestion = self._ingest(history, system)
        self._cache.keep(key, store, ingestion)
        copied = self._cache.copy(key)
        if copied is None:
            raise RunError(
                "the ingested store vanished from the cache",
                where=system.name,
                remedy="Run the command again.",
            )
        return copied

    def _ingest(self, history: History, system: System) -> Ingestion:
        embedder = self._embedders.get(system.name)
        before = embedder.found if embedder else 0
        started = self._timer()
        given = list(system.ingest(history.items))
        seconds = self._timer() - started
        if len(given) != len(history.items):
            raise SystemFailed(
                f"{len(given)} handles came back for {len(history.items)} items",
                where=f"{system.name}, {history.conversation.id}",
                remedy="Return one handle an item, in order, and None for one that was refused.",
            )
        census = system.census()
        return Ingestion(
            handles=given,
            stored=census.stored,
            embedded=census.embedded,
            masked=census.masked,
            refused=census.refused,
            seconds=round(seconds, 3),
            vectors_cached=embedder.found - before if embedder else 0,
        )


@contextmanager
def _opened(system: System, store: Path) -> Iterator[None]:
    try:
        system.open(store, SCOPE)
        yield
    finally:
        system.close()


def _check_vectors(system: System, ingestion: Ingestion) -> None:
    embedder = embedder_of(system)
    if embedder and ingestion.stored and not ingestion.embedded:
        raise RunError(
            f"the configuration names the embedder {embedder}, but not one entry is embedded",
            where=system.name,
            remedy="Install the embedder, or run without one and say so in the configuration.",
        )
