"""A record of settings filled from a TOML table, strictly. Apart from ``config``: a hook has settings of its own."""

from collections.abc import Mapping
from typing import Any, get_type_hints

from truerecall.core.records import replace
from truerecall.errors import InvalidSettings

_KINDS: Mapping[Any, tuple[str, str]] = {
    int: ("a whole number", "Give a whole number."),
    float: ("a number", "Give a number, such as 0.5."),
    bool: ("true or false", "Give true or false."),
    str: ("a text", 'Give a text in quotes: "...".'),
    tuple[str, ...]: ("a list of texts", 'Give a list: ["~/x/*"].'),
}
"""What a value is called by people who do not know Python, and what they are to write."""


def filled(record: Any, data: Mapping[str, Any], where: str) -> Any:
    """A copy of a record of settings with what a TOML table says; ``InvalidSettings`` names what it does not know."""
    known = get_type_hints(type(record))
    changes: dict[str, Any] = {}
    for key, value in data.items():
        place = f"{where}: {key}"
        if key not in known:
            from difflib import get_close_matches

            near = get_close_matches(key, known, n=1)
            hint = f"Did you mean {near[0]}? " if near else ""
            raise InvalidSettings(
                "unknown setting", where=place, remedy=f"{hint}Known here: {', '.join(sorted(known))}."
            )
        current = getattr(record, key)
        if hasattr(current, "__match_args__"):  # a record
            if not isinstance(value, Mapping):
                raise InvalidSettings("this is a table", where=place, remedy=f"Write it as [{key}].")
            changes[key] = filled(current, value, place)
        else:
            changes[key] = _typed(value, known[key], place)
    return replace(record, **changes)


def _typed(value: object, kind: type, place: str) -> object:
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if kind == tuple[str, ...] and isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    if type(value) is not kind:
        wanted, example = _KINDS.get(kind, (str(kind), f"Give {kind}."))
        raise InvalidSettings(f"{value!r} is not {wanted}", where=place, remedy=example)
    return value
