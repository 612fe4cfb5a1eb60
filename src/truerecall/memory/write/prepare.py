"""The write side's border: what a caller gives becomes drafts, and drafts become entries, once and here."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import lru_cache
from operator import attrgetter
from typing import Any, Literal, TypedDict

from truerecall.core.clock import aware
from truerecall.core.entry import (
    DecayClass,
    Draft,
    Entry,
    EventTime,
    Kind,
    ProfileTrait,
    Scope,
    Source,
    Statement,
    Trust,
    Visibility,
)
from truerecall.core.records import dataclass, replace
from truerecall.errors import InvalidInput
from truerecall.memory.conflict import Outcome
from truerecall.memory.write.border import normalise, strip_recalled
from truerecall.memory.write.mask import mask
from truerecall.memory.write.validate import FINE, judged, profile_refusal


class Message(TypedDict):
    """A chat message as model APIs have it; ``content`` may also be a list of ``{"type": "text", "text": …}``.

    A ``name`` beside these says who spoke; without one it is the role.
    """

    role: str
    content: str


class Details(TypedDict, total=False):
    """What may be said of texts and messages beside them; drafts say it themselves."""

    speaker: str | None
    """Who said it; for messages the default is their role."""
    session: str | None
    position: int | None
    """Place in the session; of several messages, the place of the first."""
    channel: str | None
    happened_at: EventTime | datetime | str | None
    kind: Kind
    decay_class: DecayClass
    trust: Trust | str
    visibility: Visibility
    source_ids: tuple[str, ...]
    valid_from: datetime | None
    valid_to: datetime | None
    pinned: bool
    statement: Statement | None
    trait: ProfileTrait | None


Rememberable = str | Message | Mapping[str, object] | Draft
"""One thing that can be remembered."""

_SOURCE_FIELDS = frozenset({"speaker", "session", "position", "channel"})
_SOURCE_NAMES = tuple(name for name in Source.__match_args__ if name != "position")
_names_of = attrgetter(*_SOURCE_NAMES)
_KNOWN = frozenset(Details.__annotations__)


@dataclass(frozen=True, slots=True)
class Accepted:
    """The entry of a draft."""

    entry: Entry
    remark: str
    """What its writer should know of it; empty for most."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A draft that is not stored, and why."""

    reason: str


def drafts_of(what: Rememberable | Iterable[Rememberable], details: Details) -> list[Draft]:
    """Drafts of one text, message or draft, or of many; ``InvalidInput`` for anything else."""
    unknown = sorted(set(details) - _KNOWN)
    if unknown:
        raise InvalidInput(f"unknown detail {unknown[0]!r}", remedy=f"Known: {', '.join(sorted(_KNOWN))}.")
    many = not isinstance(what, (str, Mapping, Draft))
    if many and not isinstance(what, Iterable):
        raise InvalidInput(
            f"{type(what).__name__} cannot be remembered",
            remedy="Give a text, a chat message, a Draft, or several.",
        )
    items: list[Any] = list(what) if many else [what]  # type: ignore[arg-type]
    return [_draft(item, details, place) for place, item in enumerate(items)]


def _draft(item: object, details: Details, place: int) -> Draft:
    if isinstance(item, Draft):
        if details:
            raise InvalidInput("a Draft says its own details", remedy="Put them into the Draft instead.")
        return item
    role: str | None = None
    if isinstance(item, Mapping):
        role, item = _message(item)
    if not isinstance(item, str):
        raise InvalidInput(
            f"{type(item).__name__} cannot be remembered", remedy="Give a text, a chat message or a Draft."
        )
    source: dict[str, Any] = {name: value for name, value in details.items() if name in _SOURCE_FIELDS}
    rest: dict[str, Any] = {name: value for name, value in details.items() if name not in _SOURCE_FIELDS}
    source.setdefault("speaker", role)
    if isinstance(source.get("position"), int):
        source["position"] += place
    elif source.get("session") is not None and role is not None:
        source["position"] = place
    happened = rest.get("happened_at")
    if isinstance(happened, str):
        rest["happened_at"] = EventTime.parse(happened)
    elif isinstance(happened, datetime):
        rest["happened_at"] = EventTime(aware(happened, "happened_at"))
    return Draft(text=item, source=Source(**source), **rest)


def _message(message: Mapping[str, object]) -> tuple[str, object]:
    role, content = message.get("role"), message.get("content")
    if not isinstance(role, str) or "content" not in message:
        raise InvalidInput(
            "a chat message needs 'role' and 'content'", remedy='Write {"role": "user", "content": "…"}.'
        )
    if isinstance(content, list):
        parts = [
            part.get("text") for part in content if isinstance(part, Mapping) and part.get("type") == "text"
        ]
        content = "\n".join(part for part in parts if isinstance(part, str))
    name = message.get("name")
    if name is not None and (not isinstance(name, str) or not name.strip()):
        raise InvalidInput(
            f"a chat message's name is {name!r}", remedy="Give the name of who spoke, or leave it out."
        )
    return name or role, content


def entry_of(
    draft: Draft,
    scope: Scope,
    entry_id: str,
    now: datetime,
    sources: Mapping[str, Entry],
    validate: bool = True,
) -> Accepted | Refusal:
    """The entry of a draft: its text cleaned at the border, secrets masked, trust and visibility bound.

    ``sources`` holds the draft's source entries, as far as the writer sees them. A derived entry gets the lowest trust
    of its sources and is private if one of them is, so that nothing is laundered or told on. With ``validate`` a
    derived text that gives orders is refused, or trusted as external at most (``write.validate``).
    """
    if draft.source_ids and (missing := [i for i in draft.source_ids if i not in sources]):
        return Refusal(f"its source {missing[0]} is not an entry that you can see")
    given = draft.text if draft.text.isascii() else normalise(draft.text).text
    text = strip_recalled(given)
    if not text.strip():
        return Refusal(
            "the text is empty" if not draft.text.strip() else "the text is nothing but recalled memory"
        )
    masked = mask(text)
    if draft.statement is not None and mask(draft.statement.predicate).count:
        return Refusal("its predicate holds a secret")
    trust, learned, private = draft.trust, draft.recorded_at or now, draft.visibility == "private"
    replayed, source_ids = draft.recorded_at is not None, draft.source_ids
    if source_ids:
        source_ids = tuple(dict.fromkeys(source_ids))
        origins = [sources[i] for i in source_ids]
        trust = min(trust, *(origin.trust for origin in origins))
        private = private or any(origin.visibility == "private" for origin in origins)
        # What is derived from replayed history belongs to its time, and to none before it was all there.
        replayed = replayed or any(origin.replayed for origin in origins)
        first = draft.recorded_at or (origins[0].recorded_at if replayed else now)
        learned = max(first, *(origin.recorded_at for origin in origins))
    verdict = judged(_told(masked.text, draft.statement), draft.kind) if validate else FINE
    if verdict.decision == "refused":
        return Refusal(verdict.reason)
    if verdict.decision == "lowered":
        trust = Trust.EXTERNAL
    if (refusal := profile_refusal(draft.kind, trust)) is not None:
        return Refusal(refusal)
    entry = Entry(  # by place, in half the time: 21 names have to be matched
        entry_id, scope, "private" if private else "shared", masked.text, draft.kind, draft.decay_class, trust,
        _clean(draft.source), source_ids, draft.happened_at, learned, replayed, draft.valid_from, draft.valid_to,
        draft.valid_to, draft.proof_count, draft.confidence, draft.pinned, masked.count,
        _masked(draft.statement), draft.trait,
    )  # fmt: skip
    stripped = len(given) - len(text)
    left_out = f"{stripped} characters of recalled memory were left out" if stripped else ""
    return Accepted(entry, "; ".join(remark for remark in (verdict.reason, left_out) if remark))


def _told(text: str, statement: Statement | None) -> str:
    """All that an entry tells: an order may stand in its statement."""
    if statement is None:
        return text
    return "\n".join((text, statement.subject, statement.predicate, statement.object))


def _masked(statement: Statement | None) -> Statement | None:
    """A statement without secrets, storable."""
    if statement is None:
        return None
    parts = (statement.subject, statement.predicate, statement.object)
    return Statement(*(mask(normalise(part).text).text for part in parts))


def _clean(source: Source) -> Source:
    """Names of a source, storable and without secrets in them."""
    given = _names_of(source)
    cleaned = _clean_names(given)
    if cleaned == given:
        return source
    changes: dict[str, Any] = dict(zip(_SOURCE_NAMES, cleaned, strict=True))
    return replace(source, **changes)


@lru_cache(maxsize=1024)  # few different ones stand in many entries
def _clean_names(names: tuple[str | None, ...]) -> tuple[str | None, ...]:
    return tuple(None if name is None else mask(normalise(name).text).text for name in names)


WriteStatus = Literal[
    "stored",
    "duplicate",  # a living entry has the same scope, session, position and text; `id` names it
    "refused",  # see `reason`; nothing was stored
    "pending vector",  # stored and found by its words; the embedder failed on it (see `reason`)
]


@dataclass(frozen=True, slots=True)
class WriteResult:
    """What became of one thing that was to be remembered."""

    status: WriteStatus
    id: str | None
    """The entry; None where it was refused."""
    reason: str = ""
    """Why it was refused, or has no vector, or not of all its pieces."""
    masked: int = 0
    """Secrets that were masked in its text."""
    outcome: Outcome | None = None
    """What became of its statement beside what was known; None where it has none."""
