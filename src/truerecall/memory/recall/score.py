"""The factors that may move a fused score, each neutral at 1 and off at weight 0.

score = base × R × T × Tr, with 1 + a·(x − 0.5) for each: x = 1/(1 + age in days) since it was learned (R) or since it
happened (T; 0.5 where no time is known), and 1, 0.5 or 0 for system, learned or external (Tr). What lies in the future
has age 0; an imprecise date counts from the end of its interval.
"""

from dataclasses import dataclass
from datetime import datetime

from truerecall.core.clock import days_between
from truerecall.core.config import FactorWeights
from truerecall.core.entry import Entry, Trust

_TRUST = {Trust.SYSTEM: 1.0, Trust.LEARNED: 0.5, Trust.EXTERNAL: 0.0}


@dataclass(frozen=True, slots=True)
class Factors:
    """What each factor made of an entry."""

    recency: float = 1.0
    temporal: float = 1.0
    trust: float = 1.0

    def by_name(self) -> dict[str, float]:
        """Each under its name."""
        return {"recency": self.recency, "temporal": self.temporal, "trust": self.trust}

    @property
    def product(self) -> float:
        """All of them together."""
        return self.recency * self.temporal * self.trust


_OFF = FactorWeights(0.0, 0.0, 0.0)
NEUTRAL = Factors()
"""Every factor off."""


def factors(entry: Entry, now: datetime, weights: FactorWeights) -> Factors:
    """The factors of an entry at an instant."""
    if weights == _OFF:
        return NEUTRAL
    happened = entry.happened_at
    return Factors(
        recency=_factor(weights.recency, _freshness(entry.recorded_at, now)),
        temporal=_factor(weights.temporal, 0.5 if happened is None else _freshness(happened.end, now)),
        trust=_factor(weights.trust, _TRUST[entry.trust]),
    )


def _factor(weight: float, value: float) -> float:
    return 1.0 + weight * (value - 0.5)


def _freshness(then: datetime, now: datetime) -> float:
    return 1.0 / (1.0 + days_between(then, now))
