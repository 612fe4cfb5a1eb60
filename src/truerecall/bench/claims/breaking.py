"""Breaking the production path on purpose: what makes a claim worth something is that it goes red then."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from truerecall.errors import RunError

_PRODUCTION = ("core", "measure", "memory", "models", "bench")
_CLAIMS = "bench.claims"
"""What claims are made with: a break of that says nothing of what is claimed."""


@dataclass(frozen=True, slots=True)
class Break:
    """One attribute of one module of the package, and what stands in its place while it is broken."""

    what: str
    """A sentence."""
    module: str
    """Below ``truerecall``, such as ``memory.memory``."""
    attribute: str
    """Dotted where it is one of a class or of a class above it, such as ``Memory.at``."""
    instead: Callable[[Any], Any]
    """Makes the replacement of the original."""

    @property
    def target(self) -> str:
        """What is replaced, in full."""
        return f"truerecall.{self.module}.{self.attribute}"


@contextlib.contextmanager
def broken(one: Break) -> Iterator[None]:
    """The package with this break, in this process only; whatever happens, it is whole again afterwards.

    Raises:
        RunError: It names what is not there, or what is no production code: such a break would prove nothing.
    """
    owner, name = _place(one)
    original = vars(owner)[name]
    setattr(owner, name, one.instead(original))
    try:
        yield
    finally:
        setattr(owner, name, original)


def _place(one: Break) -> tuple[Any, str]:
    *path, name = one.attribute.split(".")
    layer = one.module.partition(".")[0]
    if layer not in _PRODUCTION or f"{one.module}.".startswith(f"{_CLAIMS}."):
        raise _no_place(one, "is no production code")
    try:
        owner: Any = import_module(f"truerecall.{one.module}")
        for part in path:
            owner = getattr(owner, part)
    except (ImportError, AttributeError):
        raise _no_place(one, "is not there") from None
    for holder in owner.__mro__ if isinstance(owner, type) else (owner,):
        if name in vars(holder):
            return holder, name
    raise _no_place(one, "is not there")


def _no_place(one: Break, why: str) -> RunError:
    return RunError(
        f"{one.target} {why}", where=f"the break “{one.what}”", remedy="Name what the claim stands on."
    )
