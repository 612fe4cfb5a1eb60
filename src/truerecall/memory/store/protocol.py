"""What a store must do for the memory; SQLite is the embedded default."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal, Protocol, get_args

from truerecall.core.entry import Entry, Event, Kind, Scope, Trust
from truerecall.errors import InvalidInput
from truerecall.memory.conflict import Outcome
from truerecall.memory.store.triples import Triple
from truerecall.memory.store.vectors import TextVectors
from truerecall.memory.store.view import View
from truerecall.memory.store.writing import Prepared
from truerecall.models.protocols import ModelIdentity

NewId = Callable[[], str]
"""Gives ids for the events that a write causes."""

_MOST_LISTED = 1_000_000


@dataclass(frozen=True, slots=True)
class Written:
    """What became of one prepared entry."""

    status: Literal["stored", "duplicate"]
    id: str
    """The stored entry, or the living one that it duplicates."""
    outcome: Outcome | None = None
    """What became of its statement; None where it has none."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Rows that a reader sees."""

    entries: int
    ended: int
    """Of these, superseded, retired or past their validity."""
    events: int
    embedded: int | None
    """Entries with a vector of the open model; None where no model is open."""
    masked: int
    """Secrets that were masked."""


@dataclass(frozen=True, slots=True)
class Filter:
    """What ``list`` shows."""

    kind: Kind | None = None
    session: str | None = None
    ended: bool = False
    """Whether to show superseded and retired entries as well."""
    newest: int = 50
    """At most so many, the last learned first."""

    def __post_init__(self) -> None:
        if self.kind is not None and self.kind not in get_args(Kind):
            raise InvalidInput(
                f"{self.kind!r} is not a kind", remedy=f"Use one of: {', '.join(get_args(Kind))}."
            )
        if self.session is not None and not isinstance(self.session, str):
            raise InvalidInput(f"session is {type(self.session).__name__}", remedy="Give a string or None.")
        if (
            isinstance(self.newest, bool)
            or not isinstance(self.newest, int)
            or not 0 < self.newest <= _MOST_LISTED
        ):
            raise InvalidInput(
                f"newest is {self.newest!r}", remedy=f"Give a whole number from 1 to {_MOST_LISTED:,}."
            )


@dataclass(frozen=True, slots=True)
class Purged:
    """What a purge removed, and what it could not reach."""

    ids: tuple[str, ...]
    """The entries removed: those asked for and all derived from them."""
    pending: bool
    """Whether an open reader keeps old pages alive: the purge is then finished at the next open."""
    exports: tuple[str, ...]
    """Exports of this space that were made while an entry was in it; remove them yourself."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All that a reader sees at one moment; valid only inside the ``with`` that gave it."""

    entries: Iterator[tuple[Entry, TextVectors | None]]
    """In order of arrival, with the open model's vectors."""
    events: tuple[Event, ...]
    """In the order in which they were recorded."""


@dataclass(frozen=True, slots=True)
class Restored:
    """What was not here before."""

    ids: tuple[str, ...]
    """Entries, in the order in which they came."""
    events: int


@dataclass(frozen=True, slots=True)
class Unembedded:
    """Entries that the open model has not embedded."""

    count: int
    batches: Iterator[list[Entry]]
    """Each is read when it is asked for; what was purged meanwhile is left out."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that doctor saw."""

    check: str
    healthy: bool
    detail: str
    repair: str = ""
    """What would mend it; empty where it is healthy."""


class Store(Protocol):
    """Keeps entries, events and what is derived from them. Each call is one transaction."""

    path: str

    @property
    def zone(self) -> str:
        """In which the days are that texts name, by its IANA name; fixed when the store is made."""
        ...

    def write(self, items: Sequence[Prepared], now: datetime, new_id: NewId) -> list[Written]:
        """Store entries, all or none; duplicates of living entries are not stored again.

        A statement is weighed against what is known in its partition: the events that follow from it have ids of
        ``new_id``.
        """
        ...

    def replace(self, scope: Scope, old_id: str, item: Prepared, event: Event, new_id: NewId) -> None:
        """Store an entry and close the one that it supersedes."""
        ...

    def close_entries(self, scope: Scope, events: Sequence[Event]) -> None:
        """Write events; ``NotFound`` for an entry that the reader does not see, and then none is written."""
        ...

    def record(self, scope: Scope, events: Sequence[Event]) -> None:
        """Write events that end nothing; ``NotFound`` for an entry that the reader does not see, and then none."""
        ...

    def settle(self, scope: Scope, ids: Collection[str], now: datetime, new_id: NewId) -> int:
        """Weigh the statements of entries that came by an import; how many ended another, or were ended."""
        ...

    def statements(
        self, scope: Scope, when: datetime | None = None, keys: Collection[str] | None = None
    ) -> list[Triple]:
        """Every statement that the reader sees, ended ones as well, in order of arrival.

        With ``when`` those that were recorded strictly before, as they stood then; with ``keys`` those about one of
        these entities.
        """
        ...

    def get(self, scope: Scope, ids: Collection[str]) -> dict[str, Entry]:
        """Those of these entries that the reader sees."""
        ...

    def by_suffix(self, scope: Scope, suffix: str) -> list[str]:
        """Ids that the reader sees and that end so."""
        ...

    def listing(self, scope: Scope, wanted: Filter, now: datetime) -> list[Entry]:
        """Entries that the reader sees, newest first."""
        ...

    def events(self, scope: Scope, entry_id: str) -> list[Event]:
        """What happened to an entry."""
        ...

    def view(
        self,
        scope: Scope,
        when: datetime,
        trust: Collection[Trust],
        during: tuple[datetime, datetime] | None = None,
    ) -> AbstractContextManager[View]:
        """What the reader may see at an instant, in one snapshot; with ``during`` only what happened in that span."""
        ...

    def snapshot(self, scope: Scope) -> AbstractContextManager[Snapshot]:
        """All that the reader sees, as it is at one moment."""
        ...

    def restore(self, scope: Scope, items: Iterable[Prepared], events: Iterable[Event]) -> Restored:
        """Take in entries and events with their ids. Nothing known is changed."""
        ...

    def unembedded(self) -> Unembedded:
        """What of the whole store the open model has not embedded: maintenance, not for a reader."""
        ...

    def add_vectors(self, vectors: Mapping[str, TextVectors]) -> None:
        """Store vectors by entry id; an entry that is gone meanwhile is passed over."""
        ...

    def adopt(self, identity: ModelIdentity, tokens: ModelIdentity | None) -> None:
        """Begin to go over to another model, which is the open one from now on; the others' vectors stay."""
        ...

    def drop_other_models(self) -> int:
        """Remove the vectors of every model but the open one; how many entries had some."""
        ...

    def purge(self, scope: Scope, ids: Sequence[str]) -> Purged:
        """Remove entries, what was derived from them, and their bytes."""
        ...

    def note_export(self, scope: Scope, path: Path, at: datetime) -> None:
        """Remember that an export was made."""
        ...

    def reflected(self, digests: Collection[bytes]) -> set[bytes]:
        """Those of these digests that were noted; each is made of a scope, and of what was reflected on."""
        ...

    def note_reflected(self, scope: Scope, private: bool, digests: Sequence[bytes], at: datetime) -> None:
        """Note what was reflected on, of the space's shared entries or of the reader's private ones."""
        ...

    def counts(self, scope: Scope, now: datetime) -> Counts:
        """Rows that the reader sees."""
        ...

    def models(self) -> list[tuple[ModelIdentity, int]]:
        """The models whose vectors are here, with the entries that each covers."""
        ...

    def check(self) -> list[Finding]:
        """Look the whole file over."""
        ...

    def repair(self) -> list[str]:
        """Make anew what is derived, where it is wrong; what was done."""
        ...

    def close(self) -> None:
        """Release the file."""
        ...
