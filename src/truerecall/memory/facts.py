"""What a memory's entries state: each statement with where it stands among the others, and why."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from truerecall.core.entry import DEFAULT_TRUST, EventTime, Precision, Scope, Trust
from truerecall.errors import InvalidInput
from truerecall.memory.conflict import Claim, Status, fold, holding
from truerecall.memory.extract.names import key_of
from truerecall.memory.predicates import FUNCTIONAL, canonical
from truerecall.memory.store.protocol import Store
from truerecall.memory.store.triples import Triple

FactStatus = Literal[
    "current",  # it is so at the instant that was asked for
    "superseded",  # another statement took its place, or counts at that instant
    "not believed",  # something else was known at a higher trust when it came
    "closed",  # over by itself: retired, corrected, past its own end, or a tie
    "not yet",  # it begins later
]


@dataclass(frozen=True, slots=True)
class FactView:
    """A statement as a reader finds it."""

    subject: str
    """As it is written; so is the object."""
    predicate: str
    object: str
    entry_id: str
    """Of the entry that says it."""
    derived: bool
    """Whether that entry is a derived one that says just this; else the rules found it in a text."""
    trust: Trust
    start: datetime | None
    """From when it is so, as stated; None where that is not known."""
    until: datetime | None
    """From when it is so no longer, by its own end or another statement; None where it is open."""
    recorded_at: datetime
    status: FactStatus
    reason: str
    """Why it is not current; empty of what is."""
    rival: str | None
    """The entry that says what counts instead, where there is one."""
    start_by: datetime | None = None
    """The end of the interval that ``start`` begins, where only a year, a month or a day of it is known."""

    @property
    def begins(self) -> str:
        """The start, no more precisely than it is known: ``2023``, ``2023-05`` or ``2023-05-08``; empty of none."""
        return "" if self.start is None else _begins(self.start, self.start_by)


@dataclass(frozen=True, slots=True)
class FactQuery:
    """Which statements are wanted."""

    valid_at: datetime
    """The instant at which they are judged."""
    subject: str | None = None
    """Of this entity only, by any of its names."""
    predicate: str | None = None
    known_at: datetime | None = None
    """Only what was recorded before it, and closed before it; None of all."""
    current: bool = True
    """Whether to leave out what is not so at the instant."""

    def __post_init__(self) -> None:
        for name, given in (("subject", self.subject), ("predicate", self.predicate)):
            if given is not None and not isinstance(given, str):
                raise InvalidInput(f"the {name} is {type(given).__name__}", remedy="Give a string, or None.")


def facts(store: Store, scope: Scope, asked: FactQuery) -> tuple[FactView, ...]:
    """The statements that a reader sees, of a subject and predicate together, in order of record."""
    triples = store.statements(scope, asked.known_at)
    if asked.predicate is not None:
        wanted = canonical(asked.predicate)
        triples = [triple for triple in triples if triple.predicate == wanted]
    subject = None if asked.subject is None else key_of(asked.subject)
    names = {key for triple in triples for key in (triple.subject, triple.object)}
    # Aliases count from when they were stated; an instant of the past does not know later ones. Those of external texts
    # count for nothing: they would make rivals of what is known of two.
    with store.view(scope, asked.valid_at, DEFAULT_TRUST) as view:
        same = view.links.folded(names | ({subject} if subject else set()))
    groups: dict[tuple[str, str], list[Triple]] = defaultdict(list)
    for triple in triples:
        groups[same[triple.subject], triple.predicate].append(triple)
    found: list[FactView] = []
    for (about, predicate), group in sorted(groups.items()):
        if asked.subject is None or (subject and about == same[subject]):
            settled = [replace(triple.claim, object=same[triple.object]) for triple in group]
            found.extend(_views(group, settled, predicate in FUNCTIONAL, asked.valid_at))
    return tuple(view for view in found if view.status == "current" or not asked.current)


def _views(
    triples: Sequence[Triple], claims: Sequence[Claim], single: bool, when: datetime
) -> Iterable[FactView]:
    statuses = fold(claims, single)
    counting = holding(claims, statuses, when, single)
    entries = {triple.id: triple.entry_id for triple in triples}
    for triple, claim in sorted(zip(triples, claims, strict=True), key=lambda pair: _order(pair[1])):
        status = statuses[claim.id]
        kind, reason, rival = _standing(claim, status, counting, when)
        yield FactView(
            subject=triple.names[0],
            predicate=triple.predicate,
            object=triple.names[1],
            entry_id=triple.entry_id,
            derived=triple.own,
            trust=triple.trust,
            start=triple.start,
            until=status.until,
            recorded_at=triple.recorded_at,
            status=kind,
            reason=reason,
            rival=None if rival is None else entries[rival],
            start_by=triple.start_by,
        )


def _begins(start: datetime, by: datetime | None) -> str:
    precisions: tuple[Precision, ...] = ("year", "month")
    for precision in precisions if by is not None else ():
        interval = EventTime(start, precision)
        if (interval.instant, interval.end) == (start, by):
            return str(interval)
    return start.date().isoformat()


def _standing(
    claim: Claim, status: Status, counting: Sequence[Claim], when: datetime
) -> tuple[FactStatus, str, str | None]:
    if any(one.id == claim.id for one in counting):
        return "current", "", None
    begins = when if claim.start is None else max(when, claim.start)
    if status.kind != "current" and status.until is not None and status.until <= begins:
        return status.kind, status.reason, status.rival
    if claim.start is not None and when < claim.start:
        told = _begins(claim.start, claim.start_by)
        return "not yet", f"it begins {'on' if len(told) == len('2023-05-08') else 'in'} {told}", None
    if status.until is not None and status.until <= when:
        return "closed", f"it ended on {status.until.date().isoformat()}", None
    rival = next((one.id for one in counting if one.object != claim.object), None)
    if rival is None:  # the same is said nearer to the instant
        return "superseded", "the same is stated of that time", counting[0].id if counting else None
    return "superseded", "something else counts at that time", rival


def _order(claim: Claim) -> tuple[datetime, int, str]:
    return claim.recorded_at, claim.number, claim.id
