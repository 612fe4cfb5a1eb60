"""Off is off: with its switch at the off value, each lane, factor and stage changes no byte of what recall gives.

One claim a switch, made from the fields of the settings.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from itertools import product
from typing import Any

from truerecall.bench.claims.breaking import Break, broken
from truerecall.bench.claims.claim import Arm, Claim, Value
from truerecall.bench.claims.grounds import Fixture
from truerecall.bench.claims.lived_in import LivedIn
from truerecall.core.config import REFERENCE, FactorWeights, LaneWeights, RecallSettings, Settings
from truerecall.memory.recall.recalled import Recall
from truerecall.memory.recall.score import NEUTRAL
from truerecall.memory.recall.trace import Trace

PARAMETERS = frozenset({"limit", "budget", "counter", "rrf_k", "length_weight", "time_window", "zone"})
"""Of the settings of recall those that switch nothing on or off: every other field is a switch, and has a claim."""

SHOWN = replace(REFERENCE, lanes=replace(REFERENCE.lanes, window=1.0, session=1.0))
"""The reference's settings with our own lanes on as well: whatever is switched, all else is there beside it."""

_TOO_LOW = frozenset({"min_score"})
"""Switches whose value in the reference moves nothing in so small a memory: nothing scores below a tenth there."""

_RUNNING, _PIPELINE = "memory.recall.lanes.running", "memory.recall.pipeline"


@dataclass(frozen=True, slots=True)
class Switch:
    """A setting with a value at which its mechanism is off."""

    group: str
    name: str
    off: float | bool
    on: float | bool
    """A bold value, so that the mechanism shows."""
    absent: Break
    """Takes the mechanism out of the code, as in a build that never had it."""

    @property
    def setting(self) -> str:
        """As docs/settings.md names it."""
        return f"{self.group}.{self.name}"

    def value(self, settings: Settings) -> float | bool:
        """Where it stands in these settings."""
        found: float | bool = getattr(getattr(settings, self.group), self.name)
        return found

    def at(self, value: float | bool, settings: Settings) -> Settings:
        """These settings with the switch there."""
        group = replace(getattr(settings, self.group), **{self.name: value})
        return replace(settings, **{self.group: group})


@dataclass(frozen=True, slots=True)
class Seen:
    """What a recall gave: two that are equal are equal byte for byte, as JSON and as a block."""

    block: str
    trace: Trace

    @property
    def scores(self) -> tuple[object, ...]:
        """Of the trace what the order goes by, and comes to."""
        return self.trace.scored, self.trace.hits, self.trace.dropped


_Stage = tuple[float | bool, float | bool, str, str, Callable[[Any], Any]]
_STAGES: Mapping[str, _Stage] = {
    "rerank": (0, 200, _PIPELINE, "_reranked", lambda original: lambda *given: (None, 0.0)),
    "pinned": (0, 3, "memory.store.view", "View.pinned", lambda original: lambda self, most: []),
    "synonyms": (False, True, "memory.recall.query", "expanded", lambda original: lambda terms: terms),
    "intent_boost": (1.0, 3.0, _RUNNING, "_BOOSTED", lambda original: {}),
    "diversity": (1.0, 0.3, _PIPELINE, "diversify", lambda original: lambda view, hits, *rest: (hits, None)),
    "min_score": (0.0, 0.3, _PIPELINE, "strong_enough", lambda original: lambda hits, least: (hits, [])),
}
"""By name: the off value, a bold value, and what takes its place in a build without it."""


def switches() -> Iterator[Switch]:
    """Every switch of the lanes, the factors and the stages of recall."""
    for field in fields(LaneWeights):
        yield Switch("lanes", field.name, 0.0, 1.0, _without_lane(field.name))
    for field in fields(FactorWeights):
        yield Switch("factors", field.name, 0.0, 1.0, _without_factor(field.name))
    for field in fields(RecallSettings):
        if field.name in _STAGES:
            off, on, module, attribute, instead = _STAGES[field.name]
            absent = Break(f"There is no {field.name}.", module, attribute, instead)
            yield Switch("recall", field.name, off, on, absent)


def _without_lane(name: str) -> Break:
    seeded = name in ("entity", "time", "cause", "graph")

    def instead(table: Mapping[str, Any]) -> dict[str, Any]:
        return {lane: run for lane, run in table.items() if lane != name}

    return Break(f"There is no {name} lane.", _RUNNING, "SEEDED" if seeded else "LANES", instead)


def _without_factor(name: str) -> Break:
    def instead(original: Callable[..., Any]) -> Callable[..., Any]:
        def factors(*given: Any, **named: Any) -> Any:
            return replace(original(*given, **named), **{name: getattr(NEUTRAL, name)})

        return factors

    return Break(f"There is no factor {name}.", _PIPELINE, "factors", instead)


def _claim(switch: Switch) -> Claim:
    """Off is as absent; on, and at the reference's value where that is on, it moves something."""
    at_reference = switch.value(REFERENCE)
    arms = [
        Arm("off", "identical", switch.at(switch.off, Settings()), switch.off),
        Arm("on", "moved", switch.at(switch.on, Settings()), switch.on),
    ]
    if at_reference != switch.off:
        shows = "identical" if switch.name in _TOO_LOW else "moved"
        arms.append(Arm("reference", shows, switch.at(at_reference, Settings()), at_reference))
    return Claim(
        name=f"off-{switch.group}-{switch.name}".replace("_", "-"),
        sentence=f"With {switch.setting} off, recall gives byte for byte what it gives without the mechanism.",
        measures="traces and blocks against a build without it",
        scenario=lambda settings, seed: _against_absent(switch, switch.value(settings), seed),
        arms=tuple(arms),
        breaks=(
            Break(
                "Off is taken for on.",
                "memory.memory",
                "recall",
                lambda original: _ignoring(switch, original),
            ),
        ),
        switch=switch.setting,
        seeds=(1, 2),
    )


def _against_absent(switch: Switch, value: float | bool, seed: int) -> Value:
    """Under the reference's settings and under the shipped ones, with all else as it is there."""
    identical = True
    memory = LivedIn(Fixture(seed), Settings())
    with memory.memory:
        for base, query in product((SHOWN, Settings()), memory.queries):
            there = _recalled(memory, switch.at(value, base), query)
            with broken(switch.absent):
                absent = _recalled(memory, switch.at(switch.off, base), query)
            identical &= there == absent
            if there.scores != absent.scores:
                return "moved"
    return "identical" if identical else "unmoved"


def _recalled(memory: LivedIn, settings: Settings, query: str) -> Seen:
    memory.memory.settings = settings
    return seen(memory.memory.recall(query))


def seen(recalled: Recall) -> Seen:
    """All that a recall gives, milliseconds apart."""
    trace = recalled.trace
    lanes = tuple(replace(lane, milliseconds=0.0) for lane in trace.lanes)
    rerank = None if trace.rerank is None else replace(trace.rerank, milliseconds=0.0)
    return Seen(recalled.text, replace(trace, lanes=lanes, rerank=rerank))


def _ignoring(switch: Switch, original: Callable[..., Recall]) -> Callable[..., Recall]:
    def recall(store: Any, scope: Any, request: Any, means: Any) -> Recall:
        if switch.value(means.settings) == switch.off:
            means = replace(means, settings=switch.at(switch.on, means.settings))
        return original(store, scope, request, means)

    return recall


CLAIMS = tuple(_claim(switch) for switch in switches())
