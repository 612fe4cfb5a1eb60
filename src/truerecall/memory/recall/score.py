"""The factors that may move a fused score, each neutral at 1 and off at weight 0.

score = base × R × T × P × Tr × U × F × range. Ages are in days and at least 0: what lies in the future has none. a is
the factor's weight.

R, T and Tr, the recency, the event time and the trust, are 1 + a·(x − 0.5): x = 1/(1 + age) since it was learned (R) or
since it happened (T; 0.5 where no time is known; an imprecise date counts from the end of its interval), and w = 1, 0.5
or 0 for system, learned or external (Tr).
P, the proof, is 1 + a·(q − 0.5): q = 0.5 + (n − 0.5)·c, n = 0.5 + ln(proofs)/10 from 0 to 1 (0.5 where none are
counted), c = confidence·0.5^(age/30) (1 where none is given), age since it was learned.
U, the usefulness, is 1 + a·(u − 0.5): u of ``memory.usefulness.share``.
F, the fading, is 1 + a·(fade − 1): fade = 0.5 + 0.5·exp(−λ·age^β), λ = (ln 2/30)·exp(−1.5·imp), age since it was
learned, β = 0.8 for semantic and procedural, 1.2 for episodic and working entries, and the importance, from 0 to 1,
imp = 0.25·base + 0.25·u + 0.15/(1 + age) + 0.20·w + 0.15·n.
range is 1 − a·(1 − exp(−d/7)): d is the distance from the time that the query names, 0 inside it. It sinks towards
1 − a and never gets there: nothing is dropped.
"""

import math
from dataclasses import dataclass
from datetime import datetime

from truerecall.core.clock import days_between
from truerecall.core.config import FactorWeights
from truerecall.core.entry import DecayClass, Entry, Trust

_TRUST = {Trust.SYSTEM: 1.0, Trust.LEARNED: 0.5, Trust.EXTERNAL: 0.0}
_BETA: dict[DecayClass, float] = {"semantic": 0.8, "procedural": 0.8, "episodic": 1.2, "working": 1.2}
_HALF_LIFE = 30.0  # days
_REACH = 7.0  # days after which an entry outside the range has sunk by about two thirds of what it may


@dataclass(frozen=True, slots=True)
class Signals:
    """What the factors go by and an entry does not hold itself."""

    base: float = 1.0
    """Its score before the factors."""
    usefulness: float = 0.5
    """u, from 0 to 1."""
    proofs: int | None = None
    """How often it was said, itself included; None where nothing was counted."""
    distance: float = 0.0
    """Days from the time that the query names; 0 inside it and where it names none."""


@dataclass(frozen=True, slots=True)
class Factors:
    """What each factor made of an entry."""

    recency: float = 1.0
    temporal: float = 1.0
    trust: float = 1.0
    proof: float | None = None
    """None where it is off, as with the following; the three above are named in every trace."""
    usefulness: float | None = None
    forget: float | None = None
    range: float | None = None

    def by_name(self) -> dict[str, float]:
        """Each under its name."""
        further = {
            "proof": self.proof,
            "usefulness": self.usefulness,
            "forget": self.forget,
            "range": self.range,
        }
        return {
            "recency": self.recency,
            "temporal": self.temporal,
            "trust": self.trust,
            **{name: value for name, value in further.items() if value is not None},
        }

    @property
    def product(self) -> float:
        """All of them together."""
        product = self.recency * self.temporal * self.trust
        for value in (self.proof, self.usefulness, self.forget, self.range):
            if value is not None:
                product *= value
        return product


NEUTRAL = Factors()
"""Every factor off."""
NO_SIGNALS = Signals()
"""Nothing is known but the entry."""


def factors(entry: Entry, now: datetime, weights: FactorWeights, signals: Signals = NO_SIGNALS) -> Factors:
    """The factors of an entry at an instant."""
    if not weights:
        return NEUTRAL
    happened, age = entry.happened_at, days_between(entry.recorded_at, now)
    trust, proof = _TRUST[entry.trust], proof_of(signals.proofs)
    sureness = 1.0 if entry.confidence is None else entry.confidence * 0.5 ** (age / _HALF_LIFE)
    return Factors(
        recency=_factor(weights.recency, 1.0 / (1.0 + age)),
        temporal=_factor(weights.temporal, 0.5 if happened is None else _freshness(happened.end, now)),
        trust=_factor(weights.trust, trust),
        proof=_factor(weights.proof, 0.5 + (proof - 0.5) * sureness) if weights.proof else None,
        usefulness=_factor(weights.usefulness, signals.usefulness) if weights.usefulness else None,
        forget=1.0 + weights.forget * (_fade(entry, age, proof, signals) - 1.0) if weights.forget else None,
        range=1.0 + weights.range * math.expm1(-signals.distance / _REACH) if weights.range else None,
    )


def proof_of(proofs: int | None) -> float:
    """n, from 0 to 1: 0.5 for one proof and for none that were counted."""
    return 0.5 if not proofs else _clamp(0.5 + math.log(proofs) / 10.0)


def _factor(weight: float, value: float) -> float:
    return 1.0 + weight * (value - 0.5)


def _freshness(then: datetime, now: datetime) -> float:
    return 1.0 / (1.0 + days_between(then, now))


def _fade(entry: Entry, age: float, proof: float, signals: Signals) -> float:
    importance = _clamp(
        0.25 * _clamp(signals.base)
        + 0.25 * signals.usefulness
        + 0.15 / (1.0 + age)
        + 0.20 * _TRUST[entry.trust]
        + 0.15 * proof
    )
    decay = math.log(2) / _HALF_LIFE * math.exp(-1.5 * importance)
    return 0.5 + 0.5 * math.exp(-decay * age ** _BETA[entry.decay_class])


def _clamp(value: float) -> float:
    return min(max(value, 0.0), 1.0)
