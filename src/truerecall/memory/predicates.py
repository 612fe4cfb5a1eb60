"""The predicates of statements: which of them hold one value at a time, and what else they are called."""

import re
import unicodedata
from collections.abc import Mapping

from truerecall.memory.analysis import fold

_FAVOURITE = "favourite_"


class _Functional(frozenset[str]):
    """Set of the predicates below, and of every ``favourite_<kind>``: their kinds cannot be listed."""

    def __contains__(self, predicate: object) -> bool:
        return super().__contains__(predicate) or (
            isinstance(predicate, str) and predicate.startswith(_FAVOURITE) and predicate != _FAVOURITE
        )


FUNCTIONAL: frozenset[str] = _Functional(
    {"lives_in", "works_at", "named", "age", "spouse", "owner", "version", "default"}
)
"""Hold one value at a time: a newer value ends the older. All others hold many side by side."""

SYNONYMS: Mapping[str, str] = {
    synonym: predicate
    for predicate, synonyms in {
        "lives_in": "resides_in lives_at living_in moved_to relocated_to based_in is_based_in home_is_in",
        "works_at": "works_for working_at working_for employed_by employed_at employer is_employed_by",
        "named": "name is_named is_called called has_name name_is",
        "age": "is_aged aged has_age years_old is_years_old",
        "spouse": "married_to is_married_to husband wife has_spouse",
        "owner": "owned_by is_owned_by has_owner belongs_to",
        "version": "has_version is_at_version version_is upgraded_to",
        "default": "defaults_to has_default default_is default_value",
        "likes": "loves enjoys like love enjoy is_fond_of",
        "dislikes": "hates dislike hate does_not_like",
        "prefers": "prefer preference",
        "uses": "use using is_using",
        "knows": "know is_acquainted_with",
        "owns": "own is_owner_of is_the_owner_of",
        "decided": "decision decided_to decided_on decides",
        "allergic_to": "is_allergic_to allergy has_allergy_to",
        "depends_on": "requires require depend_on needs is_dependent_on",
        "partner": "boyfriend girlfriend fiance fiancee",
    }.items()
    for synonym in synonyms.split()
}
"""What each is called besides; the key is the synonym."""

_SEPARATORS = re.compile(r"[^a-z0-9\u0080-\U0010ffff]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def canonical(predicate: str) -> str:
    """The one name of a predicate: snake_case, its synonyms resolved.

    ``"Resides in"``, ``"residesIn"`` and ``"resides_in"`` are all ``lives_in``; ``"favorite color"`` is
    ``favourite_colour``. A predicate without a letter or digit is ``related_to``.
    """
    spread = _HUMP.sub("_", predicate) if predicate.isascii() else predicate
    folded = fold(spread)
    if not folded.isascii():  # a vowel of Hindi or Thai is a mark: part of the word as a letter is
        folded = "".join(c if c.isalnum() or unicodedata.category(c)[0] == "M" else "_" for c in folded)
    name = _SEPARATORS.sub("_", folded).strip("_")
    if not name:
        return "related_to"
    if name.startswith("favorite"):
        name = "favourite" + name[len("favorite") :]
    if name.startswith(_FAVOURITE):
        return _BRITISH.get(name, name)
    return SYNONYMS.get(name, name)


_BRITISH: Mapping[str, str] = {
    "favourite_color": "favourite_colour",
    "favourite_movie": "favourite_film",
    "favourite_flavor": "favourite_flavour",
    "favourite_soccer_team": "favourite_football_team",
}
