"""Can the side be told from the blinded text? A classifier of our own tries, on questions it did not learn from."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from truerecall.errors import InvalidInput
from truerecall.measure.auc import at_least, deals, grouped_auc, rows_of

ROUNDS = 1_000

_BUCKETS = 1 << 14
_PIECES = 3, 4, 5  # characters
_RIDGE = 0.3
# A text that says the same as another must tie with it, whatever the order of a sum did to the last digits.
_DECIMALS = 9
_TOKEN = re.compile(r"\w+|[^\w\s]")

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Leak:
    """How well the classes were told apart."""

    auc: float
    """Within questions: 0.5 is chance, 1 tells each pair of texts on one question."""
    p: float
    """How often labels dealt anew within each question, and learnt anew, are told at least as well."""
    n: int
    """Texts that were learnt from and guessed."""
    questions: int
    """Those that hold both classes: only they can be guessed right or wrong."""


def leak(
    texts: Sequence[str], labels: Sequence[bool], questions: Sequence[str], seed: int, rounds: int = ROUNDS
) -> Leak | None:
    """Guess each text's label from those on all other questions, and say whether that beats chance.

    Features are words and signs in runs of one to three, and runs of three to five characters, each weighed by its
    rarity and each kind to length 1 a text. The classifier is a least-squares one with a ridge (Rifkin, Yeo & Poggio
    2003), learnt anew with each question left out. Since labels are dealt within a question and everything is learnt
    anew for each deal, the p is exact whatever the texts are. It is of one side: an AUC below 0.5 is no leak.

    None with fewer than two questions that hold both classes: there is nothing to learn from, or nothing to guess.
    With few texts a p of .05 or more shows little: with 24 of each class only a leak that lifts the AUC to about .65
    is found. So print ``n`` beside it.

    Args:
        texts: Answers as a judge reads them.
        labels: True for one class, such as the sides with a memory.
        questions: Of each text.
        seed: Of the deals.
        rounds: How many deals; p is at least 1 / (1 + rounds).

    Raises:
        InvalidInput: the lengths differ, or fewer than one round.
    """
    if not len(texts) == len(labels) == len(questions) or rounds < 1:
        raise InvalidInput(
            f"{len(texts)} texts, {len(labels)} labels, {len(questions)} questions, {rounds} rounds",
            where="leak",
            remedy="Give every text, its label and its question, and at least one round.",
        )
    places, marks = rows_of(questions), np.array(labels, dtype=np.bool_)
    both = sum(0 < int(marks[place].sum()) < len(place) for place in places)
    if both < 2:
        return None
    dealt = deals(marks, places, seed, rounds)
    found = grouped_auc(_guessed(_likeness(texts), dealt, places), dealt, places)
    if found is None:
        return None
    return Leak(float(found[0]), at_least(found), len(texts), both)


def _guessed(likeness: Matrix, dealt: NDArray[np.bool_], places: Sequence[NDArray[np.intp]]) -> Matrix:
    """The score of each text by a classifier that never saw its question; one column a deal."""
    signs = np.where(dealt, 1.0, -1.0)
    scores = np.zeros(signs.shape)
    for place in places:
        others = np.setdiff1d(np.arange(len(signs)), place)
        inside = likeness[np.ix_(others, others)]
        # Without the middle of the classes, which differs from question to question: only likeness counts.
        wanted = signs[others] - signs[others].mean(axis=0)
        weights = np.linalg.solve(inside + _RIDGE * np.eye(len(others)), wanted)
        scores[place] = likeness[np.ix_(place, others)] @ weights
    return np.round(scores, _DECIMALS)


def _likeness(texts: Sequence[str]) -> Matrix:
    """How alike two texts are, by both kinds of feature; n × n."""
    words = _rows([Counter(_runs(text)) for text in texts])
    pieces = _rows([Counter(_characters(text)) for text in texts])
    together: Matrix = words @ words.T + pieces @ pieces.T
    return together


def _rows(counts: Sequence[Counter[str]]) -> Matrix:
    """A row a text: 1 + ln of each count, by rarity, to length 1. The features fall into a fixed number of buckets."""
    rows = np.zeros((len(counts), _BUCKETS))
    for row, found in zip(rows, counts, strict=True):
        for feature, count in found.items():
            row[crc32(feature.encode()) % _BUCKETS] += 1.0 + np.log(count)
    rarity = np.log((1.0 + len(counts)) / (1.0 + np.count_nonzero(rows, axis=0))) + 1.0
    rows *= rarity
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    whole: Matrix = np.divide(rows, lengths, out=rows, where=lengths > 0)
    return whole


def _runs(text: str) -> Iterator[str]:
    tokens = _TOKEN.findall(text.lower())
    for length in (1, 2, 3):
        for start in range(len(tokens) - length + 1):
            yield " ".join(tokens[start : start + length])


def _characters(text: str) -> Iterator[str]:
    whole = f" {text.lower()} "
    for length in _PIECES:
        for start in range(len(whole) - length + 1):
            yield whole[start : start + length]
