"""The embedded store: one SQLite file."""

import contextlib
import os
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice
from pathlib import Path

from truerecall.core.clock import Clock, to_micros
from truerecall.core.config import StoreSettings, zone_of
from truerecall.core.entry import Entry, Event, Scope, Trust
from truerecall.core.ids import id_bytes, id_text
from truerecall.errors import ArchiveError, InvalidInput, ModelMismatch, NotFound
from truerecall.memory.extract.records import Rules
from truerecall.memory.store import embedding, health, listing, purge, reflection
from truerecall.memory.store.conflicts import settle_written
from truerecall.memory.store.database import Database, open_database
from truerecall.memory.store.entities import keep_zone, zone_kept
from truerecall.memory.store.loaded import Loaded
from truerecall.memory.store.migrations import create_schema, migrate
from truerecall.memory.store.partitions import readable_partitions
from truerecall.memory.store.protocol import (
    Counts,
    Filter,
    Finding,
    NewId,
    Purged,
    Restored,
    Snapshot,
    Unembedded,
    Written,
)
from truerecall.memory.store.rows import partition_range, read_entries, read_events, scan_entries
from truerecall.memory.store.scan import VectorView
from truerecall.memory.store.standing import seal, seal_missing
from truerecall.memory.store.triples import Triple, read_triples
from truerecall.memory.store.vectors import (
    OpenModels,
    TextVectors,
    add_model,
    models,
    open_models,
    seal_partitions,
    text_vectors,
)
from truerecall.memory.store.view import View, Wanted
from truerecall.memory.store.writing import (
    Prepared,
    duplicates,
    insert,
    insert_event,
    place,
)
from truerecall.models.protocols import ModelIdentity

_TOGETHER = 1000  # entries whose vectors are read together for an export


class SqliteStore:
    """See ``protocol.Store``. One object may be shared by threads; a file may be shared by processes."""

    def __init__(
        self,
        database: Database,
        identity: ModelIdentity | None,
        tokens: ModelIdentity | None = None,
        extract: bool = True,
    ) -> None:
        self.path = database.path
        self._database = database
        # Both in one: a thread that recalls while the memory goes over to another model sees those of one.
        self._opened = (identity, tokens)
        with database.reading() as db:
            self._rules = Rules(extract, zone_of(zone_kept(db)))
        self._loaded = Loaded()

    @classmethod
    def open(
        cls,
        path: str | Path,
        settings: StoreSettings,
        clock: Clock,
        identity: ModelIdentity | None,
        tokens: ModelIdentity | None = None,
        extract: bool = True,
    ) -> "SqliteStore":
        """Open or make the store; ``ModelMismatch`` if its vectors are of another model than ``identity``.

        ``tokens`` is the identity of the same model's token vectors; those of another are passed over. ``extract`` says
        whether names, dates and statements are taken out of texts.
        """

        def make(connection: sqlite3.Connection) -> None:
            create_schema(connection, clock())
            keep_zone(connection, settings.zone)

        database = open_database(path, settings, make)
        try:
            if migrate(database, clock()) is not None:
                embedding.seal_all(database)
            store = cls(database, identity, tokens, extract)
            store._refuse_mixing()
            health.renew_if_stale(database, store._rules)
            purge.finish(database)
        except BaseException:
            database.close()
            raise
        return store

    @property
    def zone(self) -> str:
        with self._database.reading() as db:
            return zone_kept(db)

    def write(self, items: Sequence[Prepared], now: datetime, new_id: NewId) -> list[Written]:
        with self._database.writing() as db:
            models = self._models(any(item.vectors is not None for item in items))
            placed = place(db, items)
            twins = duplicates(db, placed, now)
            fresh = [one for one, twin in zip(placed, twins, strict=True) if twin is None]
            rows = insert(db, fresh, models, self._rules)
            outcomes = settle_written(db, rows, [one.item.entry for one in fresh], now, new_id)
            seal(db, rows)
            seal_partitions(db, models, rows)
            return [
                Written("stored", item.entry.id, outcomes.get(item.entry.id))
                if twin is None
                else Written("duplicate", twin)
                for item, twin in zip(items, twins, strict=True)
            ]

    def replace(self, scope: Scope, old_id: str, item: Prepared, event: Event, new_id: NewId) -> None:
        with self._database.writing() as db:
            rowid = self._rows(scope, [old_id])[old_id]
            if db.execute(
                "SELECT 1 FROM standing WHERE rowid = ? AND ends_at <= ?", (rowid, to_micros(event.at))
            ).fetchone():
                raise InvalidInput(
                    f"entry {old_id} has ended already",
                    remedy="Correct the entry that superseded it: see its history.",
                )
            models = self._models(item.vectors is not None)
            rows = insert(db, place(db, [item]), models, self._rules)
            insert_event(db, rowid, event)
            settle_written(db, rows, [item.entry], event.at, new_id)
            seal(db, (rowid, *rows))
            seal_partitions(db, models, rows)

    def close_entries(self, scope: Scope, events: Sequence[Event]) -> None:
        with self._database.writing() as db:
            rows = self._rows(scope, [event.entry_id for event in events])
            for event in events:
                insert_event(db, rows[event.entry_id], event)
            seal(db, rows.values())

    def record(self, scope: Scope, events: Sequence[Event]) -> None:
        with self._database.writing() as db:
            rows = self._rows(scope, [event.entry_id for event in events])
            for event in events:
                insert_event(db, rows[event.entry_id], event)

    def settle(self, scope: Scope, ids: Collection[str], now: datetime, new_id: NewId) -> int:
        with self._database.writing() as db:
            rows = self._known_rows(scope, ids)
            entries = read_entries(db, list(rows.values()))
            ordered = sorted(entries)
            outcomes = settle_written(db, ordered, [entries[row] for row in ordered], now, new_id)
            return sum(bool(outcome.endings) for outcome in outcomes.values())

    def statements(
        self, scope: Scope, when: datetime | None = None, keys: Collection[str] | None = None
    ) -> list[Triple]:
        with self._database.reading() as db:
            return read_triples(db, readable_partitions(db, scope), when, keys)

    def get(self, scope: Scope, ids: Collection[str]) -> dict[str, Entry]:
        with self._database.reading() as db:
            rows = self._known_rows(scope, ids)
            return {entry.id: entry for entry in read_entries(db, list(rows.values())).values()}

    def by_suffix(self, scope: Scope, suffix: str) -> list[str]:
        with self._database.reading() as db:
            return listing.by_suffix(db, scope, suffix)

    def listing(self, scope: Scope, wanted: Filter, now: datetime) -> list[Entry]:
        with self._database.reading() as db:
            return listing.newest(db, scope, wanted, now)

    def events(self, scope: Scope, entry_id: str) -> list[Event]:
        with self._database.reading() as db:
            rowid = self._rows(scope, [entry_id])[entry_id]
            return read_events(db, rowid, rowid)

    @contextlib.contextmanager
    def view(
        self,
        scope: Scope,
        when: datetime,
        trust: Collection[Trust],
        during: tuple[datetime, datetime] | None = None,
    ) -> Iterator[View]:
        with self._database.reading() as db:
            numbers, models = readable_partitions(db, scope), self._models(False)
            parts = [self._loaded.standing(db, number) for number in numbers]
            tables = [] if models is None else [self._loaded.vectors(db, models, n) for n in numbers]
            vectors = VectorView(db, models, tables)
            span = None if during is None else (to_micros(during[0]), to_micros(during[1]))
            wanted = Wanted(to_micros(when), tuple(int(tier) for tier in trust), span)
            yield View(db, parts, self._loaded.joined(parts), vectors, wanted)

    @contextlib.contextmanager
    def snapshot(self, scope: Scope) -> Iterator[Snapshot]:
        with self._database.reading() as db:
            models = self._models(False)
            ranges = [partition_range(number) for number in readable_partitions(db, scope)]
            entries = (pair for span in ranges for pair in _with_vectors(db, models, span))
            yield Snapshot(entries, tuple(event for span in ranges for event in read_events(db, *span)))

    def restore(self, scope: Scope, items: Iterable[Prepared], events: Iterable[Event]) -> Restored:
        entries: list[str] = []
        added = 0
        with self._database.writing() as db:
            models, rows = self._models(self._opened[0] is not None), []
            for item in items:
                known = self.get(scope, [item.entry.id]).get(item.entry.id)
                if known is None:
                    self._refuse_foreign(scope, item.entry)
                    rows.extend(insert(db, place(db, [item]), models, self._rules))
                    entries.append(item.entry.id)
                elif replace(known, ended_at=None) != replace(item.entry, ended_at=None):
                    raise ArchiveError(
                        f"entry {known.id} is here already, and otherwise",
                        where=self.path,
                        remedy="Import into a store of its own, or purge that entry first.",
                    )
            for event in events:
                if not db.execute("SELECT 1 FROM event WHERE id = ?", (id_bytes(event.id),)).fetchone():
                    insert_event(db, self._rows(scope, [event.entry_id])[event.entry_id], event)
                    added += 1
            seal_missing(db)
            seal_partitions(db, models, rows)
        return Restored(tuple(entries), added)

    def unembedded(self) -> Unembedded:
        return embedding.unembedded(self._database, self._models(False))

    def add_vectors(self, vectors: Mapping[str, TextVectors]) -> None:
        with self._database.writing() as db:
            models = self._models(True)
            if models is not None:
                embedding.add_vectors(db, models, vectors)

    def adopt(self, identity: ModelIdentity, tokens: ModelIdentity | None) -> None:
        with self._database.writing() as db:
            embedding.adopt(db, identity)
        self._opened = (identity, tokens)

    def drop_other_models(self) -> int:
        with self._database.writing() as db:
            models = self._models(False)
            gone = 0 if models is None else embedding.finish(db, models)
        self._loaded.forget_vectors()
        return gone

    def purge(self, scope: Scope, ids: Sequence[str]) -> Purged:
        with self._database.writing() as db:
            removed, exports = purge.remove(db, scope, list(self._rows(scope, ids).values()))
        return Purged(removed, pending=not purge.finish(self._database), exports=exports)

    def note_export(self, scope: Scope, path: Path, at: datetime) -> None:
        with self._database.writing() as db:
            for number in readable_partitions(db, scope):
                db.execute(
                    "INSERT INTO export (at, partition, path) VALUES (?, ?, ?)",
                    (to_micros(at), number, os.fsencode(path).decode("utf-8", "replace")),
                )

    def reflected(self, digests: Collection[bytes]) -> set[bytes]:
        with self._database.reading() as db:
            return reflection.reflected(db, digests)

    def note_reflected(self, scope: Scope, private: bool, digests: Sequence[bytes], at: datetime) -> None:
        with self._database.writing() as db:
            reflection.note_reflected(db, scope, private, digests, at)

    def counts(self, scope: Scope, now: datetime) -> Counts:
        with self._database.reading() as db:
            return listing.counts(db, scope, now, self._models(False))

    def models(self) -> list[tuple[ModelIdentity, int]]:
        with self._database.reading() as db:
            return models(db)

    def check(self) -> list[Finding]:
        return health.check(self._database, *self._opened, self._rules)

    def repair(self) -> list[str]:
        return health.repair(self._database, self._rules)

    def close(self) -> None:
        self._database.close()

    def _refuse_mixing(self) -> None:
        identity, _ = self._opened
        if identity is None:
            return
        with self._database.reading() as db:
            other = embedding.foreign(db, identity)
        if other is not None:
            raise ModelMismatch(
                f"the store holds vectors of {_named(other)}, not of {_named(identity)}",
                where=self.path,
                remedy=f"Open it with that model, or run `truerecall reembed --embedder {identity.name}`"
                " to go over to this one.",
            )

    def _refuse_foreign(self, scope: Scope, entry: Entry) -> None:
        place = (entry.scope.tenant, entry.scope.space)
        private = entry.visibility == "private" and entry.scope.user != scope.user
        with self._database.reading() as db:
            taken = db.execute("SELECT 1 FROM entry WHERE id = ?", (id_bytes(entry.id),)).fetchone()
        if place != (scope.tenant, scope.space) or private or taken:
            raise ArchiveError(
                f"entry {entry.id} cannot be taken in here: it belongs to another scope, or its id is taken",
                where=self.path,
                remedy="Import as the user, tenant and space that exported it.",
            )

    def _models(self, add: bool) -> OpenModels | None:
        identity, tokens = self._opened
        if identity is None:
            return None
        with self._database.reading() as db:
            found = open_models(db, identity, tokens)
            if not add or (found.dense and (found.tokens or tokens is None)):
                return found
            self._refuse_mixing()  # another process may have embedded with another model since we opened
            add_model(db, identity)
            if tokens is not None:
                add_model(db, tokens)
            return open_models(db, identity, tokens)

    def _known_rows(self, scope: Scope, ids: Collection[str]) -> dict[str, int]:
        """Rows of these ids, of those that the reader sees."""
        with self._database.reading() as db:
            ranges = [partition_range(number) for number in readable_partitions(db, scope)]
            rows = {}
            for entry_id in ids:
                row = db.execute("SELECT rowid FROM entry WHERE id = ?", (id_bytes(entry_id),)).fetchone()
                if row is not None and any(low <= row[0] <= high for low, high in ranges):
                    rows[id_text(id_bytes(entry_id))] = int(row[0])
            return rows

    def _rows(self, scope: Scope, ids: Collection[str]) -> dict[str, int]:
        rows = self._known_rows(scope, ids)
        for entry_id in ids:
            if entry_id not in rows:
                raise NotFound(
                    f"there is no entry {entry_id} here",
                    where=self.path,
                    remedy="`list` shows what there is.",
                )
        return rows


def _with_vectors(
    db: sqlite3.Connection, models: OpenModels | None, span: tuple[int, int]
) -> Iterator[tuple[Entry, TextVectors | None]]:
    rows = iter(scan_entries(db, *span))
    while batch := list(islice(rows, _TOGETHER)):
        found = {} if models is None else text_vectors(db, models, [rowid for rowid, _ in batch])
        yield from ((entry, found.get(rowid)) for rowid, entry in batch)


def _named(identity: ModelIdentity) -> str:
    return f"{identity.name} ({identity.runtime or 'no runtime'}, weights {identity.weights[:8]})"
