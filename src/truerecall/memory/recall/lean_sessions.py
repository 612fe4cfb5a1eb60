"""The session lane's scores in plain Python: which sessions are most about the query's words.

The formula is that of ``words``. Only the best few sessions get their exact score: to measure each of thousands would
take too long, and no row of another would come into the pool by it.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from truerecall.memory.recall.lean_words import LeanWords, rarity
from truerecall.memory.store.lean_rows import LeanRows

_K1 = 1.2
_B = 0.4
_BEST = 6  # sessions by a first guess
_ENOUGH = 400  # sessions that hold the rarer terms: commoner ones bring in no further session


class Sessions(NamedTuple):
    """Sessions that may be the best, by number."""

    scores: dict[int, float]
    places: dict[int, list[int]]
    """Of their rows that may be recalled, ascending."""


def score_sessions(rows: LeanRows, words: LeanWords, also: Collection[int]) -> Sessions:
    """The best sessions, and those named by ``also``."""
    numbers = rows.sessions
    total, whole = rows.in_sessions()
    often = _often(numbers, words, also)
    guessed: dict[int, float] = {}
    for within, holding in often:
        counts = rarity(total, holding) * (_K1 + 1)
        for session, tf in within.items():
            guessed[session] = guessed.get(session, 0.0) + counts * tf / (tf + _K1)
    best = sorted(guessed, key=lambda session: (-guessed[session], session))[:_BEST]
    wanted = sorted({*best, *(session for session in also if session in guessed)})
    places = {
        session: [place for place in found if rows.allowed[place]]
        for session, found in rows.of_sessions(wanted).items()
    }
    mean = whole / max(total, 1)
    scores = {}
    for session in wanted:
        shape = 1 - _B + _B * sum(map(rows.lengths.__getitem__, places[session])) / mean
        scores[session] = sum(
            rarity(total, holding) * tf * (_K1 + 1) / (tf + _K1 * shape)
            for within, holding in often
            if (tf := within.get(session, 0))
        )
    return Sessions(scores, places)


def _often(
    numbers: Sequence[int], words: LeanWords, also: Collection[int]
) -> list[tuple[Mapping[int, int], int]]:
    """Of each term how many rows of a session hold it, and how many sessions do; of common ones in few sessions."""
    often: list[tuple[Mapping[int, int], int]] = []
    seen = set(also)
    for held in words.held:
        within = Counter(map(numbers.__getitem__, held.places))
        within.pop(-1, None)
        holding = len(within)
        if len(seen) < _ENOUGH:
            seen |= within.keys()
            often.append((within, holding))
        else:
            often.append(({session: within[session] for session in seen & within.keys()}, holding))
    return often
