"""Weighing a statement that is written against what is known, in the same transaction; nothing is ever deleted."""

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from truerecall.core.clock import to_micros
from truerecall.core.entry import Entry, Event
from truerecall.core.ids import id_bytes
from truerecall.memory.conflict import Claim, Outcome, fold, settle
from truerecall.memory.store.protocol import NewId
from truerecall.memory.store.rows import PARTITION_BITS
from truerecall.memory.store.triples import Triple, read_ends, rivals_of
from truerecall.memory.store.writing import insert_event


def settle_written(
    db: sqlite3.Connection, rowids: Sequence[int], entries: Sequence[Entry], now: datetime, new_id: NewId
) -> dict[str, Outcome]:
    """Settle the statements of entries that were just written, in their order; what became of each, by entry id."""
    outcomes = {}
    for row, entry in zip(rowids, entries, strict=True):
        if entry.statement is None:
            continue
        from truerecall.memory.extract.names import key_of  # on first use: most entries state nothing
        from truerecall.memory.predicates import FUNCTIONAL, canonical

        subject, predicate = key_of(entry.statement.subject), canonical(entry.statement.predicate)
        single = predicate in FUNCTIONAL
        # Of what holds many values only the same can matter to the new one.
        thing = None if single else key_of(entry.statement.object)
        triples = {t.id: t for t in rivals_of(db, row >> PARTITION_BITS, subject, predicate, row, thing)}
        new = triples.pop(entry.id, None)
        if new is None:
            continue
        outcome = settle(
            _as_ended(db, list(triples.values()), single), replace(new.claim, ended=None), single
        )
        _write(db, outcome, {**triples, new.id: new}, new, now, new_id)
        outcomes[entry.id] = outcome
    return outcomes


def _as_ended(db: sqlite3.Connection, known: Sequence[Triple], single: bool) -> list[Claim]:
    """The claims of these statements, each with when it ended.

    Facts hold their endings, which settling left there. A turn holds none: with one among them all are settled anew,
    in time that grows with the square of their number.
    """
    if all(triple.own for triple in known):
        ends = read_ends(db, [triple.row for triple in known])
        return [replace(triple.claim, ended=ends[triple.row]) for triple in known]
    statuses = fold((triple.claim for triple in known), single)
    return [replace(triple.claim, ended=statuses[triple.id].until) for triple in known]


def _write(
    db: sqlite3.Connection,
    outcome: Outcome,
    triples: dict[str, Triple],
    new: Triple,
    now: datetime,
    new_id: NewId,
) -> None:
    """The events of an outcome. A turn is not ended by what was found in it; nothing is written that is known."""
    for ending in outcome.endings:
        ended, rival = triples[ending.id], triples[ending.rival]
        if ended.own and not _has_ended(db, ended.row, ending.effective):
            event = Event(
                new_id(), now, ending.kind, ended.entry_id, rival.entry_id, ending.effective, ending.reason
            )
            insert_event(db, ended.row, event)
    for known in (triples[one] for one in outcome.corroborates):
        if known.own and not _has_proof(db, known.row, new.entry_id):
            insert_event(db, known.row, Event(new_id(), now, "proof", known.entry_id, new.entry_id))


def _has_ended(db: sqlite3.Connection, row: int, by: datetime) -> bool:
    return (
        db.execute("SELECT 1 FROM standing WHERE rowid = ? AND ends_at <= ?", (row, to_micros(by))).fetchone()
        is not None
    )


def _has_proof(db: sqlite3.Connection, row: int, other: str) -> bool:
    return (
        db.execute(
            "SELECT 1 FROM event WHERE entry = ? AND kind = 'proof' AND other = ?", (row, id_bytes(other))
        ).fetchone()
        is not None
    )
