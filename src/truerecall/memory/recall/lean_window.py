"""The best rows with what stands beside them in their sessions: which are weighed, and how each lane has them."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from truerecall.memory.recall.lean_sessions import Sessions, score_sessions
from truerecall.memory.recall.lean_words import LeanWords, Scored, rarity, shortened
from truerecall.memory.store.lean_rows import POSITION, LeanRows

NEIGHBOUR = 0.5  # as in ``words``: an answer stands beside its question more often than it repeats it
_SEEDS = 20  # rows in whose sessions is looked: each is of another part of the store, mostly
_DEPTH = 100  # rows that a lane gives
_ROW = 1e-3  # within a session, rows with the words come first, as in the session lane
_K = 60  # of reciprocal rank fusion, as ``RecallSettings.rrf_k``
_WEIGHTS = (1.0, 1.0, 0.5)  # of the lanes, as ``LaneWeights``


class Beside(NamedTuple):
    """The rows right before and after one in its session, past those that may not be recalled."""

    before: int | None = None
    after: int | None = None

    @property
    def rows(self) -> tuple[int, ...]:
        """Those that are there."""
        return tuple(place for place in self if place is not None)


_ALONE = Beside()
_NONE: frozenset[int] = frozenset()


class Weighed(NamedTuple):
    """The pool: rows that may answer, with what they share with the query."""

    fused: dict[int, float]
    """By place what the lanes made of it, from 0 to 1, best first."""
    beside: dict[int, Beside]
    terms: dict[int, set[int]]
    """By place, neighbours included, the numbers of the held terms that the row holds itself."""
    alone: dict[int, float]
    """Scores of the rows by themselves."""
    windows: dict[int, float]
    """With what stands beside them."""
    sessions: dict[int, float]
    """Of their sessions; 0 of those without one."""


def pool_of(rows: LeanRows, words: LeanWords, found: Scored, hidden: Collection[int], size: int) -> Weighed:
    """The first ``size`` rows of the lanes together."""
    seeds = set(rows.sessions_of(list(found.first)[:_SEEDS]).values())
    of_session = score_sessions(rows, words, seeds - {-1})
    beside = _neighbours(rows, of_session.places.values())
    terms = _terms(words, {*found.first, *beside})
    # What neither holds a word nor stands beside one that does comes in by its session only.
    near_terms = _near_terms(beside, terms)
    counts = _counts(words, terms, near_terms)
    met = {place for place in beside if terms[place]}
    met |= {other for place in met for other in beside[place].rows}
    near = [place for place in {*found.first, *met, *_first_rows(of_session)} if place not in hidden]
    beside = {place: beside.get(place, _ALONE) for place in near}
    alone = {place: _score(rows, words, terms[place], place, found.mean) for place in near}
    sums = {
        place: sum(map(counts.__getitem__, terms[place]))
        + NEIGHBOUR * sum(map(counts.__getitem__, near_terms.get(place, _NONE)))
        for place in near
    }
    windows = _windows(rows, beside, sums)
    sessions = dict.fromkeys(near, 0.0)
    if of_session.scores:
        number = rows.sessions
        sessions = {place: of_session.scores.get(number[place], 0.0) for place in near}
    lanes = (
        found.first,
        _first({place: score for place, score in windows.items() if score}, _DEPTH),
        _first({p: score + _ROW * alone[p] for p, score in sessions.items() if score}, _DEPTH),
    )
    fused = _fused(lanes)
    first = {place: fused[place] for place in _first(fused, size)}
    return Weighed(first, beside, terms, alone, windows, sessions)


def _first(scores: Mapping[int, float], most: int) -> list[int]:
    """The places of the best; of equals those written first: who is weighed is less than in what order."""
    exact = {place: -round(score, 9) for place, score in scores.items()}
    return sorted(exact, key=lambda place: (exact[place], place))[:most]


def _first_rows(sessions: Sessions) -> list[int]:
    """The rows of the best sessions, as many as fill the lane."""
    found: list[int] = []
    for session in sorted(sessions.scores, key=lambda one: (-sessions.scores[one], one)):
        found += sessions.places[session]
        if len(found) >= _DEPTH:
            break
    return found


def _score(rows: LeanRows, words: LeanWords, terms: Collection[int], place: int, mean: float) -> float:
    if not terms:
        return 0.0
    return shortened(sum(words.held[n].rarity for n in sorted(terms)), rows.lengths[place], mean)


def _neighbours(rows: LeanRows, sessions: Collection[list[int]]) -> dict[int, Beside]:
    """Of the rows of each session those right before and after them."""
    position = rows.values(POSITION, [place for places in sessions for place in places])
    beside: dict[int, Beside] = {}
    for places in sessions:
        ranked = sorted(places, key=lambda place: (position[place], place))
        padded = [None, *ranked, None]
        for before, place, after in zip(padded, ranked, padded[2:], strict=False):
            beside[place] = Beside(before, after)
    return beside


def _terms(words: LeanWords, places: Collection[int]) -> dict[int, set[int]]:
    """Of each place the numbers of the held terms that its row holds."""
    found: dict[int, set[int]] = {place: set() for place in places}
    for number, held in enumerate(words.held):
        for place in found.keys() & held.places:
            found[place].add(number)
    return found


def _near_terms(beside: Mapping[int, Beside], terms: Mapping[int, set[int]]) -> dict[int, frozenset[int]]:
    """Of each place the terms that only a row beside it holds; what has none is left out."""
    found: dict[int, frozenset[int]] = {}
    for place, (before, after) in beside.items():
        near = _NONE if before is None else terms[before]
        near = near if after is None else near | terms[after]
        if near and (near := near - terms[place]):
            found[place] = frozenset(near)
    return found


def _counts(
    words: LeanWords, terms: Mapping[int, set[int]], near: Mapping[int, frozenset[int]]
) -> list[float]:
    """What each held term counts for among rows with their neighbours.

    How many more rows stand beside one that holds it than hold it is taken from the sessions that were looked at: all
    of a small store, so that it is exact there.
    """
    own, beside = (Counter(n for numbers in held.values() for n in numbers) for held in (terms, near))
    return [
        rarity(words.total, min(words.total, round(len(held.places) * (1 + beside[n] / max(own[n], 1)))))
        for n, held in enumerate(words.held)
    ]


def _windows(rows: LeanRows, beside: Mapping[int, Beside], sums: Mapping[int, float]) -> dict[int, float]:
    """The scores of places with their neighbours, made of what their terms count; 0 where none of them holds one."""
    sizes = {p: sum(rows.lengths[q] for q in (p, *beside[p].rows)) for p, score in sums.items() if score}
    mean = sum(sizes.values()) / len(sizes) if sizes else 1.0
    return {p: shortened(score, sizes[p], mean) if score else 0.0 for p, score in sums.items()}


def _fused(lanes: Iterable[Collection[int]]) -> dict[int, float]:
    """Reciprocal rank fusion, as ``fuse``: the first of each has 1."""
    scores: dict[int, float] = {}
    for weight, order in zip(_WEIGHTS, lanes, strict=True):
        for rank, place in enumerate(order, start=1):
            scores[place] = scores.get(place, 0.0) + weight * (_K + 1) / (_K + rank) / sum(_WEIGHTS)
    return scores
