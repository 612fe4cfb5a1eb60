"""The best rows weighed with what stands beside them in their sessions, and how much of the query they hold."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from truerecall.memory.recall.lean_gate import covered, relevant, subject_of
from truerecall.memory.recall.lean_words import LeanWords, shortened
from truerecall.memory.store.lean_rows import POSITION, LeanRows

_NEIGHBOUR = 0.5  # as in ``words``: an answer stands beside its question more often than it repeats it
_SEEDS = 40  # rows beside which is looked: each is of another part of the store, mostly
_K = 60  # of reciprocal rank fusion, as ``RecallSettings.rrf_k``


class Matched(NamedTuple):
    """A row that shares words with the query, by itself or by a neighbour."""

    place: int
    score: float
    """From 0 to 1."""
    terms: tuple[str, ...]
    """Rarest first."""
    coverage: float
    """The share of the rarity of the query's subject; what only a neighbour holds counts half."""
    relevant: bool
    """Whether that is enough to be about the same."""


def matched(rows: LeanRows, words: LeanWords, alone: Mapping[int, float]) -> list[Matched]:
    """The best rows by themselves (``alone``, in order) and those beside the first of them, best first."""
    subject = subject_of(words)
    seeds = list(alone)[:_SEEDS]
    beside = _neighbours(rows, seeds)
    near = {place: beside.get(place, ()) for place in alone}
    for place in seeds:
        near |= {other: beside[other] for other in near[place]}
    terms = _terms(words, {*near, *(other for others in near.values() for other in others)})
    together = {place: _together(words, terms, place, others) for place, others in near.items()}
    scores = _fused(alone, _windows(rows, near, together))
    order = {place: rank for rank, place in enumerate(alone)}
    ranked = sorted(near, key=lambda p: (-round(scores[p], 9), order.get(p, len(order)), p))
    found = []
    for place in ranked:
        counted = {words.held[number].term: weight for number, weight in sorted(together[place].items())}
        own = {words.held[number].term: words.held[number].rarity for number in terms[place]}
        coverage = covered(subject, counted)
        able = relevant(subject, coverage, counted, own)
        found.append(Matched(place, scores[place], tuple(counted), coverage, able))
    return found


def _neighbours(rows: LeanRows, seeds: Collection[int]) -> dict[int, tuple[int, ...]]:
    """Of the allowed rows of the seeds' sessions those right before and after them, past what is not allowed."""
    sessions = rows.of_sessions(set(rows.sessions_at(seeds).values()))
    allowed = [[place for place in places if rows.allowed[place]] for places in sessions.values()]
    position = rows.values(POSITION, [place for places in allowed for place in places])
    beside: dict[int, tuple[int, ...]] = {}
    for places in allowed:
        places.sort(key=lambda place: (position[place], place))
        padded = [None, *places, None]
        for before, place, after in zip(padded, places, padded[2:], strict=False):
            beside[place] = tuple(other for other in (before, after) if other is not None)
    return beside


def _terms(words: LeanWords, places: Collection[int]) -> dict[int, set[int]]:
    """Of each place the numbers of the held terms that its row holds."""
    found: dict[int, set[int]] = {place: set() for place in places}
    for number, held in enumerate(words.held):
        for place in found.keys() & held.places:
            found[place].add(number)
    return found


def _together(
    words: LeanWords, terms: Mapping[int, set[int]], place: int, others: Sequence[int]
) -> dict[int, float]:
    """By number of a term what it counts in a row with its neighbours."""
    near = set().union(*(terms[other] for other in others))
    counted = {number: words.held[number].rarity * _NEIGHBOUR for number in near}
    return counted | {number: words.held[number].rarity for number in terms[place]}


def _windows(
    rows: LeanRows, near: Mapping[int, Sequence[int]], together: Mapping[int, Mapping[int, float]]
) -> list[int]:
    """The places in the order of their scores with their neighbours."""
    sizes = {place: sum(rows.lengths[p] for p in (place, *others)) for place, others in near.items()}
    mean = sum(sizes.values()) / len(sizes) if sizes else 1.0
    scores = {p: round(shortened(sum(together[p].values()), sizes[p], mean), 9) for p in near}
    return sorted(scores, key=lambda place: (-scores[place], place))


def _fused(*orders: Iterable[int]) -> dict[int, float]:
    """Reciprocal rank fusion, as ``fuse``: the first of each has 1."""
    scores: dict[int, float] = {}
    for order in orders:
        for rank, place in enumerate(order, start=1):
            scores[place] = scores.get(place, 0.0) + (_K + 1) / (_K + rank) / len(orders)
    return scores
