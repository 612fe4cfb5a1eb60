"""Which of the scored hits stay, and where: each step gives what it keeps, in order, and what it drops and why."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from truerecall.core.entry import DERIVED, Entry, Trust
from truerecall.memory.recall.dedup import duplicates
from truerecall.memory.recall.recalled import Hit
from truerecall.memory.recall.statements import overtaken, stated
from truerecall.memory.recall.trace import Dropped
from truerecall.memory.store.view import View

Kept = tuple[Sequence[Hit], list[Dropped]]
"""What a step keeps, and what it drops."""


def trusted(ranked: Sequence[Hit], trust: frozenset[Trust]) -> Kept:
    """Once more, after the lanes' own: a lane that forgets the condition must not be able to leak."""
    kept = [hit for hit in ranked if hit.entry.trust in trust]
    return kept, [Dropped(hit.id, "trust") for hit in ranked if hit.entry.trust not in trust]


def believed(view: View, hits: Sequence[Hit], places: Mapping[str, int], when: datetime) -> Kept:
    """Of hits that say different values of one predicate of one subject, those that count.

    Higher trust counts, even if it is older. Only derived entries are weighed, and nothing is read where there are not
    two of them; pinned ones stay. An entry that says several things goes when none of them counts.
    """
    derived = {places[hit.id] for hit in hits if hit.entry.kind in DERIVED}
    if len(derived) < 2:
        return hits, []
    instead = overtaken(stated(view, view.links.stated_by(sorted(derived))), when)
    losers = {hit.id: instead[hit.id] for hit in hits if hit.id in instead and not hit.entry.pinned}
    kept = [hit for hit in hits if hit.id not in losers]
    return kept, [Dropped(loser, "conflict", winner) for loser, winner in losers.items()]


def pinned_first(ranked: Sequence[Hit], pinned: Sequence[Entry]) -> Sequence[Hit]:
    """With the pinned entries at the head, whether or not they were found."""
    found = {hit.id: hit for hit in ranked}
    head = [replace(found.get(e.id) or Hit(e, 0.0, 0.0, {}), pinned=True) for e in pinned]
    ids = {hit.id for hit in head}
    return [*head, *(hit for hit in ranked if hit.id not in ids)]


def distinct(ranked: Sequence[Hit]) -> Kept:
    """One thing once."""
    repeated = duplicates([hit.entry for hit in ranked])
    kept = [hit for hit in ranked if hit.id not in repeated]
    return kept, [Dropped(loser, "duplicate", winner) for loser, winner in repeated.items()]


def strong_enough(ranked: Sequence[Hit], least: float) -> Kept:
    """Those of a score, to nine decimals, of at least so much; pinned ones stay."""
    if not least:
        return ranked, []
    weak = [hit for hit in ranked if not hit.pinned and round(hit.score, 9) < least]
    ids = {hit.id for hit in weak}
    return [hit for hit in ranked if hit.id not in ids], [Dropped(hit.id, "min_score") for hit in weak]
