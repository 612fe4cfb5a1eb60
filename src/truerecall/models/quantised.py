"""Unit vectors as int8 with a scale each: a quarter of their size, and 0.4 % of a component's range lost."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Int8Rows:
    """Rows of int8; times its scale, a row has length 1."""

    values: "NDArray[np.int8]"
    """Shape (n, dimension)."""
    scales: "NDArray[np.float32]"
    """Shape (n,)."""

    @classmethod
    def of(cls, vectors: "NDArray[np.float32]") -> "Int8Rows":
        """Quantise rows, shape (n, dimension); each component's error is at most half a scale."""
        largest = np.max(np.abs(vectors), axis=1, initial=0)
        scales = np.where(largest > 0, largest / np.float32(127), np.float32(1)).astype(np.float32)
        return cls(np.rint(vectors / scales[:, None]).astype(np.int8), scales)
