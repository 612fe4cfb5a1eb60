"""Whether a recalled memory went into an answer, and what share of its recalls did.

A memory was used when it was cited, or when the answer says enough of it again:
(shared unigrams + shared bigrams) / (unigrams + bigrams of the memory's text) >= 0.15, each counted once.

Unigrams are ``analysis.tokens`` without English stop words: words, and pairs of characters where a script has no
spaces between words. Bigrams are two of them that follow each other once the stop words are gone. With stop words, any
two English texts share enough of "I went to the" to pass for use. Words are compared as they are folded, not stemmed.

Two floors keep chance out. A text of fewer than three distinct unigrams ("yes", "ok thanks") is in many an answer:
whether it was used cannot be told from the answer, only from a citation. And one shared word is never use, though in a
text of three words it reaches 0.15: it is mostly the word that the question brought into both.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from truerecall.core.entry import Entry
from truerecall.memory.analysis import STOP_WORDS, tokens

THRESHOLD = 0.15
"""The overlap from which on a memory counts as used."""
LEAST_UNIGRAMS = 3
"""Distinct unigrams of a text that an answer can be compared with."""
LEAST_SHARED = 2
"""Distinct unigrams that an answer must share."""

Outcome = Literal["used", "ignored", "failed"]
"""The kinds of event that feedback makes; see ``core.entry.EventKind``."""

Counts = Mapping[str, tuple[int, int, int]]
"""How often an entry was used, ignored, and used with a bad outcome, by the intent of the query."""


@dataclass(frozen=True, slots=True)
class _Grams:
    unigrams: frozenset[str]
    bigrams: frozenset[tuple[str, str]]


def overlap(text: str, response: str) -> float:
    """The share of a memory's unigrams and bigrams that a response holds too, from 0 to 1; 0 for a text of none."""
    return _overlap(_grams(text), _grams(response))


def was_used(text: str, response: str) -> bool | None:
    """Whether a response used a memory of this text; None where the text is too short to tell."""
    return _used(_grams(text), _grams(response))


def outcomes(
    recalled: Sequence[Entry], response: str | None, cited: Collection[str], failed: bool
) -> list[tuple[str, Outcome]]:
    """What feedback says of recalled entries, as (entry id, kind), in their order.

    Args:
        recalled: The entries that whoever answered has seen.
        response: The answer; None where only the citations are known, and all else counts as ignored.
        cited: Ids of the entries that the answer cites.
        failed: Whether the answer turned out badly: each used entry then gets ``failed`` beside ``used``.

    Of an entry whose use cannot be told, nothing is said.
    """
    said = None if response is None else _grams(response)
    found: list[tuple[str, Outcome]] = []
    for entry in recalled:
        used: bool | None = entry.id in cited
        if not used and said is not None:
            used = _used(_grams(entry.text), said)
        if used is not None:
            found.append((entry.id, "used" if used else "ignored"))
        if used and failed:
            found.append((entry.id, "failed"))
    return found


def share(counts: Counts, intent: str) -> float:
    """u: used / (used + ignored) of recalls with this intent, else of all recalls, else 0.5."""
    used, ignored, _ = counts.get(intent, (0, 0, 0))
    if used + ignored == 0:
        used = sum(bucket[0] for bucket in counts.values())
        ignored = sum(bucket[1] for bucket in counts.values())
    return used / (used + ignored) if used + ignored else 0.5


def _grams(text: str) -> _Grams:
    kept = [token for token in tokens(text) if token not in STOP_WORDS]
    return _Grams(frozenset(kept), frozenset(pairwise(kept)))


def _overlap(memory: _Grams, response: _Grams) -> float:
    of = len(memory.unigrams) + len(memory.bigrams)
    shared = len(memory.unigrams & response.unigrams) + len(memory.bigrams & response.bigrams)
    return shared / of if of else 0.0


def _used(memory: _Grams, response: _Grams) -> bool | None:
    if len(memory.unigrams) < LEAST_UNIGRAMS:
        return None
    enough = len(memory.unigrams & response.unigrams) >= LEAST_SHARED
    return enough and _overlap(memory, response) >= THRESHOLD
