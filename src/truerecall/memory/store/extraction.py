"""What the rules take out of an entry, and when that happened: derived from the entry alone."""

from datetime import UTC, datetime, tzinfo

from truerecall.core.clock import to_micros
from truerecall.core.entry import DERIVED, Entry, Statement
from truerecall.core.records import dataclass
from truerecall.memory.dates.span import Span
from truerecall.memory.extract.records import Extracted, Named, Rules, Said

_NOTHING = Extracted()


@dataclass(frozen=True, slots=True)
class Dated:
    """A statement, with when it began to hold."""

    said: Said
    event_from: int | None
    """Microseconds; None where no time is known."""
    event_to: int | None
    """The end of the interval that it began in, not part of it."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """What belongs to one entry."""

    entities: tuple[Named, ...]
    aliases: tuple[tuple[str, str], ...]
    statements: tuple[Dated, ...]
    event_from: int | None
    """Microseconds: when what it tells of began; None where no time is known."""
    event_to: int | None
    """Its end, not part of it."""
    starts: int | None
    """Microseconds: from when on it is valid; None where it always was."""


def drawn_from(entry: Entry, rules: Rules) -> Drawn:
    """What the rules find in an entry, with its own statement."""
    starts = None if entry.valid_from is None else to_micros(entry.valid_from)
    if not rules.on and entry.statement is None:
        return Drawn((), (), (), *_when(entry, None), starts)
    # On first use: a process that only recalls needs no rules.
    from truerecall.memory.extract.names import key_of
    from truerecall.memory.extract.rules import extract

    found = _NOTHING
    if rules.on:
        found = extract(entry.text, _speaker(entry), _told_at(entry, rules.zone), rules.zone)
    entities, statements = found.entities, found.statements
    if _is_user(entry):  # whom nearly each turn would name
        entities = tuple(entity for entity in entities if entity.key != key_of(entry.scope.user))
    if entry.kind in DERIVED:  # what it says is its statement, and nothing is guessed beside it
        statements = _own(entry.statement, found.span)
        known = {entity.key for entity in entities}
        entities += tuple(said.subject for said in statements if said.subject.key not in known)
    dated = tuple(Dated(said, *_event_interval(entry, said.span)) for said in statements)
    if starts is None and entry.statement is not None and dated:
        starts = dated[0].event_from
    return Drawn(entities, found.aliases, dated, *_when(entry, found.span), starts)


def _when(entry: Entry, span: Span | None) -> tuple[int | None, int | None]:
    """When what it tells of happened; of what nobody dated, when it was said: as it was recorded, unless replayed."""
    event = _event_interval(entry, span)
    if event == (None, None) and not entry.replayed:
        said = to_micros(entry.recorded_at)
        return said, said + 1
    return event


_ROLES = frozenset({"assistant", "system", "tool", "function", "developer", "ai", "bot"})


def _speaker(entry: Entry) -> str | None:
    """Who "I" is in it: the role of a user is the one who writes, and that of a machine is nobody."""
    if _is_user(entry):
        return entry.scope.user
    return None if (entry.source.speaker or "").casefold() in _ROLES else entry.source.speaker


def _is_user(entry: Entry) -> bool:
    return (entry.source.speaker or "").casefold() in ("user", "human")


def _own(says: Statement | None, span: Span | None) -> tuple[Said, ...]:
    """An entry's own statement, if it names something by visible characters."""
    if says is None:
        return ()
    from truerecall.memory.extract.names import key_of, kind_of
    from truerecall.memory.predicates import canonical

    subject, thing = (Named(key_of(name), name, kind_of(name)) for name in (says.subject, says.object))
    named = subject.key and thing.key
    return (Said(subject, canonical(says.predicate), thing, span),) if named else ()


def _told_at(entry: Entry, zone: tzinfo) -> datetime | None:
    """The instant from which "yesterday" counts; None where it is not known to the day."""
    happened = entry.happened_at
    if happened is None:
        return None if entry.replayed else entry.recorded_at
    if happened.precision == "instant":
        return happened.instant
    if happened.precision == "day":  # a day of the calendar where it was said, written in UTC
        return happened.instant.replace(hour=12, tzinfo=zone).astimezone(UTC)
    return None


def _event_interval(entry: Entry, span: Span | None) -> tuple[int | None, int | None]:
    if span is not None:
        return to_micros(span.start), to_micros(span.end)
    if entry.happened_at is None:
        return None, None
    start = to_micros(entry.happened_at.instant)
    return start, max(to_micros(entry.happened_at.end), start + 1)
