"""The rows that are weighed, and how a number of theirs becomes evidence."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from truerecall.memory.recall.evidence.plain import LEAST_POOL
from truerecall.memory.recall.lanes.ranking import Search

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Pool:
    """The fused first rows of a search, weighed against each other."""

    search: Search
    places: "NDArray[np.intp]"
    """Shape (m,): places in the view's arrays."""

    @cached_property
    def before(self) -> "NDArray[np.intp]":
        """Shape (m,): the row before each in its session; -1 where there is none that may be recalled."""
        return self.search.view.before[self.places]

    @cached_property
    def after(self) -> "NDArray[np.intp]":
        """Shape (m,): the row after each."""
        return self.search.view.after[self.places]

    def beside(self, values: "NDArray[np.float64]", rows: "NDArray[np.intp]") -> "NDArray[np.float64]":
        """Of values of all rows, those of ``before`` or ``after``; the candidates' least where there is none."""
        own = values[self.places]
        known = own[np.isfinite(own)]
        least = known.min() if len(known) else -np.inf
        return np.where((rows >= 0) & np.isfinite(values[rows]), values[rows], least)

    def best_of_session(self, values: "NDArray[np.float64]") -> "NDArray[np.float64]":
        """Of values of the candidates, the largest in each one's session; its own where it has no session."""
        session = self.search.view.session[self.places]
        _, group = np.unique(session, return_inverse=True)
        largest = np.full(len(values), -np.inf)
        np.maximum.at(largest, group, values)
        return np.where(session >= 0, largest[group], values)


def standard(values: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """Values in standard deviations from their mean, comparable between queries; what is missing counts as least.

    In a pool of few rows the mean and the deviation are those that it would have with more rows of no match (0): a good
    match stands out of six rows as it does out of two hundred, and two rows that match alike are not driven apart.
    """
    known = np.isfinite(values)
    if not known.any():
        return np.zeros(len(values))
    least = values[known].min()
    above = np.where(known, values, least) - min(least, 0.0)
    size = max(len(values), LEAST_POOL)
    mean = above.sum() / size
    spread = np.sqrt(max((above * above).sum() / size - mean * mean, 0.0))
    scaled: NDArray[np.float64] = (above - mean) / spread if spread > 1e-12 else np.zeros(len(values))
    return scaled
