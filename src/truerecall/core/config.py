"""Settings: one record, one table of what may be set, read strictly from TOML.

Every lane and every factor of recall has one switch, its weight: 0 is off, and off is the same as absent.
docs/settings.md names the manifest that decided each default.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, tzinfo
from pathlib import Path
from typing import Any, get_type_hints

from truerecall.core.filling import filled
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
    entity: float = 0.0
    """Names that a text shares with the query and with the first hits."""
    time: float = 0.0
    """Nearness in time to what the query names, or else to the first hits."""
    cause: float = 0.0
    """Causes and effects of the first hits."""
    graph: float = 0.0
    """What current statements about the query's names, and about those of the first hits, lead to."""


@dataclass(frozen=True, slots=True)
class FactorWeights:
    """How far a factor may move a score; 0 switches it off."""

    recency: float = 0.0
    """R: how lately the memory learned it."""
    temporal: float = 0.0
    """T: how lately it happened."""
    proof: float = 0.0
    """P: how much speaks for it, and how surely."""
    trust: float = 0.0
    """Tr: how far it is trusted."""
    usefulness: float = 0.0
    """U: how often it was used after it had been recalled."""
    forget: float = 0.0
    """F: how far it has faded."""
    range: float = 0.5
    """How far an entry may sink that lies outside the time that the query names."""

    def __bool__(self) -> bool:
        """Whether any is on."""
        return self != NO_FACTORS


NO_FACTORS = FactorWeights(**{item.name: 0.0 for item in fields(FactorWeights)})
"""Every factor off."""


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
    synonyms: bool = False
    """Whether abbreviations such as "db" are searched for in full as well."""
    intent_boost: float = 1.0
    """What multiplies the time lane's weight where a query asks for a time, the entity lane's for a preference."""
    time_window: float = 7.0
    """Days after which nearness in time falls to 1/e, in the time lane."""
    diversity: float = 1.0
    """λ of maximal marginal relevance: below 1, a hit that is like one before it comes later; 1 switches it off."""
    min_score: float = 0.0
    """Hits with a lower score are dropped."""
    zone: str = "UTC"
    """The time zone, by its IANA name, in which a query's "yesterday" is a day."""


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """How the file is kept."""

    mode: int = 0o600
    """File mode of the store, its -wal and -shm; 0o660 shares it with the folder's group."""
    busy_timeout: float = 5.0
    """Seconds to wait for another writer."""
    most_chunks: int = 512
    """Pieces of one text that get a vector; what lies beyond is counted and found by the lexical lane only."""
    zone: str = "UTC"
    """The time zone, by its IANA name, of the days that texts name; kept when the store is made, and then fixed."""


@dataclass(frozen=True, slots=True)
class WriteSettings:
    """What is done with a text on its way in."""

    extract: bool = True
    """Whether names, dates and statements are taken out of texts, by rules; the newer lanes live on them."""
    validate: bool = True
    """Whether a derived text that gives orders is refused, or trusted as external at most."""


@dataclass(frozen=True, slots=True)
class ChatSettings:
    """The chat model of ``ask`` and ``reflect``; without one, both are off."""

    model: str = ""
    """``provider:model``, such as ``openai:gpt-4.1`` or ``gguf:FILE``; empty for none."""
    base_url: str = ""
    """Where a server listens that speaks the provider's API; empty for the provider's own."""
    key_variable: str = "OPENAI_API_KEY"
    """The environment variable that holds the key (of a model of Anthropic, ANTHROPIC_API_KEY in place of the default);
    the key itself never stands in settings."""
    timeout: float = 60.0
    """Seconds that a reply may take."""
    max_tokens: int = 1024
    """Tokens of a reply, at most."""
    ask: bool = False
    """Whether ``ask`` is switched on."""
    reflect: bool = False
    """Whether ``reflect`` is switched on."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set."""

    recall: RecallSettings = field(default_factory=RecallSettings)
    lanes: LaneWeights = field(default_factory=LaneWeights)
    factors: FactorWeights = field(default_factory=FactorWeights)
    write: WriteSettings = field(default_factory=WriteSettings)
    chat: ChatSettings = field(default_factory=ChatSettings)
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
    settings: Settings = filled(Settings(), data, where)
    return settings


def _check(settings: Settings) -> None:
    records = tuple(getattr(settings, item.name) for item in fields(settings))
    for record in records:
        _check_types(record)
    for weights in (settings.lanes, settings.factors):
        for item in fields(weights):
            value = getattr(weights, item.name)
            if value < 0 or (weights is settings.factors and value > 2):
                _refuse(item.name, value, "a weight from 0 (a factor's: to 2)")
    recall, store, chat = settings.recall, settings.store, settings.chat
    for name, number, least in (
        ("limit", recall.limit, 1),
        ("budget", recall.budget, 1),
        ("rrf_k", recall.rrf_k, 1),
        ("pinned", recall.pinned, 0),
        ("rerank", recall.rerank, 0),
        ("most_chunks", store.most_chunks, 1),
        ("max_tokens", chat.max_tokens, 1),
    ):
        if number < least:
            _refuse(name, number, f"a whole number from {least}")
    for name, part in (
        ("length_weight", recall.length_weight),
        ("diversity", recall.diversity),
        ("range", settings.factors.range),
    ):
        if not 0.0 <= part <= 1.0:
            _refuse(name, part, "a number from 0 to 1")
    for name, part in (("min_score", recall.min_score), ("intent_boost", recall.intent_boost)):
        if part < 0.0:
            _refuse(name, part, "a number from 0")
    if recall.time_window <= 0.0:
        _refuse("time_window", recall.time_window, "days, more than 0")
    for name, part in (("busy_timeout", store.busy_timeout), ("timeout", chat.timeout)):
        if not 0.0 < part < 3600.0:
            _refuse(name, part, "seconds, more than 0")
    if not 0 <= store.mode <= 0o777 or store.mode & 0o600 != 0o600:
        _refuse(
            "mode", oct(store.mode), "a file mode such as 0o600 or 0o660 that lets the owner read and write"
        )
    for name in (recall.zone, store.zone):
        zone_of(name)


def _check_types(record: Any) -> None:
    for name, kind in get_type_hints(type(record)).items():
        value = getattr(record, name)
        if type(value) is not kind and not (kind is float and type(value) is int):
            _refuse(name, value, f"a {kind.__name__}")
        if kind is float and not math.isfinite(value):
            _refuse(name, value, "a finite number")


def _refuse(name: str, value: object, want: str) -> None:
    raise InvalidSettings(f"{name} is {value!r}", where=name, remedy=f"Give {want}.")


def zone_of(name: str) -> tzinfo:
    """The time zone of an IANA name; ``InvalidSettings`` where this machine knows none of that name."""
    if name == "UTC":
        return UTC
    from zoneinfo import ZoneInfo  # on first use: most users stay with UTC

    try:
        return ZoneInfo(name)
    except (OSError, ValueError, LookupError):
        raise InvalidSettings(
            f"{name!r} is no time zone that this machine knows",
            where="zone",
            remedy="Give a name such as Europe/Berlin.",
        ) from None


REFERENCE = Settings(
    recall=RecallSettings(rerank=0, intent_boost=1.5, min_score=0.1, synonyms=True),
    lanes=LaneWeights(
        lexical=1.0, window=0.0, session=0.0, vector=1.5, entity=1.0, time=1.0, cause=1.0, graph=1.0
    ),
    factors=FactorWeights(
        recency=0.2, temporal=0.2, proof=0.1, trust=0.1, usefulness=0.1, forget=0.1, range=0.0
    ),
)
"""The weights of the reference system, for comparisons."""
