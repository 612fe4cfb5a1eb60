"""Whether anything that was found is about what a prompt is about: where nothing is, nothing is recalled.

A prompt such as "ok, try again" shares words with any session. Words of the talk with an agent say what to do and not
about what, so that they count for nothing here; they still rank what passes.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from truerecall.memory.analysis import STOP_WORDS, segment
from truerecall.memory.recall.lean_words import LeanWords
from truerecall.memory.recall.terms import MOST_TERMS

_TALK = frozenset(
    word
    for line in Path(__file__).with_name("talk.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
    for word in line.split()
)
_LEAST = 2  # terms of its subject that a row shares with a prompt
_COVERAGE = 0.35  # of the rarity of all of them, at least
_RARE = 0.6  # of what a word counts that no row holds: one such word is enough
_PAIR = 0.5  # of two characters of a script without spaces each second pair belongs to two words
_SHORT = 3  # digits: a smaller number numbers a list


class Subject(NamedTuple):
    """What a prompt is about, by its words."""

    terms: frozenset[str]
    whole: float
    """The rarity of all of them; of a prompt with many, of as many as are used. 0 where it names no subject."""
    unknown: float
    """What a word counts that no row holds."""


def subject_of(words: LeanWords) -> Subject:
    """The subject of the prompt whose words these are; what no row holds belongs to it as well."""
    known = {held.term: held.rarity for held in words.held if topical(held.term)}
    absent = [words.unknown * (_PAIR if segment(term) else 1) for term in words.absent if topical(term)]
    whole = sum(sorted([*known.values(), *absent], reverse=True)[:MOST_TERMS])
    return Subject(frozenset(known), whole, words.unknown)


def topical(term: str) -> bool:
    """Whether a term can say what a prompt is about."""
    return term not in _TALK and term not in STOP_WORDS and not (term.isdecimal() and len(term) < _SHORT)


def covered(subject: Subject, counted: Mapping[str, float]) -> float:
    """The share of a subject's rarity that a row has, from 0 to 1; by term what it counts there."""
    return (
        sum(counted[term] for term in subject.terms & counted.keys()) / subject.whole
        if subject.whole
        else 0.0
    )


def relevant(subject: Subject, coverage: float, counted: Iterable[str], own: Mapping[str, float]) -> bool:
    """Whether a row can be about the subject.

    Args:
        subject: Of the prompt.
        coverage: See ``covered``.
        counted: The terms that the row or its neighbours hold.
        own: The rarity of those that it holds itself.
    """
    if coverage < _COVERAGE:
        return False
    rarest = max((own[term] for term in subject.terms & own.keys()), default=0.0)
    return len(subject.terms.intersection(counted)) >= _LEAST or rarest >= _RARE * subject.unknown
