"""Many traces folded into one summary, line by line: what each stage did over all of these recalls.

A file of any size is folded in bounded memory: percentiles come from ``measure.histogram``, and of names that occur
(lanes, reasons, notes) the first hundred are kept apart.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from truerecall.measure.histogram import Distribution, Histogram
from truerecall.memory.recall.traces import (
    DiversifySeen,
    LaneSeen,
    RerankSeen,
    TraceSeen,
    lines_of,
    read_trace,
)

OTHERS = "(others)"
"""What comes after the first hundred names."""

_MOST_NAMES = 100
_FIRST = 10  # the hits that a recall returns unless told otherwise
_ALWAYS = ("trust", "duplicate")  # reasons that are shown though nothing was dropped for them


@dataclass(frozen=True, slots=True)
class RerankSummary:
    """What reranking did."""

    recalls: int
    """Recalls with a pool to rerank."""
    changed: int
    """Of these, the ones whose order it changed."""
    lift_realized: float | None
    """``changed`` / ``recalls``; None where nothing was reranked."""
    first: int
    """Places among the first ten of these recalls."""
    first_moved: int
    """Of these, the ones that went to an entry with another rank before."""
    first_entered: int
    """Of these, the ones that went to an entry from beyond the tenth place."""
    milliseconds: Distribution


@dataclass(frozen=True, slots=True)
class DiversifySummary:
    """What diversifying did."""

    recalls: int
    """Recalls in which it was switched on."""
    changed: int
    """Of these, the ones whose order it changed."""
    looked_at: int
    """Entries that it put in order."""
    moved: int
    """Of these, the ones that changed their place."""


@dataclass(frozen=True, slots=True)
class DropSummary:
    """What was dropped for one reason."""

    entries: int
    rate: float
    """Per candidate."""
    recalls: int
    """Recalls in which there was one."""


@dataclass(frozen=True, slots=True)
class LaneSummary:
    """What a lane gave."""

    recalls: int
    """Recalls in which it was switched on."""
    candidates: int
    """Rows given to the fusion."""
    found: int
    """Rows that it could have given."""
    milliseconds: Distribution
    idle: int
    """Recalls to which it gave nothing and said why."""
    notes: Mapping[str, int]
    """Why it could not do (all of) its work, with the recalls in which it said so."""


@dataclass(frozen=True, slots=True)
class Summary:
    """All traces of a file."""

    recalls: int
    malformed: int
    """Lines that are no trace."""
    candidates: int
    rerank: RerankSummary
    diversify: DiversifySummary
    dropped: Mapping[str, DropSummary]
    """By reason."""
    factors: Mapping[str, Distribution]
    """Of each factor that moved a candidate's score, its values where it did."""
    lanes: Mapping[str, LaneSummary]
    hits: Distribution
    """Per recall."""
    tokens: Mapping[str, Distribution]
    """Of the blocks, by the counter that counted them: two counters' tokens do not compare."""
    degraded: int
    """Recalls that had to do without something."""
    degradations: Mapping[str, int]
    """What they did without, numbers written N."""


def summarise(path: Path) -> Summary:
    """The summary of a JSONL file of traces; ``OSError`` where it cannot be read."""
    with path.open("rb") as handle:
        return fold(lines_of(handle))


def fold(lines: Iterable[bytes | None]) -> Summary:
    """The summary of lines, of which None is one too long to read; empty ones are passed over."""
    folded = _Folded()
    for line in lines:
        if line is not None and not line.strip():
            continue
        trace = None if line is None else read_trace(line)
        if trace is None:
            folded.malformed += 1
        else:
            folded.add(trace)
    return folded.summary()


def _kept(name: str, known: Mapping[str, object]) -> str:
    """The name under which something is kept: after the first hundred names all share one."""
    return name if name in known or len(known) < _MOST_NAMES else OTHERS


@dataclass(slots=True)
class _Lane:
    recalls: int = 0
    candidates: int = 0
    found: int = 0
    idle: int = 0
    milliseconds: Histogram = field(default_factory=Histogram)
    notes: Counter[str] = field(default_factory=Counter)

    def add(self, seen: LaneSeen) -> None:
        self.recalls += 1
        self.candidates += seen.candidates
        self.found += seen.found
        self.milliseconds.add(seen.milliseconds)
        if seen.note:
            self.idle += seen.candidates == 0
            self.notes[_kept(seen.note, self.notes)] += 1

    def summary(self) -> LaneSummary:
        return LaneSummary(
            recalls=self.recalls,
            candidates=self.candidates,
            found=self.found,
            milliseconds=self.milliseconds.distribution(),
            idle=self.idle,
            notes=dict(sorted(self.notes.items())),
        )


@dataclass(slots=True)
class _Rerank:
    recalls: int = 0
    changed: int = 0
    first: int = 0
    first_moved: int = 0
    first_entered: int = 0
    milliseconds: Histogram = field(default_factory=Histogram)

    def add(self, seen: RerankSeen) -> None:
        self.recalls += 1
        self.changed += any(before != rank for rank, before in enumerate(seen.ranks, start=1))
        first = seen.ranks[:_FIRST]
        self.first += len(first)
        self.first_moved += sum(before != rank for rank, before in enumerate(first, start=1))
        self.first_entered += sum(before > _FIRST for before in first)
        self.milliseconds.add(seen.milliseconds)

    def summary(self) -> RerankSummary:
        return RerankSummary(
            recalls=self.recalls,
            changed=self.changed,
            lift_realized=self.changed / self.recalls if self.recalls else None,
            first=self.first,
            first_moved=self.first_moved,
            first_entered=self.first_entered,
            milliseconds=self.milliseconds.distribution(),
        )


@dataclass(slots=True)
class _Diversify:
    recalls: int = 0
    changed: int = 0
    looked_at: int = 0
    moved: int = 0

    def add(self, seen: DiversifySeen) -> None:
        self.recalls += 1
        self.changed += seen.moved > 0
        self.looked_at += seen.looked_at
        self.moved += seen.moved

    def summary(self) -> DiversifySummary:
        return DiversifySummary(self.recalls, self.changed, self.looked_at, self.moved)


@dataclass(slots=True)
class _Drop:
    entries: int = 0
    recalls: int = 0


class _Folded:
    """What was folded so far."""

    def __init__(self) -> None:
        self.malformed = self.recalls = self.candidates = self.degraded = 0
        self.rerank = _Rerank()
        self.diversify = _Diversify()
        self.hits = Histogram()
        self.dropped = defaultdict(_Drop, {reason: _Drop() for reason in _ALWAYS})
        self.factors: defaultdict[str, Histogram] = defaultdict(Histogram)
        self.lanes: defaultdict[str, _Lane] = defaultdict(_Lane)
        self.tokens: defaultdict[str, Histogram] = defaultdict(Histogram)
        self.degradations: Counter[str] = Counter()

    def add(self, trace: TraceSeen) -> None:
        self.recalls += 1
        self.candidates += len(trace.factors)
        self.hits.add(trace.hits)
        self.tokens[_kept(trace.counter, self.tokens)].add(trace.tokens)
        if trace.rerank is not None:
            self.rerank.add(trace.rerank)
        if trace.diversify is not None:
            self.diversify.add(trace.diversify)
        for lane in trace.lanes:
            self.lanes[_kept(lane.name, self.lanes)].add(lane)
        for reason, entries in Counter(trace.dropped).items():
            drop = self.dropped[_kept(reason, self.dropped)]
            drop.entries += entries
            drop.recalls += 1
        for factors in trace.factors:
            for name, value in factors.items():
                if value != 1.0:
                    self.factors[_kept(name, self.factors)].add(value)
        self.degraded += bool(trace.degradations)
        for degradation in trace.degradations:
            self.degradations[_kept(degradation, self.degradations)] += 1

    def summary(self) -> Summary:
        candidates = self.candidates
        return Summary(
            recalls=self.recalls,
            malformed=self.malformed,
            candidates=candidates,
            rerank=self.rerank.summary(),
            diversify=self.diversify.summary(),
            dropped={
                reason: DropSummary(drop.entries, drop.entries / max(candidates, 1), drop.recalls)
                for reason, drop in sorted(self.dropped.items())
            },
            factors=_distributions(self.factors),
            lanes={name: lane.summary() for name, lane in sorted(self.lanes.items())},
            hits=self.hits.distribution(),
            tokens=_distributions(self.tokens),
            degraded=self.degraded,
            degradations=dict(sorted(self.degradations.items())),
        )


def _distributions(histograms: Mapping[str, Histogram]) -> dict[str, Distribution]:
    return {name: values.distribution() for name, values in sorted(histograms.items())}
