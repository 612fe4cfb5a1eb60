"""Which pieces of an answer say a source and no claim: decided by a linear model of what they look like.

``weights.npy`` holds a whole number for each feature of ``features.py``; the score of a piece is the sum of those that
it has, so that it is the same on every machine. ``benchmarks/blinding_model.py`` makes the weights.
"""

from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from pathlib import Path

import numpy as np

from truerecall.study.blind.features import of_segment, of_words
from truerecall.study.blind.lexicon import Part, Word, parts
from truerecall.study.blind.segments import LONGEST, Kind, Segment, segments
from truerecall.study.blind.tables import listed

WEIGHTS = Path(__file__).with_name("weights.npy")
SCALE = 32
"""Of the weights: so many are one, as the logarithm of odds."""
MARGIN = 0.5
"""How much the score of a piece must be above that of cutting nothing: a claim that is cut is worse than a source that
stays."""
_WHOLE, _TECHNICAL, _SENSE = 2.0, 1.0, 1.5
"""And how much more where a whole sentence, code or a number, or a word that turns a claim would be gone with it."""


def piece(words: Sequence[Word]) -> Segment | None:
    """The piece of a sentence that most surely says a source, if one does."""
    found = list(segments(words))
    if not found:
        return None
    scores = _scores(words, found)
    best = max(range(len(found)), key=lambda at: (scores[at], found[at].end - found[at].start))
    return found[best] if scores[best] > _margin(words, found[best]) * SCALE else None


def sourced(words: Sequence[Word], kind: Kind) -> bool:
    """Whether all of these words, in brackets, a heading or a footnote, say a source."""
    if not words or len(words) > LONGEST:
        return False
    whole = Segment(kind, 0, len(words), "")
    (score,) = _scores(words, [whole])
    return score > _margin(words, whole) * SCALE


def _scores(words: Sequence[Word], found: Sequence[Segment]) -> list[int]:
    weights = _weights(WEIGHTS)
    sums = [0, *accumulate(sum(weights[one] for one in row) for row in of_words(words))]
    return [
        sums[one.end] - sums[one.start] + sum(weights[feature] for feature in of_segment(words, one))
        for one in found
    ]


def _margin(words: Sequence[Word], segment: Segment) -> float:
    """The more a cut would take with it, the surer it must be; less so where whoever answers speaks of themselves."""
    inner = words[segment.start : segment.end]
    found = parts(inner)
    whole = segment.kind == "whole"
    if found & Part.ME or segment.kind == "bracket":
        return MARGIN + _WHOLE * whole
    technical, turns = bool(found & Part.TECHNICAL), any(word.text in _turning() for word in inner)
    return MARGIN + _WHOLE * whole + _TECHNICAL * technical + _SENSE * turns


@cache
def _turning() -> frozenset[str]:
    """Negations, conditions and modal verbs."""
    return frozenset().union(*(listed("checks", name) for name in ("negation", "condition", "modality")))


@cache
def _weights(path: Path) -> list[int]:
    loaded: list[int] = np.load(path).tolist()
    return loaded
