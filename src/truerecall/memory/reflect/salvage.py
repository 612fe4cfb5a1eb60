"""Lists of JSON objects out of whatever a model replied: fences, prose around it, a broken element, a missing end.

Each list is found by its name and read element by element, so that one that is broken costs itself and no other. This
never raises, and what is given up is told with its reason.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

_DECODER = json.JSONDecoder()
_OPENING = {"}": "{", "]": "["}
_SPACE = " \t\r\n"
_MOST = 200  # elements of a list that are looked at
_LONGEST = 200_000  # characters of a reply that are looked at


@dataclass(frozen=True, slots=True)
class Dropped:
    """Something that a model proposed and that is not used."""

    where: str
    """The list and the place in it, from 1: ``facts 2``."""
    reason: str


@dataclass(frozen=True, slots=True)
class Element:
    """An object of a list."""

    where: str
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Salvaged:
    """What could be read of a reply."""

    lists: Mapping[str, Sequence[Element]] = field(default_factory=dict)
    """By the names that were asked for; a list that is not there is not among them."""
    dropped: tuple[Dropped, ...] = ()


def salvage(reply: str, names: Sequence[str]) -> Salvaged:
    """The lists of these names; of one that stands there twice, the first."""
    text = reply[:_LONGEST]
    lists: dict[str, list[Element]] = {}
    dropped: list[Dropped] = []
    for name in names:
        opened = re.search(rf'"{re.escape(name)}"\s*:\s*\[', text)
        if opened is None:
            continue
        lists[name] = []
        for number, found in enumerate(_elements(text, opened.end()), start=1):
            where = f"{name} {number}"
            if number > _MOST:
                dropped.append(Dropped(where, f"more than {_MOST} elements"))
                break
            if isinstance(found, dict):
                lists[name].append(Element(where, found))
            else:
                dropped.append(Dropped(where, found))
    return Salvaged(lists, tuple(dropped))


def _elements(text: str, at: int) -> Iterator[dict[str, Any] | str]:
    """The objects of a list that begins at a place; in the stead of one that is none, why."""
    while True:
        while at < len(text) and (text[at] in _SPACE or text[at] == ","):
            at += 1
        if at == len(text):
            yield "the reply ends within the list"
            return
        if text[at] == "]":
            return
        value, end = _value(text, at)
        if end is None:
            end = _closing(text, at)
            if end is None:
                yield "the reply ends within it"
                return
            yield "it is not JSON"
        elif isinstance(value, dict):
            yield value
        else:
            yield "it is no object"
        at = end


def _value(text: str, at: int) -> tuple[Any, int | None]:
    try:
        return _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None, None


def _closing(text: str, at: int) -> int | None:
    """Where a broken element ends: after its closing brace, or before the comma or bracket that follows it."""
    opened: list[str] = []
    quoted = False
    while at < len(text):
        character = text[at]
        if quoted:
            if character == "\\":
                at += 1
            elif character in '"\n':  # a string that was never closed ends with its line
                quoted = False
        elif character == '"':
            quoted = True
        elif character in "{[":
            opened.append(character)
        elif character in "}]":
            opening = _OPENING[character]
            if opening in opened:  # what was left open inside closes with it
                while opened.pop() != opening:
                    pass
                if not opened:
                    return at + 1
            elif character == "]":
                return at
            elif not opened:
                return at + 1
        elif character == "," and not opened:
            return at
        at += 1
    return None
