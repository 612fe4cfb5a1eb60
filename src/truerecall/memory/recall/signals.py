"""What the factors go by, read for the candidates that are scored: only what a factor that is on asks for."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from truerecall.core.clock import to_micros
from truerecall.core.config import FactorWeights
from truerecall.core.entry import Entry
from truerecall.memory.dates.span import Span
from truerecall.memory.recall.candidates import Candidate
from truerecall.memory.recall.lanes.time import DAY
from truerecall.memory.recall.query import Query
from truerecall.memory.recall.score import Signals
from truerecall.memory.store.standing import NEVER
from truerecall.memory.store.view import View
from truerecall.memory.usefulness import share


def in_force(weights: FactorWeights, query: Query) -> FactorWeights:
    """The factors that can move anything: by its time, only where the query names one."""
    return weights if query.span is not None or not weights.range else replace(weights, range=0.0)


def signals_of(
    view: View, first: Sequence[Candidate], entries: Sequence[Entry], query: Query, weights: FactorWeights
) -> list[Signals]:
    """Of each candidate; ``entries`` are theirs, in the same order."""
    places = [candidate.place for candidate in first]
    useful = view.links.usefulness(places) if weights.usefulness or weights.forget else {}
    proofs = view.links.proofs(places) if weights.proof or weights.forget else {}
    days = (
        _days_off(view, places, entries, query.span) if weights.range and query.span else [0.0] * len(places)
    )
    return [
        Signals(
            base=candidate.base,
            usefulness=share(useful[candidate.place].by_intent, query.intent)
            if candidate.place in useful
            else 0.5,
            proofs=_proofs(entry, proofs.get(candidate.place, 0)),
            distance=away,
        )
        for candidate, entry, away in zip(first, entries, days, strict=True)
    ]


def _proofs(entry: Entry, events: int) -> int | None:
    """How often it was said: what it was written with, or once, and each time that something said the same."""
    if entry.proof_count is None and not events:
        return None
    return (entry.proof_count or 1) + events


def _days_off(view: View, places: Sequence[int], entries: Sequence[Entry], span: Span) -> list[float]:
    """Days from a span to each row's own time; to when it was learned, where it has none."""
    learned = np.array([to_micros(entry.recorded_at) for entry in entries], dtype=np.int64)
    at = np.array(places, dtype=np.intp)
    starts, ends = view.event_from[at], view.event_to[at]
    starts, ends = np.where(starts == NEVER, learned, starts), np.where(starts == NEVER, learned, ends)
    apart = np.maximum(starts - to_micros(span.end), to_micros(span.start) - ends)
    away: list[float] = (np.maximum(apart, 0) / DAY).tolist()
    return away
