"""How well a score tells two classes apart, and whether chance alone would do as well."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from truerecall.errors import InvalidInput

ROUNDS = 2_000

Scores = NDArray[np.float64]
Labels = NDArray[np.bool_]


def auc(scores: Sequence[float], labels: Sequence[bool], groups: Sequence[str] | None = None) -> float | None:
    """The share of pairs of a true and a false one in which the true one has the higher score; a tie is half a pair.

    The area under the ROC curve, as Mann and Whitney's U over the number of pairs (Hanley & McNeil 1982): 0.5 is
    chance, 1 tells all. With ``groups`` only pairs within a group are counted, each alike, so that what differs between
    groups is neither for nor against it. None where there is no such pair.

    Raises:
        InvalidInput: the lengths differ, or a score is not a finite number.
    """
    numbers, marks, places = _checked(scores, labels, groups)
    return _shares(numbers[:, None], marks[:, None], places)


def auc_permutation(
    scores: Sequence[float],
    labels: Sequence[bool],
    groups: Sequence[str] | None = None,
    *,
    seed: int,
    rounds: int = ROUNDS,
) -> float | None:
    """How often labels dealt anew within each group give an AUC at least as high: the p of one side.

    (1 + those) / (1 + rounds), which is never 0 and is valid at any number of rounds (Phipson & Smyth 2010). The
    scores stay as they are: where they were learnt from the labels, learn them anew for each deal, as
    ``study.leak`` does. None where there is no pair to compare.

    Raises:
        InvalidInput: as ``auc``, or fewer than one round.
    """
    numbers, marks, places = _checked(scores, labels, groups)
    if rounds < 1:
        raise InvalidInput(f"{rounds} rounds", where="auc_permutation", remedy="Give at least one round.")
    dealt = deals(marks, places, seed, rounds)
    found = grouped_auc(np.repeat(numbers[:, None], rounds + 1, axis=1), dealt, places)
    return None if found is None else at_least(found)


def deals(labels: Labels, places: Sequence[NDArray[np.intp]], seed: int, rounds: int) -> Labels:
    """One column a deal: the labels as they are, then ``rounds`` shuffles within each group; n × (rounds + 1)."""
    generator = np.random.default_rng(seed)
    dealt = np.repeat(labels[:, None], rounds + 1, axis=1)
    for place in places:
        dealt[place, 1:] = generator.permuted(dealt[place, 1:], axis=0)
    return dealt


def grouped_auc(scores: Scores, labels: Labels, places: Sequence[NDArray[np.intp]]) -> Scores | None:
    """The AUC of each column; n × m scores and labels, and the rows of each group. None where there is no pair.

    Every column must have as many true labels in each group as any other.
    """
    won, pairs = np.zeros(scores.shape[1]), 0
    for place in places:
        true = int(labels[place, 0].sum()) if len(place) else 0
        pairs += true * (len(place) - true)
        inside, marked = scores[place], labels[place]
        for row, mark in zip(inside, marked, strict=True):
            beaten = (row > inside) + 0.5 * (row == inside)
            won += mark * (beaten * ~marked).sum(axis=0)
    return won / pairs if pairs else None


def at_least(found: Scores) -> float:
    """The p of the first value among all: the share that are as high, the first itself included."""
    # Shares of few pairs, added in another order, may differ in their last digit.
    return float(np.count_nonzero(found >= found[0] - 1e-12) / found.size)


def rows_of(groups: Sequence[str]) -> list[NDArray[np.intp]]:
    """The rows of each group, in the order in which groups first come."""
    rows: dict[str, list[int]] = defaultdict(list)
    for row, name in enumerate(groups):
        rows[name].append(row)
    return [np.array(found, dtype=np.intp) for found in rows.values()]


def _shares(scores: Scores, labels: Labels, places: Sequence[NDArray[np.intp]]) -> float | None:
    found = grouped_auc(scores, labels, places)
    return None if found is None else float(found[0])


def _checked(
    scores: Sequence[float], labels: Sequence[bool], groups: Sequence[str] | None
) -> tuple[Scores, Labels, list[NDArray[np.intp]]]:
    numbers, marks = np.asarray(scores, dtype=np.float64), np.asarray(labels, dtype=np.bool_)
    names = [""] * len(scores) if groups is None else groups
    if not len(numbers) == len(marks) == len(names) or not np.isfinite(numbers).all():
        raise InvalidInput(
            f"{len(numbers)} scores, {len(marks)} labels, {len(names)} groups, or a score that is no finite number",
            where="auc",
            remedy="Give every score, each a finite number, its label and its group.",
        )
    return numbers, marks, rows_of(names)
