"""Folders of a machine, taken out of what a report says: they tell who ran it and where, not what it found."""

import dataclasses
import re
from typing import Any, TypeVar

from truerecall.bench.secrecy import disclosed

_Laid = TypeVar("_Laid")

# Only below folders that every system has: an address of a service such as /v1/orders is what a question may be about.
_FIRST = "home|Users|root|tmp|var|private|opt|usr|mnt|media|work|workspace|srv|nix|Volumes"
_SEAT = re.compile(rf"(?<![\w.~])/(?:{_FIRST})/(?:[^\s/'\"`:,;|)]+/)*?truerecall-[0-9a-f]+/\d+/(home|ws)\b")
_PLACE = re.compile(
    rf"(?<![\w.~…])(?:/(?:{_FIRST})|[A-Za-z]:\\Users)[/\\](?:[^\s/\\'\"`:,;|)]+[/\\])*([^\s/\\'\"`:,;|)]*)"
)
_SEATS = {"home": "~", "ws": "…"}


def without_places(text: str) -> str:
    """A text in which a path of a machine is its last name: ``…/python``; those of a run's seat begin with it."""
    seated = _SEAT.sub(lambda found: _SEATS[found[1]], text)
    return _PLACE.sub(lambda found: f"…/{found[1]}", seated)


def shown(value: Any) -> Any:
    """A dumped record as a report may hold it: without addresses, secrets and folders, in keys and values alike."""
    if isinstance(value, str):
        return without_places(disclosed(value))
    if isinstance(value, dict):
        return {shown(name): shown(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [shown(inner) for inner in value]
    return value


def without_places_in(laid: _Laid) -> _Laid:
    """The same outline, or part of one, with every text in it passed through ``without_places``."""
    return _replaced(laid)  # type: ignore[no-any-return]  # of whatever kind it was given


def _replaced(value: Any) -> Any:
    if isinstance(value, str):
        return without_places(value)
    if isinstance(value, tuple):
        return tuple(_replaced(inner) for inner in value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        parts = {one.name: _replaced(getattr(value, one.name)) for one in dataclasses.fields(value)}
        return dataclasses.replace(value, **parts)
    return value
