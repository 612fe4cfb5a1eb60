"""Recall for a process that lives for a tenth of a second: by words alone, in plain Python, from an existing store.

The same rows may be recalled as anywhere else (scope, trust, validity), and a row's score by its words is the one of
the lexical lane. What is left out of the other lanes, and when nothing is given at all: docs/design/hook-recall.md.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from truerecall.core.clock import aware, to_micros
from truerecall.core.entry import DEFAULT_TRUST, Entry, Scope, Trust
from truerecall.memory.recall.dedup import duplicates
from truerecall.memory.recall.lean_gate import subject_of, topical
from truerecall.memory.recall.lean_window import Matched, matched
from truerecall.memory.recall.lean_words import read_words, score_rows
from truerecall.memory.recall.terms import kept_of, terms_of
from truerecall.memory.store.lean import lean_store, stated_lately
from truerecall.memory.store.lean_rows import LeanRows
from truerecall.memory.write.border import normalise

_DEPTH = 100  # rows that are weighed with what stands beside them
_NEAR = 0.35  # of the best coverage: what comes less near is another subject's
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
    """From 0 to 1: by its rank among rows by themselves, and among rows with their neighbours."""
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
    terms = terms_of(kept_of(normalise(request.query).text))
    if not any(map(topical, terms)) or request.limit < 1:
        return LeanRecall(())
    with lean_store(path, request.busy_timeout) as db:
        tiers = frozenset(int(tier) for tier in request.trust)
        rows = LeanRows(db, scope, to_micros(aware(request.now, "now")), tiers)
        words = read_words(rows, terms)
        if not subject_of(words).terms:
            return LeanRecall(())
        alone = score_rows(rows, words, _hidden(rows, request.exclude_session), _DEPTH)
        found = matched(rows, words, alone)
        first = _kept(found)[: _SPARE * request.limit]
        entries = rows.entries([row.place for row in first])
    return LeanRecall(_hits(first, entries, request.limit), len(found), words.left_out, words.exact)


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
    """Where one row can be about the prompt's subject, all that come near the best of them; else none."""
    if not any(row.relevant for row in found):
        return []
    least = _NEAR * max(row.coverage for row in found)
    return [row for row in found if row.coverage >= least]


def _hits(first: list[Matched], entries: list[Entry], limit: int) -> tuple[LeanHit, ...]:
    again = duplicates(entries)
    hits = [
        LeanHit(entry, row.score, row.terms, row.coverage)
        for row, entry in zip(first, entries, strict=True)
        if entry.id not in again
    ]
    return tuple(hits[:limit])
