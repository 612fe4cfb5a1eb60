"""Every kind of evidence. A new one is a file beside this one and a row here; ``benchmarks/fit.py`` weighs it."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from truerecall.memory.recall.evidence.form import form
from truerecall.memory.recall.evidence.meaning import meaning
from truerecall.memory.recall.evidence.pool import Pool
from truerecall.memory.recall.evidence.tokens import tokens
from truerecall.memory.recall.evidence.words import words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Kind = Callable[[Pool], "dict[str, NDArray[np.float64]] | None"]

KINDS: tuple[Kind, ...] = (words, form, meaning, tokens)
"""Each gives named numbers of shape (m,), or None where it has nothing to go by."""
