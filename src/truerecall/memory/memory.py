"""The memory: remember, recall, and everything around them. Thin: no SQL and no formulas here."""

import os
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Unpack

from truerecall.core.clock import Clock, aware, system_clock
from truerecall.core.config import Settings, zone_of
from truerecall.core.entry import (
    DEFAULT_TRUST,
    Draft,
    Entry,
    Event,
    EventKind,
    ProfileTrait,
    Scope,
    Statement,
    Trust,
)
from truerecall.core.ids import IdSource, seeded_bits, system_bits
from truerecall.errors import InvalidInput
from truerecall.memory.keeping import Keeping
from truerecall.memory.knowing import Knowing
from truerecall.memory.recall.pipeline import Means, Request, Time, recall
from truerecall.memory.recall.recalled import Recall
from truerecall.memory.store.protocol import Filter
from truerecall.memory.store.sqlite import SqliteStore
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

if TYPE_CHECKING:  # loaded by the verb that needs them
    from truerecall.memory.ask import Answer
    from truerecall.memory.profile import ProfileRow
    from truerecall.memory.reflect.run import Options, Reflection
    from truerecall.models.protocols import ChatModel

_BATCH = 1000  # entries a transaction


@dataclass(frozen=True, slots=True)
class History:
    """An entry and what happened to it."""

    entry: Entry
    events: tuple[Event, ...]
    """In the order in which they were recorded."""


class Memory(Knowing, Keeping):
    """What one user remembers and recalls in one space. Open it with ``Memory.open``; close it, or use ``with``."""

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
        if not isinstance(chosen, Settings):
            raise InvalidInput(
                f"settings are {type(chosen).__name__}", remedy="Give Settings(...) or load_settings(path)."
            )
        model = named_embedder(embedder) if isinstance(embedder, str) else embedder
        named_counter(chosen.recall.counter)  # an unknown name is refused before a file is made
        identity = None if model is None else model.identity
        tokens, extract = token_identity(model), chosen.write.extract
        store = SqliteStore.open(path, chosen.store, clock, identity, tokens, extract)
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
        time: Time = "soft",
    ) -> Recall:
        """The entries that answer a query best, with the reason for each, and a block of them for a model.

        Args:
            query: Any string.
            limit: Hits at most; the settings' default is 10.
            budget: Tokens of the block at most; the settings' default is 2,000.
            trust: The tiers to recall; ``external`` only if it is named.
            valid_at: Recall what was valid then; by default now.
            time: ``hard`` leaves out what neither happened nor was said nor was so in the time that the query names.
        """
        now = self._clock()
        request = Request(
            query=query,
            limit=_positive("limit", self.settings.recall.limit if limit is None else limit),
            budget=_positive("budget", self.settings.recall.budget if budget is None else budget),
            now=now,
            valid_at=now if valid_at is None else aware(valid_at, "valid_at"),
            trust=frozenset(Trust.parse(tier) for tier in trust),
            time=time,
        )
        means = Means(self._embedder, self.weights, self.settings, self._counter)
        return recall(self._store, self.scope, request, means)

    def profile(self, trait: ProfileTrait | None = None) -> "tuple[ProfileRow, ...]":
        """What is lastingly so of the user, by trait and key; of one trait only where it is named."""
        from truerecall.memory.profile import rows

        return rows(self, trait)

    def set_profile(
        self,
        trait: ProfileTrait,
        key: str,
        text: str,
        *,
        trust: Trust | str = Trust.LEARNED,
        source_ids: Sequence[str] = (),
    ) -> WriteResult:
        """Set a row of the user's profile; an older one of the same trait and key is superseded.

        Refused, with the reason in the result, where it is external, by itself or by one of its sources, or trusted
        less than the row that is there. See ``memory.profile.put``.
        """
        from truerecall.memory.profile import put

        self._writable()
        return put(self, trait, key, text, trust=trust, source_ids=source_ids)

    def ask(self, question: str, *, chat: "ChatModel | None" = None, learn: bool = True) -> "Answer":
        """Answer a question from what is recalled for it, with every citation checked; off until it is switched on.

        Args:
            question: Any text that says something.
            chat: The model; by default the one of the settings, with its key from the process's environment.
            learn: Record which entries the answer cites, and which it does not (see ``feedback``).

        Raises:
            InvalidSettings: ``chat.ask`` is off, or no chat model is named.
            ChatFailed: the model gave no usable reply.
        """
        from truerecall.memory.ask import ask, switched_on

        model = switched_on(self.settings.chat, chat or self._chat(), "ask")
        recalled = self.recall(question)
        answer = ask(recalled, question, model, self._clock(), zone_of(self.settings.recall.zone))
        if learn and answer.citations and not self._frozen:
            self.feedback(recalled, cited=answer.citations)
        return answer

    def reflect(
        self,
        options: "Options | None" = None,
        *,
        chat: "ChatModel | None" = None,
        progress: Progress | None = None,
    ) -> "Reflection":
        """Have a chat model work out what groups of entries say together, and remember it; off until switched on.

        Args:
            options: How much, of what, and whether only to look; see ``reflect.run.Options``.
            chat: The model; by default the one of the settings, with its key from the process's environment.
            progress: Told how many groups of how many were asked about.

        Raises:
            InvalidSettings: ``chat.reflect`` is off, or no chat model is named.
        """
        from truerecall.memory.ask import switched_on
        from truerecall.memory.reflect.run import Options, Run, reflect

        self._writable()
        model = switched_on(self.settings.chat, chat or self._chat(), "reflect")
        run = Run(self, self._store, model, self._clock(), self._counter)
        return reflect(run, options or Options(), progress)

    def _chat(self) -> "ChatModel | None":
        from truerecall.models.registry import chat

        return chat(self.settings.chat, os.environ)

    def get(self, entry_id: str) -> Entry:
        """The entry of an id, or of its last eight digits (as blocks show them); ``NotFound`` if there is none."""
        return self._entry(entry_id)

    def list(self, wanted: Filter | None = None) -> tuple[Entry, ...]:
        """Entries, the last learned first; the newest 50 that are not ended unless ``wanted`` says otherwise."""
        return tuple(self._store.listing(self.scope, wanted or Filter(), self._clock()))

    def history(self, entry_id: str) -> History:
        """An entry and what happened to it."""
        entry = self.get(entry_id)
        return History(entry, tuple(self._store.events(self.scope, entry.id)))

    def correct(self, entry_id: str, text: str, *, statement: Statement | None = None) -> WriteResult:
        """Supersede an entry by one with another text; the old one stays, ended now, and can be looked up.

        What the old one stated does not count any more; ``statement`` is what a derived one states from now on. A row
        of the profile keeps its key.
        """
        self._writable()
        old = self.get(entry_id)
        now = self._clock()
        if statement is None and old.trait is not None and old.statement is not None and text.strip():
            statement = Statement(old.statement.subject, old.statement.predicate, text)
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
            statement=statement,
            trait=old.trait,
        )
        sources, validate = self._store.get(self.scope, old.source_ids), self.settings.write.validate
        made = entry_of(draft, self.scope, self._ids(), now, sources, validate)
        if isinstance(made, Refusal):
            return WriteResult("refused", None, made.reason)
        entry = made.entry
        item, remark = self._embedded([entry])[0]
        event = Event(self._ids(), now, "superseded", old.id, entry.id)
        self._store.replace(self.scope, old.id, item, event, self._ids)
        return WriteResult(self._status(item), entry.id, _both(made.remark, remark), entry.masked)

    def forget(self, *entry_ids: str) -> None:
        """Retire entries: they are not recalled from now on, and nothing is deleted (see ``purge``)."""
        self._writable()
        self._close_entries("retired", entry_ids)

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
        validate = self.settings.write.validate
        made = [
            entry_of(draft, self.scope, entry_id, now, sources, validate)
            for draft, entry_id in zip(drafts, ids, strict=True)
        ]
        items = self._embedded([one.entry for one in made if isinstance(one, Accepted)], progress)
        written = iter(
            zip(self._store.write([item for item, _ in items], now, self._ids), items, strict=True)
        )
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
                status, masked = self._status(item), one.entry.masked
                results.append(WriteResult(status, outcome.id, remark, masked, outcome.outcome))
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


def _both(first: str, second: str) -> str:
    return f"{first}; {second}" if first and second else first or second


def _positive(name: str, value: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InvalidInput(f"{name} is {value!r}", where=name, remedy="Give a whole number from 1.")
    return value
