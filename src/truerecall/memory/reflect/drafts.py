"""From proposals to what the memory takes in."""

from collections.abc import Mapping
from dataclasses import dataclass

from truerecall.core.entry import Draft, Entry, EventTime, Source, Trust
from truerecall.memory.recall.pack import short_id
from truerecall.memory.reflect.groups import Group
from truerecall.memory.reflect.proposals import LISTS, Cause, Proposals, proposals
from truerecall.memory.reflect.salvage import Dropped

CHANNEL = "reflect:"
"""Begins the channel of what was derived here; the digest of its group follows."""


@dataclass(frozen=True, slots=True)
class Proposed:
    """What a reply comes to, before it is written."""

    drafts: tuple[Draft, ...]
    causes: tuple[Cause, ...]
    dropped: tuple[Dropped, ...]
    readable: bool
    """Whether the reply held any of the lists at all."""


def proposed(group: Group, reply: str, wanted: tuple[str, ...] = LISTS) -> Proposed:
    """What a reply about a group proposes."""
    found = proposals(reply, names_of(group), wanted)
    return Proposed(_drafts(group, found), found.causes, found.dropped, found.readable)


def names_of(group: Group) -> dict[str, str]:
    """What the entries of a group may be called, to their ids; a short id that two of them share is none."""
    names: dict[str, str] = {}
    for entry in group.entries:
        short = short_id(entry.id)
        names[short] = "" if short in names else entry.id
    return {short: full for short, full in names.items() if full} | {e.id: e.id for e in group.entries}


def _drafts(group: Group, found: Proposals) -> tuple[Draft, ...]:
    entries = {entry.id: entry for entry in group.entries}
    source = Source(channel=f"{CHANNEL}{group.digest}")
    seen = [
        Draft(
            text=one.text,
            kind="observation",
            decay_class="semantic",
            trust=min(Trust.LEARNED, group.trust),  # a generalisation is never more than learned
            source=source,
            source_ids=one.sources,
            happened_at=_latest(entries, one.sources),
            proof_count=len(group.entries),
            confidence=one.confidence,
        )
        for one in found.observations
    ]
    stated = [
        Draft(
            text=one.text,
            kind="fact",
            decay_class="semantic",
            trust=group.trust,
            source=source,
            source_ids=one.sources,
            happened_at=_latest(entries, one.sources),
            valid_from=one.valid_from,
            statement=one.statement,
        )
        for one in found.facts
    ]
    return (*seen, *stated)


def _latest(entries: Mapping[str, Entry], sources: tuple[str, ...]) -> EventTime | None:
    """When the last of the sources happened: what follows from them was not known before."""
    times = [happened for i in sources if (happened := entries[i].happened_at) is not None]
    return max(times, key=lambda time: time.instant) if times else None
