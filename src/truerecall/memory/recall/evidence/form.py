"""Evidence of form: who speaks, and what kind of text it is. An answer is seldom a question, and often follows one."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from truerecall.memory.analysis import words as words_of
from truerecall.memory.recall.evidence.plain import asks_number, asks_when, words_of_name
from truerecall.memory.recall.evidence.pool import Pool
from truerecall.memory.traits import Trait

if TYPE_CHECKING:
    from numpy.typing import NDArray


def form(found: Pool) -> "dict[str, NDArray[np.float64]]":
    """Ten numbers, each 0 or 1 but for the place in the session and the length (logarithms)."""
    view, text = found.search.view, found.search.query.text
    places = found.places
    traits, speaker = view.traits[places], view.speaker[places]
    named = _named(found)
    by_named = np.zeros(len(places), dtype=np.bool_)
    for number in named:
        by_named |= speaker == number
    alone = len(set(named.values())) == 1  # a name has a number for shared rows and one for private
    follows = (found.before >= 0) & ((view.traits[found.before] & Trait.HOLDS_QUESTION) > 0)
    tells_time = (traits & Trait.TELLS_TIME) > 0
    holds = {
        "said_by_named": by_named & alone,
        "said_by_other": ~by_named & alone,
        "names_them": _names_them(found, named) & ~by_named,
        "asks": (traits & Trait.ASKS) > 0,
        "follows_question": follows,
        "tells_time": tells_time,
        "tells_time_for_when": tells_time & asks_when(text),
        "number_for_how_many": ((traits & Trait.HOLDS_NUMBER) > 0) & asks_number(text),
    }
    return {
        **{name: value.astype(np.float64) for name, value in holds.items()},
        "place_in_session": np.log1p(np.maximum(view.position[places], 0)),
        "length": np.log1p(view.lengths[places]),
    }


def _named(found: Pool) -> dict[int, str]:
    """The speakers that the query names, by a word of their name; those of whom a row may be recalled."""
    view, asked = found.search.view, set(words_of(found.search.query.text))
    named = {number: name for number, name in view.speakers() if not asked.isdisjoint(words_of_name(name))}
    return {number: name for number, name in named.items() if view.allowed[view.speaker == number].any()}


def _names_them(found: Pool, named: Mapping[int, str]) -> "NDArray[np.bool_]":
    view = found.search.view
    mentions = np.zeros(len(view.rowids), dtype=np.bool_)
    asked = set(words_of(found.search.query.text))
    for word in asked.intersection(word for name in named.values() for word in words_of_name(name)):
        mentions[view.holding(word)] = True
    return mentions[found.places]
