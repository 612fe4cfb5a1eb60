"""What a study has spent so far, whether one more run may begin, and whether a prompt may go on."""

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from truerecall.errors import LimitReached
from truerecall.study.grade.desk import GradingDesk
from truerecall.study.planned import PriceRow
from truerecall.study.records import Call, Discarded, Exchange, RunRow, Spent
from truerecall.study.solvers.protocol import Limit
from truerecall.study.tally import spent_on


class Budget:
    """Counts the solver's money beside that of the graders, and holds both to one limit.

    A run's cost is not known before it is over, so a run begins only if the dearest one so far would still fit, for
    itself and for each that is under way. A prompt is counted while it is under way, and goes on as long as one call
    more of each prompt would fit, each taken to cost what the prompt's dearest has. So the limit can be passed by what
    such a call costs more than those before it.

    Args:
        limit: US dollars; None for none.
        expected: What a run is taken to cost before one is finished.
        desk: Has the graders' spend, and is told of the solver's: it holds its own calls to the same limit.
        prices: By model.
    """

    def __init__(
        self, limit: float | None, expected: float, desk: GradingDesk, prices: Mapping[str, PriceRow]
    ) -> None:
        self._limit, self._expected, self._desk, self._prices = limit, expected, desk, prices
        self._seen, self._measured = 0.0, False
        self._solver = 0.0
        self._unknown = False
        self._dearest_call = 0.0
        self._set_aside: dict[Spending, float] = {}
        """For the next call of each prompt that is under way."""
        self._lock = threading.RLock()

    def take(self, over: Iterable[RunRow | Discarded], unfinished: Iterable[Spent] = ()) -> None:
        """Count what earlier processes spent, on attempts that they left unfinished too."""
        for one in over:
            self.charge(one.spent.cost)
            self.measure(one)
        for spent in unfinished:
            self.charge(spent.cost)
            self._seen = max(self._seen, spent.cost or 0.0)

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
            self._measured = self._measured or (isinstance(one, RunRow) and cost > 0)
            self._seen = max(self._seen, cost)

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
        dearest = self._seen if self._measured else max(self._seen, self._expected)
        return left is None or (left > 0 and dearest * (under_way + 1) <= left)

    @contextmanager
    def prompt(self) -> Iterator["Spending"]:
        """Count a prompt while it is under way.

        Raises:
            LimitReached: not even its first call is within the limit.
        """
        one = Spending(self)
        with self._lock:
            self._put_aside(one, self._dearest_call)
            allowed = self._is_within
        try:
            if not allowed:
                raise self.reached()
            yield one
        finally:
            with self._lock:
                self._desk.charge(-self._set_aside.pop(one))

    def count(self, one: "Spending", calls: Sequence[Call]) -> bool:
        """Count the calls of a prompt so far; whether one more is within the limit."""
        costs = [spent_on([call], self._prices).cost for call in calls]
        known = [cost for cost in costs if cost is not None]
        with self._lock:
            # What was told before may have been the beginning of a call: it is never counted back.
            more = max(0.0, sum(known) - one.charged)
            one.charged += more
            self.charge(more)
            self._unknown = self._unknown or len(known) < len(costs)
            self._put_aside(one, max(known, default=self._dearest_call))
            self._dearest_call = max([self._dearest_call, *known])
            return self._is_within

    def reached(self) -> LimitReached:
        """The error that says so."""
        return LimitReached(
            f"the limit of {self._limit or 0.0:.2f} US dollars is reached",
            where="--max-cost",
            remedy="Nothing is lost. Run the same command again with a higher --max-cost; it goes on from here.",
        )

    def _put_aside(self, one: "Spending", dollars: float) -> None:
        """For the next call of a prompt; the graders must leave that alone too."""
        self._desk.charge(dollars - self._set_aside.get(one, 0.0))
        self._set_aside[one] = dollars

    @property
    def _is_within(self) -> bool:
        left = self.left
        return left is None or (left > 0 and sum(self._set_aside.values()) <= left)


class Spending:
    """What one prompt spends, counted while it is under way; it is a ``Limit`` for a solver."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._left = budget.left
        self._refused = False
        self.charged = 0.0
        """US dollars that are counted already."""

    @property
    def limit(self) -> Limit | None:
        """What the solver is told; None where the study has no limit."""
        return None if self._left is None else self

    @property
    def dollars(self) -> float:
        """See ``Limit.dollars``."""
        return self._left or 0.0

    def allows(self, calls: Sequence[Call]) -> bool:
        """See ``Limit.allows``."""
        allowed = self._budget.count(self, calls)
        self._refused = self._refused or not allowed
        return allowed

    def ended_by_limit(self, exchange: Exchange) -> bool:
        """Count what came of the prompt; whether it failed because no further call was within the limit."""
        refused = self._refused
        allowed = self.allows(exchange.calls)
        return exchange.ended == "failed" and (refused or (bool(exchange.calls) and not allowed))
