"""What recall did, step by step: enough to explain every hit and everything dropped, and nothing of the texts.

One trace is one line of JSON. Milliseconds apart, the same store, query and clock give the same bytes.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from truerecall.errors import InvalidInput

DropReason = Literal[
    "trust",  # not one of the tiers that were asked for
    "conflict",  # a statement instead of which another hit's is believed
    "duplicate",  # the same text or sources as a newer hit
    "min_score",  # a lower score than is asked for
    "limit",  # ranked after the last hit
    "budget",  # a hit that did not fit into the block
]


@dataclass(frozen=True, slots=True)
class LaneTrace:
    """What a lane gave."""

    name: str
    candidates: int
    """Rows given to the fusion."""
    found: int
    """Rows that it could have given."""
    milliseconds: float
    note: str
    """Why it could not do (all of) its work."""


@dataclass(frozen=True, slots=True)
class Moved:
    """A candidate of the reranked pool."""

    id: str
    fused_rank: int
    """Its rank before."""
    score: float
    """The weighted sum of its evidence, by which it stands where it stands now."""


@dataclass(frozen=True, slots=True)
class RerankTrace:
    """What reranking did."""

    evidence: str
    """How much evidence there was: words alone, a vector's meaning too, or tokens as well."""
    pool: tuple[Moved, ...]
    """In the order after reranking."""
    moved: int
    """How many of the pool changed their rank."""
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Dropped:
    """A candidate that did not become a hit, or a hit that is not in the block."""

    id: str
    reason: DropReason
    kept: str | None = None
    """For a duplicate and in a conflict, the entry that stands for it."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate's way through the stages."""

    id: str
    fused: float
    factors: Mapping[str, float]
    """Recency, temporal and trust always, of the others those that are on."""
    score: float


@dataclass(frozen=True, slots=True)
class Understood:
    """What was made of the query, as far as something that is on went by it."""

    intent: str | None
    """None where nothing depends on it."""
    start: str | None
    """Of the time that it names, an instant; None where it names none, or nothing depends on it."""
    end: str | None
    """Not part of it."""
    precision: str | None
    hard: bool
    """Whether what lies outside was left out."""


@dataclass(frozen=True, slots=True)
class DiversifyTrace:
    """What diversifying did."""

    looked_at: int
    """How many of the first it put in order."""
    moved: int
    """How many of them changed their place."""
    note: str
    """Why it could not do its work; empty where it did."""


@dataclass(frozen=True, slots=True)
class Trace:
    """One recall."""

    query_sha256: str
    terms: int
    lanes: tuple[LaneTrace, ...]
    rerank: RerankTrace | None
    """None where nothing was reranked."""
    scored: tuple[Scored, ...]
    """In the order of the scores."""
    dropped: tuple[Dropped, ...]
    hits: tuple[str, ...]
    tokens: int
    """Of the block."""
    counter: str
    degradations: tuple[str, ...]
    """What recall had to do without, in words."""
    understood: Understood | None = None
    """None where nothing that is on depends on it."""
    diversify: DiversifyTrace | None = None
    """None where it is off."""

    def as_json(self) -> str:
        """One line; what is off and came later than the first traces is not named."""
        told = asdict(self)
        for name in ("understood", "diversify"):
            if told[name] is None:
                del told[name]
        return json.dumps(told, ensure_ascii=False, sort_keys=True)


def append_trace(path: Path, trace: Trace) -> None:
    """Add a trace to a JSONL file, which only its owner can read."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with open(descriptor, "a", encoding="utf-8") as handle:  # noqa: PTH123  # a descriptor, for the mode
            handle.write(trace.as_json() + "\n")
    except OSError as error:
        raise InvalidInput(
            f"the trace cannot be written: {error.strerror}",
            where=str(path),
            remedy="Name a file that you can write.",
        ) from None
