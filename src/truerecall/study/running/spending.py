"""What a study has spent so far, and whether one more run may begin."""

import threading
from collections.abc import Iterable

from truerecall.errors import LimitReached
from truerecall.study.grade.desk import GradingDesk
from truerecall.study.records import Discarded, RunRow


class Budget:
    """Counts the solver's money beside that of the graders, and holds both to one limit.

    A run's cost is not known before it is over, so a run begins only if the dearest one so far would still fit, for
    itself and for each that is under way; and no prompt is said once the limit is reached. So it can be passed by what
    the prompts under way cost at most.

    Args:
        limit: US dollars; None for none.
        expected: What a run is taken to cost before one is finished.
        desk: Has the graders' spend, and is told of the solver's: it holds its own calls to the same limit.
    """

    def __init__(self, limit: float | None, expected: float, desk: GradingDesk) -> None:
        self._limit, self._dearest, self._desk = limit, expected, desk
        self._measured = False
        self._solver = 0.0
        self._unknown = False
        self._lock = threading.Lock()

    def take(self, over: Iterable[RunRow | Discarded]) -> None:
        """Count what earlier processes spent."""
        for one in over:
            self.charge(one.spent.cost)
            self.measure(one)

    def charge(self, dollars: float | None) -> None:
        """Count what the solver has just spent; None where a price is not known."""
        with self._lock:
            self._unknown = self._unknown or dollars is None
            self._solver += dollars or 0.0
        self._desk.charge(dollars or 0.0)

    def measure(self, one: RunRow | Discarded) -> None:
        """Learn what a run costs; an attempt that was thrown out may have cost less than one, never more."""
        cost = one.spent.cost or 0.0
        with self._lock:
            if isinstance(one, RunRow) and cost and not self._measured:
                self._dearest, self._measured = cost, True  # in the place of the expectation
            self._dearest = max(self._dearest, cost)

    @property
    def spent(self) -> float | None:
        """US dollars so far; None where a price is not known."""
        graders = self._desk.cost
        return None if self._unknown or graders is None else self._solver + graders

    @property
    def left(self) -> float | None:
        """US dollars that the limit leaves; None without a limit."""
        return (
            None if self._limit is None else max(0.0, self._limit - self._solver - (self._desk.cost or 0.0))
        )

    def allows(self, under_way: int) -> bool:
        """Whether one more run may begin beside those that are under way."""
        left = self.left
        return left is None or (left > 0 and self._dearest * (under_way + 1) <= left)

    def check(self) -> None:
        """``LimitReached`` where nothing is left for another prompt."""
        if self.left == 0.0:
            raise LimitReached(
                f"the limit of {self._limit:.2f} US dollars is reached",
                where="--max-cost",
                remedy="Nothing is lost. Run the same command again with a higher --max-cost; it goes on from here.",
            )
