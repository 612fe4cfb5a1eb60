"""A limit of so many calls."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from truerecall.study.records import Call


@dataclass
class OfCalls:
    """Allows a prompt this number of calls, whatever they cost."""

    most: int
    dollars: float = 0.5
    asked: list[list[Call]] = field(default_factory=list)
    """What each look found."""

    def allows(self, calls: Sequence[Call]) -> bool:
        """See ``Limit.allows``."""
        self.asked.append(list(calls))
        return len(calls) < self.most
