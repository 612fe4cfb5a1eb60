"""Rerank the fused first rows by all of the evidence: a weighted sum, each weight fitted on real questions.

The lanes say who is to be looked at; what they found is then weighed against each other, with what a lane cannot see:
the tokens, who speaks, what stands beside it. Rows after the pool keep their fused order, so that scales never mix.
Which evidence there is, how the weights were found, and what did not help: docs/design/recall-quality.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from truerecall.memory.recall.evidence.pool import Pool
from truerecall.memory.recall.evidence.table import KINDS
from truerecall.memory.recall.evidence.weights import Weights
from truerecall.memory.recall.lanes.ranking import Search, best

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Evidence:
    """What spoke for each row of the pool."""

    names: tuple[str, ...]
    values: "NDArray[np.float64]"
    """Shape (m, names)."""
    fitted: Literal["words", "meaning", "tokens"]
    """The set of weights that is for as much evidence as there was."""


@dataclass(frozen=True, slots=True)
class Reranked:
    """The pool in its new order."""

    places: tuple[int, ...]
    scores: tuple[float, ...]
    """The weighted sums, in the order of the places."""
    evidence: Evidence
    """In the order in which the places were given."""


def rerank(search: Search, pool: Sequence[int], weights: Weights) -> Reranked:
    """Put the rows of the pool in the order of their evidence."""
    places = np.array(pool, dtype=np.intp)
    evidence = gather(Pool(search, places))
    fitted = getattr(weights, evidence.fitted)
    counts = np.array([fitted.get(name, 0.0) for name in evidence.names])
    scores = evidence.values @ counts
    order = best(search.view, places, scores, len(places))
    return Reranked(tuple(places[order].tolist()), tuple(scores[order].tolist()), evidence)


def gather(found: Pool) -> Evidence:
    """All evidence that there is."""
    named: dict[str, NDArray[np.float64]] = {}
    for kind in KINDS:
        named.update(kind(found) or {})
    values = np.stack(list(named.values()), axis=1)
    if "tokens" in named:
        return Evidence(tuple(named), values, "tokens")
    return Evidence(tuple(named), values, "meaning" if "meaning" in named else "words")
