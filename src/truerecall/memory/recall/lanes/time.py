"""The time lane: rows near in time to what the query names, or else to the first hits."""

from math import exp, log
from typing import TYPE_CHECKING

import numpy as np

from truerecall.core.clock import to_micros
from truerecall.memory.recall.lanes.ranking import LaneRanking, best, cannot
from truerecall.memory.recall.lanes.seeded import Seeded
from truerecall.memory.store.standing import NEVER

if TYPE_CHECKING:
    from numpy.typing import NDArray

DAY = 86_400_000_000
"""Microseconds."""
_LEAST = 5e-10  # what is 0 to nine decimals is near nothing
_FAR = np.iinfo(np.int64).max

UNDATED = "the query names no time, and the first hits have none"


def time(seeded: Seeded) -> LaneRanking:
    """Rows by exp(−Δ/window): Δ is the distance in days between two stretches of time, 0 where they meet.

    From the span that the query names; where it names none, from the nearest first hit other than the row itself. Rows
    without a time of their own are not candidates.
    """
    search, view = seeded.search, seeded.search.view
    span = search.query.span
    spans = [(-1, to_micros(span.start), to_micros(span.end))] if span is not None else _of_seeds(seeded)
    if not spans:
        return cannot(UNDATED)
    dated = np.flatnonzero(view.allowed & (view.event_from != NEVER))
    starts, ends = view.event_from[dated], view.event_to[dated]
    nearest = np.full(len(dated), _FAR)
    away, before = np.empty_like(nearest), np.empty_like(nearest)  # new arrays each time take twice as long
    for place, start, end in spans:
        np.subtract(starts, end, out=away)
        np.subtract(start, ends, out=before)
        np.maximum(away, before, out=away)
        if place >= 0:  # a row is no reason for itself
            away[np.searchsorted(dated, place)] = _FAR
        np.minimum(nearest, away, out=nearest)
    window = search.settings.recall.time_window
    near = nearest <= -log(_LEAST) * window * DAY
    candidates = int(np.count_nonzero(near))
    if candidates > search.depth:
        # Only rows that can be among the first are scored; a unit of the ninth decimal of grace, for ties.
        last = max(int(np.partition(nearest, search.depth - 1)[search.depth - 1]), 0)
        near = nearest <= -log(max(exp(-last / DAY / window) - 1e-9, _LEAST)) * window * DAY
    found, days = dated[near], np.maximum(nearest[near], 0) / DAY
    scores = np.exp(-days / window)
    first = best(view, found, scores, search.depth)
    target = "the time asked for" if span is not None else "a first hit"
    by_place = dict(zip(found[first].tolist(), days[first].tolist(), strict=True))

    def reasons(places: "NDArray[np.intp]") -> list[str]:
        return [_told(by_place[place], target) for place in places.tolist()]

    return LaneRanking(tuple(found[first].tolist()), tuple(scores[first].tolist()), candidates, reasons)


def _of_seeds(seeded: Seeded) -> list[tuple[int, int, int]]:
    view = seeded.search.view
    spans = [(place, int(view.event_from[place]), int(view.event_to[place])) for place in seeded.seeds]
    return [each for each in spans if each[1] != NEVER]


def _told(days: float, target: str) -> str:
    if days == 0:
        return f"at {target}" if target != "a first hit" else "at the time of a first hit"
    return f"{days:.1f} days from {target}"
