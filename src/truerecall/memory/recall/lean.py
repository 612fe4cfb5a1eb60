"""Recall for a process that lives for a tenth of a second: by words alone, in plain Python, from an existing store.

The same rows may be recalled as anywhere else (scope, trust, validity), and a row's score by its words is the one of
the lexical lane. What is left out of the other lanes, and when nothing is given at all: docs/design/hook-recall.md.
"""

from collections.abc import Collection
from datetime import datetime
from pathlib import Path

from truerecall.core.clock import aware, to_micros
from truerecall.core.entry import DEFAULT_TRUST, Entry, Scope, Trust
from truerecall.core.records import dataclass
from truerecall.memory.recall.dedup import duplicates
from truerecall.memory.recall.lean_evidence import reranked
from truerecall.memory.recall.lean_gate import Matched, matched, subject_of, topical
from truerecall.memory.recall.lean_said import parts_of
from truerecall.memory.recall.lean_window import pool_of
from truerecall.memory.recall.lean_words import read_words, score_rows
from truerecall.memory.recall.terms import kept_of, terms_of
from truerecall.memory.store.lean import lean_store, stated_lately
from truerecall.memory.store.lean_rows import LeanRows
from truerecall.memory.write.border import normalise

_DEPTH = 100  # rows that share the most words by themselves
_POOL = 100  # rows that are weighed by all of the evidence
_SPARE = 2  # times the limit: some of the first say the same


@dataclass(frozen=True, slots=True)
class LeanRequest:
    """What is asked."""

    query: str
    """Any string."""
    now: datetime
    """What is valid then is recalled."""
    limit: int = 12
    """Hits at most."""
    trust: frozenset[Trust] = DEFAULT_TRUST
    exclude_session: str | None = None
    """The session that asks: what it and its subagents (``SESSION/…``) said is before the model already."""
    busy_timeout: float = 1.0
    """Seconds to wait for a lock."""


@dataclass(frozen=True, slots=True)
class LeanHit:
    """An entry that was recalled."""

    entry: Entry
    score: float
    """From 0 to 1, by its rank: 61/(60 + rank)."""
    terms: tuple[str, ...]
    """The query's terms that it or its neighbours hold, rarest first."""
    coverage: float
    """From 0 to 1: their share of the rarity of what the query is about; a neighbour's count half."""


@dataclass(frozen=True, slots=True)
class LeanRecall:
    """What was recalled, best first; empty where nothing is relevant."""

    hits: tuple[LeanHit, ...]
    candidates: int = 0
    """Rows that were weighed."""
    left_out: tuple[str, ...] = ()
    """Terms that stand in too many rows to be read in time."""
    exact: bool = True
    """Whether rows were scored by all of the terms that the lexical lane would score them by."""


def recall_lean(path: Path, scope: Scope, request: LeanRequest) -> LeanRecall:
    """The entries that answer a prompt best, or none where nothing is relevant; without a subject no store is opened.

    Raises:
        StoreError: The store is missing, damaged, locked, or of another version.
    """
    parts = [
        part for part in parts_of(kept_of(normalise(request.query).text)) if any(map(topical, terms_of(part)))
    ]
    if not parts or request.limit < 1:
        return LeanRecall(())
    with lean_store(path, request.busy_timeout) as db:
        tiers = frozenset(int(tier) for tier in request.trust)
        rows = LeanRows(db, scope, to_micros(aware(request.now, "now")), tiers)
        hidden = _hidden(rows, request.exclude_session)
        recalled = LeanRecall(())
        for part in parts:
            recalled = _recalled(rows, part, hidden, request.limit)
            if recalled.hits:
                break
    return recalled


def _recalled(rows: LeanRows, text: str, hidden: frozenset[int], limit: int) -> LeanRecall:
    words = read_words(rows, terms_of(text))
    subject = subject_of(words)
    if not subject.counts:
        return LeanRecall(())
    pool = pool_of(rows, words, score_rows(rows, words, hidden, _DEPTH), hidden, _POOL)
    found = matched(words, subject, pool, reranked(rows, words, text, pool))
    first = _kept(found)[: _SPARE * limit]
    hits = _hits(first, rows.entries([row.place for row in first]), limit)
    return LeanRecall(hits, len(found), words.left_out, words.exact)


def newest_facts(
    path: Path,
    scope: Scope,
    predicates: Collection[str],
    now: datetime,
    limit: int,
    busy_timeout: float = 1.0,
) -> list[Entry]:
    """The trusted facts with one of these predicates that hold now, those told last first; at most so many.

    Raises:
        StoreError: As ``recall_lean``.
    """
    with lean_store(path, busy_timeout) as db:
        return stated_lately(db, scope, predicates, to_micros(aware(now, "now")), limit)


def _hidden(rows: LeanRows, session: str | None) -> frozenset[int]:
    if session is None:
        return frozenset()
    return frozenset().union(*rows.of_sessions(rows.sessions_called(session)).values())


def _kept(found: list[Matched]) -> list[Matched]:
    """Where one row can be about the prompt's subject, all that hold a word of it or stand beside one; else none."""
    return [row for row in found if row.coverage] if any(row.relevant for row in found) else []


def _hits(first: list[Matched], entries: list[Entry], limit: int) -> tuple[LeanHit, ...]:
    again = duplicates(entries)
    hits = [
        LeanHit(entry, row.score, row.terms, row.coverage)
        for row, entry in zip(first, entries, strict=True)
        if entry.id not in again
    ]
    return tuple(hits[:limit])
