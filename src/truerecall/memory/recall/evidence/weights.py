"""What each piece of evidence counts for: numbers fitted by ``benchmarks/fit.py``, kept as JSON."""

import json
import math
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from truerecall.core.records import dataclass
from truerecall.errors import InvalidSettings

_SETS = ("words", "meaning", "tokens")

Fitted = Mapping[str, float]
"""A weight by the name of the evidence."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Three sets: which one counts depends on how much of a model there is."""

    words: Fitted
    """Without a model."""
    meaning: Fitted
    """With an embedder that gives a vector a text."""
    tokens: Fitted
    """With one that also gives a vector a token."""
    fitted_on: str = ""
    """The data, as name and split: ``locomo dev``."""
    configurations: int = 0
    """How many choices of evidence and of fitting were tried on them before this one."""

    @property
    def sha256(self) -> str:
        """Of all: stands beside every figure made with them."""
        import hashlib  # takes longer than a prompt hook has to spare, which reads the weights

        return hashlib.sha256(json.dumps(self.as_dict(), sort_keys=True).encode()).hexdigest()

    def as_dict(self) -> dict[str, dict[str, float]]:
        """As they are kept."""
        return {name: dict(getattr(self, name)) for name in _SETS}


def parse_weights(data: object, where: str) -> Weights:
    """The weights of parsed JSON; ``InvalidSettings`` where it is none."""
    try:
        sets = [dict(data[name]) for name in _SETS]  # type: ignore[index]
        on, tried = data.get("fitted_on", ""), data.get("configurations", 0)  # type: ignore[attr-defined]
        if not isinstance(on, str) or type(tried) is not int:
            raise TypeError
        values = [value for chosen in sets for value in chosen.values()]
        if not all(type(value) in (int, float) and math.isfinite(value) for value in values):
            raise TypeError
    except (AttributeError, TypeError, KeyError, ValueError):
        raise InvalidSettings(
            "these are no weights of evidence",
            where=where,
            remedy='Give {"words": {…}, "meaning": {…}, "tokens": {…}}, each with numbers by the name of the evidence.',
        ) from None
    words, meaning, tokens = sets
    return Weights(words, meaning, tokens, on, tried)


@cache
def shipped_weights() -> Weights:
    """Those that recall uses unless it is told otherwise."""
    # Not importlib.resources, whose import takes longer than this does.
    file = Path(__file__).with_name("weights.json")
    return parse_weights(json.loads(file.read_text(encoding="utf-8")), file.name)
