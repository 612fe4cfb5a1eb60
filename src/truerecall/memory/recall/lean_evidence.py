"""The evidence that needs no vectors, in plain Python: rows are put in the order that ``rerank`` puts them in.

The weights are the fitted ones, and a test holds each number to what ``evidence`` gives for the same rows.
"""

import math
from collections.abc import Mapping, Sequence

from truerecall.memory.analysis import words as words_of
from truerecall.memory.recall.evidence.plain import LEAST_POOL, asks_number, asks_when, words_of_name
from truerecall.memory.recall.evidence.weights import Fitted, shipped_weights
from truerecall.memory.recall.lean_window import Weighed
from truerecall.memory.recall.lean_words import LeanWords, ordered
from truerecall.memory.store.lean_rows import POSITION, TRAITS, LeanRows
from truerecall.memory.traits import Trait


def reranked(rows: LeanRows, words: LeanWords, text: str, pool: Weighed) -> list[int]:
    """The places of the pool, best first by all of the evidence for the query ``text``."""
    fitted: Fitted = shipped_weights().words
    sums = dict.fromkeys(pool.fused, 0.0)
    for name, values in evidence(rows, words, text, pool).items():
        weight = fitted.get(name, 0.0)
        for place, value in zip(sums, values, strict=True):
            sums[place] += weight * value
    return ordered(rows, sums, len(sums))


def evidence(rows: LeanRows, words: LeanWords, text: str, pool: Weighed) -> dict[str, list[float]]:
    """By name the numbers of the pool's rows, in its order."""
    places = list(pool.fused)
    windows = [pool.windows[place] for place in places]
    return {
        "words": standard([pool.alone[place] for place in places]),
        "words_window": standard(windows),
        "words_session": standard([pool.sessions[place] for place in places]),
        "words_best_window": standard(_best_of_session(rows, places, windows)),
        **_form(rows, words, text, pool),
    }


def standard(values: Sequence[float]) -> list[float]:
    """As ``evidence.pool.standard``, of values that are all known."""
    if not values:
        return []
    low = min(min(values), 0.0)
    above = [value - low for value in values]
    size = max(len(values), LEAST_POOL)
    mean = math.fsum(above) / size
    spread = math.sqrt(max(math.fsum(value * value for value in above) / size - mean * mean, 0.0))
    return [(value - mean) / spread if spread > 1e-12 else 0.0 for value in above]


def _best_of_session(rows: LeanRows, places: Sequence[int], values: Sequence[float]) -> list[float]:
    best: dict[int, float] = {}
    number = rows.sessions_of(places)
    for place, value in zip(places, values, strict=True):
        session = number[place]
        best[session] = max(best.get(session, value), value)
    return [
        best[number[place]] if number[place] >= 0 else value
        for place, value in zip(places, values, strict=True)
    ]


def _form(rows: LeanRows, words: LeanWords, text: str, pool: Weighed) -> dict[str, list[float]]:
    """As ``evidence.form``; a name that no row holds as a word of the query names nobody in a text."""
    places = list(pool.fused)
    before = {place: pool.beside[place].before for place in places}
    traits = rows.values(TRAITS, {*places, *(other for other in before.values() if other is not None)})
    position, speaker = rows.values(POSITION, places), rows.speakers_of(places)
    named = _named(rows, text)
    alone = len(set(named.values())) == 1
    calling = _calling(words, text, named)
    when, number = asks_when(text), asks_number(text)
    found: dict[str, list[float]] = {}
    for place in places:
        own, said = traits[place], speaker[place] in named
        other = before[place]
        told = bool(own & Trait.TELLS_TIME.value)
        row = {
            "said_by_named": said and alone,
            "said_by_other": not said and alone,
            "names_them": not said and not calling.isdisjoint(pool.terms[place]),
            "asks": own & Trait.ASKS.value,
            "follows_question": other is not None and traits[other] & Trait.HOLDS_QUESTION.value,
            "tells_time": told,
            "tells_time_for_when": told and when,
            "number_for_how_many": number and own & Trait.HOLDS_NUMBER.value,
        }
        for name, value in row.items():
            found.setdefault(name, []).append(1.0 if value else 0.0)
        found.setdefault("place_in_session", []).append(math.log1p(max(position[place], 0)))
        found.setdefault("length", []).append(math.log1p(rows.lengths[place]))
    return found


def _named(rows: LeanRows, text: str) -> dict[int, str]:
    """The speakers that the query names, by a word of their name; those of whom a row may be recalled."""
    asked = set(words_of(text))
    named = {number: name for number, name in rows.speakers() if not asked.isdisjoint(words_of_name(name))}
    if named:
        heard = rows.heard(named)
        named = {number: name for number, name in named.items() if number in heard}
    return named


def _calling(words: LeanWords, text: str, named: Mapping[int, str]) -> set[int]:
    """The numbers of the held terms that are words of these names."""
    names = frozenset().union(*map(words_of_name, named.values())).intersection(words_of(text))
    return {number for number, held in enumerate(words.held) if held.term in names}
