"""Which of several statements counts, by the rules of ``memory.conflict``: an alias and its name are one entity."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from truerecall.memory.conflict import Claim, current, fold
from truerecall.memory.predicates import FUNCTIONAL
from truerecall.memory.store.triples import Triple
from truerecall.memory.store.view import View


@dataclass(frozen=True, slots=True)
class Stated:
    """A statement of a row."""

    place: int
    """Of the row that says it, in the view."""
    triple: Triple
    subject: str
    """The representative of its key, for all aliases."""
    object: str
    """Likewise."""

    @property
    def claim(self) -> Claim:
        """What is settled."""
        return replace(self.triple.claim, object=self.object)


def stated(view: View, said: Iterable[tuple[int, Triple]]) -> list[Stated]:
    """Statements with the representatives of what they are about."""
    triples = list(said)
    folded = view.links.folded({key for _, triple in triples for key in (triple.subject, triple.object)})
    return [Stated(place, triple, folded[triple.subject], folded[triple.object]) for place, triple in triples]


def current_of(stated: Iterable[Stated], when: datetime) -> list[Stated]:
    """Those that hold at an instant, among all that are given."""
    found: list[Stated] = []
    for (_, predicate), said in _by_question(stated).items():
        if predicate in FUNCTIONAL and len(said) > 1:
            by_id = {one.triple.id: one for one in said}
            found += [by_id[claim.id] for claim in current([one.claim for one in said], when)]
        else:  # nothing can end another: what conflict's rules come to then, in a fraction of the time
            found += [one for one in said if _holds(one.triple, when)]
    return found


def _holds(triple: Triple, when: datetime) -> bool:
    ends = [end for end in (triple.end, triple.retired_at) if end is not None]
    return (triple.start is None or triple.start <= when) and all(when < end for end in ends)


def overtaken(stated: Sequence[Stated], when: datetime) -> dict[str, str]:
    """By id the entries of which nothing counts, each with the one that counts instead."""
    instead: dict[str, str] = {}
    counting: set[str] = set()
    for (_, predicate), said in _by_question(stated).items():
        single = predicate in FUNCTIONAL
        by_id = {one.triple.id: one for one in said}
        holding = [claim.id for claim in current([one.claim for one in said], when, single)]
        standing = fold([one.claim for one in said], single)
        for claim_id, one in by_id.items():
            if claim_id in holding or not holding or standing[claim_id].kind == "current":
                counting.add(one.triple.entry_id)
            else:
                instead.setdefault(one.triple.entry_id, by_id[holding[-1]].triple.entry_id)
    return {entry_id: winner for entry_id, winner in instead.items() if entry_id not in counting}


def _by_question(stated: Iterable[Stated]) -> dict[tuple[str, str], list[Stated]]:
    """By subject and predicate."""
    asked: dict[tuple[str, str], list[Stated]] = {}
    for one in stated:
        asked.setdefault((one.subject, one.triple.predicate), []).append(one)
    return asked
