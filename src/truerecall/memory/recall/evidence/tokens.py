"""Evidence of tokens: late interaction, each token of the query against the tokens of the text.

For a token of the query the largest cosine with a token of the text, averaged over the query (MaxSim, after Khattab and
Zaharia, 2020), from vectors of 64 int8 numbers a token. A neighbour's token counts at 0.97 of its cosine.
"""

from typing import TYPE_CHECKING

import numpy as np

from truerecall.memory.recall.evidence.pool import Pool, standard

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truerecall.memory.store.tokens import TokenVectors

_NEIGHBOUR = 0.97
_MOST_ASKED = 64  # tokens of a query: bounds the work for a long one
_STEP = 16_384  # token vectors multiplied at a time


def tokens(found: Pool) -> "dict[str, NDArray[np.float64]] | None":
    """Four numbers; None where the query or the store has no token vectors."""
    asked, view = found.search.asked, found.search.view
    if asked.tokens is None or not len(asked.tokens):
        return None
    if view.models is None or view.models.token_identity != asked.token_identity:
        return None
    rows = np.concatenate([found.places, found.before, found.after])
    needed, index = np.unique(rows[rows >= 0], return_inverse=True)
    held = view.token_vectors(needed.tolist())
    if not len(held.values):
        return None
    best = _matched(asked.tokens[:_MOST_ASKED], held)
    of_row = np.full(len(rows), -1, dtype=np.intp)
    of_row[rows >= 0] = index
    own, before, after = of_row.reshape(3, -1)
    nothing = len(needed)  # a column of no evidence, for a neighbour that is not there
    best = np.append(best, np.full((len(best), 1), -np.inf, dtype=best.dtype), axis=1)
    before, after = np.where(before < 0, nothing, before), np.where(after < 0, nothing, after)
    mean = best.mean(axis=0).astype(np.float64)
    window = np.maximum(best[:, own], _NEIGHBOUR * np.maximum(best[:, before], best[:, after])).mean(axis=0)
    return {
        "tokens": standard(mean[own]),
        "tokens_window": standard(window.astype(np.float64)),
        "tokens_best_window": standard(found.best_of_session(window.astype(np.float64))),
        "tokens_weakest": standard(best[:, own].min(axis=0).astype(np.float64)),
    }


def _matched(query: "NDArray[np.float32]", held: "TokenVectors") -> "NDArray[np.float32]":
    """Of each token of the query the largest cosine in each text, shape (tokens, texts).

    Minus infinity where a text has no tokens.
    """
    cosines = np.empty((len(query), len(held.values)), dtype=np.float32)
    for start in range(0, len(held.values), _STEP):
        part = slice(start, start + _STEP)
        np.multiply(query @ held.values[part].astype(np.float32).T, held.scales[part], out=cosines[:, part])
    best = np.full((len(query), len(held.offsets) - 1), -np.inf, dtype=np.float32)
    filled = np.flatnonzero(np.diff(held.offsets))
    best[:, filled] = np.maximum.reduceat(cosines, held.offsets[filled], axis=1)
    return best
