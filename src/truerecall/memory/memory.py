"""The memory: remember, recall, and everything around them. Thin: no SQL and no formulas here."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Unpack

from truerecall.core.clock import Clock, aware, system_clock
from truerecall.core.config import Settings
from truerecall.core.entry import DEFAULT_TRUST, Draft, Entry, Event, EventKind, Scope, Trust
from truerecall.core.ids import IdSource, id_bytes, id_text, seeded_bits, system_bits
from truerecall.errors import InvalidInput, NotFound, StoreReadOnly
from truerecall.memory.recall.evidence.weights import shipped_weights
from truerecall.memory.recall.pipeline import Means, Request, recall
from truerecall.memory.recall.recalled import Recall
from truerecall.memory.store.database import IN_MEMORY
from truerecall.memory.store.protocol import Counts, Filter, Purged, Store
from truerecall.memory.store.sqlite import SqliteStore
from truerecall.memory.store.vectors import TextVectors
from truerecall.memory.store.writing import Prepared
from truerecall.memory.write.embed import Progress, prepared, shifted
from truerecall.memory.write.prepare import (
    Accepted,
    Details,
    Refusal,
    Rememberable,
    WriteResult,
    WriteStatus,
    drafts_of,
    entry_of,
)
from truerecall.models.protocols import Embedder, token_identity
from truerecall.models.registry import embedder as named_embedder
from truerecall.models.tokens import counter as named_counter

if TYPE_CHECKING:  # a new process that recalls once need not load them
    from truerecall.memory.doctor import Health
    from truerecall.memory.reembed import Reembedded
    from truerecall.memory.transfer import Imported

_BATCH = 1000  # entries a transaction


@dataclass(frozen=True, slots=True)
class History:
    """An entry and what happened to it."""

    entry: Entry
    events: tuple[Event, ...]
    """In the order in which they were recorded."""


class Memory:
    """What one user remembers and recalls in one space. Open it with ``Memory.open``; close it, or use ``with``."""

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

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        user: str = "me",
        tenant: str = "local",
        space: str = "default",
        embedder: Embedder | str | None = "auto",
        settings: Settings | None = None,
        clock: Clock = system_clock,
        seed: int | None = None,
    ) -> "Memory":
        """Open the store at ``path``, or make one (``":memory:"`` keeps it in memory).

        Args:
            path: The SQLite file.
            user: Who writes and reads.
            tenant: A team or a customer.
            space: What the memory belongs to: an agent's name, a repository.
            embedder: ``"auto"`` (the local model if it is installed, else none), ``"none"``, another name of
                ``models.registry``, or an object of your own.
            settings: See ``core.config``; the file's mode is one of them.
            clock: Returns the present; nothing else here reads a clock.
            seed: Makes the ids reproducible, with the clock: for a store that nothing else writes to.

        Raises:
            InvalidScope: For a user, tenant or space that is empty or a wildcard.
            StoreError: If the file is no store, is newer than this version, is locked or cannot be written.
            ModelMismatch: If it holds vectors of another model.
        """
        scope = Scope(tenant, space, user)
        chosen = settings or Settings()
        model = named_embedder(embedder) if isinstance(embedder, str) else embedder
        named_counter(chosen.recall.counter)  # an unknown name is refused before a file is made
        identity = None if model is None else model.identity
        store = SqliteStore.open(path, chosen.store, clock, identity, token_identity(model))
        ids = IdSource(clock, system_bits if seed is None else seeded_bits(seed))
        return cls(store, scope, model, chosen, clock, ids)

    def remember(
        self,
        what: Rememberable | Iterable[Rememberable],
        *,
        progress: Progress | None = None,
        **details: Unpack[Details],
    ) -> tuple[WriteResult, ...]:
        """Remember a text, a chat message or a ``Draft``, or several; one result each, in order.

        ``details`` go with texts and messages; see ``write.prepare.Details``. What is stored is found by the next
        recall. Entries are written a thousand at a time, each batch whole or not at all; ``progress`` is told how many
        of how many are embedded.
        """
        self._writable()
        drafts = drafts_of(what, details)
        results: list[WriteResult] = []
        for start in range(0, len(drafts), _BATCH):
            told = None if progress is None else shifted(progress, start, len(drafts))
            results.extend(self._remember(drafts[start : start + _BATCH], told))
        return tuple(results)

    def recall(
        self,
        query: str,
        *,
        limit: int | None = None,
        budget: int | None = None,
        trust: Collection[Trust | str] = DEFAULT_TRUST,
        valid_at: datetime | None = None,
    ) -> Recall:
        """The entries that answer a query best, with the reason for each, and a block of them for a model.

        Args:
            query: Any string.
            limit: Hits at most; the settings' default is 10.
            budget: Tokens of the block at most; the settings' default is 2,000.
            trust: The tiers to recall; ``external`` only if it is named.
            valid_at: Recall what was valid then; by default now.
        """
        now = self._clock()
        request = Request(
            query=query,
            limit=_positive("limit", self.settings.recall.limit if limit is None else limit),
            budget=_positive("budget", self.settings.recall.budget if budget is None else budget),
            now=now,
            valid_at=now if valid_at is None else aware(valid_at, "valid_at"),
            trust=frozenset(Trust.parse(tier) for tier in trust),
        )
        means = Means(self._embedder, self.weights, self.settings, self._counter)
        return recall(self._store, self.scope, request, means)

    def get(self, entry_id: str) -> Entry:
        """The entry of an id, or of its last eight digits (as blocks show them); ``NotFound`` if there is none."""
        full = self._full_id(entry_id)
        found = self._store.get(self.scope, [full])
        if full not in found:
            raise NotFound(
                f"there is no entry {entry_id} here", remedy="`list` and `recall` show what there is."
            )
        return found[full]

    def list(self, wanted: Filter | None = None) -> tuple[Entry, ...]:
        """Entries, the last learned first; the newest 50 that are not ended unless ``wanted`` says otherwise."""
        return tuple(self._store.listing(self.scope, wanted or Filter(), self._clock()))

    def history(self, entry_id: str) -> History:
        """An entry and what happened to it."""
        entry = self.get(entry_id)
        return History(entry, tuple(self._store.events(self.scope, entry.id)))

    def correct(self, entry_id: str, text: str) -> WriteResult:
        """Supersede an entry by one with another text; the old one stays, ended now, and can be looked up."""
        self._writable()
        old = self.get(entry_id)
        now = self._clock()
        draft = Draft(
            text=text,
            kind=old.kind,
            decay_class=old.decay_class,
            trust=old.trust,
            visibility=old.visibility,
            source=old.source,
            source_ids=old.source_ids,
            happened_at=old.happened_at,
            valid_from=now if old.valid_from is None else max(now, old.valid_from),
            valid_to=old.valid_to,
            proof_count=old.proof_count,
            confidence=old.confidence,
            pinned=old.pinned,
        )
        made = entry_of(draft, self.scope, self._ids(), now, self._store.get(self.scope, old.source_ids))
        if isinstance(made, Refusal):
            return WriteResult("refused", None, made.reason)
        entry = made.entry
        item, remark = self._embedded([entry])[0]
        event = Event(self._ids(), now, "superseded", old.id, entry.id)
        self._store.replace(self.scope, old.id, item, event)
        return WriteResult(self._status(item), entry.id, _both(made.remark, remark), entry.masked)

    def forget(self, *entry_ids: str) -> None:
        """Retire entries: they are not recalled from now on, and nothing is deleted (see ``purge``)."""
        self._writable()
        self._close_entries("retired", entry_ids)

    def purge(self, *entry_ids: str) -> Purged:
        """Remove entries for good, with all that was derived from them; no byte stays in any file of the store."""
        self._writable()
        return self._store.purge(self.scope, [self._full_id(entry_id) for entry_id in entry_ids])

    def at(self, instant: datetime, path: str | Path = IN_MEMORY) -> "Memory":
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
        store = SqliteStore.open(path, self.settings.store, lambda: instant, identity, tokens)
        try:
            kept: set[str] = set()
            with self._store.snapshot(self.scope) as all_of_it:
                store.restore(self.scope, _before(all_of_it.entries, instant, kept), ())
                events = [e for e in all_of_it.events if e.at < instant and e.entry_id in kept]
                store.restore(self.scope, (), events)
        except BaseException:
            store.close()
            raise
        ids = IdSource(lambda: instant)
        cut = Memory(store, self.scope, self._embedder, self.settings, lambda: instant, ids)
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
        return bring(self._store, self.scope, self._embedder, Path(folder), most_chunks, progress)

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

    def close(self) -> None:
        """Release the file; closing twice is no error."""
        self._store.close()

    def __enter__(self) -> "Memory":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _remember(self, drafts: Sequence[Draft], progress: Progress | None) -> Iterable[WriteResult]:
        now = self._clock()
        sources = self._store.get(self.scope, {i for draft in drafts for i in draft.source_ids})
        ids = self._ids.many(len(drafts))
        made = [entry_of(draft, self.scope, i, now, sources) for draft, i in zip(drafts, ids, strict=True)]
        items = self._embedded([one.entry for one in made if isinstance(one, Accepted)], progress)
        written = iter(zip(self._store.write([item for item, _ in items], now), items, strict=True))
        results = []
        for one in made:
            if isinstance(one, Refusal):
                results.append(WriteResult("refused", None, one.reason))
                continue
            outcome, (item, remark) = next(written)
            if outcome.status == "duplicate":
                results.append(WriteResult("duplicate", outcome.id))
            else:
                remark = _both(one.remark, remark)
                results.append(WriteResult(self._status(item), outcome.id, remark, one.entry.masked))
        return results

    def _embedded(
        self, entries: Sequence[Entry], progress: Progress | None = None
    ) -> Sequence[tuple[Prepared, str]]:
        return prepared(self._embedder, entries, self.settings.store.most_chunks, progress)

    def _status(self, item: Prepared) -> WriteStatus:
        return "stored" if item.vectors is not None or self._embedder is None else "pending vector"

    def _close_entries(self, kind: EventKind, entry_ids: Sequence[str]) -> None:
        now = self._clock()
        ids = [self._full_id(entry_id) for entry_id in entry_ids]
        self._store.close_entries(self.scope, [Event(self._ids(), now, kind, entry_id) for entry_id in ids])

    def _full_id(self, entry_id: str) -> str:
        if not isinstance(entry_id, str) or not 8 <= len(entry_id) < 32:
            return id_text(id_bytes(entry_id))
        found = self._store.by_suffix(self.scope, entry_id)
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


def _both(first: str, second: str) -> str:
    return f"{first}; {second}" if first and second else first or second


def _before(
    rows: Iterable[tuple[Entry, TextVectors | None]], instant: datetime, kept: set[str]
) -> Iterable[Prepared]:
    for entry, vectors in rows:
        if entry.recorded_at < instant:
            kept.add(entry.id)
            yield Prepared(entry, vectors)


def _positive(name: str, value: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InvalidInput(f"{name} is {value!r}", where=name, remedy="Give a whole number from 1.")
    return value
