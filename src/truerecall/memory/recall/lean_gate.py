"""Whether anything that was found is about what a prompt is about: where nothing is, nothing is recalled.

A prompt such as "ok, try again" shares words with any session. Words of the talk with an agent say what to do and not
about what, so that they count for nothing here; they still rank what passes.
"""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from truerecall.memory.analysis import STOP_WORDS, segment
from truerecall.memory.recall.lean_window import NEIGHBOUR, Weighed
from truerecall.memory.recall.lean_words import LeanWords

_TALK = frozenset(
    word
    for line in Path(__file__).with_name("talk.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
    for word in line.split()
)
_PARTICLES = frozenset(
    "的了嗎吗呢吧啊是のはがをにでと"
)  # of Chinese and Japanese: they belong to no word beside them
_SHORT = 3  # digits: a smaller number numbers a list
_PAIR = 0.5  # of two characters of a script without spaces each second pair belongs to two words
_LOOKED = 15  # rows of the first, of which one must be about the subject
# Fitted, as everything here, on development data: docs/design/hook-recall.md.
_KNOWN, _SHARED, _COUNT, _RARITY, _MARK = 9.0, 6.0, 8.0, -3.0, 12.5
_SMALL = 100  # rows of a store in which half of the words of anything are missing
_LEAST_SAID = 0.5  # of what a missing word says, in a store of hardly any rows


class Subject(NamedTuple):
    """What a prompt is about, by its words."""

    counts: dict[str, float]
    """By term that rows hold how many words it is: a pair of characters is half of one."""
    rarity: dict[str, float]
    """What each says, in words that no row holds."""
    missing: float
    """Words that no row holds."""

    @property
    def words(self) -> float:
        """How many there are."""
        return sum(self.counts.values()) + self.missing

    @property
    def whole(self) -> float:
        """What all of them say, those that no row holds included."""
        return sum(self.rarity.values()) + self.missing


class Matched(NamedTuple):
    """A row of the pool."""

    place: int
    score: float
    """From 0 to 1, by its rank."""
    terms: tuple[str, ...]
    """That it or its neighbours hold, rarest first."""
    coverage: float
    """The share of the rarity of the query's subject; what only a neighbour holds counts half."""
    relevant: bool
    """Whether that is enough to be about the same."""


def subject_of(words: LeanWords) -> Subject:
    """The subject of the prompt whose words these are; what no row holds belongs to it as well."""
    counts = {held.term: _counts(held.term) for held in words.held if topical(held.term)}
    rarity = {
        held.term: held.rarity / words.unknown * counts[held.term]
        for held in words.held
        if held.term in counts
    }
    met = {character for term in counts if segment(term) for character in term}
    missing = sum(
        _counts(term)
        for term in words.absent
        if topical(term) and not (segment(term) and met.issuperset(term))
    )
    # In a store of few rows that a word is missing says little.
    says = _LEAST_SAID + (1 - _LEAST_SAID) * words.total / (words.total + _SMALL)
    return Subject(counts, rarity, missing * says)


def topical(term: str) -> bool:
    """Whether a term can say what a prompt is about."""
    if term in _TALK or term in STOP_WORDS or (term.isdecimal() and len(term) < _SHORT):
        return False
    return term.isascii() or _PARTICLES.isdisjoint(term)


def matched(words: LeanWords, subject: Subject, pool: Weighed, order: Sequence[int]) -> list[Matched]:
    """The rows in this order, with how much of the subject they hold."""
    found = []
    for rank, place in enumerate(order):
        near = set().union(*(pool.terms[other] for other in pool.beside[place].rows))
        held = sorted(near | pool.terms[place])
        shares = {words.held[n].term: 1.0 if n in pool.terms[place] else NEIGHBOUR for n in held}
        own = {term: share for term, share in shares.items() if term in subject.counts}
        coverage = sum(share * subject.rarity[term] for term, share in own.items()) / subject.whole
        able = rank < _LOOKED and relevant(subject, own)
        found.append(Matched(place, 61 / (61 + rank), tuple(shares), coverage, able))
    return found


def relevant(subject: Subject, shares: Mapping[str, float]) -> bool:
    """Whether a row can be about the subject.

    It speaks for a row that the store knows the prompt's words at all, and that it holds many of them. Of equally many
    words the common ones say more: they are what the project is about, and any text holds one that is rare in it.

    Args:
        subject: Of the prompt.
        shares: The subject's terms that the row holds, 1, or only a row beside it, less.
    """
    if not shares:
        return False
    known = sum(subject.rarity.values()) / subject.whole
    count = sum(share * subject.counts[term] for term, share in shares.items())
    rarity = sum(share * subject.rarity[term] for term, share in shares.items())
    points = _KNOWN * known + _SHARED * count / subject.words + _COUNT * math.log1p(count) + _RARITY * rarity
    return points >= _MARK


def _counts(term: str) -> float:
    return _PAIR if segment(term) else 1.0
