"""A conversation without end that has the word statistics of a real one, the same for the same seed.

Function words and content words alternate at random, half of each. Content words follow Zipf and Mandelbrot,
p(rank) ~ 1/(rank + 15)^1.2: first the words of the generator of data sets, then other words of English, then invented
names; the lengths of turns are log-normal. The constants were fitted to LoCoMo's development split; ``statistics.py``
holds the two beside each other. Two people talk, and nearly each query names one of them, as LoCoMo's do, so that its
longest list of postings is most of the store.
"""

import hashlib
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from truerecall.bench.datasets import vocabulary
from truerecall.memory.analysis import STOP_WORDS
from truerecall.models import token_bound

BLOCK = 1000
"""Turns made at a time."""
PEOPLE = ("Delphine", "Garrick")

_SESSION = 20
_VOCABULARY = 200_000
_SHIFT, _EXPONENT = 15, 1.2
_MEDIAN_LENGTH, _SPREAD = 22, 0.58
_LEAST, _MOST = 3, 150
_TOPIC_WORDS, _TOPIC_SHARE = 12, 0.2
_ADDRESSED = 0.35  # turns that call the other by name
_NAMED, _BOTH_NAMED = 0.98, 0.05  # queries that name one of the two, or both
_COMMON, _VERBS = 1000, 60  # ranks that a query's own words and its verb are of
_START = datetime(2020, 1, 1, 8, tzinfo=UTC)
_SYLLABLES = (
    "ba",
    "dor",
    "fen",
    "gil",
    "hul",
    "kes",
    "lin",
    "mar",
    "nor",
    "pex",
    "quil",
    "ros",
    "sun",
    "tam",
    "vek",
    "zil",
)


@dataclass(frozen=True, slots=True)
class Turn:
    """One message."""

    session: str
    position: int
    speaker: str
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class _Words:
    function: tuple[str, ...]
    content: tuple[str, ...]
    function_sums: NDArray[np.float64]
    """Cumulated probability of each rank."""
    content_sums: NDArray[np.float64]
    ranks: Mapping[str, int]
    """Of the content words."""


@cache
def _words() -> _Words:
    """The vocabulary: real words as long as there are any, then names of syllables that no other word is."""
    chance = random.Random("words")
    lines = Path(token_bound.__file__).with_name("bound-1.txt").read_text(encoding="utf-8").splitlines()
    english = [line[2:] for line in lines if line.startswith("+ ") and re.fullmatch("[a-z]{5,}", line[2:])]
    english.sort(key=lambda word: len(word) + 6 * chance.random())  # frequent words are short, by and large
    talk = Path(vocabulary.__file__).with_suffix(".txt").read_text(encoding="utf-8").lower()
    common = Counter(re.findall("[a-z]{3,}", talk)).most_common()
    names = (_name(number) for number in range(_VOCABULARY))
    people = {name.lower() for name in PEOPLE}
    ranked = dict.fromkeys(chain((word for word, _ in common), english, names))
    content = [word for word in ranked if word not in STOP_WORDS and word not in people][:_VOCABULARY]
    function = sorted(
        (w for w in sorted(STOP_WORDS) if len(w) > 1), key=lambda w: len(w) + 4 * chance.random()
    )
    ranks = {word: rank for rank, word in enumerate(content)}
    return _Words(
        tuple(function), tuple(content), _sums(len(function), 2), _sums(len(content), _SHIFT), ranks
    )


def _name(number: int) -> str:
    syllables = []
    for _ in range(5):
        number, digit = divmod(number, len(_SYLLABLES))
        syllables.append(_SYLLABLES[digit])
    return "".join(syllables)


def _sums(count: int, shift: int) -> NDArray[np.float64]:
    weights = (np.arange(1, count + 1) + float(shift)) ** -_EXPONENT
    sums: NDArray[np.float64] = np.cumsum(weights) / weights.sum()
    return sums


class Corpus:
    """The turns of a seed, by blocks that depend on nothing but their number."""

    def __init__(self, seed: int = 7) -> None:
        self._seed = seed

    @property
    def identity(self) -> str:
        """Eight digits that change where the text does."""
        told = [str(self._seed), *_words().function, *_words().content, self.block(0)[-1].text]
        return hashlib.sha256(" ".join(told).encode()).hexdigest()[:8]

    def turns(self, rows: int, start: int = 0) -> Iterator[list[Turn]]:
        """Blocks of a thousand, from the row ``start`` (a whole block) to ``rows``."""
        for number in range(start // BLOCK, -(-rows // BLOCK)):
            yield self.block(number)[: rows - number * BLOCK]

    def block(self, number: int) -> list[Turn]:
        """A thousand turns in sessions of twenty, a session every three days."""
        dice = np.random.default_rng([self._seed, number])
        found: list[Turn] = []
        for session in range(number * BLOCK // _SESSION, (number + 1) * BLOCK // _SESSION):
            begin = _START + timedelta(hours=72 * (session % 1000), minutes=session // 1000)
            for position, text in enumerate(_session(dice)):
                at = begin + timedelta(minutes=position)
                found.append(Turn(f"session-{session:06}", position, PEOPLE[position % 2], text, at))
        return found

    def queries(self, rows: int, count: int, named: bool = True) -> list[str]:
        """Questions to the first ``rows`` turns: a name, words of one turn, and others as frequent words are.

        Where they are not to be ``named``, they are the same without the names.
        """
        dice = np.random.default_rng([self._seed, rows, count])
        return [self._query(dice, int(dice.random() * rows), named) for _ in range(count)]

    def _query(self, dice: Generator, row: int, named: bool) -> str:
        words = _words()
        turn = self.block(row // BLOCK)[row % BLOCK]
        told = [word for word in turn.text.lower().rstrip(".").split() if word in words.ranks]
        picked = [told[int(dice.random() * len(told))] for _ in range(1 + int(dice.random() * 3)) if told]
        known = words.content_sums[:_COMMON] / words.content_sums[_COMMON - 1]
        other = _drawn(dice, words.content, known, 1 + int(dice.random() * 2))
        verb = words.content[int(dice.random() * _VERBS)]
        first = int(dice.random() * 2)
        names = [PEOPLE[first]] if dice.random() < _NAMED else []
        if dice.random() < _BOTH_NAMED:
            names = list(PEOPLE)
        if not named:
            names = []
        return f"When did {' and '.join(names) or 'they'} {verb} the {' '.join([*picked, *other])}?"


def _session(dice: Generator) -> list[str]:
    """The texts of one session; a fifth of their content words are its own."""
    words = _words()
    lengths = np.clip(
        np.rint(_MEDIAN_LENGTH * np.exp(_SPREAD * dice.standard_normal(_SESSION))), _LEAST, _MOST
    )
    total = int(lengths.sum())
    function = _drawn(dice, words.function, words.function_sums, total)
    content = _drawn(dice, words.content, words.content_sums, total)
    topic = _drawn(dice, words.content, words.content_sums, _TOPIC_WORDS)
    kinds, picks = dice.random(total), dice.random(total)
    mixed = [
        function[i] if kinds[i] < 0.5
        else topic[int(picks[i] / _TOPIC_SHARE * _TOPIC_WORDS)] if picks[i] < _TOPIC_SHARE
        else content[i]
        for i in range(total)
    ]  # fmt: skip
    addressed = dice.random(_SESSION) < _ADDRESSED
    texts, at = [], 0
    for position, length in enumerate(lengths.astype(int).tolist()):
        said = " ".join(mixed[at : at + length]).capitalize()
        other = PEOPLE[1 - position % 2]
        texts.append(f"{said}, {other}." if addressed[position] else f"{said}.")
        at += length
    return texts


def _drawn(dice: Generator, words: Sequence[str], sums: NDArray[np.float64], count: int) -> list[str]:
    places = np.searchsorted(sums, dice.random(count), side="right")
    return [words[min(place, len(words) - 1)] for place in places.tolist()]
