"""What evidence goes by that needs no arrays: the prompt hook, which cannot load numpy, goes by the same."""

import re
from functools import cache, lru_cache

from truerecall.memory.analysis import words

LEAST_POOL = 100
"""Rows that a pool has at least, where it is asked how a value stands in it: see ``pool.standard``."""


def asks_when(text: str) -> bool:
    """Whether a query asks for a time."""
    return _when().search(text) is not None


def asks_number(text: str) -> bool:
    """Whether it asks for a number."""
    return _number().search(text) is not None


@lru_cache(maxsize=1 << 15)  # of every recall, the same speakers
def words_of_name(name: str) -> frozenset[str]:
    """The words by which a query names a speaker."""
    return frozenset(words(name))


@cache
def _when() -> re.Pattern[str]:
    return re.compile(r"\b(?:when|date|day|month|year)\b", re.IGNORECASE)


@cache
def _number() -> re.Pattern[str]:
    return re.compile(r"\bhow (?:many|much|long|old|often|far)\b", re.IGNORECASE)
