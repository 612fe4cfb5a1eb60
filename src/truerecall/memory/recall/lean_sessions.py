"""The session lane's scores in plain Python: which sessions are most about the query's words.

The formula is that of ``words``. Only the best few sessions get their exact score: to measure each of thousands would
take too long, and no row of another would come into the pool by it.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from truerecall.memory.recall.lean_words import LARGE, Held, LeanWords, rarity
from truerecall.memory.store.lean_rows import LeanRows

_K1 = 1.2
_B = 0.4
_BEST = 6  # sessions by a first guess
_ENOUGH = 400  # sessions that hold the rarer terms: commoner ones bring in no further session
_COMMON = 4000  # rows that hold a term: to count its sessions takes longer than it is worth


class Sessions(NamedTuple):
    """Sessions that may be the best, by number."""

    scores: dict[int, float]
    places: dict[int, list[int]]
    """Of their rows that may be recalled, ascending."""


def score_sessions(rows: LeanRows, words: LeanWords, also: Collection[int]) -> Sessions:
    """The best sessions, and those named by ``also``; of a large store these alone, and without a score."""
    if len(rows.allowed) > LARGE:  # a prompt would wait too long for what its sessions say
        found = rows.of_sessions(sorted(also))
        return Sessions(
            {}, {one: [place for place in of if rows.allowed[place]] for one, of in found.items()}
        )
    numbers = rows.sessions
    total, whole = rows.in_sessions()
    rare = [held for held in words.held if len(held.places) <= _COMMON] or words.held[:1]
    often = _often(numbers, rare, also)
    guessed: dict[int, float] = dict.fromkeys(also, 0.0)
    for within, holding in often:
        counts = rarity(total, holding) * (_K1 + 1)
        for session, tf in within.items():
            guessed[session] = guessed.get(session, 0.0) + counts * tf / (tf + _K1)
    best = sorted(guessed, key=lambda session: (-guessed[session], session))[:_BEST]
    wanted = sorted({*best, *also})
    places = {
        session: [place for place in found if rows.allowed[place]]
        for session, found in rows.of_sessions(wanted).items()
    }
    looked_at = {place: session for session, found in places.items() for place in found}
    for held in words.held[len(rare) :]:
        met = looked_at.keys() & held.places
        often.append((Counter(map(looked_at.__getitem__, met)), _spread(total, len(held.places))))
    mean = whole / max(total, 1)
    scores = {}
    for session in wanted:
        shape = 1 - _B + _B * sum(map(rows.lengths.__getitem__, places[session])) / mean
        score = sum(
            rarity(total, holding) * tf * (_K1 + 1) / (tf + _K1 * shape)
            for within, holding in often
            if (tf := within.get(session, 0))
        )
        if score:
            scores[session] = score
    return Sessions(scores, places)


def _spread(total: int, rows: int) -> int:
    """In how many sessions so many rows stand, if they stand anywhere: what is told of a common term."""
    return min(total, round(total * (1 - (1 - 1 / total) ** rows))) if total > 1 else total


def _often(
    numbers: Sequence[int], some: Sequence[Held], also: Collection[int]
) -> list[tuple[Mapping[int, int], int]]:
    """Of each term how many rows of a session hold it, and how many sessions do; of common ones in few sessions."""
    often: list[tuple[Mapping[int, int], int]] = []
    seen = set(also)
    for held in some:
        within: Counter[int] = Counter(map(numbers.__getitem__, held.places))
        within.pop(-1, None)
        holding = len(within)
        if len(seen) < _ENOUGH:
            seen |= within.keys()
            often.append((within, holding))
        else:
            often.append(({session: within[session] for session in seen & within.keys()}, holding))
    return often
