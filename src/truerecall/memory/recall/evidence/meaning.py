"""Evidence of meaning: the cosine of a candidate and of its neighbours with the query."""

from typing import TYPE_CHECKING

import numpy as np

from truerecall.memory.recall.evidence.pool import Pool, standard

if TYPE_CHECKING:
    from numpy.typing import NDArray


def meaning(found: Pool) -> "dict[str, NDArray[np.float64]] | None":
    """Two numbers; None where the query or the store has no vectors."""
    if found.search.cosines is None:
        return None
    cosines = found.search.cosines.astype(np.float64)
    own = cosines[found.places]
    before, after = found.beside(cosines, found.before), found.beside(cosines, found.after)
    return {"meaning": standard(own), "meaning_window": standard(own + before + after)}
