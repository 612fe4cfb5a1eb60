"""The verbs that look after what is there: purge, the past, exports and imports, checks, and other models."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Self

from truerecall.core.clock import aware
from truerecall.core.entry import Entry
from truerecall.core.ids import IdSource
from truerecall.errors import InvalidInput
from truerecall.memory.opened import Opened
from truerecall.memory.store.database import IN_MEMORY
from truerecall.memory.store.protocol import Counts, Purged
from truerecall.memory.store.sqlite import SqliteStore
from truerecall.memory.store.vectors import TextVectors
from truerecall.memory.store.writing import Prepared
from truerecall.memory.write.embed import Progress
from truerecall.models.protocols import Embedder, token_identity
from truerecall.models.registry import embedder as named_embedder

if TYPE_CHECKING:  # a new process that recalls once need not load them
    from truerecall.memory.doctor import Health
    from truerecall.memory.reembed import Reembedded
    from truerecall.memory.transfer import Imported


class Keeping(Opened):
    """See ``Memory``."""

    def purge(self, *entry_ids: str) -> Purged:
        """Remove entries for good, with all that was derived from them; no byte stays in any file of the store."""
        self._writable()
        return self._store.purge(self.scope, [self._full_id(entry_id) for entry_id in entry_ids])

    def at(self, instant: datetime, path: str | Path = IN_MEMORY) -> Self:
        """The memory as it stood just before an instant, read-only, with its clock at that instant.

        It is a store of its own, built from the entries and events strictly before: in memory, or at a new ``path``.
        """
        instant = aware(instant, "instant")
        if str(path) != IN_MEMORY and Path(path).exists():
            raise InvalidInput(
                "the cut needs a new file", where=str(path), remedy="Name a path that does not exist."
            )
        identity = None if self._embedder is None else self._embedder.identity
        tokens = token_identity(self._embedder)
        kept = replace(self.settings.store, zone=self._store.zone)
        extract = self.settings.write.extract
        store = SqliteStore.open(path, kept, lambda: instant, identity, tokens, extract)
        try:
            known: set[str] = set()
            with self._store.snapshot(self.scope) as all_of_it:
                store.restore(self.scope, _before(all_of_it.entries, instant, known), ())
                events = [e for e in all_of_it.events if e.at < instant and e.entry_id in known]
                store.restore(self.scope, (), events)
        except BaseException:
            store.close()
            raise
        ids = IdSource(lambda: instant)
        cut = type(self)(store, self.scope, self._embedder, self.settings, lambda: instant, ids)
        cut.weights = self.weights
        cut._frozen = True
        return cut

    def export(self, folder: str | Path) -> Path:
        """Write all that this user sees into a new folder: a manifest and JSON lines."""
        from truerecall.memory.transfer import export

        target = Path(folder).resolve()
        export(self._store, self.scope, self._embedder, target, None if self._frozen else self._clock())
        return target

    def import_(self, folder: str | Path, *, progress: Progress | None = None) -> "Imported":
        """Take in an export of this tenant and space, exactly; what is here already stays, so it can be repeated.

        Where it has no vectors of the open embedder, the entries are embedded after they are stored; ``progress`` is
        told how many of how many.
        """
        from truerecall.memory.transfer import bring

        self._writable()
        most_chunks = self.settings.store.most_chunks
        brought = bring(self._store, self.scope, self._embedder, Path(folder), most_chunks, progress)
        # What came may contradict what was here.
        self._store.settle(self.scope, brought.new, self._clock(), self._ids)
        return brought

    def doctor(self, repair: bool = False, *, progress: Progress | None = None) -> "Health":
        """Check the whole file, and with ``repair`` make anew what is derived, missing vectors included."""
        from truerecall.memory.doctor import examine

        return examine(self._store, self._embedder, self.settings.store.most_chunks, repair, progress)

    def reembed(
        self, embedder: Embedder | str | None = None, *, progress: Progress | None = None
    ) -> "Reembedded":
        """Give every entry of the whole file a vector of ``embedder``, and go over to it; by default the open one.

        Open a store of another model with ``embedder="none"`` for it. In batches: broken off, it goes on where it was
        when it is called again. Recall works meanwhile, with the vectors that are there; those of the old model are
        removed at the end, and until then a process that has it open finds them.
        """
        from truerecall.memory.reembed import reembed

        self._writable()
        model = named_embedder(embedder) if isinstance(embedder, str) else embedder
        if model is not None:
            self._store.adopt(model.identity, token_identity(model))
            self._embedder = model
        if self._embedder is None:
            raise InvalidInput("no embedder is open", remedy="Name one, such as reembed('local').")
        return reembed(self._store, self._embedder, self.settings.store.most_chunks, progress)

    def counts(self) -> Counts:
        """Rows that this user sees."""
        return self._store.counts(self.scope, self._clock())


def _before(
    rows: Iterable[tuple[Entry, TextVectors | None]], instant: datetime, known: set[str]
) -> Iterable[Prepared]:
    for entry, vectors in rows:
        if entry.recorded_at < instant:
            known.add(entry.id)
            yield Prepared(entry, vectors)
