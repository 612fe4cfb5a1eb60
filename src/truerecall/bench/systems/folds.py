"""Weights fitted without the history that they are used on: one set a history, found by the history itself.

A system is told nothing of which conversation it is given, so a fold is known by the sha256 of the history's texts.
A history that is in no fold is refused: it would be measured with weights that nobody fitted for it.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from truerecall.errors import InvalidSettings
from truerecall.memory.recall.evidence.weights import Weights, parse_weights


@dataclass(frozen=True, slots=True)
class Folds:
    """Weights by the history that they were fitted without."""

    weights: Mapping[str, Weights]
    sha256: str
    """Of the file."""

    def without(self, history: str) -> Weights:
        """The weights for a history; ``InvalidSettings`` where it is in no fold."""
        if history not in self.weights:
            raise InvalidSettings(
                "the folds hold no weights for this history",
                where=f"history {history[:12]}…",
                remedy="Fit them on this data (benchmarks/fit.py), or leave folds= out.",
            )
        return self.weights[history]

    @property
    def any(self) -> Weights:
        """One of them, for what they share."""
        return next(iter(self.weights.values()))


def fingerprint(texts: Iterable[str]) -> str:
    """What a history is known by: the same for the same texts in any order."""
    each = sorted(hashlib.sha256(text.encode()).digest() for text in texts)
    return hashlib.sha256(b"".join(each)).hexdigest()


def load_folds(path: Path) -> Folds:
    """Read a file that ``benchmarks/fit.py`` wrote; ``InvalidSettings`` where it is none."""
    try:
        raw = path.read_bytes()
        data: Any = json.loads(raw)
        folds = {str(fold["history"]): parse_weights(fold["weights"], path.name) for fold in data["folds"]}
    except OSError as error:
        raise InvalidSettings(
            f"the folds cannot be read: {error.strerror}", where=str(path), remedy="Name a readable file."
        ) from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise InvalidSettings(
            "this is no file of folds", where=str(path), remedy="Make one with benchmarks/fit.py."
        ) from None
    if not folds:
        raise InvalidSettings("there is no fold in it", where=str(path), remedy="Make it anew.")
    return Folds(folds, hashlib.sha256(raw).hexdigest())
