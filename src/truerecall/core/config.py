"""Settings: one record, one table of what may be set, read strictly from TOML.

Every lane and every factor of recall has one switch, its weight: 0 is off, and off is the same as absent.
docs/settings.md names the manifest that decided each default.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, get_type_hints

from truerecall.errors import InvalidSettings


@dataclass(frozen=True, slots=True)
class LaneWeights:
    """What a lane's rank counts for in the fusion; 0 switches the lane off."""

    lexical: float = 1.0
    """Words that a text shares with the query."""
    window: float = 1.0
    """Words that a text or the two beside it in its session share with the query."""
    session: float = 0.5
    """Words that its whole session shares with the query."""
    vector: float = 0.5
    """Nearness in meaning, where an embedder is open."""


@dataclass(frozen=True, slots=True)
class FactorWeights:
    """How far a factor may move a score; 0 switches it off."""

    recency: float = 0.0
    """R: how lately the memory learned it."""
    temporal: float = 0.0
    """T: how lately it happened."""
    trust: float = 0.0
    """Tr: how far it is trusted."""


@dataclass(frozen=True, slots=True)
class RecallSettings:
    """How recall works."""

    limit: int = 10
    """Hits returned."""
    budget: int = 2000
    """Tokens of the packed block."""
    counter: str = "bound-1"
    """The token counter that the budget is measured with."""
    rrf_k: int = 60
    """The constant of reciprocal rank fusion."""
    length_weight: float = 0.2
    """BM25's b: how far a longer text counts for less."""
    rerank: int = 200
    """How many of the fused first are weighed against each other by all of the evidence; 0 leaves the fused order."""
    pinned: int = 3
    """Pinned entries kept at the head, at most."""


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """How the file is kept."""

    mode: int = 0o600
    """File mode of the store, its -wal and -shm; 0o660 shares it with the folder's group."""
    busy_timeout: float = 5.0
    """Seconds to wait for another writer."""
    most_chunks: int = 512
    """Pieces of one text that get a vector; what lies beyond is counted and found by the lexical lane only."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set."""

    recall: RecallSettings = field(default_factory=RecallSettings)
    lanes: LaneWeights = field(default_factory=LaneWeights)
    factors: FactorWeights = field(default_factory=FactorWeights)
    store: StoreSettings = field(default_factory=StoreSettings)

    def __post_init__(self) -> None:
        _check(self)


def load_settings(path: Path) -> Settings:
    """The settings of a TOML file; ``InvalidSettings`` for an unknown key, a wrong type or an impossible value."""
    import tomllib  # on first use, as difflib: most processes read no settings

    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidSettings(
            f"the settings cannot be read: {error.strerror}",
            where=str(path),
            remedy="Name a readable TOML file.",
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidSettings(
            f"the settings are not TOML: {error}", where=str(path), remedy="Mend the line that it names."
        ) from None
    return parse_settings(data, str(path))


def parse_settings(data: Mapping[str, Any], where: str = "settings") -> Settings:
    """The settings of a parsed TOML document; what it does not name keeps its default."""
    settings: Settings = _fill(Settings(), data, where)
    return settings


def _fill(record: Any, data: Mapping[str, Any], where: str) -> Any:
    known = {f.name for f in fields(record)}
    changes: dict[str, Any] = {}
    for key, value in data.items():
        place = f"{where}: {key}"
        if key not in known:
            from difflib import get_close_matches

            near = get_close_matches(key, known, n=1)
            hint = f"Did you mean {near[0]}? " if near else ""
            raise InvalidSettings(
                "unknown setting", where=place, remedy=f"{hint}Known here: {', '.join(sorted(known))}."
            )
        current = getattr(record, key)
        if is_dataclass(current):
            if not isinstance(value, Mapping):
                raise InvalidSettings("this is a table", where=place, remedy=f"Write it as [{key}].")
            changes[key] = _fill(current, value, place)
        else:
            changes[key] = _typed(value, get_type_hints(type(record))[key], place)
    return replace(record, **changes)


def _typed(value: object, kind: type, place: str) -> object:
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if type(value) is not kind:
        raise InvalidSettings(
            f"{value!r} is {type(value).__name__}, not {kind.__name__}",
            where=place,
            remedy=f"Give a {kind.__name__}.",
        )
    return value


def _check(settings: Settings) -> None:
    def refuse(name: str, value: object, want: str) -> None:
        raise InvalidSettings(f"{name} is {value!r}", where=name, remedy=f"Give {want}.")

    for record in (settings.recall, settings.lanes, settings.factors, settings.store):
        for name, kind in get_type_hints(type(record)).items():
            value = getattr(record, name)
            if type(value) is not kind and not (kind is float and type(value) is int):
                refuse(name, value, f"a {kind.__name__}")
            if kind is float and not math.isfinite(value):
                refuse(name, value, "a finite number")
    for weights in (settings.lanes, settings.factors):
        for item in fields(weights):
            value = getattr(weights, item.name)
            if value < 0 or (weights is settings.factors and value > 2):
                refuse(item.name, value, "a weight from 0 (a factor's: to 2)")
    recall, store = settings.recall, settings.store
    for name, value, least in (
        ("limit", recall.limit, 1),
        ("budget", recall.budget, 1),
        ("rrf_k", recall.rrf_k, 1),
        ("pinned", recall.pinned, 0),
        ("rerank", recall.rerank, 0),
        ("most_chunks", store.most_chunks, 1),
    ):
        if value < least:
            refuse(name, value, f"a whole number from {least}")
    if not 0.0 <= recall.length_weight <= 1.0:
        refuse("length_weight", recall.length_weight, "a number from 0 to 1")
    if not 0.0 < store.busy_timeout < 3600.0:
        refuse("busy_timeout", store.busy_timeout, "seconds, more than 0")
    if not 0 <= store.mode <= 0o777 or store.mode & 0o600 != 0o600:
        refuse(
            "mode", oct(store.mode), "a file mode such as 0o600 or 0o660 that lets the owner read and write"
        )


REFERENCE = Settings(
    recall=RecallSettings(rerank=0),
    lanes=LaneWeights(lexical=1.0, window=0.0, session=0.0, vector=1.5),
    factors=FactorWeights(recency=0.2, temporal=0.2, trust=0.1),
)
"""The weights of the reference system, as far as its lanes and factors are built; for comparisons."""
