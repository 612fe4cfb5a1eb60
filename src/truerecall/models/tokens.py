"""Token counters by name: one of our own that never counts under, and exact ones behind an extra."""

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Literal, get_args

from truerecall.errors import ModelError
from truerecall.models.optional import load
from truerecall.models.token_bound import bound, well_formed

if TYPE_CHECKING:  # hooks count tokens and load no models
    from truerecall.models.protocols import TokenCounter

Encoding = Literal["cl100k_base", "o200k_base"]

BOUND = "bound-1"
"""The counter that needs nothing installed. A change of its rule or its list is a new name."""


class BoundCounter:
    r"""Counts at least the tokens of ``cl100k_base`` and ``o200k_base``, without either vocabulary.

    About 15 % over on English prose. ``count(a + "\n" + b) <= count(a) + count(b) + 1`` holds for ordinary
    text. Another vocabulary, such as a model's with fewer tokens, may need more.
    """

    name = BOUND

    def count(self, text: str) -> int:
        """An upper bound on the tokens of ``text``; linear in its length."""
        return bound(text)


class ExactCounter:
    """The exact count of one encoding (the extra ``tokens``)."""

    def __init__(self, encoding: Encoding = "o200k_base") -> None:
        self.name = f"rs-bpe:{encoding}"
        self._count = _encoder(encoding)

    def count(self, text: str) -> int:
        """The tokens of ``text``; names of special tokens in it count as plain text."""
        return self._count(well_formed(text))


@cache
def _encoder(encoding: Encoding) -> Callable[[str], int]:
    # Building one takes up to a second.
    count: Callable[[str], int] = getattr(load("rs_bpe.bpe", "tokens").openai, encoding)().count
    return count


def names() -> list[str]:
    """Every name that ``counter`` knows."""
    return [BOUND, *(f"rs-bpe:{encoding}" for encoding in get_args(Encoding))]


def counter(name: str = BOUND) -> "TokenCounter":
    """The counter called ``name``.

    Raises:
        ModelError: no counter has this name.
        ModelMissing: its extra is not installed.
    """
    if name == BOUND:
        return BoundCounter()
    for encoding in get_args(Encoding):
        if name == f"rs-bpe:{encoding}":
            return ExactCounter(encoding)
    raise ModelError(f"no token counter is called {name!r}", remedy=f"Use one of: {', '.join(names())}.")
