"""The best rows weighed with what stands beside them in their sessions, and how much of the query they hold."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from truerecall.memory.recall.lean_words import LeanWords, shortened
from truerecall.memory.store.lean_rows import POSITION, LeanRows

_NEIGHBOUR = 0.5  # as in ``words``: an answer stands beside its question more often than it repeats it
_K = 60  # of reciprocal rank fusion, as ``RecallSettings.rrf_k``


@dataclass(frozen=True, slots=True)
class Matched:
    """A row that shares words with the query, by itself or by a neighbour."""

    place: int
    score: float
    terms: tuple[str, ...]
    """Rarest first."""
    weight: float
    """Their rarity together; what only a neighbour holds counts half."""
    coverage: float
    """The same as a share of what all of the query's terms could count."""
    alone: float
    """Its score by itself; 0 where only its neighbours were found."""


def matched(rows: LeanRows, words: LeanWords, alone: Mapping[int, float]) -> list[Matched]:
    """The rows of ``alone`` (the best by themselves, in order) and those beside them, best first."""
    beside = _neighbours(rows, alone)
    near = {place: beside.get(place, ()) for place in alone}
    for place in alone:
        near |= {other: beside[other] for other in near[place]}
    terms = _terms(words, {*near, *(other for others in near.values() for other in others)})
    together = {place: _together(words, terms, place, others) for place, others in near.items()}
    score = _fused(alone, _windows(rows, near, together))
    whole = words.whole
    found = [
        Matched(
            place,
            score[place],
            tuple(words.held[number].term for number in sorted(counted)),
            sum(counted.values()),
            sum(counted.values()) / whole,
            alone.get(place, 0.0),
        )
        for place, counted in together.items()
    ]
    order = {place: rank for rank, place in enumerate(alone)}
    last = len(order)
    return sorted(found, key=lambda row: (-round(row.score, 9), order.get(row.place, last), row.place))


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
