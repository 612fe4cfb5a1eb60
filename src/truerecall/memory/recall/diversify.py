"""Maximal marginal relevance: what is like a hit before it comes later. Nothing is dropped.

After Carbonell and Goldstein (1998): next comes the candidate with the largest λ·score − (1 − λ)·(largest cosine with
those that were chosen), 0 in place of the cosine while none was. λ = 1 leaves the order as it is.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from truerecall.memory.recall.recalled import Hit
from truerecall.memory.recall.trace import DiversifyTrace
from truerecall.memory.store.view import View

if TYPE_CHECKING:
    from numpy.typing import NDArray


def diversify(
    view: View, hits: Sequence[Hit], places: Mapping[str, int], balance: float, most: int
) -> tuple[Sequence[Hit], DiversifyTrace | None]:
    """The first so many hits in the order of ``diversified``, then the rest; pinned ones keep the head.

    Without a single vector to compare by, the order stays and the trace says so. None where it is off.
    """
    if balance == 1.0:
        return hits, None
    first = hits[:most]
    known = [row for row, hit in enumerate(first) if hit.id in places]  # a pinned one may not have been found
    vectors = view.vectors([places[first[row].id] for row in known]) if known else None
    if vectors is None or not vectors.any():
        return hits, DiversifyTrace(0, 0, "no entry has a vector to compare by")
    given = np.zeros((len(first), vectors.shape[1]), dtype=np.float32)
    given[known] = vectors
    settled = sum(hit.pinned for hit in first)
    order = diversified([hit.score for hit in first], given, balance, settled)
    moved = sum(row != place for place, row in enumerate(order))
    return [*(first[row] for row in order), *hits[most:]], DiversifyTrace(len(first), moved, "")


def diversified(
    scores: Sequence[float], vectors: "NDArray[np.float32]", balance: float, settled: int = 0
) -> list[int]:
    """The order of rows that stand best first, as indices; of equals the first stays before the other.

    Args:
        scores: Of the rows.
        vectors: Shape (rows, dimension), of any length; a row of zeros is like nothing.
        balance: λ, from 0 to 1.
        settled: So many rows stand where they are, as chosen ones.
    """
    size = len(scores)
    if balance == 1.0:
        return list(range(size))
    exact = vectors.astype(np.float64)
    lengths = np.linalg.norm(exact, axis=1, keepdims=True)
    units = np.divide(exact, lengths, out=np.zeros_like(exact), where=lengths > 0)
    gains, nearest = balance * np.array(scores, dtype=np.float64), np.full(size, -np.inf)
    left = np.ones(size, dtype=np.bool_)
    order: list[int] = []
    for step in range(size):
        penalty = (1.0 - balance) * nearest if order else 0.0
        # Rounded as every score that is compared: single precision must not decide between equals.
        worth = np.where(left, np.round(gains - penalty, 9), -np.inf)
        chosen = step if step < settled else int(np.argmax(worth))
        order.append(chosen)
        left[chosen] = False
        nearest = np.maximum(nearest, np.sum(units * units[chosen], axis=1))
    return order
