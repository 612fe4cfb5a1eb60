"""The lexical lane's scores in plain Python: BM25 over the counts of what the reader may see.

The formula is that of ``words``; a test holds the two together. Of a query with more words than are used the rarest are
taken, by how close together their first rows stand: to count each of 200 words exactly would take too long.
"""

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import compress
from typing import NamedTuple

from truerecall.memory.recall.terms import MOST_TERMS
from truerecall.memory.store.lean_rows import HAPPENED, TRUST, LeanRows

_K1 = 1.2
_B = 0.2  # RecallSettings.length_weight as shipped
_MOST = (_K1 + 1) / (1 + _K1 * (1 - _B))  # what a text of no length counts
_GLANCE = 256  # rows of each term that are looked at before it is known which terms are the rarest
_POSTINGS = 60_000  # rows of all terms together, allowed or not: a third of a microsecond each
_OF_LARGE = 20_000  # likewise in a store of more than LARGE rows, of which a prompt waits for more
LARGE = 30_000
"""Rows of a store that is searched with less."""
_DOUBT = 2.0  # how far a guess at a term's rows is off, at most
_FEW = 40_000  # places that are sooner gathered than searched for among all
_GRACE = 1e-9


class Held(NamedTuple):
    """A term that rows hold."""

    term: str
    places: list[int]
    """Of the allowed rows that hold it, ascending."""
    rarity: float


class LeanWords(NamedTuple):
    """What the query's words find."""

    total: int
    """Rows that may be recalled."""
    held: tuple[Held, ...]
    """Rarest first."""
    absent: tuple[str, ...]
    """Terms that no row holds."""
    unknown: float
    """The rarity of such a term."""
    left_out: tuple[str, ...]
    """Terms that stand in too many rows to be read in time: none of them counts in a score."""
    exact: bool
    """Whether scores are those of the lexical lane to the last digit: no term was left out or taken by an estimate."""


class _Glance:
    """What the first rows of a term tell."""

    def __init__(self, number: int, term: str, found: Sequence[int], rows: LeanRows) -> None:
        self.number = number
        """Of the term in the query."""
        self.term = term
        self.places = [place for place in found if rows.allowed[place]]
        """Of the allowed ones."""
        self.last = found[-1] if found else 0
        """The last place that was read."""
        self.whole = len(found) < _GLANCE
        # As thickly sown in the rest as in the first rows.
        times = 1.0 if self.whole else len(rows.allowed) / (self.last + 1)
        self.guess = len(self.places) if self.whole else max(1, len(self.places)) * times
        """How many allowed rows hold it; exact where all were read."""
        self.postings = len(found) * times
        """How many rows of any kind do, likewise."""


def read_words(rows: LeanRows, terms: Sequence[str]) -> LeanWords:
    """Find the rows of the terms, of the rarest where there are many."""
    total = rows.allowed.count(1)
    known = [glance for number, term in enumerate(terms) if (glance := _glance(rows, number, term)).guess]
    known.sort(key=_order)
    room = float(_OF_LARGE if len(rows.allowed) > LARGE else _POSTINGS)
    for number, glance in enumerate(known):
        # Past so many only those that may turn out to be rarer than one of them.
        if number < MOST_TERMS or glance.guess < _DOUBT * known[MOST_TERMS - 1].guess:
            room -= 0 if glance.whole else glance.postings
            if not number or room >= 0:
                _read(rows, glance)
    read = sorted((glance for glance in known if glance.whole and glance.places), key=_order)[:MOST_TERMS]
    unread = [glance for glance in known if not glance.whole]
    left = [glance.term for glance in unread] if len(read) < MOST_TERMS else []
    # Of one that was not read the first rows may do to see that it is commoner.
    exact = not left and all(len(glance.places) > len(read[-1].places) for glance in unread)
    held = tuple(Held(g.term, g.places, rarity(total, len(g.places))) for g in read)
    found = {glance.term for glance in known}
    absent = tuple(term for term in terms if term not in found)
    return LeanWords(total, held, absent, rarity(total, 0), tuple(left), exact)


def _read(rows: LeanRows, glance: _Glance) -> None:
    """Read the rest of its rows."""
    if not glance.whole:
        more = rows.holding(glance.term, after=glance.last)
        glance.places += [place for place in more if rows.allowed[place]]
        glance.guess, glance.whole = len(glance.places), True


def _order(glance: _Glance) -> tuple[float, int]:
    return glance.guess, glance.number


def _glance(rows: LeanRows, number: int, term: str) -> _Glance:
    return _Glance(number, term, rows.holding(term, most=_GLANCE), rows)


def rarity(total: int, holding: int) -> float:
    """What a term counts for that ``holding`` of so many hold."""
    return math.log1p((total - holding + 0.5) / (holding + 0.5))


class Scored(NamedTuple):
    """The best rows by themselves."""

    first: dict[int, float]
    """By place the score, in the order of ``recall.order``."""
    mean: float
    """The mean length of all rows that share a word."""


def score_rows(rows: LeanRows, words: LeanWords, hidden: Collection[int], depth: int) -> Scored:
    """The best ``depth`` rows; ``hidden`` ones are counted only."""
    if not words.held:
        return Scored({}, 1.0)
    scores = [0.0] * len(rows.allowed)
    for held in words.held:
        counts = held.rarity
        for place in held.places:
            scores[place] += counts
    hit: Collection[int] = ()
    if sum(len(held.places) for held in words.held) < _FEW:
        hit = set().union(*(held.places for held in words.held))
        mean = sum(map(rows.lengths.__getitem__, hit)) / len(hit)
    else:
        mean = sum(compress(rows.lengths, scores)) / (len(scores) - scores.count(0.0))
    marks = _marks(words, hidden, depth)
    best = sorted((shortened(scores[p], rows.lengths[p], mean) for p in marks), reverse=True)
    # No row gains more than that by being short.
    least = (best[depth - 1] - 2 * _GRACE) / _MOST if len(best) >= depth else 0.0
    able = hit or compress(range(len(scores)), map(least.__le__, scores))
    found = {
        place: shortened(score, rows.lengths[place], mean)
        for place in able
        if (score := scores[place]) >= least and score and place not in hidden
    }
    return Scored({place: found[place] for place in ordered(rows, found, depth)}, mean)


def shortened(score: float, length: int, mean: float) -> float:
    """BM25's factor for tf = 1: longer rows count for less."""
    return score * ((_K1 + 1) / (1 + _K1 * (1 - _B + _B * length / mean)))


def _marks(words: LeanWords, hidden: Collection[int], depth: int) -> set[int]:
    """Rows by which to see what score the best have at least: those of the rarest terms."""
    pool: set[int] = set()
    for held in words.held:
        pool.update(place for place in held.places if place not in hidden)
        if len(pool) >= depth:
            break
    return pool


def ordered(rows: LeanRows, found: Mapping[int, float], depth: int) -> list[int]:
    """The first ``depth`` by score to nine decimals, trust, event time, session, position and id."""
    exact = {place: -round(score, 9) for place, score in found.items()}
    if len(exact) > depth:
        last = sorted(exact.values())[depth - 1]
        exact = {place: score for place, score in exact.items() if score <= last}
    often = Counter(exact.values())
    equal = [place for place, score in exact.items() if often[score] > 1]
    trust, happened = rows.values(TRUST, equal), rows.values(HAPPENED, equal)
    keys = {place: (score, -trust.get(place, 0), -happened.get(place, 0)) for place, score in exact.items()}
    chosen = sorted(keys, key=keys.__getitem__)
    if len(chosen) > depth:
        last_key = keys[chosen[depth - 1]]
        chosen = [place for place in chosen if keys[place] <= last_key]
    still = Counter(keys[place] for place in chosen)
    ties = rows.tie_keys([place for place in chosen if still[keys[place]] > 1])
    none = ("", -1, b"")
    return sorted(chosen, key=lambda place: (*keys[place], *ties.get(place, none)))[:depth]
