"""When a fact that was taken out of a session is the one that a person wrote down. No judgement by hand."""

import re
from collections.abc import Sequence

from truerecall.bench.facts.labels import Gold
from truerecall.bench.facts.sessions import Extracted
from truerecall.memory.analysis import STOP_WORDS

NEAR = 1
"""Turns that they may be apart: one may name the turn before or behind."""
F1 = 0.5
"""Of their words; or"""
WITHIN = 0.8
"""the share of the shorter one's words that stand in the longer one, which has at least ``LEAST`` words."""
LEAST = 3

RULE = (
    f"same session, at most {NEAR} turn apart, and a token F1 of at least {F1} or {WITHIN:.0%} of the words of the"
    f" shorter text (at least {LEAST}) within the longer; words in lower case, each once, without stop words; kinds"
    " need not agree, and one extracted fact may hold several gold ones"
)

_WORD = re.compile(r"[^\W_]+")


def found(gold: Gold, turn: int, facts: Sequence[Extracted]) -> Extracted | None:
    """The first of these facts that is the one written down, which stands in the ``turn``-th turn; None if none is."""
    return next(
        (
            one
            for one in facts
            if one.session == gold.session
            and abs(one.turn - turn) <= NEAR
            and alike(one.fact.text, gold.text)
        ),
        None,
    )


def alike(one: str, other: str) -> bool:
    """Whether two texts say the same by their words."""
    a, b = words(one), words(other)
    common = len(a & b)
    if not common:
        return False
    shorter = min(len(a), len(b))
    return 2 * common / (len(a) + len(b)) >= F1 or (shorter >= LEAST and common / shorter >= WITHIN)


def words(text: str) -> frozenset[str]:
    """The words that count; all of them where there are only stop words."""
    said = frozenset(_WORD.findall(text.lower()))
    return said - STOP_WORDS or said
