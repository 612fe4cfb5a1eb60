"""What every verb of an open memory works with."""

from truerecall.core.clock import Clock
from truerecall.core.config import Settings
from truerecall.core.entry import Scope
from truerecall.core.ids import IdSource, id_bytes, id_text
from truerecall.errors import InvalidInput, NotFound, StoreReadOnly
from truerecall.memory.recall.evidence.weights import shipped_weights
from truerecall.memory.store.protocol import Store
from truerecall.models.protocols import Embedder
from truerecall.models.tokens import counter as named_counter


class Opened:
    """A store, opened for one reader."""

    def __init__(
        self,
        store: Store,
        scope: Scope,
        embedder: Embedder | None,
        settings: Settings,
        clock: Clock,
        ids: IdSource,
    ) -> None:
        self.scope = scope
        self.settings = settings
        self._store = store
        self._embedder = embedder
        self._clock = clock
        self._ids = ids
        self.weights = shipped_weights()
        """What evidence counts for when recall reranks; others may be set (docs/design/recall-quality.md)."""
        self._counter = named_counter(settings.recall.counter)
        self._frozen = False

    def _full_id(self, entry_id: str) -> str:
        if not isinstance(entry_id, str) or not 8 <= len(entry_id) < 32:
            return id_text(id_bytes(entry_id))
        found = self._store.by_suffix(self.scope, entry_id) if entry_id.isascii() else []
        if len(found) > 1:
            raise InvalidInput(f"more than one entry's id ends in {entry_id}", remedy="Give the whole id.")
        if not found:
            raise NotFound(
                f"there is no entry {entry_id} here", remedy="`list` and `recall` show what there is."
            )
        return found[0]

    def _writable(self) -> None:
        if self._frozen:
            raise StoreReadOnly(
                "this is the memory as it stood at an instant",
                remedy="Write to the memory itself, not to its past.",
            )
