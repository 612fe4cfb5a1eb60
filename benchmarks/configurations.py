"""The rows of switches.py: each lane, factor and stage at a few values, and what each row is held against."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from truerecall.bench.systems.protocol import Setting
from truerecall.core.config import REFERENCE, Settings, parse_settings

VALUES: dict[str, tuple[Setting, ...]] = {
    "lanes.entity": (0.25,),
    "lanes.time": (0.25,),
    "lanes.cause": (0.25,),
    "lanes.graph": (0.25,),
    "factors.recency": (0.02, 0.05),
    "factors.temporal": (0.02, 0.05),
    "factors.proof": (0.5,),
    "factors.trust": (0.5,),
    "factors.usefulness": (0.5,),
    "factors.forget": (0.02, 0.5),
    "factors.range": (0.1, 0.3, 0.5, 1.0),
    "recall.intent_boost": (3.0,),
    "recall.synonyms": (),
    "recall.diversity": (0.9, 0.7, 0.5),
    "recall.min_score": (0.3, 0.5),
}
"""Each switch with values to look at beside the reference's."""
OFF: Mapping[str, Setting] = {
    "recall.intent_boost": 1.0,
    "recall.synonyms": False,
    "recall.diversity": 1.0,
}
"""What off is, where it is not 0."""
TOGETHER = "all of them"
FUSED: Mapping[str, Setting] = {"recall.rerank": 0}


@dataclass(frozen=True, slots=True)
class Configuration:
    """A row: a switch at a value, and what it is held against."""

    switch: str
    changes: Mapping[str, Setting]
    base: Mapping[str, Setting] = field(default_factory=dict)
    """What differs there from what is shipped."""

    @property
    def settings(self) -> Mapping[str, Setting]:
        """What differs in the row from what is shipped."""
        return {**self.base, **self.changes}


def setting(settings: Settings, name: str) -> Setting:
    """The value of a setting by its name in docs/settings.md."""
    group, own = name.split(".")
    value: Setting = getattr(getattr(settings, group), own)
    return value


def changed(changes: Mapping[str, Setting]) -> Settings:
    """The shipped settings but for these."""
    groups: dict[str, dict[str, Setting]] = {}
    for name, value in changes.items():
        group, own = name.split(".")
        groups.setdefault(group, {})[own] = value
    return parse_settings(groups)


def configurations() -> list[Configuration]:
    """Every row, those of one switch and base together; a switch that ships on is held against itself switched off."""
    reference = {name: setting(REFERENCE, name) for name in VALUES}
    shipped = {name: setting(Settings(), name) for name in VALUES}
    rows = []
    for name, others in VALUES.items():
        off = OFF.get(name, 0.0)
        base = {} if shipped[name] == off else {name: off}
        looked_at = [
            value for value in dict.fromkeys([*others, reference[name], shipped[name]]) if value != off
        ]
        rows += [Configuration(name, {name: value}, base) for value in looked_at]
    lanes = {name: value for name, value in reference.items() if name.startswith("lanes.")}
    rows.append(Configuration(TOGETHER, {n: v for n, v in reference.items() if v != shipped[n]}))
    rows += [Configuration(name, {name: value}, FUSED) for name, value in lanes.items()]
    boost = "recall.intent_boost"
    boosted = {name: lanes[name] for name in ("lanes.entity", "lanes.time")}
    rows.append(Configuration(boost, {boost: reference[boost]}, boosted))
    timed = {"lanes.time": lanes["lanes.time"]}
    return rows + [
        Configuration("recall.time_window", {"recall.time_window": days}, timed) for days in (1.0, 30.0)
    ]
