"""The switches of recall, each flipped: what is on goes off, what is off goes to the reference system's value."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

from truerecall.bench.systems.protocol import Setting, System
from truerecall.bench.systems.truerecall import Truerecall
from truerecall.core.config import REFERENCE, FactorWeights, LaneWeights, Settings
from truerecall.errors import InvalidInput

_OFF: dict[str, Setting] = {
    **{f"lanes.{item.name}": 0.0 for item in fields(LaneWeights)},
    **{f"factors.{item.name}": 0.0 for item in fields(FactorWeights)},
    "recall.rerank": 0,
    "recall.synonyms": False,
    "recall.intent_boost": 1.0,
    "recall.diversity": 1.0,
    "recall.min_score": 0.0,
}
_ON: dict[str, Setting] = {"recall.diversity": 0.7}
"""Where both the reference system and ours have the switch off: a value that does something."""
_NEEDS_A_MODEL = frozenset({"lanes.vector"})

SWITCHES = tuple(_OFF)
"""Every lane, factor and stage that can be switched off, by its name among the settings."""


@dataclass(frozen=True, slots=True)
class Flip:
    """One switch, flipped."""

    switch: str
    """As docs/settings.md names it."""
    shipped: Setting
    value: Setting
    """Off where it is on; where it is off, the reference system's value, or else the one that ships."""
    settings: Settings
    """The settings with the switch flipped and all else as given."""

    @property
    def name(self) -> str:
        """How an arm with it is called: ``lanes.graph=1``."""
        return (
            f"{self.switch}={self.value:g}"
            if isinstance(self.value, float)
            else f"{self.switch}={self.value}"
        )


def flips(
    settings: Settings, names: Sequence[str] = SWITCHES, *, with_model: bool = True
) -> tuple[Flip, ...]:
    """These switches, each flipped alone.

    Args:
        settings: What is held against them.
        names: Of the switches.
        with_model: Whether an embedder is open; without one, the lane that needs it has nothing to switch.

    Raises:
        InvalidInput: a name that no switch has.
    """
    made = []
    for name in names:
        if name not in _OFF:
            raise InvalidInput(f"there is no switch {name!r}", remedy=f"Use one of: {', '.join(SWITCHES)}.")
        if name in _NEEDS_A_MODEL and not with_model:
            continue
        group, own = name.split(".")
        current = getattr(getattr(settings, group), own)
        value = _flipped(name, current)
        if value != current:
            changed = replace(getattr(settings, group), **{own: value})
            made.append(Flip(name, current, value, replace(settings, **{group: changed})))
    return tuple(made)


def with_flips(systems: Sequence[System]) -> tuple[list[System], str]:
    """The systems with a memory for each flip of the one truerecall among them behind it, and that one's name.

    Raises:
        InvalidInput: there is no truerecall among them, or more than one.
    """
    ours = [system for system in systems if isinstance(system, Truerecall)]
    if len(ours) != 1:
        raise InvalidInput(
            f"{len(ours) or 'none'} of the systems is a truerecall whose switches could be flipped",
            where="--ablate",
            remedy="Name exactly one: --system truerecall.",
        )
    (base,) = ours
    flipped = [
        Truerecall(base.embedder, flip.settings, f"{base.name} {flip.name}", base.folds)
        for flip in flips(base.settings, with_model=base.embedder is not None)
    ]
    place = systems.index(base) + 1
    return [*systems[:place], *flipped, *systems[place:]], base.name


def _flipped(name: str, current: Setting) -> Setting:
    if current != _OFF[name]:
        return _OFF[name]
    group, own = name.split(".")
    reference: Setting = getattr(getattr(REFERENCE, group), own)
    shipped: Setting = getattr(getattr(Settings(), group), own)
    return reference if reference != _OFF[name] else _ON.get(name, shipped)
