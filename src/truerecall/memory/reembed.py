"""Embedding what a store lacks, and going over to another model: in batches, each of which stays."""

from dataclasses import dataclass

from truerecall.memory.store.protocol import Store
from truerecall.memory.store.vectors import TextVectors
from truerecall.memory.write.embed import Progress, embed_entries, shifted
from truerecall.models.protocols import Embedder


@dataclass(frozen=True, slots=True)
class Reembedded:
    """What was done."""

    embedded: int
    """Entries that got vectors."""
    failed: int
    """Entries on which the embedder failed: they stay without a vector, and the next run tries them again."""
    dropped: int
    """Entries whose vectors of another model were removed."""


def embed_missing(
    store: Store, embedder: Embedder, most_chunks: int, progress: Progress | None = None
) -> tuple[int, int]:
    """Embed every entry that has no vector; how many were embedded, and on how many the embedder failed."""
    waiting = store.unembedded()
    made = failed = 0
    for batch in waiting.batches:
        told = None if progress is None else shifted(progress, made + failed, waiting.count)
        vectors = embed_entries(embedder, batch, most_chunks, told)
        good = {
            entry.id: found
            for entry, found in zip(batch, vectors, strict=True)
            if isinstance(found, TextVectors)
        }
        store.add_vectors(good)
        made += len(good)
        failed += len(batch) - len(good)
    return made, failed


def reembed(
    store: Store, embedder: Embedder, most_chunks: int, progress: Progress | None = None
) -> Reembedded:
    """Embed what is missing, then remove the vectors of other models.

    A run that is broken off leaves what it made, and the next one goes on. The others' vectors stay until the end, and
    also then if the embedder failed on every entry: a model that is down is no reason to lose those of another.
    """
    made, failed = embed_missing(store, embedder, most_chunks, progress)
    total = made
    while made:  # what was written meanwhile, by a process with the old model
        made, failed = embed_missing(store, embedder, most_chunks)
        total += made
    usable = not failed or any(identity == embedder.identity for identity, _ in store.models())
    return Reembedded(total, failed, store.drop_other_models() if usable else 0)
