"""The graph lane: what current statements about the query's names, and about those of the first hits, lead to.

The entities of the query and of the first hits stand at depth 0. From an entity at depth d the statements that have it
as subject or object are followed, at most eight of them, by trust and then the newest, each once: the row that says one
is found at depth d + 1, where the entity at its other end stands. Two steps at most. A row's score is

    1/(1 + depth) / max(1, mean out-degree)

with the mean over the entities that the way to it went through: their numbers of current statements. So a statement
about somebody of whom little is said counts for more than one of hundreds about a hub. Of several ways the best counts.
Only rows that say statements are found, and only current statements are followed: which of several values of one
predicate is current, ``memory.conflict`` decides. No row is found by way of a name that only itself brought in.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from truerecall.core.clock import to_micros
from truerecall.memory.predicates import FUNCTIONAL
from truerecall.memory.recall.lanes.entity import NAMELESS
from truerecall.memory.recall.lanes.ranking import LaneRanking, best, cannot
from truerecall.memory.recall.lanes.seeded import Seeded
from truerecall.memory.recall.statements import Stated, current_of, stated

if TYPE_CHECKING:
    from numpy.typing import NDArray

DEPTH = 2
FAN_OUT = 8
_MOST_REACHED = 32  # entities that the second step sets out from: those by way of the rarest
_MOST_READ = 16  # statements of an entity: eight of them are followed


@dataclass(frozen=True, slots=True)
class _Way:
    """How an entity was reached."""

    start: str
    degrees: tuple[int, ...] = ()
    """Of the entities before it."""

    def on(self, degree: int) -> "_Way":
        return _Way(self.start, (*self.degrees, degree))

    @property
    def mean(self) -> float:
        return sum(self.degrees) / len(self.degrees) if self.degrees else 0.0


@dataclass(slots=True)
class _Found:
    """The rows that were found, each by its best way."""

    scores: dict[int, float] = field(default_factory=dict)
    reasons: dict[int, str] = field(default_factory=dict)

    def add(self, one: Stated, score: float) -> None:
        if score > self.scores.get(one.place, 0.0):
            self.scores[one.place] = score
            subject, thing = one.triple.names
            self.reasons[one.place] = f"{subject} {one.triple.predicate} {thing}"


def graph(seeded: Seeded) -> LaneRanking:
    """Rows that say what current statements lead to."""
    found = _spread(seeded)
    if not found.scores and not seeded.rows:
        return cannot(NAMELESS)
    places = np.array(sorted(found.scores), dtype=np.intp)
    scores = np.array([found.scores[place] for place in places.tolist()], dtype=np.float64)
    first = best(seeded.search.view, places, scores, seeded.search.depth)

    def reasons(hits: "NDArray[np.intp]") -> list[str]:
        return [found.reasons[place] for place in hits.tolist()]

    return LaneRanking(tuple(places[first].tolist()), tuple(scores[first].tolist()), len(places), reasons)


def _spread(seeded: Seeded) -> _Found:
    found = _Found()
    reached = frontier = {key: _Way(key) for key in seeded.keys}
    followed: set[str] = set()
    for depth in range(1, DEPTH + 1):
        about = _about(seeded, frontier)
        ways: dict[str, _Way] = {}
        now: set[str] = set()
        for key, way in frontier.items():
            degree, said = about.get(key, (0, []))
            on = way.on(degree)
            for one in [each for each in said if each.triple.id not in followed][:FAN_OUT]:
                now.add(one.triple.id)
                if way.start not in seeded.own.get(one.place, ()):
                    found.add(one, 1.0 / (1 + depth) / max(1.0, on.mean))
                other = one.object if one.subject == key else one.subject
                if other not in reached and (other not in ways or on.mean < ways[other].mean):
                    ways[other] = on
        reached, followed = {**reached, **ways}, followed | now
        frontier = dict(sorted(ways.items(), key=lambda item: (item[1].mean, item[0]))[:_MOST_REACHED])
    return found


def _about(seeded: Seeded, keys: Iterable[str]) -> dict[str, tuple[int, list[Stated]]]:
    """Of each of these entities how many statements about it are current, and those to follow first of what was read.

    Of hundreds only some are read. That one among the others may have been overtaken is not known.
    """
    view = seeded.search.view
    found = view.links.stated_about(sorted(keys), _MOST_READ)
    read = {one.triple.id: one for one in stated(view, chain(*(about.triples for about in found.values())))}
    # Of what holds one value at a time every value counts, whomever it leads to.
    single = {
        (one.subject, one.triple.predicate) for one in read.values() if one.triple.predicate in FUNCTIONAL
    }
    rivals = stated(view, view.links.rivals(single, _MOST_READ)) if single else []
    everything = {one.triple.id: one for one in (*read.values(), *rivals)}
    holding = {one.triple.id for one in current_of(everything.values(), seeded.search.valid_at)}
    followed: dict[str, tuple[int, list[Stated]]] = {}
    for key, about in found.items():
        said = [read[triple.id] for _, triple in about.triples if triple.id in holding]
        followed[key] = (about.count - len(about.triples) + len(said), sorted(said, key=_precedence))
    return followed


def _precedence(one: Stated) -> tuple[object, ...]:
    triple = one.triple
    happened = triple.start or triple.recorded_at
    return -int(triple.trust), -to_micros(happened), -triple.row, triple.place, triple.entry_id
