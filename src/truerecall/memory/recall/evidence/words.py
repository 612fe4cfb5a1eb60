"""Evidence of words: what a candidate, its neighbours and its session share with the query."""

from typing import TYPE_CHECKING

from truerecall.memory.recall.evidence.pool import Pool, standard

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def words(found: Pool) -> "dict[str, NDArray[np.float64]]":
    """Four numbers by the query's words."""
    scores, session = found.search.words, found.search.view.session[found.places]
    windows = scores.windows[found.places]
    of_session = scores.sessions[session] * (session >= 0) if len(scores.sessions) else windows * 0.0
    return {
        "words": standard(scores.rows[found.places]),
        "words_window": standard(windows),
        "words_session": standard(of_session),
        "words_best_window": standard(found.best_of_session(windows)),
    }
