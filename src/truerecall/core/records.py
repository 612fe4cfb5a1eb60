"""Frozen records that are made by the thousand."""

from dataclasses import MISSING, fields
from typing import Any, TypeVar

_T = TypeVar("_T")


def made_quickly(cls: type[_T]) -> type[_T]:
    """Let a frozen dataclass with slots, plain defaults and no checks fill its slots directly: in half the time.

    The ``__init__`` that ``dataclass`` writes calls ``object.__setattr__`` for each field, by its name.
    """
    names = [field.name for field in fields(cls)]  # type: ignore[arg-type]  # a dataclass, as told
    known: dict[str, Any] = {f"set_{name}": getattr(cls, name).__set__ for name in names}
    given = []
    for field in fields(cls):  # type: ignore[arg-type]
        if field.default is not MISSING:
            known[f"default_{field.name}"] = field.default
        given.append(field.name if field.default is MISSING else f"{field.name}=default_{field.name}")
    body = "; ".join(f"set_{name}(self, {name})" for name in names)
    exec(f"def __init__(self, {', '.join(given)}): {body}", known)
    known["__init__"].__annotations__ = cls.__init__.__annotations__
    type.__setattr__(cls, "__init__", known["__init__"])
    return cls
