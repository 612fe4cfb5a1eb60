"""What a study has spent so far, and whether one more run may begin."""

import threading
from collections.abc import Callable, Iterable

from truerecall.study.records import Discarded, RunRow


class Budget:
    """Counts the solver's money beside that of the graders, and holds both to one limit.

    A run's cost is not known before it is over, so a run begins only if the dearest one so far would still fit, for
    itself and for each that is under way. A run that is dearer than all before it can pass the limit by the difference.

    Args:
        limit: US dollars; None for none.
        expected: What a run is taken to cost before one is finished.
        graders: What the graders have spent so far.
    """

    def __init__(self, limit: float | None, expected: float, graders: Callable[[], float | None]) -> None:
        self._limit, self._dearest, self._graders = limit, expected, graders
        self._measured = False
        self._solver = 0.0
        self._unknown = False
        self._lock = threading.Lock()

    def take(self, over: Iterable[RunRow | Discarded]) -> None:
        """Count what runs and attempts have spent."""
        with self._lock:
            for one in over:
                if one.spent.cost is None:
                    self._unknown = True
                    continue
                self._solver += one.spent.cost
                # The first one that is measured takes the place of the expectation.
                self._dearest = max(self._dearest, one.spent.cost) if self._measured else one.spent.cost
                self._measured = True

    @property
    def solver(self) -> float:
        """US dollars of the solver, of finished runs and attempts, as far as prices are known."""
        return self._solver

    @property
    def spent(self) -> float | None:
        """US dollars so far; None where a price is not known."""
        graders = self._graders()
        return None if self._unknown or graders is None else self._solver + graders

    @property
    def left(self) -> float | None:
        """US dollars that the limit leaves; None without a limit."""
        return None if self._limit is None else self._limit - (self.spent or 0.0)

    def allows(self, under_way: int) -> bool:
        """Whether one more run may begin beside those that are under way."""
        left = self.left
        return left is None or (left > 0 and self._dearest * (under_way + 1) <= left)
