"""What becomes of a statement that says something else than what is known: settled by trust, then event, then record.

Pure: claims in, what ends and why out. All claims of a call are about one subject and one predicate. Behind the six
branches stands one order: of two claims about the same instant the one of the higher trust counts, of equal trust that
of the later event, else that of the later record. A claim is ended only from where on others that outweigh it cover all
the rest of what it says; so no ending takes an instant away at which it would have counted, two claims never end each
other, and history that comes late finds its place. docs/design/conflict.md has the rules and their reasons.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from truerecall.core.entry import EventTime, Precision, Trust
from truerecall.memory.dates.span import BEGINNING, END

OutcomeKind = Literal[
    "inserted",  # nothing was known
    "corroborated",  # the same was known
    "coexists",  # something else was known, but of another time; or the predicate holds many values
    "supersedes",  # something else was known, and ends
    "not believed",  # something else is known at a higher trust: recorded, and ended at once where that one holds
    "overtaken",  # something later is known: recorded, and ended where that one begins
    "tie",  # something else is known of the same event and record time: recorded closed
]
StatusKind = Literal[
    "current",  # nothing ended it
    "superseded",  # another one took its place
    "not believed",  # another one of a higher trust was known when it came
    "closed",  # ended by itself: retired, corrected, or a tie
]


@dataclass(frozen=True, slots=True)
class Claim:
    """What a statement says of its subject and predicate, with all that decides between rivals."""

    id: str
    object: str
    """Its key: two claims of the same key say the same."""
    trust: Trust
    start: datetime | None
    """From when it holds; None where that is not known: it then speaks of when it was recorded."""
    end: datetime | None
    """From when it holds no longer, as it was stated; None where no end is known."""
    recorded_at: datetime
    number: int
    """Order of arrival; decides nothing but which of two equals came first."""
    start_by: datetime | None = None
    """The end of the interval that the start lies in, where only a year, a month or a day of it is known."""
    ended: datetime | None = None
    """From when it no longer counts, by what was settled before or because it was retired."""


@dataclass(frozen=True, slots=True)
class Ending:
    """A claim that ends."""

    id: str
    rival: str
    """The claim that takes its place."""
    effective: datetime
    """From when on, in the time that the claims are about. At or before its own start: it never counts."""
    kind: Literal["superseded", "closed"]
    """The event to write: ``closed`` of a claim that ended as soon as it came."""
    reason: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What becomes of a new claim, and of those that were known."""

    kind: OutcomeKind
    rival: str | None
    """The known claim that decided it, or that says the same; None of ``inserted``."""
    endings: tuple[Ending, ...]
    """Of known claims, and of the new one itself where it is outweighed."""
    corroborates: tuple[str, ...]
    """Known claims that it is a proof of: the same object at the same time, at no higher trust than its own."""
    reason: str


@dataclass(frozen=True, slots=True)
class Status:
    """Where a claim stands among all of its subject and predicate."""

    kind: StatusKind
    until: datetime | None
    """From when on it no longer counts, its own stated end included; None where it is open."""
    rival: str | None
    reason: str


def settle(known: Sequence[Claim], new: Claim, single: bool = True) -> Outcome:
    """What becomes of ``new``, of which nothing was ended yet, among the claims that were known before it.

    ``single`` says whether the predicate holds one value at a time (``memory.predicates.FUNCTIONAL``): of others
    nothing is ever ended. ``known`` are all of the subject and predicate, ended ones included; of each, ``ended`` is
    the earliest of what ended it.
    """
    held = [_Held.of(claim) for claim in known if claim.id != new.id]
    return _settled([one for one in held if not one.is_void], _Held.of(new), single)


def fold(claims: Iterable[Claim], single: bool = True) -> dict[str, Status]:
    """Where each claim of a subject and predicate stands, by its id, when they are settled in the order of record.

    The same whatever order they are given in. ``ended`` counts against those that were recorded from then on: what
    took another's place and was retired later does not give it back.
    """
    order = sorted({claim.id: claim for claim in claims}.values(), key=_arrival)
    decided: dict[str, tuple[StatusKind, Ending]] = {}
    held: dict[str, _Held] = {}
    retired = {claim.id: claim.ended for claim in order if claim.ended is not None}
    for new in order if single else ():
        for one in [held[key] for key, ended in retired.items() if ended <= new.recorded_at and key in held]:
            held[one.claim.id] = replace(one, until=min(one.until, retired.pop(one.claim.id)))
        lived = new.ended is None or new.ended > new.recorded_at
        mine = _Held.of(replace(new, ended=None) if lived else new)
        if mine.is_void:
            continue
        outcome = _settled(list(held.values()), mine, single)
        held[new.id] = mine
        for ending in outcome.endings:
            held[ending.id] = replace(held[ending.id], until=ending.effective)
            kind = _OWN_STATUS[outcome.kind] if ending.id == new.id else "superseded"
            decided[ending.id] = (kind, ending)
            if held[ending.id].is_void:
                del held[ending.id]
    return {claim.id: _status(claim, decided.get(claim.id)) for claim in order}


def current(claims: Iterable[Claim], when: datetime, single: bool = True) -> tuple[Claim, ...]:
    """The claims that hold at an instant, in order of record; those of one object at most where ``single``.

    A claim without a known start reaches back as far as nothing is known to hold instead.
    """
    given = {claim.id: claim for claim in claims}
    return holding(given.values(), fold(given.values(), single), when, single)


def holding(
    claims: Iterable[Claim], statuses: Mapping[str, Status], when: datetime, single: bool = True
) -> tuple[Claim, ...]:
    """As ``current``, where ``fold`` was called already."""
    known = {claim.id: claim for claim in claims}
    held = [
        replace(_Held.of(claim), until=min(statuses[claim.id].until or END, claim.end or END))
        for claim in sorted(known.values(), key=_arrival)
    ]
    there = [one for one in held if one.covers(when)]
    if not single:
        return tuple(known[one.claim.id] for one in there)
    best: _Held | None = None
    for one in there:
        if best is None or _counts(one, best, when):
            best = one
    if best is None:
        return ()
    same = [one for one in there if one.claim.object == best.claim.object]
    said = [one for one in same if one is best or one.first <= when]  # the others only reach back
    return tuple(known[one.claim.id] for one in said)


@dataclass(frozen=True, slots=True)
class _Held:
    """A claim with its times filled in."""

    claim: Claim
    first: datetime  # the interval that its start lies in; of an unknown one, when it is known to have held
    last: datetime
    until: datetime  # END where it is open

    @classmethod
    def of(cls, claim: Claim) -> "_Held":
        until = min(claim.end or END, claim.ended or END)
        if claim.start is None:
            # It speaks of when it was recorded, or of its last instant where it was history by then.
            known = min(claim.recorded_at, claim.end or END)
            return cls(claim, known, known, until)
        by = claim.start_by
        last = (
            claim.start if by is None or by >= END else max(claim.start, by)
        )  # "since May" has an exact start
        return cls(claim, claim.start, last, until)

    @property
    def sure(self) -> datetime:
        """From when it holds for certain: what was recorded of an imprecise time began before it was recorded."""
        return max(self.first, min(self.last, self.claim.recorded_at))

    @property
    def is_history(self) -> bool:
        """Whether it was over when it was recorded, and nobody knows from when it held: up to its last instant."""
        return self.claim.start is None and self.claim.end == self.first

    @property
    def is_void(self) -> bool:
        """Whether it never counts."""
        return self.until < self.first if self.is_history else self.until <= self.first

    def covers(self, when: datetime) -> bool:
        begun = self.claim.start is None or self.first <= when
        return begun and when < self.until and not self.is_void

    def meets(self, other: "_Held") -> bool:
        """Whether there is an instant at which both are known to hold."""
        if self.is_void or other.is_void:
            return False
        starts = [BEGINNING if one.is_history else one.first for one in (self, other)]
        return max(starts) < min(self.until, other.until)


def _settled(held: Sequence[_Held], mine: _Held, single: bool) -> Outcome:
    """As ``settle``, among claims that are not void."""
    new = mine.claim
    # What is over before the new one begins can neither end it nor lose anything to it, nor say the same of its time.
    near = held if mine.is_history else [one for one in held if one.until > mine.first]
    others = [one for one in near if one.claim.object != new.object] if single else []
    proofs = [one for one in near if one.claim.object == new.object and one.meets(mine)]
    corroborates = tuple(one.claim.id for one in proofs if one.claim.trust <= new.trust)
    fate = _cut(mine, others)
    if fate is not None:
        mine = replace(mine, until=fate.until)
    losses = [] if mine.is_void else [_lost(one, mine, held) for one in others]
    endings = [_ending(loss, "superseded") for loss in losses if loss is not None]
    if fate is not None:
        kind = _own_kind(fate)
        own = _ending(fate, "superseded" if kind == "overtaken" else "closed")
        return Outcome(kind, own.rival, (own, *endings), corroborates, own.reason)
    if endings:
        chief = max((loss for loss in losses if loss is not None), key=lambda loss: _weight(loss.one))
        reason = _reason(mine, chief.one)
        return Outcome("supersedes", chief.one.claim.id, tuple(endings), corroborates, reason)
    if proofs:
        return Outcome(
            "corroborated", max(proofs, key=_weight).claim.id, (), corroborates, "the same is known"
        )
    if not held:
        return Outcome("inserted", None, (), (), "nothing is known of it")
    reason = "what is known is of another time" if single else "it can have many values"
    return Outcome("coexists", None, (), (), reason)


@dataclass(frozen=True, slots=True)
class _Loss:
    """A claim that ends, and what takes its place from when."""

    one: _Held
    by: _Held
    until: datetime


def _cut(one: _Held, rivals: Sequence[_Held]) -> _Loss | None:
    """Where a claim ends as rivals that outweigh it cover all the rest of it; None where they do not."""
    heavier = [(_takes_over(r, one), r) for r in rivals if r.until > one.first and _outweighs(r, one)]
    loss = None
    until = one.until
    while over := [(start, r) for start, r in heavier if start < until <= r.until]:
        until, by = min(over, key=lambda pair: (pair[0], pair[1].claim.number, pair[1].claim.id))
        loss = _Loss(one, by, until)
    return loss


def _lost(one: _Held, new: _Held, held: Sequence[_Held]) -> _Loss | None:
    """What a known claim loses to a new one; once that covers the end, others may cover what is before it as well."""
    loss = _cut(one, [new])
    if loss is None:
        return None
    rivals = [other for other in held if other.claim.object != one.claim.object]
    return _cut(replace(one, until=loss.until), rivals) or loss


def _later(one: _Held, other: _Held) -> bool:
    """Whether its event is later: of two intervals that meet, neither is."""
    exact = other.first == other.last
    return one.first > other.last or (one.first == other.last and not exact)


def _outweighs(one: _Held, other: _Held) -> bool:
    """Whether it counts where both hold. Of any two claims one does: of equals, that which came first."""
    mine, theirs = one.claim, other.claim
    if mine.trust != theirs.trust:
        return mine.trust > theirs.trust
    if (later := _later(one, other)) != _later(other, one):
        return later
    if mine.recorded_at != theirs.recorded_at:
        return mine.recorded_at > theirs.recorded_at
    return (mine.number, mine.id) < (theirs.number, theirs.id)


def _takes_over(rival: _Held, one: _Held) -> datetime:
    """From when what outweighs a claim holds instead: from its start, if of higher trust or later.

    Else the other may have come later than an imprecise start: from when it holds for certain.
    """
    heavier = rival.claim.trust > one.claim.trust
    return rival.first if heavier or _later(rival, one) else rival.sure


def _counts(one: _Held, other: _Held, when: datetime) -> bool:
    """Which of two that cover an instant counts at it; where both only reach back to it, the nearer one."""
    first = _outweighs(one, other)
    heavy, light = (one, other) if first else (other, one)
    if _takes_over(heavy, light) <= when:
        return first
    return first == (light.first > when and heavy.first <= light.first)


def _own_kind(fate: _Loss) -> OutcomeKind:
    mine, theirs = fate.one.claim, fate.by.claim
    if theirs.trust > mine.trust:
        return "not believed"
    met = not _later(fate.by, fate.one)
    return "tie" if met and theirs.recorded_at == mine.recorded_at else "overtaken"


def _ending(loss: _Loss, kind: Literal["superseded", "closed"]) -> Ending:
    one, by = loss.one.claim, loss.by.claim
    return Ending(one.id, by.id, loss.until, kind, _reason(loss.by, loss.one))


def _reason(winner: _Held, loser: _Held) -> str:
    first, second = winner.claim, loser.claim
    if first.trust != second.trust:
        return f"higher trust: {first.trust.label} over {second.trust.label}"
    if _later(winner, loser):
        return f"later event: {_event(winner)} over {_event(loser)}"
    if first.recorded_at != second.recorded_at:
        return f"later record: {_instant(first.recorded_at)} over {_instant(second.recorded_at)}"
    return f"same event and record time, {_instant(first.recorded_at)}: the first one stands"


def _event(one: _Held) -> str:
    if one.first == one.last:
        return _instant(one.first)
    for precision in _IMPRECISE:
        interval = EventTime(one.first, precision)
        if (interval.instant, interval.end) == (one.first, one.last):
            return str(interval)
    return f"{_instant(one.first)} to {_instant(one.last)}"


def _instant(when: datetime) -> str:
    midnight = when.hour == when.minute == when.second == when.microsecond == 0
    return when.date().isoformat() if midnight else str(EventTime(when))


def _arrival(claim: Claim) -> tuple[datetime, int, str]:
    return claim.recorded_at, claim.number, claim.id


def _weight(one: _Held) -> tuple[int, datetime, datetime, int]:
    return int(one.claim.trust), one.first, one.claim.recorded_at, -one.claim.number


def _status(claim: Claim, decided: tuple[StatusKind, Ending] | None) -> Status:
    ended = claim.ended or END
    if decided is not None and decided[1].effective <= ended:
        kind, ending = decided
        return Status(kind, min(ending.effective, claim.end or END), ending.rival, ending.reason)
    if claim.ended is not None:
        return Status("closed", min(ended, claim.end or END), None, f"ended: {_instant(ended)}")
    return Status("current", claim.end, None, "")


_OWN_STATUS: dict[OutcomeKind, StatusKind] = {
    "not believed": "not believed",
    "overtaken": "superseded",
    "tie": "closed",
}
_IMPRECISE: tuple[Precision, ...] = ("year", "month", "day")
