"""The records of the memory: what is remembered, for whom, how far it is trusted, and when it happened."""

from datetime import UTC, datetime, timedelta
from enum import IntEnum
from typing import Literal, get_args

from truerecall.core.clock import aware, parse_instant
from truerecall.core.ids import id_bytes, id_text
from truerecall.core.records import dataclass, field
from truerecall.errors import InvalidInput, InvalidScope, InvalidTime

Kind = Literal[
    "turn",  # one message of a conversation, verbatim
    "document",  # a longer text kept whole
    "fact",  # derived: a statement taken from a source
    "observation",  # derived: a generalisation over several entries
    "profile",  # derived: a lasting trait of the user
]
DecayClass = Literal["working", "episodic", "semantic", "procedural"]
Visibility = Literal[
    "shared",  # seen by every user of the space
    "private",  # seen by its author only
]
Precision = Literal["year", "month", "day", "instant"]
ProfileTrait = Literal[
    "identity",  # who the user is
    "preference",  # what the user likes to have
    "relationship",  # whom the user has to do with
    "instruction",  # how the user wants to be served
]
DERIVED: tuple[Kind, ...] = ("fact", "observation", "profile")
"""The kinds that were made out of others: only these can be refused for what they say."""

_LONGEST_NAME = 512


class Trust(IntEnum):
    """How far an entry is trusted: bound at write, never raised."""

    EXTERNAL = 0
    """Came from outside: a web page, a tool's output, a stranger."""
    LEARNED = 1
    """Said by the user or worked out from what was said."""
    SYSTEM = 2
    """Set down by the operator."""

    @classmethod
    def parse(cls, name: "str | Trust") -> "Trust":
        """``system``, ``learned`` or ``external``."""
        if isinstance(name, Trust):
            return name
        try:
            return cls[name.upper()]
        except (KeyError, AttributeError):
            raise InvalidInput(
                f"{name!r} is not a trust tier", remedy="Use system, learned or external."
            ) from None

    @property
    def label(self) -> str:
        """The name in lower case, as it is written in files and blocks."""
        return self.name.lower()


DEFAULT_TRUST: frozenset[Trust] = frozenset({Trust.SYSTEM, Trust.LEARNED})
"""The tiers that a recall returns unless it is told otherwise."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Who remembers and who reads: a reader sees the space's shared entries and its own private ones."""

    tenant: str
    """A team or a customer."""
    space: str
    """What the memory belongs to: an agent's name, a repository."""
    user: str
    """Who writes and who reads."""

    def __post_init__(self) -> None:
        for name in ("tenant", "space", "user"):
            _check_name(name, getattr(self, name))


def _check_name(name: str, value: object) -> None:
    if not isinstance(value, str):
        problem = f"{name} is {type(value).__name__}, not a string"
    elif not value.strip():
        problem = f"{name} is empty"
    elif "*" in value or not value.strip("%?_ "):
        problem = f"{name} {value!r} is a wildcard"
    elif len(value) > _LONGEST_NAME:
        problem = f"{name} has {len(value)} characters, more than {_LONGEST_NAME}"
    elif any(ord(c) < 32 or ord(c) == 127 or 0xD800 <= ord(c) < 0xE000 for c in value):
        problem = f"{name} holds a control character or half of a surrogate pair"
    else:
        return
    raise InvalidScope(
        problem,
        where=name,
        remedy=f"Name one {name}, such as 'ada'; there is no value that means all of them.",
    )


@dataclass(frozen=True, slots=True)
class EventTime:
    """When something happened, no more precisely than it is known: a year alone is not the first of January."""

    instant: datetime
    """The beginning of the interval, in UTC."""
    precision: Precision = "instant"

    def __post_init__(self) -> None:
        _check_choice("precision", self.precision, get_args(Precision))
        value = aware(self.instant, "happened_at")
        if self.precision != "instant":
            # The day, month or year of the calendar where it was said, written in UTC.
            value = self.instant.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=UTC)
        if self.precision in ("year", "month"):
            value = value.replace(day=1)
        if self.precision == "year":
            value = value.replace(month=1)
        object.__setattr__(self, "instant", value)

    @classmethod
    def parse(cls, text: str) -> "EventTime":
        """``2023``, ``2023-05``, ``2023-05-08`` (days of UTC) or an instant with its zone."""
        if not isinstance(text, str):
            raise InvalidTime(f"a time is {type(text).__name__}", remedy="Give a text such as '2023-05-08'.")
        for shape, precision in (("%Y", "year"), ("%Y-%m", "month"), ("%Y-%m-%d", "day")):
            try:
                value = datetime.strptime(text, shape).replace(tzinfo=UTC)
            except ValueError:
                continue
            return cls(value, precision)  # type: ignore[arg-type]  # the literals of the table above
        return cls(parse_instant(text, "happened_at"))

    @property
    def end(self) -> datetime:
        """The end of the interval, not part of it; the instant itself where the precision is ``instant``."""
        start = self.instant
        try:
            match self.precision:
                case "instant":
                    return start
                case "day":
                    return start + timedelta(days=1)
                case "month":
                    return start.replace(year=start.year + start.month // 12, month=start.month % 12 + 1)
                case "year":
                    return start.replace(year=start.year + 1)
        except (ValueError, OverflowError):  # the end of the year 9999
            return datetime.max.replace(tzinfo=UTC)

    def __str__(self) -> str:
        match self.precision:
            case "year":
                return f"{self.instant:%Y}".zfill(4)
            case "month":
                return f"{self.instant.year:04}-{self.instant:%m}"
            case "day":
                return self.instant.date().isoformat()
            case "instant":
                return self.instant.isoformat().replace("+00:00", "Z")


@dataclass(frozen=True, slots=True)
class Source:
    """Where an entry came from. Provenance, never scope: it decides nothing about who may read."""

    speaker: str | None = None
    """Who said it; part of what the text index and the embedder see."""
    channel: str | None = None
    """By which way it came: chat, mail, a file."""
    session: str | None = None
    """The conversation it belongs to."""
    position: int | None = None
    """Its place in that conversation, from 0."""
    tool: str | None = None
    """The coding agent that wrote it."""
    repository: str | None = None
    commit: str | None = None
    branch: str | None = None
    cwd: str | None = None

    def __post_init__(self) -> None:
        for name in ("speaker", "channel", "session", "tool", "repository", "commit", "branch", "cwd"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, str):
                raise InvalidInput(
                    f"source {name} is {type(value).__name__}", remedy="Give a string or None."
                )
        position = self.position
        if position is not None and not _whole(position, 0):
            raise InvalidInput(f"source position is {position!r}", remedy="Give a whole number from 0.")


@dataclass(frozen=True, slots=True)
class Statement:
    """What a derived entry says, as subject, predicate and object: ``("Mara", "lives_in", "Lisbon")``."""

    subject: str
    predicate: str
    """A word or several joined by ``_``; ``memory.predicates`` knows which hold one value at a time."""
    object: str

    def __post_init__(self) -> None:
        for name in ("subject", "predicate", "object"):
            value = getattr(self, name)
            if not isinstance(value, str) or not value.strip():
                raise InvalidInput(
                    f"a statement's {name} is {value!r}", remedy="Give a string that says one."
                )


@dataclass(frozen=True, slots=True)
class Draft:
    """What is to be remembered: an entry before the memory has given it an id and a time."""

    text: str
    kind: Kind = "turn"
    decay_class: DecayClass = "episodic"
    trust: Trust = Trust.LEARNED
    visibility: Visibility = "shared"
    source: Source = field(default_factory=Source)
    source_ids: tuple[str, ...] = ()
    """The entries it was derived from; its trust becomes at most the lowest of theirs."""
    happened_at: EventTime | None = None
    recorded_at: datetime | None = None
    """Only when history is replayed: when the memory would have learned it. The entry is then ``replayed``."""
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    """Validity is half-open: true from ``valid_from`` on, no longer true at ``valid_to``."""
    proof_count: int | None = None
    """Observations only: how many entries speak for it."""
    confidence: float | None = None
    """Observations only: 0 to 1."""
    pinned: bool = False
    """Kept at the head of recall."""
    statement: Statement | None = None
    """Derived kinds only: what the text says; it is weighed against what is known of its subject."""
    trait: ProfileTrait | None = None
    """Profiles only: what kind of trait it is."""

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise InvalidInput(f"a text is {type(self.text).__name__}, not a string", remedy="Give a string.")
        if not isinstance(self.pinned, bool):
            raise InvalidInput(f"pinned is {self.pinned!r}", remedy="Give True or False.")
        _check_choice("kind", self.kind, get_args(Kind))
        _check_choice("decay_class", self.decay_class, get_args(DecayClass))
        _check_choice("visibility", self.visibility, get_args(Visibility))
        object.__setattr__(self, "trust", Trust.parse(self.trust))
        object.__setattr__(self, "source_ids", tuple(id_text(id_bytes(i)) for i in self.source_ids))
        for name in ("recorded_at", "valid_from", "valid_to"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, aware(value, name))
        if self.happened_at is not None and not isinstance(self.happened_at, EventTime):
            raise InvalidTime(
                f"happened_at is {type(self.happened_at).__name__}",
                remedy="Give EventTime(...) or EventTime.parse(...).",
            )
        if self.valid_from is not None and self.valid_to is not None and self.valid_to <= self.valid_from:
            raise InvalidTime(
                "valid_to is not after valid_from", remedy="Give an interval that is not empty."
            )
        if self.kind != "observation" and (self.proof_count is not None or self.confidence is not None):
            raise InvalidInput(
                f"a {self.kind} has no proof_count or confidence", remedy="Set them on observations only."
            )
        count = self.proof_count
        if count is not None and not _whole(count, 1):
            raise InvalidInput(f"proof_count is {count!r}", remedy="Give a whole number from 1.")
        _check_derived(self)
        sure = self.confidence
        if sure is not None and (
            isinstance(sure, bool) or not isinstance(sure, int | float) or not 0 <= sure <= 1
        ):
            raise InvalidInput(f"confidence is {self.confidence!r}", remedy="Give a number from 0 to 1.")


def _check_derived(draft: Draft) -> None:
    """What only some kinds of entry have."""
    if draft.statement is not None:
        if not isinstance(draft.statement, Statement):
            raise InvalidInput(
                f"a statement is {type(draft.statement).__name__}", remedy="Give Statement(...) or None."
            )
        if draft.kind not in DERIVED:
            raise InvalidInput(
                f"a {draft.kind} has no statement of its own", remedy=f"Only {', '.join(DERIVED)} have one."
            )
    if draft.trait is not None:
        _check_choice("trait", draft.trait, get_args(ProfileTrait))
        if draft.kind != "profile":
            raise InvalidInput(f"a {draft.kind} has no trait", remedy="Only a profile has one.")


@dataclass(frozen=True, slots=True)
class Entry:
    """One remembered thing, as the store holds it."""

    id: str
    """A UUIDv7 of the memory's own."""
    scope: Scope
    """Tenant, space and the user who wrote it."""
    visibility: Visibility
    text: str
    """Verbatim, but for masked secrets."""
    kind: Kind
    decay_class: DecayClass
    trust: Trust
    source: Source
    source_ids: tuple[str, ...]
    happened_at: EventTime | None
    recorded_at: datetime
    """When the memory learned it."""
    replayed: bool
    """Whether ``recorded_at`` was given with imported history and not read from the clock."""
    valid_from: datetime | None
    valid_to: datetime | None
    """As given at write; a later ``superseded`` or ``retired`` shows in ``ended_at``."""
    ended_at: datetime | None
    """From when on it is no longer recalled: the earliest of ``valid_to`` and the events that closed it."""
    proof_count: int | None
    confidence: float | None
    pinned: bool
    masked: int
    """How many secrets were masked in its text."""
    statement: Statement | None = None
    """What it says, where it is a derived entry that says one thing."""
    trait: ProfileTrait | None = None
    """Of a profile."""


EventKind = Literal[
    "superseded",  # ended: another entry took its place (`other`)
    "retired",  # ended: forgotten
    "closed",  # ended as soon as it came: recorded, but what `other` says is believed
    "proof",  # `other` says the same
    "used",  # it was recalled, and went into the answer; `detail` is the intent of the query
    "ignored",  # it was recalled, and did not; `detail` likewise
    "failed",  # it was used, and the outcome was bad; `detail` likewise
    "caused_by",  # `other` is a cause of it; `detail` is how surely, from 0 to 1
    "causes",  # `other` is an effect of it; `detail` likewise
]
ENDING: tuple[EventKind, ...] = ("superseded", "retired", "closed")
"""The kinds after which an entry is no longer recalled."""
LINKS: tuple[EventKind, ...] = ("caused_by", "causes")
"""The kinds that link an entry to a cause or an effect of it."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to an entry after it was recorded; current values are derived from these."""

    id: str
    at: datetime
    """When the memory learned of it."""
    kind: EventKind
    entry_id: str
    other_id: str | None = None
    """The other entry, where there is one; None too once that was purged."""
    effective: datetime | None = None
    """From when an ending counts in what was valid then; by default from ``at``."""
    detail: str = ""
    """See ``EventKind``; of endings, why."""


def _whole(value: object, least: int) -> bool:
    """Whether it is a whole number that a store can hold."""
    return isinstance(value, int) and not isinstance(value, bool) and least <= value < 2**63


def _check_choice(name: str, value: object, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise InvalidInput(
            f"{value!r} is not a {name}", where=name, remedy=f"Use one of: {', '.join(allowed)}."
        )
