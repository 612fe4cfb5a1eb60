"""What a model proposes, checked field by field: a proposal that is used is whole, one that is not says why."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from truerecall.core.entry import EventTime, Statement
from truerecall.errors import InvalidInput
from truerecall.memory.reflect.salvage import Dropped, Element, Salvaged, salvage

LISTS = ("observations", "facts", "causes")
MOST = 5
"""Elements of each list that are used of one reply; the prompts name the same number."""

_LONGEST = 1000  # characters of a text
_LONGEST_NAME = 200  # of a subject, predicate or object


@dataclass(frozen=True, slots=True)
class Observation:
    """A generalisation over several entries."""

    text: str
    sources: tuple[str, ...]
    confidence: float | None


@dataclass(frozen=True, slots=True)
class Fact:
    """A statement that follows from its sources."""

    statement: Statement
    text: str
    sources: tuple[str, ...]
    valid_from: datetime | None


@dataclass(frozen=True, slots=True)
class Cause:
    """One entry is a cause of another."""

    cause: str
    effect: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Proposals:
    """All that is usable of a reply."""

    observations: tuple[Observation, ...] = ()
    facts: tuple[Fact, ...] = ()
    causes: tuple[Cause, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    readable: bool = True
    """Whether the reply held any of the lists at all."""


class _Unusable(Exception):
    """Why an element is not used; never leaves this module."""


_T = TypeVar("_T")


def proposals(reply: str, ids: Mapping[str, str], wanted: Sequence[str] = LISTS) -> Proposals:
    """Read a reply.

    Args:
        reply: Any string.
        ids: What an entry may be called (its short id, its id) to the id, for the entries that the model was shown.
        wanted: The lists that are read.
    """
    found = salvage(reply, wanted)
    dropped = list(found.dropped)
    observations = _read(found, "observations", lambda e: _observation(e, ids), dropped)
    facts = _read(found, "facts", lambda e: _fact(e, ids, dropped), dropped)
    causes = _read(found, "causes", lambda e: _cause(e, ids), dropped)
    return Proposals(observations, facts, causes, tuple(dropped), bool(found.lists))


def _read(
    found: Salvaged, name: str, make: Callable[[Element], _T], dropped: list[Dropped]
) -> tuple[_T, ...]:
    made: list[_T] = []
    for element in found.lists.get(name, ()):
        try:
            one = make(element)
            if one in made:
                raise _Unusable("it stands there twice")
            if len(made) == MOST:
                raise _Unusable(f"more than {MOST} of them")
        except _Unusable as reason:
            dropped.append(Dropped(element.where, str(reason)))
        else:
            made.append(one)
    return tuple(made)


def _observation(element: Element, ids: Mapping[str, str]) -> Observation:
    sources = _sources(element, ids)
    if len(sources) < 2:
        raise _Unusable("an observation needs two sources")
    sure = _share(element, "confidence") if "confidence" in element.fields else None
    return Observation(_text(element, "text", _LONGEST), sources, sure)


def _fact(element: Element, ids: Mapping[str, str], dropped: list[Dropped]) -> Fact:
    parts = [_text(element, name, _LONGEST_NAME) for name in ("subject", "predicate", "object")]
    text, sources = _text(element, "text", _LONGEST), _sources(element, ids)
    begins, given = None, element.fields.get("valid_from")
    if given not in (None, ""):
        try:
            begins = EventTime.parse(given).instant
        except InvalidInput:
            dropped.append(Dropped(element.where, "only its valid_from, which is no date"))
    return Fact(Statement(*parts), text, sources, begins)


def _cause(element: Element, ids: Mapping[str, str]) -> Cause:
    cause, effect = (_known(element.fields.get(name), name, ids) for name in ("cause", "effect"))
    if cause == effect:
        raise _Unusable("an entry is no cause of itself")
    return Cause(cause, effect, _share(element, "confidence"))


def _text(element: Element, name: str, longest: int) -> str:
    value = element.fields.get(name)
    if not isinstance(value, str) or not value.strip():
        raise _Unusable(f"it has no {name}")
    text = " ".join(value.split())
    if len(text) > longest:
        raise _Unusable(f"its {name} has more than {longest} characters")
    return text


def _sources(element: Element, ids: Mapping[str, str]) -> tuple[str, ...]:
    given = element.fields.get("sources")
    if not isinstance(given, list) or not given:
        raise _Unusable("it names no sources")
    return tuple(dict.fromkeys(_known(one, "source", ids) for one in given))


def _known(given: Any, name: str, ids: Mapping[str, str]) -> str:
    found = ids.get(given.strip(" []").lower()) if isinstance(given, str) else None
    if found is None:
        raise _Unusable(f"its {name} is no entry that the model was shown")
    return found


def _share(element: Element, name: str) -> float:
    value = element.fields.get(name)
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1:
        return float(value)
    raise _Unusable(f"its {name} is no number from 0 to 1")
