"""Taking a memory's entries out into a folder, and into another memory."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from truerecall.core.entry import Scope
from truerecall.errors import ArchiveError
from truerecall.memory.archive import read_archive, refuse_taken, write_archive
from truerecall.memory.reembed import embed_missing
from truerecall.memory.store.protocol import Store
from truerecall.memory.write.embed import Progress
from truerecall.models.protocols import Embedder, token_identity


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import brought."""

    entries: int
    events: int
    known: int
    """Entries that were here already, unchanged."""
    new: tuple[str, ...] = ()
    """The ids of those that were not."""


def export(
    store: Store, scope: Scope, embedder: Embedder | None, target: Path, noted: datetime | None
) -> None:
    """Write all that a reader sees into a new folder; the store notes it unless ``noted`` is None."""
    refuse_taken(target)
    identity = None if embedder is None else embedder.identity
    if noted is not None:
        # Before it is written: a purge must know of it, and may know of one that failed.
        store.note_export(scope, target, noted)
    with store.snapshot(scope) as all_of_it:
        tokens = token_identity(embedder)
        write_archive(target, scope, all_of_it.entries, all_of_it.events, identity, tokens)


def bring(
    store: Store,
    scope: Scope,
    embedder: Embedder | None,
    folder: Path,
    most_chunks: int,
    progress: Progress | None,
) -> Imported:
    """Take in an export of this tenant and space; what it has no vectors for is embedded after it is stored."""
    archive = read_archive(folder)
    if (archive.scope.tenant, archive.scope.space) != (scope.tenant, scope.space):
        raise ArchiveError(
            f"the export is of tenant {archive.scope.tenant!r}, space {archive.scope.space!r}",
            where=str(folder),
            remedy="Open the memory with that tenant and space, and import it there.",
        )
    identity = None if embedder is None else embedder.identity
    items = archive.entries(identity, token_identity(embedder))
    restored = store.restore(scope, items, archive.events())
    if embedder is not None:
        embed_missing(store, embedder, most_chunks, progress)
    count = len(restored.ids)
    return Imported(count, restored.events, archive.counts["entries"] - count, restored.ids)
